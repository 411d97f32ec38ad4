# SPDX-License-Identifier: Apache-2.0
"""The program hone as a process: it tunes, reads databases and writes files."""

import json
import os
import subprocess

from . import native, places
from .errors import FailedError, HoneError, InvalidError

EXIT_STOPPED = 75


def path():
    """The program; without a library only HONE and PATH say where."""
    try:
        library = native.library_path()
    except HoneError:
        library = None
    return places.find_program(library)


def source_name(source):
    """SOURCE as the program takes it: a path, an operator spec, or a file with the graph of what has one."""
    if hasattr(source, "trace"):
        source = source.trace()
    if hasattr(source, "file"):
        return source.file()
    return os.fspath(source)


def error_of(status, message):
    """The exception for an exit status and what stands on stderr."""
    lines = [line.removeprefix("hone: ") for line in message.strip().splitlines()]
    text = "\n".join(lines) or f"hone ended with status {status}"
    return (InvalidError if status in (2, 64) else FailedError)(text)


def run(*arguments):
    """Runs `hone ARGUMENTS`; what it prints."""
    done = subprocess.run([path(), *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode:
        raise error_of(done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


def run_json(*arguments):
    """What `hone ARGUMENTS --json` says."""
    return json.loads(run(*arguments, "--json"))
