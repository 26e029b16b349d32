"""The website of the handbook. Its pages are those of README and docs as they are, its navigation is that of docs/README.md."""

import re
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parents[2]
FIRST = "README"
PROJECT = ["CONTRIBUTING", "CHANGELOG"]

project = "edgeplug"
html_title = "edgeplug"
html_theme = "furo"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
# The text below each result would have to be fetched, which a browser refuses to a page that it reads from a file.
html_show_search_summary = False

# An example may leave something out with three dots, which no language has.
suppress_warnings = ["misc.highlighting_failure"]

extensions = ["myst_parser"]
myst_heading_anchors = 6

root_doc = FIRST
# A block without a language is what a command prints, and no Python.
highlight_language = "none"
include_patterns = ["*.md", "docs/*.md", "src/**/README.md"]
exclude_patterns = ["target", ".git"]


def tree(caption, entries):
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```", ""])


def navigation():
    """The parts of docs/README.md with their links, and what is about the project itself."""
    trees = []
    for part in re.split(r"(?m)^## ", (ROOT / "docs/README.md").read_text())[1:]:
        links = re.findall(r"(?m)^- \[(.*?)\]\((.*?)\.md\)", part)
        pages = [(name, normpath("docs/" + page)) for name, page in links]
        trees.append(tree(part.splitlines()[0], [f"{name} <{'self' if page == FIRST else page}>" for name, page in pages]))
    tests = sorted(str(page.relative_to(ROOT).with_suffix("")) for page in ROOT.glob("src/**/README.md"))
    trees.append(tree("Project", ["docs/README", *PROJECT, *tests]))
    return "".join(trees)


def add_navigation(app, page, source):
    if page == FIRST:
        source[0] += navigation()


def setup(app):
    app.connect("source-read", add_navigation)
