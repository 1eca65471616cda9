# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The bill of materials of a release: CycloneDX 1.5 as JSON, on standard output.

    python sbom.py VERSION EPOCH [--command FILE] [--wheel] -- FILE...

FILE... are the files of the release; those that are not there are passed over. --command names what `dualbvh --version`
prints: which libraries the command is linked with. Called by scripts/release, from the top folder of the project.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

# What `dualbvh --version` calls a library, its licence, and its home.
LIBRARIES = {
    "jansson": ("MIT", "https://github.com/akheron/jansson"),
    "expat": ("MIT", "https://libexpat.github.io"),
    "libzip": ("BSD-3-Clause", "https://libzip.org"),
    "zlib": ("Zlib", "https://zlib.net"),
    "assimp": ("BSD-3-Clause", "https://www.assimp.org"),
    "OpenCASCADE": ("LGPL-2.1-only", "https://dev.opencascade.org"),
}

Component = dict[str, Any]


def component(kind: str, name: str, version: str, licence: str, home: str = "", purl: str = "") -> Component:
    ref = purl or f"pkg:generic/{name.lower()}" + (f"@{version}" if version else "")
    made: Component = {"type": kind, "bom-ref": ref, "name": name, "purl": ref}
    if version:
        made["version"] = version
    made["licenses"] = [{"license": {"id": licence}}]
    if home:
        made["externalReferences"] = [{"type": "website", "url": home}]
    return made


def of_command(says: str) -> list[Component]:
    """The libraries with which the command is linked, and cglm, of which it has inline functions."""
    found = [component("library", "cglm", "", "MIT", "https://github.com/recp/cglm")]
    for line in says.splitlines():
        with_it = re.match(r"with (\w+) (\S+)", line)
        if with_it and with_it[1] in LIBRARIES:
            found.append(component("library", with_it[1], with_it[2], *LIBRARIES[with_it[1]]))
    return found


def of_page() -> list[Component]:
    """What is bundled into the page of `dualbvh view`: the dependencies in viewer/package-lock.json that are not for development."""
    packages = json.loads(Path("viewer/package-lock.json").read_text())["packages"]
    return [
        component(
            "library",
            path.rsplit("node_modules/", 1)[-1],
            about["version"],
            about.get("license", "MIT"),
            purl=f"pkg:npm/{path.rsplit('node_modules/', 1)[-1].replace('@', '%40')}@{about['version']}",
        )
        for path, about in sorted(packages.items())
        if path and not about.get("dev") and not about.get("optional")
    ]


def of_wheel() -> list[Component]:
    needed = dict(re.findall(r"^(nanobind|numpy)==(\S+)", Path("python/requirements-dev.txt").read_text(), re.M))
    parts = [component("library", "nanobind", needed.get("nanobind", ""), "BSD-3-Clause", purl=purl("nanobind", needed))]
    # Not in the wheel, but what it asks for; any version from pyproject.toml on will do.
    parts.append(component("library", "numpy", "", "BSD-3-Clause", purl="pkg:pypi/numpy"))
    return parts


def purl(name: str, versions: dict[str, str]) -> str:
    return f"pkg:pypi/{name}" + (f"@{versions[name]}" if name in versions else "")


def files_of(names: list[str]) -> list[Component]:
    made = []
    for name in names:
        path = Path(name)
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            made.append(
                {
                    "type": "file",
                    "bom-ref": f"file:{path.name}",
                    "name": path.name,
                    "hashes": [{"alg": "SHA-256", "content": digest}],
                }
            )
    return made


def main(arguments: list[str]) -> None:
    version, epoch = arguments[0], int(arguments[1])
    options = arguments[2 : arguments.index("--")]
    files = files_of(arguments[arguments.index("--") + 1 :])
    parts: list[Component] = []
    if "--command" in options:
        parts += of_command(Path(options[options.index("--command") + 1]).read_text())
        parts += of_page()
    if "--wheel" in options:
        parts += of_wheel()
    own = component("application", "dualbvh", version, "MIT")
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": own,
        },
        "components": files + parts,
        # The library needs none of them: they are the command's, the page's and the package's.
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [p["bom-ref"] for p in parts]}],
    }
    # The same files have the same number.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    print(json.dumps({**bill, "serialNumber": f"urn:uuid:{number}"}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
