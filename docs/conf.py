# SPDX-License-Identifier: Apache-2.0
# docs/conf.py - how Sphinx makes a site of the pages, which `make site` puts into one folder.
import re

project = "hone"
author = "the hone authors"
copyright = author
html_title = "hone"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
# headings can be linked to, as GitHub does it
myst_heading_anchors = 4
# blocks without a language are shell sessions and what programs print
highlight_language = "none"

html_theme = "alabaster"
html_theme_options = {
    "description": "fast kernels for deep-learning operators, by search",
    "page_width": "76rem",
    "fixed_sidebar": True,
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# the same sources give the same pages
html_last_updated_fmt = None


def one_folder(app, page, source):
    """Pages link to each other as they lie in the sources: here they lie side by side."""
    source[0] = re.sub(r"\]\((\.\./|docs/)", "](", source[0])


def setup(app):
    app.connect("source-read", one_folder)
