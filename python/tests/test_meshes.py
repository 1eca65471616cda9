# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Meshes and trees: what is borrowed and what copied, files, what is refused, and what outlives what."""

from __future__ import annotations

import copy
import errno
import gc
import pickle
import re
from pathlib import Path
from types import SimpleNamespace

import dualbvh
import numpy as np
import pytest
from shapes import box, poses, shift, sphere


@pytest.mark.parametrize("floats", ["f8", "f4"])
@pytest.mark.parametrize("numbers", ["i4", "i8", "u4", "u8"])
def test_arrays_are_borrowed(floats: str, numbers: str) -> None:
    vertices, faces = box()
    vertices, faces = vertices.astype(floats), faces.astype(numbers)
    mesh = dualbvh.Mesh(vertices, faces)
    assert mesh.vertices is vertices and mesh.faces is faces
    assert (mesh.vertex_count, mesh.triangle_count) == (8, 12)
    assert mesh.audit().is_closed
    assert np.array_equal(mesh.bounds, [[0, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize("floats", ["f2", "i4", "u1", ">f8", "?"])
@pytest.mark.parametrize("numbers", ["i2", "u1", ">i8"])
def test_other_types_are_converted(floats: str, numbers: str) -> None:
    vertices, faces = box()
    mesh = dualbvh.Mesh(vertices.astype(floats), faces.astype(numbers))
    assert dualbvh.Tree(mesh).content_hash == dualbvh.Tree(box()).content_hash


def test_strides() -> None:
    vertices, faces = box()
    want = dualbvh.Tree((vertices, faces)).content_hash
    wide = np.full((8, 7), np.nan)
    wide[:, 2:5] = vertices
    rows = np.zeros((24, 3), dtype=np.int64)
    rows[::2] = faces
    borrowed = dualbvh.Mesh(wide[:, 2:5], rows[::2])
    assert borrowed.vertices.base is wide and borrowed.faces.base is rows
    assert dualbvh.Tree(borrowed).content_hash == want
    for v in (np.asfortranarray(vertices), vertices[::-1][::-1], vertices[:, ::-1][:, ::-1], vertices.tolist()):
        assert dualbvh.Tree((v, faces)).content_hash == want
    reversed_rows = dualbvh.Mesh(np.ascontiguousarray(vertices[::-1])[::-1], faces)
    assert dualbvh.Tree(reversed_rows).content_hash == want
    raw = np.zeros(8 * 24 + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64).reshape(8, 3)
    unaligned[:] = vertices
    assert dualbvh.Tree((unaligned, faces)).content_hash == want


def test_one_point_for_all() -> None:
    """A stride of zero, which the library would read as tightly packed."""
    same = np.broadcast_to(np.array([1.0, 2.0, 3.0]), (3, 3))
    tree = dualbvh.Tree((same, [[0, 1, 2]]))
    assert np.array_equal(tree.centre, [1, 2, 3]) and tree.radius < 1e-9


def test_soup() -> None:
    vertices, faces = box()
    soup = dualbvh.Mesh(vertices[faces].reshape(-1, 3))
    assert soup.triangle_count == 12 and np.array_equal(soup.faces, np.arange(36).reshape(12, 3))
    assert dualbvh.Tree(soup).content_hash == dualbvh.Tree(box()).content_hash


@pytest.mark.parametrize(
    ("vertices", "faces", "error", "text"),
    [
        (np.zeros((8, 2)), [[0, 1, 2]], dualbvh.errors.InvalidArgument, "vertices must be n x 3, not of shape (8, 2)"),
        (np.zeros(9), [[0, 1, 2]], dualbvh.errors.InvalidArgument, "vertices must be n x 3"),
        (np.zeros((8, 3)), [0, 1, 2], dualbvh.errors.InvalidArgument, "faces must be n x 3"),
        (np.zeros((8, 3)), [[0, 1, 2, 3]], dualbvh.errors.InvalidArgument, "faces must be n x 3"),
        (np.zeros((8, 3)), [[0.0, 1.0, 2.0]], TypeError, "faces must not be an array of float64"),
        (np.zeros((8, 3), dtype=complex), [[0, 1, 2]], TypeError, "vertices must not be an array of complex128"),
        ([["a", "b", "c"]], [[0, 0, 0]], TypeError, "vertices must not be an array of"),
        (np.zeros((2, 3)), [[0, 1, 2]], dualbvh.errors.IndexRange, "vertex 2"),
        (np.zeros((3, 3)), [[0, 1, -1]], dualbvh.errors.IndexRange, "face 0 names vertex -1"),
        (np.zeros((3, 3)), np.array([[0, 1, 2**63]], dtype="u8"), dualbvh.errors.IndexRange, "9223372036854775808"),
        ([[0, 0, 0], [1, 0, np.nan], [0, 1, 0]], [[0, 1, 2]], dualbvh.errors.NotFinite, ""),
        ([[0, 0, 0], [1, 0, np.inf], [0, 1, 0]], [[0, 1, 2]], dualbvh.errors.NotFinite, ""),
        (np.zeros((0, 3)), np.zeros((0, 3), dtype=int), dualbvh.errors.Empty, ""),
        (np.zeros((3, 3)), np.zeros((0, 3), dtype=int), dualbvh.errors.Empty, ""),
    ],
)
def test_refused(vertices: object, faces: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        dualbvh.Mesh(vertices, faces)  # type: ignore[arg-type]
    assert text in str(caught.value)
    with pytest.raises(error):
        dualbvh.Tree((vertices, faces))  # type: ignore[arg-type]


def test_the_exception_names_the_element() -> None:
    vertices, faces = sphere()
    vertices[17, 1] = np.nan
    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        dualbvh.Mesh(vertices, faces)
    assert (caught.value.element, caught.value.status) == (17, "NOT_FINITE")
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, dualbvh.Error)


def test_files(tmp_path: Path) -> None:
    mesh = dualbvh.Mesh(*sphere())
    want = dualbvh.Tree(mesh).content_hash
    for name in ("a.ply", "b.obj", "c.off"):
        mesh.save(tmp_path / name)
        read = dualbvh.Mesh.load(tmp_path / name)
        assert dualbvh.Tree(read).content_hash == want
        assert dualbvh.Tree(str(tmp_path / name)).content_hash == want
        assert dualbvh.Tree(dualbvh.Mesh.parse((tmp_path / name).read_bytes())).content_hash == want
        assert not read.vertices.flags.writeable and name in repr(read)
    mesh.save(str(tmp_path / "d.stl").encode(), dualbvh.MeshFormat.STL_ASCII)
    assert (tmp_path / "d.stl").read_bytes().startswith(b"solid")
    with pytest.raises(dualbvh.errors.IoError) as missing:
        dualbvh.Mesh.load(tmp_path / "nothing.ply")
    assert isinstance(missing.value, OSError) and "nothing.ply" in str(missing.value)
    (tmp_path / "broken.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n")
    with pytest.raises(dualbvh.Error) as broken:
        dualbvh.Mesh.load(tmp_path / "broken.obj")
    assert broken.value.line == 4
    with pytest.raises(dualbvh.errors.UnknownFormat):
        mesh.save(tmp_path / "a.xyz")
    with pytest.raises(ValueError):
        dualbvh.Mesh.load("a\0b.ply")
    with pytest.raises(TypeError):
        dualbvh.Mesh.load(7)  # type: ignore[arg-type]


def test_other_libraries_meshes() -> None:
    vertices, faces = box()
    want = dualbvh.Tree((vertices, faces)).content_hash
    for other in (SimpleNamespace(vertices=vertices, faces=faces), SimpleNamespace(vertices=vertices, triangles=faces)):
        assert dualbvh.Mesh.of(other).vertices is vertices
        assert dualbvh.Tree(other).content_hash == want
    for nonsense in (None, 3, object(), (vertices,), [vertices, faces]):
        with pytest.raises(TypeError):
            dualbvh.Tree(nonsense)  # type: ignore[arg-type]


def test_lifetimes() -> None:
    """Views outlive meshes, trees outlive both, and a borrowed array cannot be resized under a mesh."""
    mesh = dualbvh.Mesh.parse(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    vertices, tree = mesh.vertices, dualbvh.Tree(mesh)
    del mesh
    gc.collect()
    assert vertices.sum() == 2 and tree.triangle_count == 1

    array = np.random.default_rng(1).random((3, 3))
    mesh = dualbvh.Mesh(array)
    del array
    gc.collect()
    assert mesh.vertices.shape == (3, 3)
    with pytest.raises(ValueError):
        mesh.vertices.resize((1000, 3))

    scene = dualbvh.Scene()
    scene.add(dualbvh.Tree(box()))
    scene.add(dualbvh.Tree(box()), shift(0.5))
    gc.collect()
    assert len(scene.collide()) == 1

    contacts = dualbvh.contacts(tree, dualbvh.Tree(box()))
    points = contacts.points
    del contacts
    gc.collect()
    assert points["position"].shape[1] == 3


def test_pickle() -> None:
    mesh = dualbvh.Mesh(*sphere())
    for again in (pickle.loads(pickle.dumps(mesh)), copy.deepcopy(mesh)):
        assert dualbvh.Tree(again).content_hash == dualbvh.Tree(mesh).content_hash


def test_tree(cube: dualbvh.Tree) -> None:
    cube.validate()
    assert cube.triangle_count == 12 and cube.topology and cube.bytes > 0 and cube.depth > 1
    assert np.allclose(cube.centre, 0.5) and cube.radius == pytest.approx(0.75**0.5)
    assert cube.open_loops() == []
    vertices, faces = box()
    opened = dualbvh.Tree((vertices, faces[2:]))
    (loop,) = opened.open_loops()
    assert sorted(map(tuple, loop)) == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]
    with pytest.raises(ValueError):
        opened.open_loops(5)
    with pytest.raises(dualbvh.errors.NoTopology):
        dualbvh.Tree((vertices, faces), topology=False).open_loops()
    with pytest.raises(ValueError):
        dualbvh.Tree((vertices, faces), leaf_size=1000)
    with pytest.raises(TypeError):
        dualbvh.Tree((vertices, faces), leaf_size=-1)  # type: ignore[call-overload]
    for fit in dualbvh.BoxFit:
        dualbvh.Tree(sphere(), box_fit=fit, split=dualbvh.Split.MEAN, threads=2).validate()


@pytest.mark.filterwarnings("ignore")  # nanobind warns, too
def test_an_empty_shell_is_no_object() -> None:
    """Objects that were never initialised raise instead of crashing."""
    for kind in (dualbvh.Mesh, dualbvh.Tree, dualbvh.Scene):
        with pytest.raises(TypeError):
            repr(kind.__new__(kind))


def test_components() -> None:
    vertices, faces = box()
    both = dualbvh.Mesh(np.concatenate([vertices, vertices + 3]), np.concatenate([faces, faces + 8]))
    audit = both.audit()
    assert audit.component_count == 2 and audit.components["closed"].all()
    assert np.array_equal(both.component_labels(), np.repeat([0, 1], 12))


def test_reprs(cube: dualbvh.Tree) -> None:
    assert repr(cube) == "<dualbvh.Tree: 12 triangles, radius 0.866025, 0.0 MB>"
    assert repr(dualbvh.Mesh(*box())) == "<dualbvh.Mesh: 12 triangles, 8 vertices>"
    assert repr(dualbvh.collide(cube, cube, shift(3))) == "<dualbvh.CollideResult: disjoint>"
    assert repr(dualbvh.distance(cube, cube, shift(3))).startswith("<dualbvh.DistanceResult: 2, from triangle ")
    assert repr(dualbvh.Sphere([1, 2, 3], 0.5)) == "dualbvh.Sphere((1, 2, 3), 0.5)"


def test_refit(rng: np.random.Generator) -> None:
    """A refitted tree says what a new one says; one that cannot be refitted stays as it was."""
    (vertices, faces), cube = sphere(), dualbvh.Tree(box())
    tree = dualbvh.Tree((vertices, faces), topology=False)
    for _ in range(5):
        moved = vertices * rng.uniform(0.5, 2, 3) + rng.normal(size=3)
        tree.refit((moved, faces))
        tree.validate()
        new = dualbvh.Tree((moved, faces), topology=False)
        assert tree.content_hash == new.content_hash
        for pose in poses(rng, 10, 2):
            assert np.array_equal(dualbvh.collide_pairs(tree, cube, pose), dualbvh.collide_pairs(new, cube, pose))
            assert dualbvh.distance(tree, cube, pose).distance == dualbvh.distance(new, cube, pose).distance
    before = tree.content_hash
    torn = faces.copy()
    torn[0, 0] = len(vertices)
    for wrong in (
        (vertices, faces[1:]),
        box(),
        (np.vstack([vertices, 2 * vertices[:1]]), torn),
        (vertices * np.nan, faces),
    ):
        with pytest.raises(ValueError):
            tree.refit(wrong)
    assert tree.content_hash == before
    tree.refit((vertices * 0, faces))
    assert tree.content_hash == dualbvh.Tree((vertices * 0, faces), topology=False).content_hash
    whole = dualbvh.Tree((vertices, faces))
    whole.refit((vertices * 2, faces))
    assert whole.topology and whole.content_hash == dualbvh.Tree((vertices * 2, faces)).content_hash


def test_a_tree_in_use_is_not_refitted() -> None:
    mesh = box()
    tree, scene = dualbvh.Tree(mesh, topology=False), dualbvh.Scene()
    body = scene.add(tree)
    with pytest.raises(RuntimeError, match="in use"):
        tree.refit(mesh)
    scene.remove(body)
    tree.refit(mesh)
    scene.add(tree)
    del scene
    gc.collect()
    tree.refit(mesh)


def test_options_of_trees(rng: np.random.Generator) -> None:
    """Answers do not depend on how a tree is built."""
    long = np.array([[0, 0, 0], [20, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [20, 0.1, 0.1]], dtype=float)
    mesh = (long, np.array([[0, 1, 2], [0, 1, 3], [1, 4, 2], [0, 3, 4]]))
    F, Q = dualbvh.Fragments, dualbvh.Quality
    trees = [
        dualbvh.Tree(mesh, fragments=F.ALL),
        dualbvh.Tree(mesh, fragments=F.CHOSEN),
        dualbvh.Tree(mesh, quality=Q.FAST, topology=False),
        dualbvh.Tree(mesh, reference=True, topology=False),
    ]
    assert trees[0].fragment_count > trees[0].triangle_count == 4 == trees[3].fragment_count
    plain, cube = dualbvh.Tree(mesh), dualbvh.Tree(box())
    met = 0
    for pose in poses(rng, 60, 1.2):
        want = dualbvh.collide_pairs(plain, cube, pose)
        met += len(want) > 0
        for tree in trees:
            assert np.array_equal(dualbvh.collide_pairs(tree, cube, pose), want)
            assert dualbvh.distance(tree, cube, pose).distance == dualbvh.distance(plain, cube, pose).distance
    assert 0 < met < 60
    lower = np.sort(plain.box.half)
    assert np.array_equal(lower, plain.box.half) and lower[2] >= 9.9


def test_nodes() -> None:
    tree = dualbvh.Tree(sphere(), reference=True, ellipsoids=dualbvh.Ellipsoids.ALL)
    nodes, order = tree.nodes()
    assert nodes["has_ellipsoid"].sum() > len(nodes) // 4
    assert nodes.dtype == dualbvh.TREE_NODE_DTYPE and len(nodes) == tree.node_count
    assert np.array_equal(np.sort(order), np.arange(tree.triangle_count))
    vertices, faces = sphere()
    for node in nodes[:: max(1, len(nodes) // 50)]:
        points = vertices[faces[order[node["first"] : node["first"] + node["triangle_count"]]]].reshape(-1, 3)
        assert (np.linalg.norm(points - node["sphere_centre"], axis=1) <= node["sphere_radius"] * (1 + 1e-6)).all()
        assert (np.abs((points - node["box_centre"]) @ node["box_axes"].T) <= node["box_half"] + 1e-6).all()
        if node["has_ellipsoid"]:
            ball = (points - node["ellipsoid_centre"]) @ node["ellipsoid_axes"].T / node["ellipsoid_half"]
            assert (np.linalg.norm(ball, axis=1) <= 1 + 1e-6).all()
    assert len(tree.nodes(3)[0]) == 3 and tree.nodes(3)[0]["parent"].tolist() == [2**32 - 1, 0, 0]


def test_polygons_of_files(tmp_path: Path) -> None:
    path = tmp_path / "quad.off"
    path.write_text("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n")
    assert dualbvh.Mesh.load(path).polygon_counts == (1, 0, 0)
    assert dualbvh.Mesh(*box()).polygon_counts == (0, 0, 0)


def test_faces_left_out(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nf 1 3 2 4\nf 1 2 3\n"
    path = tmp_path / "bow.obj"
    path.write_text(text)
    with pytest.raises(dualbvh.errors.Malformed, match="skip_bad_faces"):
        dualbvh.Mesh.load(path)
    for read in (dualbvh.Mesh.load(path, skip_bad_faces=True), dualbvh.Mesh.parse(text.encode(), skip_bad_faces=True)):
        assert read.triangle_count == 1
        assert read.skipped_faces == [(0, 5)]
    assert dualbvh.Mesh(*box()).skipped_faces == []


def test_files_of_trees(tmp_path: Path, rng: np.random.Generator) -> None:
    tree, cube, path = dualbvh.Tree(sphere()), dualbvh.Tree(box()), tmp_path / "ball.dbvh"
    tree.save(path)
    assert tree.to_bytes() == path.read_bytes()
    again = [
        dualbvh.Tree.load(path),
        dualbvh.Tree.load(path, mapped=True, check=dualbvh.FileCheck.WHOLE),
        dualbvh.Tree.parse(path.read_bytes(), check=dualbvh.FileCheck.NONE),
        pickle.loads(pickle.dumps(tree)),
        dualbvh.Tree.cached(sphere(), tmp_path),
        dualbvh.Tree.cached(sphere(), tmp_path, mapped=True),
        dualbvh.Tree(tree.mesh(), **tree.options),
    ]
    assert len(list(tmp_path.iterdir())) == 2  # ball.dbvh, and that of the cache
    for other in again:
        assert other.topology and other.triangle_count == tree.triangle_count
        for pose in poses(rng, 5, 1.6):
            assert np.array_equal(dualbvh.collide_pairs(other, cube, pose), dualbvh.collide_pairs(tree, cube, pose))
            assert dualbvh.relate(other, cube, pose).relation == dualbvh.relate(tree, cube, pose).relation
    with pytest.raises(dualbvh.errors.UnknownFormat):
        dualbvh.Tree.parse(b"solid cube")
    with pytest.raises(dualbvh.errors.Error):
        dualbvh.Tree.parse(path.read_bytes()[:-1])
    with pytest.raises(OSError, match="nowhere"):
        dualbvh.Tree.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        tree.save(tmp_path / "nowhere" / "x.dbvh")
    with pytest.raises(TypeError):
        dualbvh.Tree.parse("text")  # type: ignore[arg-type]


def test_errors_of_files(tmp_path: Path, cube: dualbvh.Tree) -> None:
    """IoError is an OSError as those of open(): errno, strerror, filename; and a sentence of the library."""
    folder, absent = tmp_path / "folder", tmp_path / "absent" / "file.dbvh"
    folder.mkdir()
    for call, number, name in (
        (lambda: dualbvh.Tree.load(absent), errno.ENOENT, absent),
        (lambda: dualbvh.Mesh.load(absent), errno.ENOENT, absent),
        (lambda: dualbvh.Tree(str(absent)), errno.ENOENT, absent),
        (lambda: cube.save(absent), errno.ENOENT, absent),
        (lambda: cube.mesh().save(absent.with_suffix(".ply")), errno.ENOENT, absent.with_suffix(".ply")),
        (lambda: dualbvh.Mesh.load(folder), errno.EISDIR, folder),
        (lambda: dualbvh.Mesh.load(tmp_path / ("x" * 300)), errno.ENAMETOOLONG, tmp_path / ("x" * 300)),
    ):
        with pytest.raises(OSError) as caught:
            call()
        error = caught.value
        assert isinstance(error, dualbvh.errors.IoError) and error.status == "IO"
        assert (error.errno, error.filename) == (number, str(name))
        assert str(error) == f"{name}: {error.strerror}" and "cannot be" in error.strerror
        other = pickle.loads(pickle.dumps(error))
        assert (other.errno, other.filename, str(other), other.status) == (number, str(name), str(error), "IO")
    assert str(dualbvh.errors.IoError("a text")) == "a text"
    with pytest.raises(dualbvh.errors.UnknownFormat, match=r"^.*nothing\.txt: "):
        (tmp_path / "nothing.txt").write_text("nothing")
        dualbvh.Mesh.load(tmp_path / "nothing.txt")


def test_sentences_name_what_there_is_in_python(cube: dualbvh.Tree) -> None:
    scene, loose = dualbvh.Scene(), dualbvh.Tree(box(), topology=False)
    scene.add(cube)
    for call in (
        lambda: dualbvh.Tree(box(), leaf_size=65),
        lambda: dualbvh.Tree(box(), ellipsoids=dualbvh.Ellipsoids.ALL, box_fit=dualbvh.BoxFit.RAPID, reference=True),
        lambda: dualbvh.relate(loose, cube),
        lambda: dualbvh.distance(cube, cube, limit=-1),
        lambda: dualbvh.distance(cube, cube, relative_error=-1),
        lambda: dualbvh.check_clearance(cube, cube, -1),
        lambda: dualbvh.relate(cube, cube, touch_gap=-1),
        lambda: dualbvh.time_of_impact(cube, cube, tolerance=-1),
        lambda: dualbvh.time_of_impact(cube, cube, start=-1),
        lambda: scene.add(cube, sag=-1),
        lambda: scene.collide_batch(np.tile(np.eye(4), (1, 3, 1, 1))),
        lambda: scene.motion_batch(np.tile(np.eye(4), (2, 1, 1, 1)), edges=[(0, 7)]),
        lambda: dualbvh.collide(cube, cube, np.diag([2.0, 2, 2, 1])),
    ):
        with pytest.raises(dualbvh.Error) as caught:
            call()
        assert not re.search(r"dbvh_|DBVH_|query\.|options\.|thread_count|body_count|->", str(caught.value)), (
            caught.value
        )


def test_shapes(rng: np.random.Generator) -> None:
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3)
    solid = dualbvh.Mesh.hull(rng.permutation(grid))
    assert (solid.vertex_count, solid.triangle_count, solid.audit().closed_component_count) == (8, 12, 1)
    assert solid.bounds.tolist() == [[0, 0, 0], [3, 3, 3]]
    flat = dualbvh.Mesh.hull(grid[grid[:, 2] == 1])
    assert (flat.vertex_count, flat.triangle_count) == (4, 2)
    line = dualbvh.Mesh.hull(np.float32([[0, 0, 0], [1, 1, 1], [3, 3, 3]]))
    assert line.faces.tolist() == [[0, 1, 1]] and line.vertices.tolist() == [[0, 0, 0], [3, 3, 3]]
    boxes = dualbvh.Mesh.boxes([[[0, 0, 0], [1, 1, 1]], [[5, 5, 5], [6, 7, 8]]])
    assert boxes.triangle_count == 24 and boxes.bounds.tolist() == [[0, 0, 0], [6, 7, 8]]
    heights = np.array([[0, 1, 2], [3, np.nan, 5], [6, 7, 8]], dtype=float)
    field = dualbvh.Mesh.height_field(heights, (10, 20), (0.5, 2))
    assert field.triangle_count == 2 and field.bounds.tolist() == [[10, 20, 1], [11, 24, 7]]
    assert field.vertices[5].tolist() == [11, 22, 5]
    for wrong in (lambda: dualbvh.Mesh.hull([1, 2, 3]), lambda: dualbvh.Mesh.boxes([[1, 2, 3]]),
                  lambda: dualbvh.Mesh.boxes([[[1, 0, 0], [0, 0, 0]]]), lambda: dualbvh.Mesh.height_field([1.0]),
                  lambda: dualbvh.Mesh.height_field([[1.0]])):  # fmt: skip
        with pytest.raises(dualbvh.errors.InvalidArgument):
            wrong()
    with pytest.raises(dualbvh.errors.NotFinite):
        dualbvh.Mesh.hull([[0, 0, np.nan]])
