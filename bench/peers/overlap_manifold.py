#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
"""Times volumes of overlaps beside manifold3d, on the bodies of `dualbvh-bench overlap`.

    overlap_manifold.py PROGRAM [--rounds N]

PROGRAM is dualbvh-bench. It writes its bodies and its times (one thread, trees built, what is learned of the trees kept);
then `pip install manifold3d` does the same: manifolds built and moved before the clock starts, the clock round the
intersection and its volume, processor time of the process; the same with its mesh; and "cold", the volume from the
arrays of both meshes, trees and manifolds included. Medians are compared, and the volumes. The two run one after the
other, so on a busy machine the ratio is rough.
"""

import argparse
import csv
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import manifold3d
import numpy as np


def read(path):
    """The vertices, the triangles and the shift of a body."""
    shift, vertices, faces = None, [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "#":
            shift = [float(x) for x in words[2:]]
        elif words[0] == "v":
            vertices.append([float(x) for x in words[1:]])
        elif words[0] == "f":
            faces.append([int(x) - 1 for x in words[1:]])
    return np.array(vertices), np.array(faces, dtype=np.uint64), shift


def manifold_of(vertices, faces):
    mesh = manifold3d.Mesh64(vert_properties=vertices, tri_verts=faces)
    mesh.merge()
    made = manifold3d.Manifold(mesh)
    if made.status() != manifold3d.Error.NoError:
        raise RuntimeError(str(made.status()))
    return made


def measure(path, rounds):
    """Milliseconds of an intersection with its volume, with its mesh, and with its volume from arrays; the volume."""
    vertices, faces, shift = read(path)
    moved = vertices + np.array(shift)
    a, b = manifold_of(vertices, faces), manifold_of(moved, faces)
    volume = (a ^ b).volume()
    ways = (
        lambda: (a ^ b).volume(),
        lambda: (a ^ b).to_mesh64(),
        lambda: (manifold_of(vertices, faces) ^ manifold_of(moved, faces)).volume(),
    )
    times = []
    for way in ways:
        samples = []
        for _ in range(rounds):
            runs, start = 0, time.process_time()
            while runs < 1 or time.process_time() - start < 0.02:
                way()
                runs += 1
            samples.append((time.process_time() - start) / runs)
        times.append(1e3 * statistics.median(samples))
    return times, volume


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "times.csv"
        subprocess.run(
            [options.program, "overlap", "--rounds", str(options.rounds), "--csv", str(table)],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "DUALBVH_BENCH_MESHES": folder},
        )
        heads = "".join(f" {name:>11} {'dualbvh':>9} {'times':>6}" for name in ("volume", "mesh", "cold"))
        print(f"{'ms: manifold3d, dualbvh':24}{heads} {'volume of manifold3d':>20}")
        lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
        for row in csv.DictReader(lines):
            path = Path(folder) / f"{row['work']}.obj"
            theirs, volume = measure(path, options.rounds)
            line = ""
            for ms, column in zip(theirs, ("ms_overlap", "ms_mesh", "ms_cold"), strict=True):
                ours = float(row[column])
                line += f" {ms:11.3f} {ours:9.3f} {ms / ours:6.2f}"
            print(f"{row['work']:24}{line} {volume:20.12g}")


if __name__ == "__main__":
    main()
