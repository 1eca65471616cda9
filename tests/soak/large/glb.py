# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Large assemblies as GLB, by nothing but Python.

    glb.py rows BODIES STEP JITTER FILE      boxes of side 1 in rows, STEP apart, each moved by up to JITTER across
    glb.py meshes BODIES CHANGED FILE        spheres apart from each other, a mesh each; the first CHANGED have a dent
"""

from __future__ import annotations

import json
import math
import random
import struct
import sys

CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
BOX = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
SLICES, STACKS = 32, 32


def sphere(radius: float, dent: float) -> tuple[list, list]:
    """About 2,000 triangles."""
    points = [(0.0, 0.0, radius - dent)]
    for i in range(1, STACKS):
        across, up = radius * math.sin(math.pi * i / STACKS), radius * math.cos(math.pi * i / STACKS)
        points += [(across * math.cos(2 * math.pi * k / SLICES), across * math.sin(2 * math.pi * k / SLICES), up) for k in range(SLICES)]
    points.append((0.0, 0.0, -radius))
    last, faces = len(points) - 1, []
    for k in range(SLICES):
        n = (k + 1) % SLICES
        faces += [0, 1 + k, 1 + n, last, last - SLICES + n, last - SLICES + k]
        for i in range(STACKS - 2):
            a, b = 1 + i * SLICES, 1 + (i + 1) * SLICES
            faces += [a + k, b + k, b + n, a + k, b + n, a + n]
    return points, faces


def write(path: str, meshes: list, places: list) -> None:
    """`places`: a mesh and a translation each."""
    blob, views, accessors = bytearray(), [], []
    for points, faces in meshes:
        for flat, form, kind, count in (([c for p in points for c in p], "f", 5126, len(points)), (faces, "I", 5125, len(faces))):
            views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": 4 * len(flat)})
            blob += struct.pack(f"<{len(flat)}{form}", *flat)
            accessors.append({"bufferView": len(views) - 1, "componentType": kind, "count": count, "type": "VEC3" if form == "f" else "SCALAR"})
        lower, upper = zip(*((min(c), max(c)) for c in zip(*points)))
        accessors[-2].update(min=lower, max=upper)
    file = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(places)))}],
        "nodes": [{"name": f"part{i}", "mesh": m, "translation": t} for i, (m, t) in enumerate(places)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2 * i}, "indices": 2 * i + 1}]} for i in range(len(meshes))],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob)}],
    }
    text = json.dumps(file, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def main() -> None:
    kind, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[-1]
    side = math.ceil(count ** (1 / 3))
    where = [(i % side, i // side % side, i // side // side) for i in range(count)]
    if kind == "rows":
        step, jitter, chance = float(sys.argv[3]), float(sys.argv[4]), random.Random(1)
        across = [(chance.uniform(-jitter, jitter), chance.uniform(-jitter, jitter)) for _ in where]
        write(path, [(CORNERS, BOX)], [(0, [x * step, 3 * y + dy, 3 * z + dz]) for (x, y, z), (dy, dz) in zip(where, across)])
    else:
        changed = int(sys.argv[3])
        meshes = [sphere(1 + i / count, 0.1 if i < changed else 0.0) for i in range(count)]
        write(path, meshes, [(i, [5 * x, 5 * y, 5 * z]) for i, (x, y, z) in enumerate(where)])


if __name__ == "__main__":
    main()
