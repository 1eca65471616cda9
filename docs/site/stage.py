# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Puts together the sources of the site for Sphinx.

    python stage.py ROOT FOLDER

FOLDER gets every Markdown document of the project, where it stands; a reference of the Python package from its stub; a
gallery of the examples; and, in FOLDER/extra, the sources that documents link to. Links to a header lead to its page in
the reference in C or C++, which scripts/docs puts into FOLDER/extra/reference.
"""

from __future__ import annotations

import ast
import html
import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

# The chapters of the table of contents, and the documents in each; all others come last.
CHAPTERS = {
    "Using it": ["README", "docs/tutorials/*", "docs/tasks", "docs/questions", "docs/coming-from", "docs/glossary"],
    "Seeing it": ["gallery", "docs/gallery/README", "reference"],
    "Python": ["python/README", "python/functions", "python/classes", "python/constants", "python/more"],
    "The command": ["docs/command", "docs/scene-format", "docs/capture"],
    "How it works": ["docs/README", "docs/design/*"],
    "Measurements": ["docs/laboratory", "docs/experiments/*", "docs/machines", "bench/results/README"],
    "Working on it": ["CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "docs/soak", "docs/mutation", "CHANGELOG"],
}

INDEX = """# dualbvh

Do two triangle meshes intersect, where, and when? Exact answers for rigid meshes at any pose, whole assemblies
included, in C, C++, Python and on the command line.

<form class="landing-search" action="search.html" role="search">
<input name="q" type="search" aria-label="Search"
 placeholder="Search: collision, time of impact, dbvh_relate, Scene.clashes, glTF ...">
</form>

<div class="live"><iframe src="live.html" title="Two gears that jam, to be turned and zoomed"></iframe></div>

Two gears that jam: turn them, zoom, cut them open. The command wrote this page, one file that needs no network
(<a href="live.html">open it alone</a>):

    dualbvh gen gear -o gear.ply
    dualbvh gen gear --rotate 0,0,1,7.5 --at 23.5,0,0 -o driven.ply
    dualbvh view gear.ply driven.ply -o gears.html

With your own files, from a checkout and nothing else: `./scripts/view A.stl B.stl`.

<div class="ways">
<div>

**C** &nbsp; <a href="reference/c/index.html">reference</a>

```c
dbvh_collide_result result;
dbvh_collide( a, NULL, b, &pose, NULL, NULL, &result, &error );
if ( result.verdict == DBVH_INTERSECTING )
	...
```

</div>
<div>

**C++** &nbsp; <a href="reference/cpp/index.html">reference</a>

```cpp
Tree a = Tree::build( mesh.view() );
if ( collide( a, identity(), b, pose ).verdict
     == DBVH_INTERSECTING )
	...
```

</div>
<div>

**Python** &nbsp; [functions](python/functions.rst), [classes](python/classes.rst)

```python
a = dualbvh.Tree("gear.ply")
if dualbvh.collide(a, b, pose):
    print(dualbvh.collide_pairs(a, b, pose))
```

</div>
<div>

**The command** &nbsp; [manual](docs/command.md)

```console
$ dualbvh check gear.ply driven.ply
$ dualbvh scene assembly.glb --clearance 0.25
$ dualbvh view assembly.glb
```

</div>
</div>

- [What it is](README.md), and how it is built and installed
- [Every question by command and function](docs/tasks.md), and [answers](docs/questions.md)
- Five minutes each: [CAD parts](docs/tutorials/cad-parts.md), [assemblies in CI](docs/tutorials/assemblies-in-ci.md),
  [fits](docs/tutorials/fits.md), [robots](docs/tutorials/robots.md),
  [buildings](docs/tutorials/buildings.md), [games](docs/tutorials/games.md)
- [Coming from other libraries and programs](docs/coming-from.md): the calls side by side
- [What it is called here](docs/glossary.md): other names for the same things
- [Examples](gallery.md), [pictures](docs/gallery/README.md), and [how it works](docs/README.md)
"""

REFERENCE = """# C and C++

- <a href="reference/c/index.html">The functions in C</a>, by header
- <a href="reference/cpp/index.html">dualbvh.hpp</a>, the same in C++17

