#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
"""Changes the library in small ways and asks the tests whether they notice.

    mutate.py --named                 the mutants of tests/mutation/named/, a file a subject
    mutate.py --count N [--seed S]    N mutants drawn from the folders below
    mutate.py --list [--seed S] ...   says what would be tried; fails where a named mutant has lost its place or its tests

    --only TEXT     of the files or names that contain TEXT
    --tests A,B     run these tests in place of those that belong to the file
    --build DIR     where the copy and its build go (build/mutation)
    --limit S       a mutant whose tests take longer than this has been noticed (300 seconds)

A mutant is made in a copy of the tracked files, built with the release preset (with ccache where there is one), and
tried by the tests of its folder at a tenth of their length. A survivor is printed with its place and the change, and the
script ends with 1 if there is one that named/ does not explain.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NAMED = sorted((Path(__file__).parent / "named").glob("*.json"))
FOLDERS = ["src/base", "src/exact", "src/bvh", "src/query", "src/primitive", "src/scene", "src/simd"]

# The tests of a file: those of the longest path that it begins with, the quickest to fail first.
TESTS = {
    "src/base": ["base", "budget", "parallel", "budgets", "memory", "threads"],
    "src/base/budget": ["budget", "budgets", "scene_budgets"],
    "src/base/crc32c": ["crc32c", "tree_file"],
    "src/base/parallel": ["parallel", "threads", "collide_batch"],
    "src/base/replace": ["replace", "tree_cache"],
    "src/base/sort": ["broad_phase", "contact", "collide"],
    "src/exact": ["tri_tri", "oracle", "point_in_box", "tri_tri_distance", "number", "collide_margins", "soak_pairs"],
    "src/exact/exact_point": ["relation", "contact"],
    "src/exact/feature_distance": ["tri_tri_distance", "distance"],
    "src/exact/feature_point": ["contact"],
    "src/exact/tri_ray": ["raycast", "ratio"],
    "src/exact/tri_solid": ["collide_shape"],
    "src/exact/tri_tri_distance": ["tri_tri_distance", "distance"],
    "src/exact/tri_tri_features": ["contact"],
    "src/exact/tri_tri_self": ["self"],
    "src/bvh": ["collide_margins", "tree", "tree_extremes", "sphere_fit", "packed_validate", "collide"],
    "src/bvh/builder/fragments": ["fragments", "tree", "tree_validate"],
    "src/bvh/builder/refit": ["tree_refit", "tree_validate", "tree_extremes"],
    "src/bvh/ellipsoid": ["tree_ellipsoids"],
    "src/bvh/file": ["tree_file", "tree_forgery", "tree_cache", "tree_validate"],
    "src/bvh/file/cache": ["tree_cache", "tree_file"],
    "src/bvh/fragment": ["fragments", "tree_file", "tree_validate", "self"],
    "src/bvh/packed/validate": ["packed_validate", "tree_validate", "tree_forgery"],
    "src/bvh/validate": ["tree_validate", "packed_validate", "tree_forgery"],
    "src/mesh": ["mesh_audit", "mesh_polygon", "mesh_shapes", "mesh_topology"],
    "src/query/common/mesh_pair": ["collide_margins", "collide", "collide_kernels", "distance"],
    "src/query": ["collide", "collide_margins", "distance", "collide_batch"],
    "src/query/cached": ["cache_state", "collide_cached"],
    "src/query/collide": ["collide", "collide_kernels", "collide_margins", "collide_batch", "soak_pairs"],
    "src/query/collide/parallel": ["threads", "collide_batch"],
    "src/query/contact": ["contact", "overlap"],
    "src/query/distance": ["distance"],
    "src/query/raycast": ["raycast", "closest_point"],
    "src/query/relation": ["relation", "relation_scales", "relation_open", "traps"],
    "src/query/relation/inside": ["relation", "relation_scales", "overlap"],
    "src/query/self": ["self"],
    "src/query/shape": ["collide_shape"],
    "src/query/toi": ["time_of_impact", "motions"],
    "src/primitive": ["primitives", "solids", "shape_cast", "known_mistakes"],
    "src/primitive/batch": ["batch_intersect", "batch_measure"],
    "src/primitive/fit": ["sphere_fit", "tree"],
    "src/primitive/ellipsoid": ["ellipsoid", "ellipsoid_pairs", "tree_ellipsoids"],
    "src/scene": ["scene_state", "scene_margins", "scene_queries", "scene_budgets"],
    "src/scene/broad_phase": ["broad_phase", "scene_state"],
    "src/scene/motions": ["scene_motions", "scene_state"],
    "src/scene/moving": ["scene_motions", "scene_budgets"],
    "src/scene/posed_roots": ["scene_queries", "scene_motions"],
    "src/scene/swept": ["scene_motions", "scene_budgets"],
    "src/simd": ["collide_kernels", "collide_margins", "soak_pairs", "distance"],
}

# The changes: a pattern, and its replacement. Each occurrence outside of comments is a mutant.
OPERATORS = [
    ("comparison", re.compile(r"(?<![<>=!-])<(?![<=])(?= )"), "<="),
    ("comparison", re.compile(r"<=(?= )"), "<"),
    ("comparison", re.compile(r"(?<![<>=-])>(?![>=])(?= )"), ">="),
    ("comparison", re.compile(r"(?<!>)>=(?= )"), ">"),
    ("equality", re.compile(r"=="), "!="),
    ("equality", re.compile(r"!="), "=="),
    ("logic", re.compile(r"&&"), "||"),
    ("logic", re.compile(r"\|\|"), "&&"),
    ("off by one", re.compile(r"(?<= )\+ 1\b(?!\.)"), "+ 0"),
    ("off by one", re.compile(r"(?<= )- 1\b(?!\.)"), "- 0"),
    ("sign", re.compile(r"(?<=[\w\])] )\+(?= [\w(])"), "-"),
    ("sign", re.compile(r"(?<=[\w\])] )-(?= [\w(])"), "+"),
    ("margin", re.compile(r"\b0x1(?:\.[0-9a-f]+)?p-(?:3\d|4\d|5\d)\b"), "0.0"),
    ("margin", re.compile(r"\b\d+\.\d+f? \* (?=[uU]\b)"), "0.0 * "),
    ("smaller", re.compile(r"\bfmin(?=f?\()"), "fmax"),
    ("larger", re.compile(r"\bfmax(?=f?\()"), "fmin"),
    ("smaller", re.compile(r"\bvf_min\("), "vf_max("),
    ("larger", re.compile(r"\bvf_max\("), "vf_min("),
    ("rounding", re.compile(r"\bINFINITY\b"), "-INFINITY"),
    ("size", re.compile(r"\bfabs(?=f?\()"), ""),
    ("flag", re.compile(r"(?<=[=n] )true(?=;)"), "false"),
    ("flag", re.compile(r"(?<=[=n] )false(?=;)"), "true"),
    ("permissions", re.compile(r"\b0[67]00\b"), "0666"),
    ("open", re.compile(r" \| O_(?:EXCL|NOFOLLOW|NONBLOCK)\b"), ""),
    ("sum", re.compile(r"(?<=[\w\])]) \+= (?=[^;]*;\s*$)"), " -= "),
]


def code_of(line):
    """The line without its comment and strings, at the same columns."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: " " * len(m.group()), line)
    at = line.find("//")
    return line if at < 0 else line[:at]


