# SPDX-License-Identifier: Apache-2.0
"""Tuning and what databases say, by the program; Ctrl-C; rows as a data frame."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

import numpy as np

import hone
from hone import campaign, program

TOP = os.environ["HONE_TOP"]
SOURCE = "relu:n=1000"
RECORDED = os.path.join(TOP, "bench", "recorded", "avx512.db")    # answers for measurements, on any machine
INTERRUPTED = """
import hone, os, signal, sys
told = []
def progress(event):
    if event["event"] == "progress" and not told:
        told.append(event)
        os.kill(os.getpid(), signal.SIGINT)
try:
    hone.tune("matmul:m=197,n=197,k=67", sys.argv[1], progress=progress, trials=100000, replay=sys.argv[2],
              search="random")
except KeyboardInterrupt:
    print("interrupted after", told[0]["trials"])
"""
# A campaign that goes on until it is told to end.
STAND_IN = """#!/bin/sh
trap 'kill $!; : >"{ended}"; exit 75' TERM
echo '{{"event":"note","line":"at work"}}'
sleep 600 >/dev/null 2>&1 &
wait
"""


@hone.function
def scaled(x: hone.f32[16, 64]):
    return hone.relu(x * 2.0) + 1.0


def setUpModule():
    # who began the tests in the background may have had SIGINT ignored, and so had all that they begin
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Campaigns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.db = os.path.join(cls.folder.name, "t.db")
        cls.events = []
        cls.campaign = hone.tune(SOURCE, cls.db, progress=cls.events.append, trials=4, batch=4)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_ends(self):
        self.assertEqual((self.campaign.status, self.campaign.barren), ("done", False))
        self.assertEqual(self.campaign.trials, 4)
        self.assertGreater(self.campaign.best[0]["best_us"], 0)
        kinds = {event["event"] for event in self.events}
        self.assertTrue({"progress", "end"} <= kinds)
        self.assertEqual(self.events[-1]["event"], "end")

    def test_records(self):
        rows = hone.records(self.db)
        self.assertGreaterEqual(len(rows), 4)
        self.assertEqual({row["name"] for row in rows}, {SOURCE})
        self.assertNotIn("text", rows[0])
        self.assertIn("text", hone.records(self.db, long=True)[0])
        self.assertEqual(len(hone.records(self.db, SOURCE, top=1)), 1)
        best = hone.best(SOURCE, self.db)
        self.assertEqual(best[0]["best_us"], self.campaign.best[0]["best_us"])

    def test_frames(self):
        rows = hone.records(self.db)
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                rows.frame()
        stand_in = types.SimpleNamespace(DataFrame=lambda data: ("frame", data))
        with mock.patch.dict(sys.modules, {"pandas": stand_in}):
            self.assertEqual(rows.frame(), ("frame", list(rows)))

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            print("SKIP: python: data frames: no pandas here (apt-get install python3-pandas)")
            self.skipTest("no pandas")
        frame = hone.records(self.db).frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertGreater(frame[frame.status == "ok"].time_us.min(), 0)

    def test_export(self):
        folder = os.path.join(self.folder.name, "kernels")
        hone.export(SOURCE, self.db, folder, complete=True)
        self.assertIn("hone_kernels.h", os.listdir(folder))
        with self.assertRaisesRegex(TypeError, "no option nothing"):
            hone.export(SOURCE, self.db, folder, nothing=1)

    def test_stops(self):
        db = os.path.join(self.folder.name, "stops.db")
        stopped = hone.tune("matmul:m=197,n=197,k=67", db, trials=100000, replay=RECORDED, search="random",
                            progress=lambda event: event["event"] != "progress")
        self.assertTrue(stopped.stopped)

    def test_callback_fails(self):
        """The campaign has ended in order before the caller's error goes on."""
        class Mine(Exception):
            pass

        def fail(event):
            raise Mine
        program_path, ended = (os.path.join(self.folder.name, name) for name in ("stand-in", "ended"))
        with open(program_path, "w", encoding="utf-8") as file:
            file.write(STAND_IN.format(ended=ended))
        os.chmod(program_path, 0o755)
        with mock.patch.dict(os.environ, {"HONE": program_path}), self.assertRaises(Mine):
            hone.tune(SOURCE, self.db, progress=fail)
        self.assertTrue(os.path.exists(ended))

    def test_interrupted(self):
        db = os.path.join(self.folder.name, "interrupted.db")
        trials = []
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", INTERRUPTED, db, RECORDED], capture_output=True, text=True,
                                  check=False)
            self.assertRegex(done.stdout, r"^interrupted after \d+$", done.stderr)
            trials.append(int(done.stdout.split()[-1]))
        self.assertGreater(trials[1], trials[0])    # it went on
        self.assertTrue(hone.program.run_json("status", "--db", db))

    def test_refuses(self):
        for source, options, kind, what in (
                ("nowhere.onnx", {}, hone.FailedError, "nowhere.onnx: cannot open"),
                ("nothing:n=1", {}, hone.FailedError, "nothing"),
                (SOURCE, {"trials": "many"}, hone.InvalidError, "--trials"),
                (SOURCE, {"colour": 1}, TypeError, "no option colour")):
            with self.assertRaisesRegex(kind, what):
                hone.tune(source, self.db, **options)
        with self.assertRaisesRegex(hone.FailedError, "nowhere.db"):
            hone.records("/nowhere/nowhere.db")

    def test_options(self):
        options = set(re.findall(r"--([a-z-]+)", program.run("tune", "--help")))
        ours = {name.replace("_", "-") for name in campaign.VALUES + campaign.FLAGS}
        self.assertEqual(options - {"db", "json", "quiet", "help", "usage", "version"}, ours)

    def test_function(self):
        db = os.path.join(self.folder.name, "function.db")
        x = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
        before = scaled(x)
        done = scaled.tune(db=db, trials=2, batch=2)
        self.assertEqual(done.status, "done")
        self.assertEqual(scaled.db, db)
        np.testing.assert_allclose(scaled(x), before, rtol=1e-6)
        self.assertEqual(hone.best(scaled, db)[0]["task"], done.best[0]["task"])
        self.assertEqual(scaled.trace().file(), scaled.trace().file())
        self.assertGreater(len(hone.records(db, scaled)), 0)

    def test_no_zombies(self):
        self.assertEqual([t for t in threading.enumerate() if t is not threading.main_thread()], [])
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


if __name__ == "__main__":
    unittest.main()
