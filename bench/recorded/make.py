#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a small recording out of a database of hone tune: what a replay needs, and no more.

    bench/recorded/make.py tune.db bench/recorded/NAME.db --trials 300 [TASK...]

Keeps the first trials of each TASK (a name as hone db stats prints it; all where none is given), in
their order, with one sample each: the time itself, of a lost race the least, as a search sees it.
Messages, counters, campaigns and re-measurements go.
"""
import argparse
import os
import sqlite3
import struct
import sys


def one_sample(status, samples, time_us):
    """The sample blob that stands for SAMPLES, doubles of a little-endian machine."""
    if time_us is not None:
        return struct.pack("<d", time_us)
    values = struct.unpack(f"<{len(samples) // 8}d", samples)
    return struct.pack("<d", min(values)) if status == "lost-race" and values else b""


def reduce(db, trials, tasks):
    """Removes from DB, in place, what the recording does without."""
    names = tasks or [name for name, in db.execute("SELECT name FROM tasks")]
    for name in names:
        if not db.execute("SELECT 1 FROM tasks WHERE name = ?", (name,)).fetchone():
            sys.exit(f"make.py: there is no task {name}; hone db stats lists them")
    marks = ",".join("?" * len(names))
    db.execute("DELETE FROM records WHERE final OR trial >= ? OR task NOT IN "
               f"(SELECT id FROM tasks WHERE name IN ({marks}))", (trials, *names))
    db.execute(f"DELETE FROM tasks WHERE name NOT IN ({marks})", names)
    db.create_function("one_sample", 3, one_sample)
    db.execute("UPDATE records SET samples = one_sample(status, samples, time_us),"
               " counted = iif(time_us IS NULL, NULL, '1'), message = '',"
               " counters = '{}', campaign = NULL, sitting = NULL")
    for table in "rounds", "sittings", "campaigns":
        db.execute(f"DELETE FROM {table}")
    db.commit()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a database of hone tune")
    parser.add_argument("out", help="the recording; must not be there yet")
    parser.add_argument("tasks", nargs="*", help="names of tasks")
    parser.add_argument("--trials", type=int, default=300, help="of each task (default 300)")
    args = parser.parse_intermixed_args()
    if os.path.exists(args.out):
        sys.exit(f"make.py: {args.out} is there already; remove it")
    source = sqlite3.connect(f"file:{args.source}?mode=ro", uri=True)
    db = sqlite3.connect(args.out)
    source.backup(db)
    reduce(db, args.trials, args.tasks)
    # no log beside a file that is only read
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute("VACUUM")
    db.close()


main()
