# SPDX-License-Identifier: Apache-2.0
"""live.py URL COMMAND [PICTURE]: a page of hone status --serve in Chromium. COMMAND adds trials to the database; the
page shows them without being loaded again, and what is open and held stays. Says what is wrong; the exit status is
1 then."""
import subprocess
import sys
import time
from urllib.parse import urlsplit

from browser import Browser

url, command = sys.argv[1:3]
own = "{0.scheme}://{0.netloc}/".format(urlsplit(url))
wrong = []


def until(browser, what, expression):
    """A minute is no figure of hone's: whoever waits gives up."""
    for _ in range(300):
        try:
            if browser.evaluate(expression):
                return
        except RuntimeError:  # between two pages
            pass
        time.sleep(0.2)
    wrong.append(f"not within a minute: {what}; the line says "
                 f"'{browser.evaluate('document.getElementById(`live`)?.textContent')}'")


TRIALS = "[...document.querySelectorAll('#tasks tbody tr')].reduce((n, r) => n + parseInt(r.cells[9].textContent), 0)"
LINE = "document.querySelector('#live .trials').textContent"

with Browser() as browser:
    browser.open(url)
    until(browser, "the first status", LINE + " !== ''")
    before, line = browser.evaluate(TRIALS), browser.evaluate(LINE)
    if not before > 0:
        wrong.append(f"{before} trials in the table")
    browser.evaluate("window.marked = true;"
                     "document.querySelector('#tasks th').click();"
                     "const d = document.querySelector('#kernels details'); d.open = true;")
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL)
    until(browser, "the line at the foot changes", f"{LINE} !== {line!r}")
    until(browser, f"more than {before} trials in the table", f"{TRIALS} > {before}")
    if not browser.evaluate("window.marked"):
        wrong.append("the page was loaded again")
    if not browser.evaluate("document.querySelector('#kernels details').open"):
        wrong.append("what was open is closed")
    if not browser.evaluate("document.querySelector('#tasks th').ariaSort"):
        wrong.append("the table is not sorted any more")
    # plots of the contents that came later are drawn, too
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true);"
                     "document.querySelector('.plot').scrollIntoView()")
    until(browser, "a plot", "document.querySelector('.plot canvas') !== null")

    # held still, it has the next figures in the line alone, until it is let go
    held = browser.evaluate(TRIALS)
    browser.evaluate("document.querySelector('#live button').click()")
    line = browser.evaluate(LINE)
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL)
    until(browser, "the line at the foot changes while the page is held", f"{LINE} !== {line!r}")
    time.sleep(5)
    if browser.evaluate(TRIALS) != held:
        wrong.append("a page that is held still changes")
    browser.evaluate("document.querySelector('#live button').click()")
    until(browser, "the page goes on", f"{TRIALS} > {held}")
    wrong += [c for c in browser.complaints() if not c.startswith("asks for " + own)]
    if len(sys.argv) > 3:
        browser.evaluate("scrollTo(0, 0)")
        browser.settle(300)
        browser.picture(sys.argv[3])
for one in wrong:
    print(one)
sys.exit(bool(wrong))
