# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Do all links and pictures of a site that stay on it lead somewhere?

    python check_links.py FOLDER

What Doxygen writes is only looked at as a target. Prints a line for each that does not, and fails where there is one.
"""

from __future__ import annotations

import posixpath
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def main() -> int:
    site, pages, bad, count = Path(sys.argv[1]), {}, 0, 0
    for file in site.rglob("*.html"):
        pages[file.relative_to(site).as_posix()] = Page(file.read_text(errors="replace"))
    for name, page in sorted(pages.items()):
        if name.startswith("reference/"):
            continue
        for link in page.links:
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            count += 1
            path, anchor = urldefrag(link)
            path = urlsplit(path).path
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
            stays = not target.startswith(("/", "../")) and target != ".."
            found = site / target
            if stays and found.is_dir():
                found = found / "index.html"
            leads = stays and found.is_file()
            other = pages.get(found.relative_to(site).as_posix()) if leads else None
            if not leads or (anchor and other and unquote(anchor) not in other.anchors):
                print(f"{name}: {link} leads nowhere")
                bad += 1
    print(f"{len(pages)} pages, {count} links, {bad} of them lead nowhere")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
