# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, spoken to through a pipe: opens a page, tells what went wrong in it, evaluates,
and takes pictures of it. Python's own library is all that it takes."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's program; None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


class Browser:
    TIMEOUT_S = 60  # no figure of hone's: whoever waits gives up

    def __init__(self, width=1400, height=1000):
        self.folder = tempfile.mkdtemp(prefix="hone-browser.")
        to_it, self.to = os.pipe()
        self.back, from_it = os.pipe()
        wanted = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
                  "--disable-background-networking", f"--user-data-dir={self.folder}", "about:blank"]
        # the protocol's ends are the descriptors 3 and 4
        shell = f'exec "$@" 3<&{to_it} 4>&{from_it}'
        self.process = subprocess.Popen(["bash", "-c", shell, "-", *wanted], stderr=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, pass_fds=(to_it, from_it))
        os.close(to_it)
        os.close(from_it)
        self.text, self.last, self.events, self.session = b"", 0, [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        self.process.wait(self.TIMEOUT_S)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        while b"\0" not in self.text:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.text += part
        one, self.text = self.text.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def dark(self, yes):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if yes else "light"}])

    def scripts(self, yes):
        self.call("Emulation.setScriptExecutionDisabled", value=not yes)

    def open(self, url):
        """Returns when all of it is loaded: the seconds that took."""
        self.events = []
        began = time.monotonic()
        self.call("Page.navigate", url=url)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self._read())
        return time.monotonic() - began

    def evaluate(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"]["exception"].get("description", "exception"))
        return got["result"].get("value")

    def settle(self, ms=30):
        """Until frames have been drawn and what observes them was told; after so long a wait."""
        self.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(() =>"
                      f" requestAnimationFrame(done)), {ms}))")

    def complaints(self):
        """What the page wrote into the console as an error, threw, or asked a network for."""
        out = []
        for e in self.events:
            method, params = e["method"], e["params"]
            if method == "Runtime.exceptionThrown":
                out.append(params["exceptionDetails"]["text"] + " " + params["exceptionDetails"].get(
                    "exception", {}).get("description", ""))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                out.append(str([a.get("value") for a in params["args"]]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                out.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    out.append("asks for " + url)
        return out

    def picture(self, path, whole=False):
        if whole:
            height = self.evaluate("document.documentElement.scrollHeight")
            self.resize(self.evaluate("innerWidth"), min(height, 8000))
            self.settle(300)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def paper(self, path):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))
