# SPDX-License-Identifier: Apache-2.0
"""What schemathesis does not bring: how a raw response head is sent, and a way around a fault of Python's parser."""

import schemathesis
from hypothesis.internal import lambda_sources

describe = lambda_sources.lambda_description


@schemathesis.serializer("message/http")
def message(context, value):
    """What was made up, as the octets of the head."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def describe_all(function):
    """A description of a lambda for error messages.

    Python 3.11 before 3.11.5 cannot parse source at some depths of the stack (gh-106905), which ended whole runs.
    """
    try:
        return describe(function)
    except SystemError:
        return "lambda *_: <unknown>"


lambda_sources.lambda_description = describe_all
