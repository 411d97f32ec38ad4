# SPDX-License-Identifier: Apache-2.0
"""What a database knows: its records, and the best of a model's tasks."""

import json
import os
import tempfile

from . import program


class Rows(list):
    """A list of dicts, which is a data frame on demand."""

    def frame(self):
        """A pandas.DataFrame with a row for each."""
        try:
            import pandas
        except ImportError:
            raise ImportError("a frame takes pandas, which is not here (pip install pandas, or Debian's "
                              "python3-pandas); without it the rows are a list of dicts") from None
        return pandas.DataFrame(list(self))


def records(db, source=None, top=None, long=False):
    """The records of the database DB, of all devices, as Rows: a dict for each with task, name, device, target,
    toolchain, threads, cache, status, time_us, steps and so on, as docs/log.md has it.

    SOURCE: those of a model's or an operator's tasks alone, as tune() takes it. TOP: the best so many of each task,
    device, toolchain, number of threads and cache state. LONG: with what is large and the same in many of them:
    text of the task, description of the device."""
    arguments = ["export", "--db", os.fspath(db), "--format", "log"]
    if source is not None:
        arguments.insert(1, program.source_name(source))
    if top is not None:
        arguments += ["--top", str(top)]
    with tempfile.TemporaryDirectory(prefix="hone-python.") as folder:
        path = os.path.join(folder, "records.jsonl")
        program.run(*arguments, "-o", path)
        with open(path, encoding="utf-8") as log:
            rows = Rows(json.loads(line) for line in log)
    if not long:
        for row in rows:
            row.pop("text", None)
            row.pop("device_description", None)
    return rows


def best(source, db, threads=None):
    """The fastest verified kernel of each task of SOURCE on this device, as Rows; docs/json.schema.json has `best
    row`."""
    arguments = ["best", program.source_name(source), "--db", os.fspath(db)]
    if threads is not None:
        arguments += ["--threads", str(threads)]
    return Rows(program.run_json(*arguments))


def compile(source, output, db=None, threads=None):
    """Compiles SOURCE, a model's file or a graph, into a module (*.hone) that hone.Model() opens without either."""
    arguments = ["compile", program.source_name(source), "-o", os.fspath(output)]
    if db is not None:
        arguments += ["--db", os.fspath(db)]
    if threads is not None:
        arguments += ["--threads", str(threads)]
    program.run(*arguments)


def export(source, db, output, **options):
    """Writes what DB has of SOURCE: C files into a folder, records into *.jsonl, an archive into *.tar.gz or
    *.tar.zst. OPTIONS: top=K, complete=True, fallback=True, as `hone export` has them."""
    arguments = ["export", program.source_name(source), "--db", os.fspath(db), "-o", os.fspath(output)]
    for name, value in options.items():
        if name not in ("top", "complete", "fallback", "format"):
            raise TypeError(f"export() has no option {name}")
        if value not in (None, False):
            arguments.append(f"--{name}" if value is True else f"--{name}={value}")
    program.run(*arguments)
