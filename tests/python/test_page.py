# SPDX-License-Identifier: Apache-2.0
"""The program of docs/python.md runs."""
import contextlib
import io
import os
import re
import tempfile
import unittest

PATH = os.path.join(os.environ["HONE_TOP"], "docs", "python.md")


class Page(unittest.TestCase):
    def test_runs(self):
        with open(PATH, encoding="utf-8") as page:
            blocks = re.findall(r"^```python\n(.*?)^```", page.read(), re.M | re.S)
        self.assertGreater(len(blocks), 4)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("".join(blocks), PATH, "exec"), {"__name__": "page"})
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