The headers are the manual: these pages are made of them.
"""

# ----------------------------------------------------------------------------------------------------------------------
# Documents


def tracked(root: Path) -> list[str]:
    """The files of the project."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    outside = ("build", "obj-", ".git/", "docs/site/")
    return sorted(name for name in listed if not name.startswith(outside) and (root / name).is_file())


def doxygen_page(header: str) -> str:
    """The page of a header in the reference: Doxygen's names of files."""
    name = posixpath.basename(header)
    return (
        "reference/"
        + ("cpp/" if name.endswith(".hpp") else "c/")
        + name.replace("_", "__").replace(".", "_8")
        + ".html"
    )


class Documents:
    """Copies documents, and turns their links to what is no document into links to pages of the site."""

    def __init__(self, root: Path, out: Path) -> None:
        self.root, self.out, self.files = root, out, tracked(root)
        self.folders = {posixpath.dirname(name) for name in self.files}
        self.folders |= {parent.as_posix() for f in self.folders for parent in Path(f).parents}

    def names(self) -> list[str]:
        return [name for name in self.files if name.endswith(".md") and not name.startswith(("tests/", ".github/"))]

    def page_of(self, path: str) -> str | None:
        """The page of the site for a file or a folder of the project; None: there is none."""
        if re.fullmatch(r"include/dualbvh/\w+\.hp?p?", path):
            return doxygen_page(path)
        if path == "include/dualbvh":
            return "reference/c/files.html"
        if path in self.files:
            target = "source/" + path + ("" if path.endswith((".svg", ".png", ".html")) else ".txt")
            self.put(path, target)
            return target
        if path in self.folders:
            return self.listing(path)
        return None

    def put(self, path: str, target: str) -> None:
        to = self.out / "extra" / target
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / path, to)

    def listing(self, folder: str) -> str:
        """A page that names the files of a folder."""
        target = f"source/{folder}/index.html"
        to = self.out / "extra" / target
        if to.exists():
            return target
        to.parent.mkdir(parents=True, exist_ok=True)
        to.touch()
        items = []
        for name in self.files:
            if posixpath.dirname(name) == folder:
                page = self.page_of(name) if not name.endswith(".md") else name[:-3] + ".html"
                link = posixpath.relpath(page or "", posixpath.dirname(target))
                items.append(f'<li><a href="{html.escape(link)}">{html.escape(posixpath.basename(name))}</a></li>')
        to.write_text(
            f"<!doctype html><meta charset=utf-8><title>{folder}</title><h1>{folder}/</h1><ul>{''.join(items)}</ul>\n"
        )
        return target

    def rewritten(self, name: str) -> str:
        folder, names = posixpath.dirname(name), set(self.names())

        def link(found: re.Match[str]) -> str:
            text, target = found[1], found[2]
            if re.match(r"[a-z]+:|#", target) or text.startswith("!"):
                return found[0]
            path, _, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(folder, path))
            if path in names:
                return found[0]
            page = self.page_of(path)
            if page is None:
                raise SystemExit(f"{name}: there is no {path}")
            shown = re.sub(r"`([^`]*)`", lambda code: f"<code>{html.escape(code[1])}</code>", text)
            return f'<a href="{posixpath.relpath(page, folder or ".")}{"#" + anchor if anchor else ""}">{shown}</a>'

        text = (self.root / name).read_text()
        parts = re.split(r"(^```.*?^```$|^(?:    [^\n]*\n)+)", text, flags=re.M | re.S)  # not in what is code
        return "".join(p if i % 2 else re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", link, p) for i, p in enumerate(parts))

    def write(self) -> None:
        for name in self.names():
            to = self.out / name
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(self.rewritten(name))
        for name in self.files:
            if name.endswith((".svg", ".png", ".jpg")) and name.startswith("docs/"):  # pictures of documents
                to = self.out / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / name, to)


# ----------------------------------------------------------------------------------------------------------------------
# The Python package


