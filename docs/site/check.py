"""Fails if a page of the website loads something from elsewhere, or links to a file or a heading that is not there."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.anchors = {""}
        self.links = []
        self.loads = []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("src", "srcset", "poster", "data") or (tag == "link" and name == "href"):
                self.loads.append(value)
            elif name == "href":
                self.links.append(value)


def is_elsewhere(url):
    return bool(urlsplit(url).scheme or urlsplit(url).netloc)


def is_inline(url):
    return urlsplit(url).scheme == "data"


site = Path(sys.argv[1]).resolve()
pages = {file: Page(file) for file in site.rglob("*.html")}
mistakes = []
links = 0
for file, page in pages.items():
    mistakes += [f"{file}: loads {url}" for url in page.loads if is_elsewhere(url) and not is_inline(url)]
    for url in page.links + page.loads:
        if is_elsewhere(url):
            continue
        links += 1
        target = (file.parent / unquote(urlsplit(url).path)).resolve() if urlsplit(url).path else file
        if not target.is_file():
            mistakes.append(f"{file}: no such file: {url}")
        elif target in pages and unquote(urlsplit(url).fragment) not in pages[target].anchors:
            mistakes.append(f"{file}: no such heading: {url}")
for file in site.rglob("*.css"):
    mistakes += [f"{file}: loads {url}" for url in re.findall(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""", file.read_text())]

if mistakes or not links:
    sys.exit("\n".join(mistakes) or f"no links in {site}")
print(f"{site.relative_to(Path.cwd())}: {len(pages)} pages, {links} links")
