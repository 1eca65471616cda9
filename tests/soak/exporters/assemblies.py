# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Random assemblies as exporters write them: which bodies clash by what others read, and by `dualbvh scene`?

    assemblies.py COMMAND FOLDER COUNT SEED [FORMAT...]

Which triangles of the bodies that the other reader gives meet is decided in rational arithmetic, and which body is inside
another one by the planes of the convex shapes.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import trimesh

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../python/tests"))
from oracle import exact_triangle, intersect

Bodies = dict[str, np.ndarray]


# ---------------------------------------------------------------------------------------------------------------------
# Assemblies


def make_shape(random: np.random.Generator) -> trimesh.Trimesh:
    kind = random.integers(3)
    if kind == 0:
        return trimesh.creation.icosphere(subdivisions=0, radius=random.uniform(0.3, 1))
    if kind == 1:
        return trimesh.creation.box(extents=random.uniform(0.2, 2, 3))
    return trimesh.creation.cylinder(radius=random.uniform(0.1, 0.6), height=random.uniform(0.3, 2.5), sections=7)


def make_pose(random: np.random.Generator) -> np.ndarray:
    made = trimesh.transformations.random_rotation_matrix(random.random(3))
    made[:3, 3] = random.uniform(-1.6, 1.6, 3)
    return made


def make_assembly(random: np.random.Generator) -> dict:
    """Meshes, some of them shared, and nodes, some below others."""
    meshes = [make_shape(random) for _ in range(random.integers(1, 6))]
    nodes = []
    for i in range(random.integers(2, 9)):
        parent = int(random.integers(i)) if i > 0 and random.random() < 0.5 else None
        nodes.append({"name": f"body{i}", "parent": parent, "mesh": int(random.integers(len(meshes))), "pose": make_pose(random)})
    return {"meshes": meshes, "nodes": nodes}


def world_pose(nodes: list[dict], node: dict) -> np.ndarray:
    return node["pose"] if node["parent"] is None else world_pose(nodes, nodes[node["parent"]]) @ node["pose"]


# ---------------------------------------------------------------------------------------------------------------------
# glTF by node's libraries, and by pygltflib


def run_node(form: str) -> Callable:
    def run(folder: str, assemblies: list[dict], _random: np.random.Generator) -> list[tuple[str, Bodies]]:
        for i, assembly in enumerate(assemblies):
            nodes = [{**n, "matrix": n["pose"].T.ravel().tolist(), "pose": None} for n in assembly["nodes"]]
            meshes = [{"positions": np.float32(m.vertices).ravel().tolist(), "indices": m.faces.ravel().tolist()}
                      for m in assembly["meshes"]]
            with open(f"{folder}/{i}.json", "w", encoding="utf-8") as file:
                json.dump({"meshes": meshes, "nodes": nodes}, file)
        node = os.environ["EXPORTERS_NODE"]
        subprocess.run(["node", "gltf.mjs", form, os.path.abspath(folder), str(len(assemblies))], cwd=node, check=True,
                       stdout=subprocess.DEVNULL)
        made = []
        for i in range(len(assemblies)):
            with open(f"{folder}/{i}.read.json", encoding="utf-8") as file:
                made.append((f"{folder}/{i}.glb", {k: np.array(v).reshape(-1, 3, 3) for k, v in json.load(file).items()}))
        return made

    return run


def run_pygltflib(folder: str, assemblies: list[dict], _random: np.random.Generator) -> list[tuple[str, Bodies]]:
    return [(f"{folder}/{i}.glb", write_pygltflib(a, f"{folder}/{i}.glb")) for i, a in enumerate(assemblies)]


def write_pygltflib(assembly: dict, path: str) -> Bodies:
    import pygltflib as g

    blob, views, accessors, meshes = b"", [], [], []

    def add(array: np.ndarray, component: int, kind: str, target: int, **bounds: list) -> int:
        nonlocal blob
        views.append(g.BufferView(buffer=0, byteOffset=len(blob), byteLength=array.nbytes, target=target))
        blob += array.tobytes()
        accessors.append(g.Accessor(bufferView=len(views) - 1, componentType=component, count=len(array), type=kind, **bounds))
        return len(accessors) - 1

    for mesh in assembly["meshes"]:
        at = np.float32(mesh.vertices)
        position = add(at, g.FLOAT, g.VEC3, g.ARRAY_BUFFER, min=at.min(0).tolist(), max=at.max(0).tolist())
        index = add(np.uint32(mesh.faces.ravel()), g.UNSIGNED_INT, g.SCALAR, g.ELEMENT_ARRAY_BUFFER)
        meshes.append(g.Mesh(primitives=[g.Primitive(attributes=g.Attributes(POSITION=position), indices=index)]))
    nodes = [g.Node(name=n["name"], mesh=n["mesh"], matrix=n["pose"].T.ravel().tolist(), children=[]) for n in assembly["nodes"]]
    for i, n in enumerate(assembly["nodes"]):
        if n["parent"] is not None:
            nodes[n["parent"]].children.append(i)
    roots = [i for i, n in enumerate(assembly["nodes"]) if n["parent"] is None]
    file = g.GLTF2(scene=0, scenes=[g.Scene(nodes=roots)], nodes=nodes, meshes=meshes, accessors=accessors, bufferViews=views,
                   buffers=[g.Buffer(byteLength=len(blob))])
    file.set_binary_blob(blob)
    file.save(path)
    return read_pygltflib(path)