def escaped(text: str) -> str:
    """A line of a docstring as reStructuredText."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(
        f"`{piece}`" if i % 2 else re.sub(r"([*\\|`])", r"\\\1", re.sub(r"_\b", r"\\_", piece))
        for i, piece in enumerate(pieces)
    )


def described(doc: str | None) -> list[str]:
    """A docstring as reStructuredText: paragraphs, and tables of "name  text" lines as lists of definitions."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", (doc or "").expandtabs().strip("\n")):
        rows = paragraph.split("\n")
        indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
        rows = [row[indent:].rstrip() for row in rows]
        # Signatures stand in code.
        if rows and re.match(r"\w+\(.*[,)]$", rows[0]):
            call = [rows.pop(0)]
            while rows and not call[-1].endswith(")"):
                call.append(rows.pop(0))
            lines += ["::", "", *("    " + row for row in call), ""]
            indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
            rows = [row[indent:] for row in rows]
        if not any(row.strip() for row in rows):
            continue
        if all(re.match(r"(\S.*?)\s{2,}\S|\s{4,}\S", row) for row in rows) and not rows[0].startswith(" "):
            for row in rows:
                item = re.match(r"(\S.*?)\s{2,}(\S.*)$", row)
                if item:
                    lines += [f"``{item[1]}``", "    " + escaped(item[2])]
                else:
                    lines.append("    " + escaped(row.strip()))
            lines.append("")
        elif any(row.startswith("    ") for row in rows):
            lines += ["::", "", *("    " + row for row in rows), ""]
        else:
            lines += [*(escaped(row) for row in rows), ""]
    return lines


def signature(function: ast.FunctionDef, method: bool) -> str:
    arguments = ast.unparse(function.args)
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    if method and not static:
        arguments = re.sub(r"^self(, )?(/, |/$)?", "", arguments)
    return f"({arguments})" + (f" -> {ast.unparse(function.returns)}" if function.returns else "")


def entry(kind: str, text: str, options: list[str], doc: list[str], depth: int) -> list[str]:
    pad = "   " * depth
    inside = pad + "   "
    return [
        pad + f".. py:{kind}:: {text}",
        *(inside + o for o in options),
        "",
        *(inside + d if d else "" for d in doc),
        "",
    ]


def members(body: list[ast.stmt], depth: int) -> Iterator[str]:
    for i, node in enumerate(body):
        after = body[i + 1] if i + 1 < len(body) else None
        said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        text = said if isinstance(said, str) else None
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from entry("attribute", node.targets[0].id, [], described(text), depth)
        elif isinstance(node, ast.FunctionDef) and (
            not node.name.startswith("_") or node.name in ("__len__", "__bool__", "__float__")
        ):
            doc = described(ast.get_docstring(node))
            names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            if "property" in names:
                options = [f":type: {ast.unparse(node.returns)}"] if node.returns else []
                yield from entry("property", node.name, options, doc, depth)
            else:
                kind = "staticmethod" if "staticmethod" in names else "method"
                yield from entry(kind, node.name + signature(node, True), [], doc, depth)


def class_entry(node: ast.ClassDef) -> list[str]:
    made = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    arguments = signature(made, True).removesuffix(" -> None") if made else ""
    return [*entry("class", node.name + arguments, [], described(ast.get_docstring(node)), 0), *members(node.body, 1)]


def is_enumeration(node: ast.ClassDef) -> bool:
    return any("Enum" in ast.unparse(base) for base in node.bases)


def page(title: str, module: str, about: str, nodes: list[ast.stmt], of: Callable[[ast.stmt], list[str]]) -> str:
    lines = [title, "=" * len(title), "", f".. py:currentmodule:: {module}", "", about, ""]
    for node in nodes:
        lines += of(node)
    return "\n".join(lines) + "\n"


def function_entry(node: ast.stmt) -> list[str]:
    assert isinstance(node, ast.FunctionDef)
    return entry("function", node.name + signature(node, False), [], described(ast.get_docstring(node)), 0)


