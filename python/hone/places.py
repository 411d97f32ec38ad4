# SPDX-License-Identifier: Apache-2.0
"""Where the library and the program are.

The library is the file that HONE_LIBRARY names, else the one that is installed, else that of a build
in the source tree that this package is in. The program is the one that HONE names, else the one that
belongs to the library, else the one in PATH."""

import os
import shutil
import sys

from .errors import FailedError

SONAME = "libhone.so.0"


def _source_tree():
    """The folder above python/ where this package is one of a source tree."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return top if os.path.exists(os.path.join(top, "include", "hone_graph.h")) else None


def _installed():
    """Places that the dynamic linker, which is asked first, may not know of."""
    prefixes = dict.fromkeys([sys.prefix, sys.base_prefix, "/usr/local", "/usr"])
    for prefix in prefixes:
        for folder in ("lib", "lib64"):
            yield os.path.join(prefix, folder, SONAME)


def _built():
    top = _source_tree()
    if top:
        yield os.path.join(top, "build", ".libs", SONAME)
        yield os.path.join(top, ".libs", SONAME)


def library_candidates():
    """What may be given to dlopen(), in order."""
    named = os.environ.get("HONE_LIBRARY")
    if named:
        return [named]
    return [SONAME] + [path for path in [*_installed(), *_built()] if os.path.exists(path)]


def no_library(tried):
    """The error for a library that cannot be loaded; TRIED are lines that say why."""
    return FailedError("there is no libhone" + "".join(f"\n    {line}" for line in tried) +
                       "\ninstall hone (make install, or Debian's libhone0), or set HONE_LIBRARY to its "
                       f"{SONAME}")


def _beside(library):
    """The program that belongs to a library: PREFIX/bin for PREFIX/lib, or the build's."""
    folder = os.path.dirname(os.path.realpath(library))
    if os.path.basename(folder) == ".libs":
        yield os.path.join(os.path.dirname(folder), "hone")
    for up in ("..", os.path.join("..", "..")):    # lib, and lib/x86_64-linux-gnu
        yield os.path.normpath(os.path.join(folder, up, "bin", "hone"))


def find_program(library):
    """The program hone; LIBRARY is the path of the library that is loaded, or None."""
    named = os.environ.get("HONE")
    if named:
        path = shutil.which(named)
        if not path:
            raise FailedError(f"HONE={named}: there is no such program")
        return path
    for path in _beside(library) if library else ():
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    path = shutil.which("hone")
    if not path:
        raise FailedError("there is no program hone, which tunes and reads databases: install hone, or set HONE "
                          "to it")
    return path
