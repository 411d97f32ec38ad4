# SPDX-License-Identifier: Apache-2.0
"""Tuning: `hone tune` as a process beside this one.

A process, because a campaign has handlers of signals, workers and limits of its own, and candidates that crash."""

import json
import os
import signal
import subprocess
import threading

from . import program
from .errors import FailedError

# Options of `hone tune`: keywords here with _ for -.
VALUES = ("trials", "minutes", "until", "plateau", "gain", "gflops", "threads", "search", "cost_model", "cc", "seed", "cpus", "cache",
          "batch", "replay", "target", "device", "notify", "name", "note")
FLAGS = ("fresh", "exact", "no_transfer")


class Campaign:
    """How a campaign ended: .status ("done", or "stopped", where the same call goes on), .why, .trials in all,
    .barren (a task got no kernel), .best (a dict for each task), .latency_us (the sum over tasks, with weights)."""

    def __init__(self, end):
        self.status = end["status"]
        self.why = end["why"]
        self.trials = end["trials"]
        self.barren = end["barren"]
        best = end["best"] or {"latency_us": None, "tasks": []}
        self.latency_us = best["latency_us"]
        self.best = best["tasks"]

    @property
    def stopped(self):
        return self.status == "stopped"

    def __repr__(self):
        return f"<hone.Campaign {self.status} after {self.trials} trials: {self.latency_us} us>"


def _arguments(options):
    out = []
    for name, value in options.items():
        if name not in VALUES and name not in FLAGS:
            raise TypeError(f"tune() has no option {name}; it has {', '.join(VALUES + FLAGS)}")
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        out.append(flag if name in FLAGS else f"{flag}={value}")
    return out


class _Process:
    """The program at work, in a session of its own: the terminal's Ctrl-C does not reach it, this process tells it."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True)
        self.said = []    # on stderr: at the end, why it failed
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self):
        for line in self.process.stderr:
            self.said = [*self.said[-20:], line.decode("utf-8", "replace")]

    def events(self):
        for line in self.process.stdout:
            yield json.loads(line)

    def stop(self):
        """Asks it to save where it is and end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def drain(self):
        """Waits until it has stopped; a Ctrl-C meanwhile ends it at once, as at a terminal."""
        while True:
            try:
                while self.process.stdout.read(4096):
                    pass
                self.process.wait()
                return
            except KeyboardInterrupt:
                self.stop()

    def close(self):
        """The exit status."""
        status = self.process.wait()
        self.listener.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def tune(source, db, progress=None, **options):
    """Searches fast kernels for SOURCE, and returns the Campaign. SOURCE: a model's file, an operator spec
    ("matmul:m=512,n=512,k=512"), a list of these (*.tasks), a hone.Graph, or a hone.Function whose parameters are
    annotated. DB: the file of records, made where it is missing.

    The options are those of `hone tune`, with _ for -: trials, minutes, until, plateau, gain, gflops, threads, cc, seed, ...
    Without a limit it tries 1000 candidates. PROGRESS is called with each event, a dict (`tune` of
    docs/json.schema.json); where it returns False the campaign stops and is returned, where it raises, the
    campaign stops first.

    Ctrl-C stops it after the batch in flight and then raises KeyboardInterrupt; a second one, at once. The same call
    goes on where it stopped."""
    arguments = [program.path(), "tune", program.source_name(source), "--db", os.fspath(db), "--json",
                 *_arguments(options)]
    work = _Process(arguments)
    end, stopping = None, False
    try:
        for event in work.events():
            if event["event"] == "end":
                end = event
            if progress and not stopping and progress(event) is False:
                stopping = True
                work.stop()
    except BaseException:
        work.stop()
        work.drain()
        work.close()
        raise
    status = work.close()
    if end is None or end["status"] == "failed":
        said = "".join(work.said)
        raise program.error_of(status, end["why"] if end and end["why"] else said)
    if status == program.EXIT_STOPPED and end["status"] != "stopped":
        raise FailedError("".join(work.said))
    return Campaign(end)
