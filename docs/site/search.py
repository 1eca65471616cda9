# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Prepares one search over all pages of the site, those of Sphinx and those of Doxygen.

    python search.py SITE FOLDER

Pagefind makes its index of FOLDER: each page of SITE with its text alone, the part of the site that it belongs to, and
functions, classes and sections as headings with an id, which results lead to. Pages of Doxygen in SITE get a field that
leads to the same search.
"""

from __future__ import annotations

import html
import posixpath
import re
import sys
from pathlib import Path

# Lists of names, which the pages themselves have, too; and pages of Sphinx that are no documents.
LISTS = re.compile(r"reference/\w+/(index|functions|globals|annotated|classes|files|dir_|namespacemembers|hierarchy)")
NOT_TEXT = {"search.html", "genindex.html", "live.html", "py-modindex.html"}

FIELD = """<form class="site-search" action="{top}search.html" role="search">
<a href="{top}index.html">dualbvh</a><input name="q" type="search" placeholder="Search all of it" aria-label="Search">
</form>"""


def part_of(name: str) -> str:
    if name.startswith("reference/cpp/"):
        return "C++"
    if name.startswith("reference/"):
        return "C"
    return "Python" if name.startswith("python/") else "Documents"


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text)).strip()


def between(text: str, begin: str, end: str) -> str:
    """The text between a pattern and the last place of another; all of it where they do not occur."""
    start = re.search(begin, text)
    text = text[start.end() :] if start else text
    ends = [found.start() for found in re.finditer(end, text)]
    return text[: ends[-1]] if ends else text


def of_doxygen(text: str) -> tuple[str, str]:
    """Title and content. A member's heading gets the id of the anchor before it."""
    title = plain(between(text, r'<div class="title">', r"</div></div>\s*</div><!--header-->"))
    title = re.sub(r" (Struct|Class|File) (Template )?Reference$", "", title)
    body = between(text, r'<div class="contents">', r"</div><!-- contents -->")
    body = re.sub(r'<div class="(dynheader|dyncontent|ttc)".*?</div>', "", body, flags=re.S)
    body = re.sub(r'<span class="permalink">.*?</span>', "", body, flags=re.S)
    return title, re.sub(r'<a id="(\w+)"[^>]*></a>\s*<h2 class="memtitle">', r'<h2 id="\1">', body)


def of_sphinx(text: str) -> tuple[str, str]:
    """Title and content. A section's heading gets its id, and what is described becomes a heading."""
    body = between(text, r'<article[^>]*id="furo-main-content"[^>]*>', r"</article>")
    body = re.sub(r'<a class="headerlink".*?</a>', "", body, flags=re.S)
    body = re.sub(r'<section id="([^"]+)">\s*(?:<span id="[^"]*"></span>)*<h(\d)>', r'<section><h\2 id="\1">', body)

    def described(found: re.Match[str]) -> str:
        name = found[1]
        return f'<h3 id="{name}">{name.removeprefix("dualbvh.")}</h3><p>{found[2]}</p>'

    body = re.sub(r'<dt class="sig[^>]*id="([^"]+)"[^>]*>(.*?)</dt>', described, body, flags=re.S)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    return plain(title[1]) if title else "", body


def main() -> None:
    site, out = Path(sys.argv[1]), Path(sys.argv[2])
    for file in sorted(site.rglob("*.html")):
        name = file.relative_to(site).as_posix()
        text = file.read_text(errors="replace")
        is_reference = name.startswith("reference/")
        if is_reference and 'class="site-search"' not in text:
            top = posixpath.relpath(".", posixpath.dirname(name)) + "/"
            field = f'<link rel="stylesheet" href="{top}_static/site.css">' + FIELD.format(top=top)
            file.write_text(re.sub(r"(<body[^>]*>)", r"\1" + field, text, count=1))
        if name in NOT_TEXT or name.startswith(("source/", "_static/")) or LISTS.match(name) or "_source.html" in name:
            continue
        title, body = of_doxygen(text) if is_reference else of_sphinx(text)
        to = out / name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(
            f'<!doctype html><html lang="en"><title>{html.escape(title)}</title><body>'
            f'<main data-pagefind-body data-pagefind-filter="Part:{part_of(name)}">'
            f'<h1 data-pagefind-meta="title">{html.escape(title)}</h1>{body}</main></body></html>'
        )


if __name__ == "__main__":
    main()