def mutants_of(path):
    text = (TOP / path).read_text().splitlines()
    for number, line in enumerate(text, 1):
        code = code_of(line)
        if code.lstrip().startswith(("#", "*", "_Static_assert")):
            continue
        for kind, pattern, into in OPERATORS:
            for match in pattern.finditer(code):
                changed = line[: match.start()] + match.expand(into) + line[match.end() :]
                yield {"name": f"{kind} {path}:{number}", "file": str(path), "line": number, "old": line, "new": changed}


def all_mutants():
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".inl"):
                yield from mutants_of(path.relative_to(TOP))


def is_stale(mutant):
    path = TOP / mutant["file"]
    return not path.is_file() or path.read_text().count(mutant["old"]) != 1


def tests_of(mutant):
    """Its own, or those of its file; none where neither is known."""
    start = max((start for start in TESTS if mutant["file"].startswith(start)), key=len, default=None)
    return mutant.get("tests") or (TESTS[start] + ["soak_poses"] if start else [])


class Workshop:
    def __init__(self, build, limit):
        self.copy, self.build = build / "source", build / "build"
        self.environment = dict(os.environ, DUALBVH_TEST_SCALE=os.environ.get("DUALBVH_TEST_SCALE", "0.1"))
        if shutil.which("ccache"):
            self.environment["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
        files = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True).stdout.split(b"\0")
        for name in filter(None, (f.decode() for f in files)):
            source, target = TOP / name, self.copy / name
            if source.is_file() and (not target.is_file() or target.read_bytes() != source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        self.run(["cmake", "--preset", "release", "-G", "Ninja", "-B", str(self.build), "-DDUALBVH_BENCH=OFF",
                  f"-DDUALBVH_TEST_TIMEOUT={limit}"], check=True)
        # The programs that a test runs, scripts included: ctest itself leaves out those that are not built yet.
        self.programs = {}
        program = re.compile(re.escape(f'"{self.build}/bin/') + r'([\w-]+)"')
        for listing in self.build.rglob("CTestTestfile.cmake"):
            for name, words in re.findall(r"^add_test\(\[*=*\[?\"?([\w]+)\S* (.+)\)$", listing.read_text(), re.M):
                targets = ["dualbvh_command" if found == "dualbvh" else found for found in program.findall(words)]
                if targets:
                    self.programs[name] = targets
        self.must_know(t for tests in TESTS.values() for t in tests)

    def must_know(self, tests):
        unknown = set(tests) - self.programs.keys()
        if unknown:
            sys.exit(f"there are no such tests: {', '.join(sorted(unknown))}")

    def run(self, command, check=False):
        done = subprocess.run(command, cwd=self.copy, env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
        return done

    def build_tests(self, tests):
        return self.run(["cmake", "--build", str(self.build), "--target", *{p for t in tests for p in self.programs[t]}])

    def try_one(self, mutant, tests):
        """Returns what noticed it, or None."""
        target = self.copy / mutant["file"]
        original = target.read_text()
        if "line" in mutant:
            lines = original.splitlines(keepends=True)
            lines[mutant["line"] - 1] = mutant["new"] + "\n"
            changed = "".join(lines)
        else:
            if original.count(mutant["old"]) != 1:
                return "STALE: its text is not there once"
            changed = original.replace(mutant["old"], mutant["new"])
        try:
            target.write_text(changed)
            if self.build_tests(tests).returncode != 0:
                return "the compiler"
            for test in tests:
                # ctest itself ends what has no end, and leaves nothing running.
                done = self.run(["ctest", "--test-dir", str(self.build), "-R", f"^{test}$"])
                if done.returncode != 0:
                    return f"{test} (no end)" if "***Timeout" in done.stdout else test
            return None
        finally:
            target.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", default="")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("BUILD_DIR", TOP / "build")) / "mutation")
    parser.add_argument("--limit", type=int, default=300)
    given = parser.parse_args()
    chosen = []
    if given.named:
        chosen += [m for subject in NAMED for m in json.loads(subject.read_text())]
    if given.count > 0:
        drawn = [m for m in all_mutants() if given.only in m["name"]]
        print(f"seed {given.seed}: {given.count} of {len(drawn)} mutants")
        chosen += random.Random(given.seed).sample(drawn, min(given.count, len(drawn)))
    chosen = [m for m in chosen if given.only in m["name"] or given.only in m["file"]]
    if given.list or not chosen:
        for mutant in chosen:
            print(f"{mutant['name']}\n\t- {mutant['old'].strip()}\n\t+ {mutant['new'].strip()}")
        stale = [m["name"] for m in chosen if "line" not in m and is_stale(m)]
        for name in stale:
            print(f"STALE: {name}: its text is not there once")
        untried = [m["name"] for m in chosen if not tests_of(m)]
        for name in untried:
            print(f"UNTRIED: {name}: no test is known for its file, and it names none")
        return (1 if stale or untried else 0) if given.list else parser.error("nothing to try: --named or --count N")
    workshop = Workshop(given.build.resolve(), given.limit)
    wanted = given.tests.split(",") if given.tests else []
    each = [wanted or tests_of(m) for m in chosen]
    every = sorted({t for tests in each for t in tests})
    workshop.must_know(every)
    built = workshop.build_tests(every)
    if built.returncode != 0:
        sys.exit(f"the copy cannot be built:\n{built.stdout[-3000:]}")
    for test in every:
        if workshop.run(["ctest", "--test-dir", str(workshop.build), "-R", f"^{test}$"]).returncode != 0:
            sys.exit(f"the test {test} fails without a mutant")
    killed = explained = survived = uncompiled = 0
    for mutant, tests in zip(chosen, each):
        by = workshop.try_one(mutant, tests)
        if by is None and mutant.get("equivalent"):
            explained += 1
            print(f"equivalent  {mutant['name']}: {mutant['equivalent']}")
        elif by is None:
            survived += 1
            print(f"SURVIVED    {mutant['name']}, tried by {', '.join(tests)}\n\t- {mutant['old'].strip()}\n\t+ {mutant['new'].strip()}")
        elif by.startswith("STALE"):
            survived += 1
            print(f"{by}: {mutant['name']}")
        elif by == "the compiler":
            uncompiled += 1
            print(f"no program  {mutant['name']}")
        else:
            killed += 1
            print(f"killed      {mutant['name']}, by {by}")
        sys.stdout.flush()
    print(f"mutation: {len(chosen)} mutants, {killed} killed, {uncompiled} that the compiler refuses, "
          f"{explained} equivalent, {survived} survived")
    return 1 if survived > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
