# SPDX-License-Identifier: Apache-2.0
"""What schemathesis does not bring: how a raw response head is sent, and a way around a fault of Python's parser."""

import schemathesis
from hypothesis.internal import lambda_sources

describe = lambda_sources.lambda_description


@schemathesis.serializer("message/http")
def message(context, value):
    """A head of what was made up: for the schema it is any text, and text that is no head is 400."""
    octets = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    if octets.startswith(b"HTTP/") or not isinstance(value, (bytes, str)):
        return octets
    field = bytes(octet for octet in octets if octet == 9 or 32 <= octet != 127)
    return b"HTTP/1.1 200 OK\r\nSet-Cookie: " + field + b"\r\n\r\n"


def describe_all(function):
    """A description of a lambda for error messages.

    Python 3.11 before 3.11.5 cannot parse source at some depths of the stack (gh-106905), which ended whole runs.
    """
    try:
        return describe(function)
    except SystemError:
        return "lambda *_: <unknown>"


lambda_sources.lambda_description = describe_all