def python_pages(root: Path) -> dict[str, str]:
    package = root / "python" / "dualbvh"
    stub = ast.parse((package / "_core.pyi").read_text()).body
    functions: list[ast.stmt] = [n for n in stub if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    classes: list[ast.stmt] = [n for n in stub if isinstance(n, ast.ClassDef) and not is_enumeration(n)]
    enumerations: list[ast.stmt] = [n for n in stub if isinstance(n, ast.ClassDef) and is_enumeration(n)]

    def of_class(node: ast.stmt) -> list[str]:
        assert isinstance(node, ast.ClassDef)
        return class_entry(node)

    functions.sort(key=lambda node: node.name if isinstance(node, ast.FunctionDef) else "")
    about = {
        "functions": "`README <README.html>`_ has them by question.",
        "classes": "Meshes, trees, scenes, shapes, and what answers are.",
        "constants": "Names of numbers, in arguments and in records.",
    }
    pages = {
        "functions": page("Functions", "dualbvh", about["functions"], functions, function_entry),
        "classes": page("Classes", "dualbvh", about["classes"], classes, of_class),
        "constants": page("Enumerations", "dualbvh", about["constants"], enumerations, of_class),
    }
    more = []
    for module, name in (
        ("errors", "dualbvh.errors"),
        ("interop", "dualbvh.interop"),
        ("compat/trimesh", "dualbvh.compat.trimesh"),
    ):
        tree = ast.parse((package / f"{module}.py").read_text())
        more += [
            name,
            "-" * len(name),
            "",
            f".. py:currentmodule:: {name}",
            "",
            *described(ast.get_docstring(tree)),
            "",
        ]
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                more += class_entry(node)
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                more += function_entry(node)
    pages["more"] = "\n".join(["Errors, other packages", "======================", "", *more]) + "\n"
    return pages


# ----------------------------------------------------------------------------------------------------------------------
# The gallery


def example_text(path: Path) -> str:
    """The description of an example: its docstring, or its first comment behind the licence."""
    text = path.read_text()
    if path.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    head = text.split("\n\n")[1]
    return "\n".join(line.removeprefix("//").strip() for line in head.split("\n") if line.startswith("//"))


def gallery(documents: Documents) -> str:
    """Each example with its text, and the picture docs/gallery/NAME.(png|svg|jpg) where there is one."""
    pictures = {Path(n).stem: n for n in documents.files if re.fullmatch(r"docs/gallery/.*\.(png|svg|jpg)", n)}
    lines = ["# Examples", ""]
    for title, pattern in (
        ("C", r"examples/\w+\.c"),
        ("C++", r"examples/\w+\.cpp"),
        ("Python", r"examples/python/\w+\.py"),
    ):
        lines += [f"## In {title}", ""]
        for name in documents.files:
            if not re.fullmatch(pattern, name) or name.endswith("shapes.py"):
                continue
            stem = Path(name).stem
            lines += [f"### {stem}", "", example_text(documents.root / name).split("\n    ")[0], ""]
            lines += [f'<a href="{documents.page_of(name)}">{name}</a>', ""]
            if stem in pictures:
                lines += [f"![{stem}]({pictures.pop(stem)})", ""]
    if "docs/gallery/README.md" in documents.files:
        lines += ["## Pictures", "", "[What `dualbvh view` shows](docs/gallery/README.md)", ""]
    return "\n".join(lines) + "\n"


# ----------------------------------------------------------------------------------------------------------------------


def contents(documents: Documents, out: Path) -> str:
    there = {p.relative_to(out).with_suffix("").as_posix() for p in [*out.rglob("*.md"), *out.rglob("*.rst")]}
    there -= {"index"}
    text = ""
    for chapter, names in [*CHAPTERS.items(), ("More", ["*"])]:
        found = []
        for name in names:
            pattern = re.escape(name).replace(r"\*", "[^/]*" if name != "*" else ".*")
            found += sorted(n for n in there if re.fullmatch(pattern, n))
        there -= set(found)
        if found:
            text += f"\n```{{toctree}}\n:caption: {chapter}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(found) + "\n```\n"
    return text


def main() -> None:
    root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.makedirs(out, exist_ok=True)
    documents = Documents(root, out)
    documents.write()
    (out / "python").mkdir(exist_ok=True)
    for name, text in python_pages(root).items():
        (out / "python" / f"{name}.rst").write_text(text)
    (out / "gallery.md").write_text(gallery(documents))
    (out / "reference.md").write_text(REFERENCE)
    (out / "index.md").write_text(INDEX + contents(documents, out))


if __name__ == "__main__":
    main()
