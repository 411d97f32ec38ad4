# SPDX-License-Identifier: Apache-2.0
"""check.py PAGE BEST REPORT: a page of hone report in Chromium, against what `hone best --json` (BEST) and `hone
report --json` (REPORT) printed of the same database. Says what is wrong; the exit status is 1 then."""
import json
import sys

from browser import Browser

page, best_path, report_path = sys.argv[1:]
best = {row["task"]: row for row in json.load(open(best_path))}
report = json.load(open(report_path))
wrong = []


def expect(what, got, wanted):
    if got != wanted:
        wrong.append(f"{what}: {got!r} instead of {wanted!r}")


def figures():
    """The JSON of both commands: all that hone best tells but for what it asks this machine."""
    expect("tasks of the JSON", sorted(t["best"]["task"] for t in report["tasks"]), sorted(best))
    for task in report["tasks"]:
        row, its = best[task["best"]["task"]], task["best"]
        for key in row.keys() - {"calibrated_us", "caveat"}:
            expect(f"{its['name']}: {key} of the JSON", its[key], row[key])
        if not row["caveat"].startswith(its["caveat"]):
            wrong.append(f"{its['name']}: caveat {its['caveat']!r}, of hone best {row['caveat']!r}")


ROWS = """selector => [...document.querySelectorAll(selector)].map(row => [row.dataset.task ?? row.querySelector("a").hash,
    ...[...row.cells].map(cell => cell.textContent)])"""


def number(value, form="%.4g"):
    return form % value if value else "–"


def tables(browser):
    """The cells, as hone best's figures are written."""
    rows = browser.evaluate(f'({ROWS})("#tasks tbody tr")')
    expect("tasks of the page", sorted(r[0] for r in rows), sorted(best))
    for key, name, weight, us, _, gflops, peak, _, _, threads, trials, failed, _, _ in rows:
        row = best[key]
        expect("name", name, row["name"])
        expect(f"{name}: weight", weight, number(row["weight"]))
        expect(f"{name}: best", us, number(row["best_us"]))
        expect(f"{name}: GFLOP/s", gflops, number(row["gflops"], "%.1f"))
        expect(f"{name}: peak", peak, number(100 * row["peak_share"], "%.1f"))
        expect(f"{name}: threads", threads, str(row["threads"]))
        expect(f"{name}: trials", (trials, failed), (str(row["trials"]), str(row["failed"])))
    for link, name, intensity, gflops, *_, threads in browser.evaluate(
            f'({ROWS})("#roofline details tbody tr")'):
        task = next(t for t in report["tasks"] if t["best"]["task"] == link.removeprefix("#task-"))
        if threads != str(task["best"]["threads"]):
            continue	# of a simulated device, with other numbers of virtual threads
        expect(f"{name}: roofline", (intensity, gflops),
               (number(task["best"]["flop"] / task["bytes"]), number(task["best"]["gflops"])))
    total = sum(row["weight"] * row["best_us"] for row in best.values())
    expect("sum", browser.evaluate('document.querySelector(".gain b").textContent'), "%.4g µs" % total if total < 1000 else "%.4g ms" % (total / 1e3))


def plots(browser):
    """Every plot that comes into sight is drawn; links lead somewhere; nothing is wider than the window."""
    browser.evaluate('document.querySelectorAll("details").forEach(d => d.open = true)')
    for i in range(browser.evaluate('document.querySelectorAll(".plot").length')):
        browser.evaluate(f'document.querySelectorAll(".plot")[{i}].scrollIntoView()')
        browser.settle()
        if not browser.evaluate(f'document.querySelectorAll(".plot")[{i}].querySelector("canvas") !== null'):
            wrong.append(f"plot {i} is not drawn")
    expect("links that lead nowhere", browser.evaluate(
        '[...document.querySelectorAll("a[href^=\\"#\\"]")].map(a => a.getAttribute("href"))'
        '.filter(h => !document.getElementById(h.slice(1)))'), [])


def narrow(browser):
    for width in (420, 1400):
        browser.resize(width, 900)
        browser.settle(300)	# plots wait until the window has come to rest
        expect(f"width at {width}", browser.evaluate("document.documentElement.scrollWidth"), width)


def sorting(browser):
    browser.evaluate('document.querySelectorAll("#tasks th")[2].click()')
    times = browser.evaluate('[...document.querySelectorAll("#tasks tbody tr")].map(r => +r.cells[2].textContent)')
    expect("order by time", times, sorted(times, reverse=True))


with Browser() as browser:
    figures()
    browser.open("file://" + page)
    tables(browser)
    plots(browser)
    sorting(browser)
    browser.dark(True)
    browser.settle()
    narrow(browser)
    wrong += browser.complaints()
    browser.scripts(False)
    browser.open("file://" + page)
    tables(browser)
    expect("plots without scripts", browser.evaluate(
        '[...document.querySelectorAll(".plot")].filter(p => p.clientHeight).length'), 0)
    wrong += browser.complaints()
for line in wrong:
    print(line)
sys.exit(bool(wrong))
