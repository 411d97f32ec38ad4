# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, with the library's message: what, where, and what to do."""

import linecache
import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class HoneError(Exception):
    """All errors of hone."""


class InvalidError(HoneError, ValueError):
    """The call is wrong: a number of tensors, a shape, a type."""


class UnsupportedError(HoneError, NotImplementedError):
    """The call is right, but hone does not do that."""


class FailedError(HoneError, RuntimeError):
    """A file, a model, a compiler, the program, or a limit of time or memory."""


class TraceError(InvalidError):
    """Tensors that do not fit together in a function that is traced.

    filename and lineno are the line of the caller's program that is at fault."""

    def __init__(self, message, filename=None, lineno=None):
        self.filename = filename
        self.lineno = lineno
        if filename:
            line = linecache.getline(filename, lineno).strip()
            message = f"{filename}:{lineno}: {message}" + (f"\n    {line}" if line else "")
        super().__init__(message)


def caller():
    """The innermost frame outside of this package; None where there is none."""
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def trace_error(message):
    """A TraceError that names the line which called the package."""
    frame = caller()
    if frame is None:
        return TraceError(message)
    return TraceError(message, frame.f_code.co_filename, frame.f_lineno)
