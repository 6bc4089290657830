# SPDX-License-Identifier: Apache-2.0
"""Finds secrets in octets, in the forms in which they could get there."""

import base64
import re
import urllib.parse
import zlib


class Search:
    """Looks for secrets as they are, in hexadecimal, base64 (all three alignments, both alphabets), percent-encoded,
    and inside anything that is gzip."""

    def __init__(self, secrets):
        """`secrets` are names and octets; a name is all that is ever shown."""
        self.needles = {}
        for name, octets in secrets.items():
            for form, needle in forms(octets):
                self.needles.setdefault(needle, (name, form))

    def find(self, content):
        """What is in the octets: (name, form) of each secret."""
        found = {what for needle, what in self.needles.items() if needle in content}
        for start in (match.start() for match in re.finditer(rb"\x1f\x8b\x08", content)):
            plain = gunzip(content[start:])
            found |= {(name, f"{form} in gzip") for name, form in self.find_plain(plain)}
        return sorted(found)

    def find_plain(self, content):
        return {what for needle, what in self.needles.items() if needle in content}


def forms(octets):
    yield "as it is", octets
    yield "hexadecimal", octets.hex().encode()
    yield "hexadecimal", octets.hex().upper().encode()
    for shift in range(3):
        code = base64.b64encode(b"\0" * shift + octets)
        # The digits at both ends depend on what stands beside the secret.
        inner = code[(shift * 8 + 5) // 6:(shift + len(octets)) * 8 // 6]
        yield f"base64, shifted by {shift}", inner
        yield f"base64, shifted by {shift}", inner.translate(bytes.maketrans(b"+/", b"-_"))
    yield "percent-encoded", "".join(f"%{octet:02X}" for octet in octets).encode()
    yield "percent-encoded", "".join(f"%{octet:02x}" for octet in octets).encode()
    yield "percent-encoded", urllib.parse.quote_from_bytes(octets, safe="").encode()
    # As C and Swift print arrays.
    yield "decimal", ", ".join(str(octet) for octet in octets).encode()


def gunzip(content):
    """What a gzip stream holds, as far as it goes."""
    try:
        return zlib.decompressobj(wbits=31).decompress(content, 1 << 26)
    except zlib.error:
        return b""


def test():
    """Each form is found among other octets, and nothing where nothing is."""
    import gzip
    import secrets

    octets = b"k" + secrets.token_bytes(30) + b"\xff"
    search = Search({"planted": octets})
    for form, needle in forms(octets):
        for content in (needle, b"x" + needle + b"y", b"\x1f\x8b\x08" + needle):
            assert ("planted", form) in search.find(content), form
        assert search.find(b"junk" + gzip.compress(b"a" + needle + b"b")), form
        assert not search.find(needle[:-1] + b"\x00"), form
    for shift in range(6):
        content = base64.b64encode(secrets.token_bytes(shift) + octets + secrets.token_bytes(7))
        assert search.find(content), shift
    assert not search.find(secrets.token_bytes(1 << 16))
