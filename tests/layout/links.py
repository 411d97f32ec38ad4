# SPDX-License-Identifier: Apache-2.0
"""links.py FOLDER: links of all pages (*.md) below it lead to files and headings that are there; so do mentions of
pages like docs/report.md, which programs print, too, and pages' mentions of sources like `db/schema.c`. Says which do
not; the exit status is 1 then."""
import os
import re
import sys

top = sys.argv[1]
# what is made, and no part of the sources
MADE = re.compile(r"^(\..*|build.*|deb|site|site-pages|autom4te\.cache)$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"\bdocs/[\w./-]+\.(?:md|json|svg)\b")
# of a source; NAME.c is a pattern
SOURCE = re.compile(r"`((?:base|te|target|schedule|codegen|costmodel|db|measure|search|graph|partition|runtime|tools|bench|tests|"
                    r"examples)/[a-z0-9_./-]+\.[a-z]+)`")
wrong = []


def files(*endings):
    for folder, folders, names in os.walk(top):
        if folder == top:
            folders[:] = [f for f in folders if not MADE.match(f)]
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(folder, name)


def lines(path):
    """Those outside of blocks of code, with their numbers."""
    inside = False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line


def anchors(path):
    """Of headings, as GitHub and myst-parser make them."""
    seen = {}
    for _, line in lines(path):
        if re.match(r"#{1,6} ", line):
            text = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            n = seen[text] = seen.get(text, -1) + 1
            yield f"{text}-{n}" if n else text


def check_link(path, number, link):
    if re.match(r"[a-z]+:", link):
        return
    to, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(path), to)) if to else path
    if not os.path.exists(target):
        wrong.append(f"{path}:{number}: there is no {link}")
    elif anchor and anchor not in anchors(target):
        wrong.append(f"{path}:{number}: {link}: there is no such heading")


for page in files(".md"):
    for number, line in lines(page):
        for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            check_link(page, number, link)
        for path in SOURCE.findall(line):
            if not os.path.exists(os.path.join(top, path)):
                wrong.append(f"{page}:{number}: there is no {path}")
for source in files(".md", ".c", ".h", ".def", ".am", ".sh", ".in", ".mk", ".cmake"):
    with open(source, encoding="utf-8", errors="replace") as f:
        for number, line in enumerate(f, 1):
            for path in MENTION.findall(line):
                if not os.path.exists(os.path.join(top, path)):
                    wrong.append(f"{source}:{number}: there is no {path}")
for line in wrong:
    print(line)
sys.exit(bool(wrong))