def read_pygltflib(path: str) -> Bodies:
    import pygltflib as g

    file = g.GLTF2().load(path)
    blob = file.binary_blob()

    def array(number: int, kind: type, width: int) -> np.ndarray:
        accessor = file.accessors[number]
        return np.frombuffer(blob, kind, accessor.count * width, file.bufferViews[accessor.bufferView].byteOffset).reshape(-1, width)

    bodies = {}

    def walk(number: int, outer: np.ndarray) -> None:
        node = file.nodes[number]
        pose = outer @ np.array(node.matrix).reshape(4, 4).T
        primitive = file.meshes[node.mesh].primitives[0]
        points = np.float64(array(primitive.attributes.POSITION, np.float32, 3))
        faces = array(primitive.indices, np.uint32, 1).reshape(-1, 3)
        bodies[node.name] = trimesh.transform_points(points, pose)[faces]
        for child in node.children:
            walk(child, pose)

    for root in file.scenes[0].nodes:
        walk(root, np.eye(4))
    return bodies


# ---------------------------------------------------------------------------------------------------------------------
# 3MF by lib3mf


def lib3mf_mesh(model, mesh: trimesh.Trimesh, name: str):
    import lib3mf

    made = model.AddMeshObject()
    made.SetName(name)
    positions = [lib3mf.Position(tuple(float(x) for x in v)) for v in np.float32(mesh.vertices)]
    made.SetGeometry(positions, [lib3mf.Triangle(tuple(int(i) for i in f)) for f in mesh.faces])
    return made


def lib3mf_transform(pose: np.ndarray):
    import lib3mf

    made = lib3mf.Transform()
    for k in range(4):
        for j in range(3):
            made.Fields[k][j] = float(pose[j, k])
    return made


def lib3mf_pose(transform) -> np.ndarray:
    made = np.eye(4)
    for k in range(4):
        for j in range(3):
            made[j, k] = transform.Fields[k][j]
    return made


def lib3mf_triangles(mesh, pose: np.ndarray) -> np.ndarray:
    points = np.array([v.Coordinates for v in mesh.GetVertices()], float)
    faces = np.array([t.Indices for t in mesh.GetTriangleIndices()])
    return trimesh.transform_points(points, pose)[faces]


def write_lib3mf(assembly: dict, path: str) -> Bodies:
    """Objects in three parts of the package (Production Extension), in components, and what lib3mf reads again."""
    import lib3mf

    wrapper = lib3mf.get_wrapper()
    model = wrapper.CreateModel()
    nodes = assembly["nodes"]
    for i, node in enumerate(nodes):
        mesh = lib3mf_mesh(model, assembly["meshes"][node["mesh"]], f"mesh{i}")
        if i % 3 > 0:
            mesh.SetPackagePart(model.FindOrCreatePackagePart(f"/3D/part{i % 3}.model"))
        whole = model.AddComponentsObject()
        whole.SetName(node["name"])
        whole.AddComponent(mesh, lib3mf_transform(node["pose"]))
        outer = np.eye(4) if node["parent"] is None else world_pose(nodes, nodes[node["parent"]])
        model.AddBuildItem(whole, lib3mf_transform(outer))
    model.QueryWriter("3mf").WriteToFile(path)

    model = wrapper.CreateModel()
    model.QueryReader("3mf").ReadFromFile(path)
    bodies = {}
    items = model.GetBuildItems()
    while items.MoveNext():
        item = items.GetCurrent()
        whole = model.GetComponentsObjectByID(item.GetObjectResource().GetUniqueResourceID())
        component = whole.GetComponent(0)
        mesh = model.GetMeshObjectByID(component.GetObjectResource().GetUniqueResourceID())
        pose = lib3mf_pose(item.GetObjectTransform()) @ lib3mf_pose(component.GetTransform())
        bodies[f"{whole.GetName()}/{mesh.GetName()}"] = lib3mf_triangles(mesh, pose)
    return bodies


def run_lib3mf(folder: str, assemblies: list[dict], _random: np.random.Generator) -> list[tuple[str, Bodies]]:
    return [(f"{folder}/{i}.3mf", write_lib3mf(a, f"{folder}/{i}.3mf")) for i, a in enumerate(assemblies)]


# ---------------------------------------------------------------------------------------------------------------------
# The judge


def is_inside(point: np.ndarray, triangles: np.ndarray) -> bool:
    """Of a convex body: on the inner side of all planes."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    sides = np.einsum("ij,ij->i", normals, point - triangles[:, 0])
    return bool((sides < 0).all() or (sides > 0).all())


def meet(a: np.ndarray, b: np.ndarray) -> bool:
    if (a.min((0, 1)) > b.max((0, 1))).any() or (b.min((0, 1)) > a.max((0, 1))).any():
        return False
    near = ((a.min(1)[:, None] <= b.max(1)) & (b.min(1) <= a.max(1)[:, None])).all(2)
    if any(intersect(exact_triangle(a[i]), exact_triangle(b[k])) for i, k in np.argwhere(near)):
        return True
    return is_inside(a[0, 0], b) or is_inside(b[0, 0], a)


def found_clashes(command: str, path: str) -> set[tuple[str, ...]]:
    ran = subprocess.run([command, "scene", path, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{path}: {ran.stderr}")
    return {(c["a"], c["b"]) for c in json.loads(ran.stdout)["clashes"]}


def name_of(path: str, keep: int) -> str:
    """The last names of a path; of a node without a name that of the one above, of an instance that and its number."""
    path = re.sub(r"/node-[0-9]+$", "", path)
    path = re.sub(r"/instance-1$", "", path)
    path = re.sub(r"/instance-([0-9]+)$", r"#\1", path)
    return "/".join(path.split("/")[-keep:])


def ends_of(pairs: set[tuple[str, ...]], keep: int) -> set[tuple[str, ...]]:
    return {tuple(sorted(name_of(p, keep) for p in pair)) for pair in pairs}


# ---------------------------------------------------------------------------------------------------------------------
# Lattices of 3MF by lib3mf: capsules, by the distance of their axes


def segment_distance(p: np.ndarray, q: np.ndarray) -> float:
    """The distance of two segments: of the lines where their nearest points are on the segments, else of an end."""

    def from_point(x: np.ndarray, s: np.ndarray) -> float:
        along = np.clip(np.dot(x - s[0], s[1] - s[0]) / np.dot(s[1] - s[0], s[1] - s[0]), 0, 1)
        return float(np.linalg.norm(x - s[0] - along * (s[1] - s[0])))

    best = min(from_point(p[0], q), from_point(p[1], q), from_point(q[0], p), from_point(q[1], p))
    u, v, w = p[1] - p[0], q[1] - q[0], p[0] - q[0]
    a, b, c, d, e = u @ u, u @ v, v @ v, u @ w, v @ w
    across = a * c - b * b
    if across > 1e-12 * a * c:
        s, t = (b * e - c * d) / across, (a * e - b * d) / across
        if 0 <= s <= 1 and 0 <= t <= 1:
            best = min(best, float(np.linalg.norm(w + s * u - t * v)))
    return best


def write_lattices(path: str, random: np.random.Generator) -> dict[str, tuple[np.ndarray, float]]:
    """Lattices whose beams have one radius and end in balls; what lib3mf reads of them, segments and the radius."""
    import lib3mf

    wrapper = lib3mf.get_wrapper()
    model = wrapper.CreateModel()
    for i in range(random.integers(2, 6)):
        mesh = model.AddMeshObject()
        mesh.SetName(f"body{i}")
        ends = random.uniform(-1, 1, (int(random.integers(2, 6)), 3))
        numbers = [mesh.AddVertex(lib3mf.Position(tuple(float(x) for x in e))) for e in ends]
        lattice, radius = mesh.BeamLattice(), float(random.uniform(0.02, 0.3))
        lattice.SetMinLength(1e-4)
        for a, b in zip(numbers, numbers[1:]):
            beam = lib3mf.Beam()
            beam.Indices, beam.Radii = (a, b), (radius, radius)
            beam.CapModes = (int(lib3mf.BeamLatticeCapMode.Sphere), int(lib3mf.BeamLatticeCapMode.Sphere))
            lattice.AddBeam(beam)
        model.AddBuildItem(mesh, lib3mf_transform(make_pose(random)))
    model.QueryWriter("3mf").WriteToFile(path)

    model = wrapper.CreateModel()
    model.QueryReader("3mf").ReadFromFile(path)
    bodies = {}
    items = model.GetBuildItems()
    while items.MoveNext():
        item = items.GetCurrent()
        mesh = model.GetMeshObjectByID(item.GetObjectResource().GetUniqueResourceID())
        at = trimesh.transform_points(np.array([v.Coordinates for v in mesh.GetVertices()], float), lib3mf_pose(item.GetObjectTransform()))
        beams = mesh.BeamLattice().GetBeams()
        bodies[mesh.GetName()] = (np.array([[at[b.Indices[0]], at[b.Indices[1]]] for b in beams]), float(beams[0].Radii[0]))
    return bodies


def check_lattices(command: str, folder: str, count: int, random: np.random.Generator) -> int:
    pairs = clashes = close = different = 0
    for i in range(count):
        path = f"{folder}/{i}.3mf"
        bodies = write_lattices(path, random)
        found = ends_of(found_clashes(command, path), 1)
        for a, b in itertools.combinations(sorted(bodies), 2):
            (p, r), (q, s) = bodies[a], bodies[b]
            gap = min(segment_distance(x, y) for x in p for y in q) - r - s
            pairs += 1
            clashes += gap < 0
            close += abs(gap) <= 0.1 * (r + s)
            # Overlaps no deeper than both sags, a twentieth of the radii, are fits; gaps between polyhedra up to them are touches.
            if ((a, b) in found and gap > 0.1 * (r + s)) or ((a, b) not in found and gap < -0.05 * (r + s)):
                different += 1
                print(f"lattices {i}: {a} and {b} are {gap:.6g} apart, found: {(a, b) in found}")
    print(f"lib3mf lattices: {count} assemblies, {pairs} pairs, {clashes} clashes, {close} within a tenth of the radii, {different} differences")
    return different


# ---------------------------------------------------------------------------------------------------------------------

# What is needed beside trimesh, who writes, and how many names of a path count.
FORMATS: dict[str, tuple[str, Callable, int]] = {
    "pygltflib": ("pygltflib", run_pygltflib, 1),
    "quantised": ("node", run_node("quantised"), 1),
    "meshopt": ("node", run_node("meshopt"), 1),
    "draco": ("node", run_node("draco"), 1),
    "instanced": ("node", run_node("instanced"), 1),
    "gltfpack": ("node", run_node("gltfpack"), 1),
    "gltfpack-c": ("node", run_node("gltfpack-c"), 1),
    "lib3mf": ("lib3mf", run_lib3mf, 2),
    "lattices": ("lib3mf", None, 1),
}


def is_missing(need: str) -> bool:
    return "EXPORTERS_NODE" not in os.environ if need == "node" else importlib.util.find_spec(need) is None


def check_format(name: str, command: str, folder: str, count: int, random: np.random.Generator) -> int:
    _, run, keep = FORMATS[name]
    pairs = clashes = different = 0
    for path, bodies in run(folder, [make_assembly(random) for _ in range(count)], random):
        expected = {tuple(sorted(p)) for p in itertools.combinations(bodies, 2) if meet(bodies[p[0]], bodies[p[1]])}
        found = ends_of(found_clashes(command, path), keep)
        pairs += math.comb(len(bodies), 2)
        clashes += len(expected)
        if found != expected:
            different += 1
            print(f"{name} {path}: {sorted(found ^ expected)}")
    print(f"{name}: {count} assemblies, {pairs} pairs, {clashes} clashes, {different} differences", flush=True)
    return different


def main() -> int:
    command, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    different = skipped = 0
    print(f"exporters: seed {seed} (DUALBVH_SEED repeats it)")
    for number, name in enumerate(sys.argv[5:] or FORMATS):
        if is_missing(FORMATS[name][0]):
            print(f"{name}: skipped, {FORMATS[name][0]} is not there")
            skipped += 1
            continue
        below = f"{folder}/{name}"
        os.mkdir(below)
        random = np.random.default_rng((seed, number))
        check = check_lattices if name == "lattices" else None
        different += check(command, below, count, random) if check else check_format(name, command, below, count, random)
    print(f"exporters: {different} differences, {skipped} of {len(sys.argv[5:] or FORMATS)} formats skipped")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
