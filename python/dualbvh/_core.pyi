# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

# Written by make_stub.py from the extension module: change the texts there.

"""The functions and classes of dualbvh, which that package offers under its own name."""

import enum
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Buffer

from ._types import Bytes, FileName, MeshLike, OnError, PoseLike, PosesLike, Records, Shape, Solid

def version() -> str:
    """The version of the library, 'major.minor.patch'."""

POSE_TOLERANCE: float = 2e-06

class Spent:
    """
    Counts the steps that calls take, in which `max_work` and `max_total` are given:

        with dualbvh.Spent() as spent:
            dualbvh.distance_batch(a, b, poses)
        print(spent.steps)

    Counts the calls of the thread that enters it, threads that these use included.
    """

    def __init__(self) -> None: ...
    def __enter__(self) -> Spent: ...
    def __exit__(self, *args: object) -> None: ...
    @property
    def steps(self) -> int:
        """
        The steps so far, or until the end of the block. A call that finished completes again with as many for its
        limit.
        """

    def __repr__(self) -> str: ...

def poses_from_quaternions(quaternions: ArrayLike, translations: ArrayLike) -> NDArray[np.float64]:
    """
    The rows of [R|t], n x 3 x 4, of quaternions n x 4 (x, y, z, w; normalised here) and translations n x 3.
    """

def check_pose(pose: PoseLike | None) -> float:
    """
    Checks a pose as every query does and returns the largest entry of |rot^T rot - I|. Raises NotFinite, NotRigid, with a
    sentence that says what is wrong.
    """

def orthonormalise(pose: PoseLike | None) -> NDArray[np.float64]:
    """
    The pose with the nearest rotation, 3 x 4. Raises NotFinite, NotRigid (a mirror image, or singular).
    """

def relative_pose(pose_a: PoseLike | None, pose_b: PoseLike | None) -> NDArray[np.float64]:
    """
    The pose of B seen from A, 3 x 4: the one rounded composition that a query does.
    """

def isa_name() -> str:
    """
    The instruction set of the kernels in use: 'avx512', 'avx2', 'neon' or 'baseline'.
    """

def select_isa(name: str | None = None) -> None:
    """
    Chooses the kernels of this process by name, for measurements; None goes back to the fastest. Raises InvalidArgument.
    """

class MeshFormat(enum.Enum):
    """A file format of meshes."""

    AUTO = 0
    """by content, then by the file's ending"""

    STL = 1
    """written as binary"""

    STL_ASCII = 2

    OBJ = 3

    PLY = 4
    """written as binary, little endian, in doubles"""

    PLY_ASCII = 5

    OFF = 6

class MeshAudit:
    """Facts and defects of a mesh. No defect keeps a mesh from being used."""

    @property
    def vertex_count(self) -> int:
        """Vertices stored, used or not."""

    @property
    def distinct_vertex_count(self) -> int:
        """Different coordinates among them."""

    @property
    def unused_vertex_count(self) -> int:
        """Vertices that no triangle names."""

    @property
    def triangle_count(self) -> int: ...
    @property
    def degenerate_triangle_count(self) -> int:
        """Triangles of zero area, decided exactly."""

    @property
    def duplicate_triangle_count(self) -> int:
        """Triangles with the same three points as an earlier one, in any order."""

    @property
    def edge_count(self) -> int:
        """Distinct edges of triangles that have an area."""

    @property
    def boundary_edge_count(self) -> int:
        """Edges with one triangle."""

    @property
    def nonmanifold_edge_count(self) -> int:
        """Edges with three or more."""

    @property
    def component_count(self) -> int: ...
    @property
    def closed_component_count(self) -> int: ...
    @property
    def oriented_component_count(self) -> int: ...
    @property
    def components(self) -> Records:
        """
        One record a connected component: triangle_count, first_triangle, boundary_edges, nonmanifold_edges, closed,
        oriented.
        """

    @property
    def is_closed(self) -> bool:
        """Every edge of every component has exactly two triangles."""

    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def __repr__(self) -> str: ...

class Mesh:
    """
    A triangle mesh: vertices and faces.

    Mesh(vertices, faces=None)
        vertices  n x 3, in any unit. Arrays of float64 or float32 whose rows are contiguous are borrowed, others copied.
        faces     m x 3 numbers of vertices, from 0. int32, int64, uint32 and uint64 are borrowed. None: vertices 3i, 3i + 1
                  and 3i + 2 are triangle i.

    The answers are exact about these coordinates. Borrowed arrays must not be changed while a tree is built from them; a tree
    keeps its own copy. Raises InvalidArgument (shapes), NotFinite, IndexRange, Empty, Limit; TypeError for what holds no
    numbers.
    """

    def __init__(self, vertices: ArrayLike, faces: ArrayLike | None = None) -> None: ...
    @staticmethod
    def load(
        path: str | bytes | os.PathLike[str], format: MeshFormat = MeshFormat.AUTO, skip_bad_faces: bool = False
    ) -> Mesh:
        """
        Reads an STL, OBJ, PLY or OFF file. Polygons become triangles without new vertices; numbers are read with
        correct rounding. Raises IoError, UnknownFormat, Malformed, Truncated and the like; the exception has the line or
        the byte. skip_bad_faces: faces that cross or touch themselves, which are Malformed otherwise, are left out:
        skipped_faces tells which.
        """

    @staticmethod
    def parse(data: Buffer, format: MeshFormat = MeshFormat.AUTO, skip_bad_faces: bool = False) -> Mesh:
        """load() of a file in memory."""

    @staticmethod
    def hull(points: ArrayLike) -> Mesh:
        """
        The convex hull of n x 3 points, exactly: of points in a plane a flat polygon, on a line a triangle that has shrunk
        to a segment, of one point to a point.
        """

    @staticmethod
    def boxes(boxes: ArrayLike) -> Mesh:
        """
        The surfaces of boxes, n x 2 x 3: the min and the max of each. Twelve triangles a box; the cells of an octree.
        """

    @staticmethod
    def height_field(
        heights: ArrayLike, origin: tuple[float, float] = (0.0, 0.0), step: tuple[float, float] = (1.0, 1.0)
    ) -> Mesh:
        """
        The surface of a grid of heights: heights[k, i] is at x = origin[0] + i step[0], y = origin[1] + k step[1]. NaN is a
        hole.
        """

    @staticmethod
    def of(object: MeshLike) -> Mesh:
        """
        A Mesh of what has triangles: a Mesh, the name of a file, a trimesh.Trimesh, a TriangleMesh of Open3D, or a tuple
        of vertices and faces. Without a copy where possible.
        """

    def save(self, path: str | bytes | os.PathLike[str], format: MeshFormat = MeshFormat.AUTO) -> None:
        """
        Writes a file, its format by default after the ending. Text formats print the shortest digits that read back to the
        same double; STL rounds to float.
        """

    def audit(self) -> MeshAudit:
        """Is it closed, oriented, without defects? O(n log n)."""

    def component_labels(self) -> NDArray[np.uint32]:
        """
        For each triangle the index of its connected component in audit().components.
        """

    @property
    def vertices(self) -> NDArray[Any]:
        """n x 3: the array that was given, or a view that cannot be written to."""

    @property
    def faces(self) -> NDArray[Any]:
        """m x 3 numbers of vertices."""

    @property
    def vertex_count(self) -> int: ...
    @property
    def triangle_count(self) -> int: ...
    @property
    def polygon_counts(self) -> tuple[int, int, int]:
        """
        Faces of more than three corners that were in the file; of them, concave ones, and ones that are not flat.
        """

    @property
    def skipped_faces(self) -> list[tuple[int, int | None]]:
        """
        Faces of the file that skip_bad_faces left out: number and line, if it has lines. The mesh is open there, and triangles
        are numbered without them.
        """

    @property
    def bounds(self) -> NDArray[np.float64]:
        """2 x 3: the least and the largest coordinates of the vertices in use."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    def __repr__(self) -> str: ...

class FillRule(enum.Enum):
    """The rule by which the closed surfaces of a mesh enclose points."""

    NONZERO = 0
    """those with a winding number that is not 0: bodies are united"""

    EVEN_ODD = 1
    """those from where a ray crosses an odd number of triangles"""

class Ellipsoids(enum.Enum):
    """The choice of nodes that have an ellipsoid, too."""

    NONE = 0

    MIXED = 1
    """where sample queries say that it saves more than it costs"""

    ALL = 2
    """all nodes, for measurements"""

class Fragments(enum.Enum):
    """The division of long triangles. Answers do not depend on it."""

    FEW = 0
    """the few that are many times longer than the rest"""

    NONE = 3

    CHOSEN = 1
    """where sample queries say that it saves more than it costs"""

    ALL = 2
    """all long ones, for measurements"""

class SphereFit(enum.Enum):
    """The sphere that encloses a node."""

    SMALLEST = 0

    BOX_CENTRE = 1

    RITTER = 2

class BoxFit(enum.Enum):
    """The choice of the axes of a node's box."""

    BEST = 0

    COVARIANCE = 1

    RAPID = 2

class Quality(enum.Enum):
    """
    The time of a build against the speed of queries. Answers do not depend on it.
    """

    BEST = 0
    """the tree that queries are fastest with"""

    FAST = 1
    """several times faster to build, for meshes that change all the time"""

class Split(enum.Enum):
    """The division of the triangles of a node."""

    COST = 0

    MEAN = 1

    VARIANCE = 2

TREE_NODE_DTYPE: np.dtype[np.void]

class Tree:
    """
    A bounding volume hierarchy over one mesh, which every query takes.

    Tree(mesh, *, topology=True, reference=False, quality=Quality.BEST, fill=FillRule.NONZERO, ellipsoids=Ellipsoids.NONE,
         fragments=Fragments.FEW, leaf_size=0, sphere_fit=..., box_fit=..., split=..., threads=0)
        mesh      what Mesh.of() takes: a Mesh, the name of a file, a mesh of trimesh or Open3D, (vertices, faces)
        topology  keep what relate(), contacts(), locate_point() and the like need; False builds faster, and takes a
                  fraction of the memory
        reference keep the reference tree even without topology, for the policies that ask for it
        quality   Quality.FAST builds several times faster, for slower queries; topology asks for BEST
        fill      what the mesh encloses, for those
        fragments Fragments.CHOSEN divides long triangles, as CAD and robots have them, where that makes queries faster
        threads   0: as many as OpenMP would use; the tree does not depend on it

    Independent of the mesh; it changes only by refit(), and is free to be used from any number of threads at once.
    O(n log n). Raises what Mesh() raises.
    """

    def __init__(
        self,
        mesh: MeshLike,
        *,
        topology: bool = True,
        reference: bool = False,
        quality: Quality = Quality.BEST,
        fill: FillRule = FillRule.NONZERO,
        ellipsoids: Ellipsoids = Ellipsoids.NONE,
        fragments: Fragments = Fragments.FEW,
        leaf_size: int = 0,
        sphere_fit: SphereFit = SphereFit.SMALLEST,
        box_fit: BoxFit = BoxFit.BEST,
        split: Split = Split.COST,
        threads: int = 0,
    ) -> None: ...
    @property
    def triangle_count(self) -> int: ...
    @property
    def node_count(self) -> int:
        """Nodes of the reference tree, kept or not."""

    @property
    def fragment_count(self) -> int:
        """
        Triangles in the leaves: fewer than the mesh has where some are the same, more where some are divided.
        """

    @property
    def leaf_count(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def bytes(self) -> int:
        """Memory of the whole tree."""

    @property
    def packed_bytes(self) -> int:
        """Bytes of the packed form; 0 where there is none."""

    @property
    def content_hash(self) -> int:
        """A hash of the triangles, in file order."""

    @property
    def box(self) -> Obb:
        """
        An oriented box that encloses the mesh, in its frame, the shortest side first.
        """

    @property
    def bounds(self) -> NDArray[np.float64]:
        """
        2 x 3: the least and the largest coordinates of the mesh, in its frame, as of Mesh. O(n).
        """

    @property
    def topology(self) -> bool: ...
    @property
    def centre(self) -> NDArray[np.float64]:
        """
        The centre of the smallest sphere that encloses the mesh, in its frame.
        """

    @property
    def radius(self) -> float:
        """The radius of that sphere."""

    def refit(self, mesh: MeshLike) -> None:
        """
        Moves the vertices: `mesh`, which Mesh.of() takes, has the triangles that the tree was built from, in the same order
        and with the same corners, elsewhere.

        Some ten times cheaper than building, and as exact; where the mesh has changed much, a new tree is faster to ask. A tree
        that keeps its reference tree (as with topology, the default) is built anew instead, in the time of a build. Raises
        InvalidArgument for another mesh; what Mesh() raises, Limit; RuntimeError while another thread uses the tree or a Scene
        holds it. The tree is as it was then.
        """

    def nodes(self, most: int | None = None) -> tuple[Records, NDArray[np.uint32]]:
        """
        The upper part of the reference tree, level by level, at most so many nodes; None: all. For pictures and studies;
        the tree has to keep it (reference or topology).
        Records of TREE_NODE_DTYPE, and the numbers of triangles in the order of the leaves: those of a node are order[first:
        first + triangle_count]. 2**32 - 1 stands for no node.
        """

    def triangles(self) -> NDArray[np.float64]:
        """
        The corners of the triangles that it was built from, in their order, n x 3 x 3.
        """

    def validate(self) -> None:
        """
        Checks every invariant; raises Invariant with the first that is broken.
        """

    def open_loops(self, component: int | None = None) -> list[NDArray[np.float64]]:
        """
        The holes and ends of the surface: the points, k x 3, of every loop of open edges, of one component or of all.
        Raises NoTopology, InvalidArgument (no such component).
        """

    def __repr__(self) -> str: ...
    @staticmethod
    def load(path: FileName, *, mapped: bool = False, check: FileCheck = FileCheck.SAMPLED, threads: int = 0) -> Tree:
        """
        Reads a tree that save() has written, some thirty times faster than building it.

        mapped  answer from the file where it is, which processes then share; it must not be changed in place meanwhile

        Raises IoError, UnknownFormat (no tree, or of another version), Truncated, Malformed, Invariant, Limit.
        """

    def save(self, path: FileName) -> None:
        """
        Writes the tree to a file, which is replaced as a whole. The same on every machine. Raises IoError.
        """

    @staticmethod
    def parse(data: Buffer, *, check: FileCheck = FileCheck.SAMPLED, threads: int = 0) -> Tree:
        """load() of bytes in memory, which are copied."""

    def to_bytes(self) -> Bytes:
        """The bytes that save() would write. Trees are pickled that way, too."""

    @staticmethod
    def cached(
        mesh: MeshLike,
        folder: FileName,
        *,
        mapped: bool = False,
        check: FileCheck = FileCheck.SAMPLED,
        topology: bool = True,
        reference: bool = False,
        quality: Quality = Quality.BEST,
        fill: FillRule = FillRule.NONZERO,
        ellipsoids: Ellipsoids = Ellipsoids.NONE,
        fragments: Fragments = Fragments.FEW,
        leaf_size: int = 0,
        sphere_fit: SphereFit = SphereFit.SMALLEST,
        box_fit: BoxFit = BoxFit.BEST,
        split: Split = Split.COST,
        threads: int = 0,
    ) -> Tree:
        """
        Tree(mesh, ...) from a file of `folder` where it is there, else built and saved there. What is found is compared with
        the mesh, triangle by triangle; a folder that cannot be written costs time and nothing else. Raises what Tree() raises.
        """

    def mesh(self) -> Mesh:
        """
        The triangles as a Mesh of its own, in file order; vertices that no triangle uses are gone.
        """

    @property
    def options(self) -> dict[str, Any]:
        """The options of the build: Tree(mesh, **options)."""

    def __reduce__(self) -> tuple[Any, ...]: ...

class FileCheck(enum.Enum):
    """The checks of a file before its tree is handed out."""

    SAMPLED = 0
    """
    checksums, and that no query can go astray; of one leaf in 64, that volumes enclose it
    """

    WHOLE = 1
    """and everything that validate() asks"""

    NONE = 2
    """the head alone, for files that nobody else can have written or damaged"""

class Policy(enum.Enum):
    """
    The comparison of two nodes. Answers are the same for all; the cost differs.
    """

    DEFAULT = 0
    """the packed form where both trees have one, else DUAL"""

    DUAL = 1
    """spheres, then five axes (Chang et al. 2009)"""

    RAPID = 2
    """boxes, all fifteen axes (Gottschalk et al. 1996)"""

    SAT_LITE = 3
    """boxes, the six face axes (van den Bergen 1997)"""

    SPHERE = 4
    """spheres alone"""

    PACKED = 5
    """as DEFAULT without ellipsoids"""

    ELLIPSOID = 6
    """as DUAL, with ellipsoids where nodes have them"""

    MIXED = 7
    """
    as DUAL, then an ellipsoid against a box or an ellipsoid (Larsson 2008)
    """

    PACKED_MIXED = 8
    """the same stages on the packed form"""

class Counters:
    """Counts of the work of a query."""

    @property
    def sphere_tests(self) -> int:
        """pairs of spheres compared"""

    @property
    def box_tests(self) -> int:
        """pairs of boxes compared"""

    @property
    def triangle_tests(self) -> int:
        """pairs of triangles compared"""

    @property
    def exact_tests(self) -> int:
        """of those, undecided by the floating-point filter"""

    @property
    def ellipsoid_pair_tests(self) -> int:
        """pairs of nodes compared by their ellipsoids"""

    @property
    def ellipsoid_box_tests(self) -> int:
        """
        pairs of nodes compared by the ellipsoid of one and the box of the other
        """

    @property
    def ellipsoid_separated(self) -> int:
        """of both, pairs that were found to be disjoint"""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class CollideResult:
    """
    The answer of collide(). True in a condition where the meshes intersect.
    """

    @property
    def intersecting(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def first(self) -> tuple[int, int] | None:
        """
        A triangle of A and one of B that intersect, by their numbers; None where there are none.
        """

    @property
    def counters(self) -> Counters: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

COLLIDE_DTYPE: np.dtype[np.void]

class Cache:
    """
    The record of earlier calls of collide() about one pair of meshes, which makes the next one faster where they
    have moved little. No answer depends on it. For one thread at a time: a call that finds it in use goes without. A copy is an
    empty one, as is what a pickle gives.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __repr__(self) -> str: ...

def collide(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    cache: Cache | None = None,
    policy: Policy = Policy.DEFAULT,
    threads: int = 1,
    max_work: int = 0,
) -> CollideResult:
    """
    Do the meshes of two trees, A at pose_a and B at pose_b, have a point in common?

    pose_a, pose_b  4 x 4, 3 x 4, 12 numbers (rows of [R|t]) or (quaternion x y z w, translation), from the frame of the mesh
                    into a common one; None is the identity
    cache           a Cache kept from call to call for this pair of meshes, which moves little between them
    threads         for one heavy query; the answer does not depend on it
    max_work        steps after which BudgetSpent is raised; 10**6 take some milliseconds; 0: no limit

    Exact about the numbers given, without a tolerance: touching counts, a mesh inside another without a common point does not
    (see relate()). Raises InvalidArgument, NotFinite, NotRigid (rot^T rot is off by more than 2e-6; see orthonormalise()).
    """

def collide_pairs(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    threads: int = 1,
    max_work: int = 0,
) -> NDArray[np.uint32]:
    """
    Every pair of triangles that intersect, m x 2: a triangle of A and one of B, sorted. Arguments and exceptions as of
    collide().
    """

def collide_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    collide() for B at each of n poses, on several threads.

    poses_b   n x 4 x 4, n x 3 x 4, n x 12, or (quaternions n x 4, translations n x 3)
    threads   0: as many as OpenMP would use; -1: all cores; no answer depends on it
    max_work  steps that each pose may take; 0: no limit
    max_total steps that the whole call may take: what is finished are the poses up to one; 0: no limit
    errors    'raise': the exception of the first pose that is refused, with its index in `element`. 'keep': its record is all
              zero but for `status`; one with a NaN is such a pose

    Returns n records of COLLIDE_DTYPE: intersecting, first (a, b), status, pair_count, counters.
    """

def collide_pairs_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> tuple[Records, NDArray[np.uint32], NDArray[np.uint64]]:
    """
    collide_pairs() for B at each of n poses: the records of collide_batch(), all pairs, m x 2, and n + 1 offsets; those of
    pose i are pairs[offsets[i]:offsets[i + 1]]. Takes twice the time of a batch that only counts.
    """

def self_collide(tree: Tree, *, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = 0) -> CollideResult:
    """
    Do triangles of one mesh intersect beyond the corners and edges that they share?
    """

def self_pairs(
    tree: Tree, *, policy: Policy = Policy.DEFAULT, threads: int = 1, max_work: int = 0
) -> NDArray[np.uint32]:
    """All pairs of triangles that do, m x 2, the lower number first, sorted."""

class DistanceResult:
    """The distance of two meshes. float() is the distance itself."""

    @property
    def found(self) -> bool:
        """False: nothing is within the limit, and distance is infinite."""

    @property
    def distance(self) -> float:
        """
        The smallest double that is not less than the exact distance; 0 where they intersect.
        """

    def __float__(self) -> float: ...
    @property
    def pair(self) -> tuple[int, int]:
        """A triangle of A and one of B at that distance."""

    @property
    def point_a(self) -> NDArray[np.float64]:
        """A point of each, in the common frame, at that distance."""

    @property
    def point_b(self) -> NDArray[np.float64]: ...
    @property
    def between(self) -> NDArray[np.float64]:
        """From point_a to point_b, right to a few units in the last place."""

    @property
    def counters(self) -> Counters: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class ClearanceResult:
    """
    The answer of check_clearance(). True in a condition where the meshes are within the distance.
    """

    @property
    def within(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def first(self) -> tuple[int, int] | None:
        """A triangle of A and one of B that are; None where there are none."""

    @property
    def counters(self) -> Counters: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

DISTANCE_DTYPE: np.dtype[np.void]

CLEARANCE_DTYPE: np.dtype[np.void]

def distance(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    limit: float = float("inf"),
    policy: Policy = Policy.DEFAULT,
    max_work: int = 0,
) -> DistanceResult:
    """
    The distance of A at pose_a and B at pose_b. Surfaces are compared; 0 where they intersect.

    pose_a, pose_b                  as of collide()
    relative_error, absolute_error  the answer may be larger by that part of it (0 to 1) and by that length; 0 is exact
    limit                           look no farther: `found` is False beyond it

    Lengths are in the unit of the meshes. Raises what collide() raises.
    """

def distance_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    relative_error: float = 0.0,
    absolute_error: float = 0.0,
    limit: float = float("inf"),
    policy: Policy = Policy.DEFAULT,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    distance() for B at each of n poses, on several threads; poses_b, threads and errors as of collide_batch(). Returns n
    records of DISTANCE_DTYPE: found, distance, pair, point_a, point_b, between, at_least, counters, status.
    """

def check_clearance(
    a: Tree,
    b: Tree,
    max_distance: float,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    max_work: int = 0,
) -> ClearanceResult:
    """
    Are they at most max_distance apart? Decided exactly, and faster than distance(). 0 asks whether they intersect.
    """

def clearance_pairs(
    a: Tree,
    b: Tree,
    max_distance: float,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    max_work: int = 0,
) -> NDArray[np.uint32]:
    """Every pair of triangles, m x 2, at most max_distance apart, sorted."""

def check_clearance_batch(
    a: Tree,
    b: Tree,
    max_distance: float,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    policy: Policy = Policy.DEFAULT,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    check_clearance() for B at each of n poses; arguments as of collide_batch(). Returns n records of CLEARANCE_DTYPE:
    within, first, counters, status.
    """

class Relation(enum.IntEnum):
    """The relation of two bodies."""

    DISJOINT = 0
    """no common point"""

    TOUCHING = 1
    """surfaces alone"""

    OVERLAPPING = 2
    """more, and each has points outside the other"""

    A_IN_B = 3
    """surfaces may touch"""

    B_IN_A = 4

    EQUAL = 5
    """however the surfaces are cut into triangles"""

    UNDECIDABLE = 6
    """an open surface may hold the other mesh, or may not"""

class Location(enum.IntEnum):
    """The location of a point relative to a mesh."""

    OUTSIDE = 0

    ON_SURFACE = 1

    INSIDE = 2

    UNDECIDABLE = 3
    """within the bounding box of open components"""

class Undecided(enum.IntEnum):
    """Whose open components are in the way."""

    NOT = 0

    A_OPEN = 1

    B_OPEN = 2

    BOTH_OPEN = 3

class RelateResult:
    """The answer of relate()."""

    @property
    def relation(self) -> Relation: ...
    @property
    def exact(self) -> Relation:
        """The relation without tolerances."""

    @property
    def surface_relation(self) -> Relation:
        """The relation if open components hold nothing."""

    @property
    def undecided(self) -> Undecided: ...
    @property
    def doubt_a(self) -> tuple[int, int] | None:
        """
        If A is open and that leaves the relation in doubt: an open component of A, and one of B that it may hold; else None.
        """

    @property
    def doubt_b(self) -> tuple[int, int] | None:
        """As doubt_a, for an open B."""

    @property
    def fill_a(self) -> FillRule:
        """The fill rule of A."""

    @property
    def fill_b(self) -> FillRule: ...
    @property
    def ambiguous_a(self) -> bool:
        """True if `exact` would differ with the other fill rule for A."""

    @property
    def ambiguous_b(self) -> bool: ...
    @property
    def surfaces_intersect(self) -> bool:
        """True if collide() says that the surfaces intersect."""

    @property
    def first(self) -> tuple[int, int] | None:
        """
        A triangle of A and one of B that intersect; None where there are none.
        """

    @property
    def separation(self) -> NDArray[np.float64]:
        """
        A translation of B that leaves no point inside both, where touch_overlap made the relation TOUCHING.
        """

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

RELATE_DTYPE: np.dtype[np.void]

def relate(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    touch_gap: float = 0.0,
    touch_overlap: float = 0.0,
    open_holds_nothing: bool = False,
    max_work: int = 0,
) -> RelateResult:
    """
    The relation of A at pose_a and B at pose_b as bodies: disjoint, touching, overlapping, one inside the other, equal.

    touch_gap           meshes at most this far apart touch
    touch_overlap       meshes that a move of at most this length parts touch
    open_holds_nothing  open surfaces (sheet metal) hold nothing: no relation is UNDECIDABLE

    Exact without tolerances. Raises what collide() raises, and NoTopology for a tree without.
    """

def relate_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    touch_gap: float = 0.0,
    touch_overlap: float = 0.0,
    open_holds_nothing: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    relate() for B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records of RELATE_DTYPE,
    whose relations are numbers of Relation.
    """

def locate_point(tree: Tree, point: ArrayLike, pose: PoseLike | None = None) -> Location:
    """
    Is a point, in the common frame, inside the mesh at `pose`? Decided exactly. Raises NoTopology for a tree without.
    """

LOCATION_DTYPE: np.dtype[np.void]

def locate_point_batch(
    tree: Tree, points: ArrayLike, pose: PoseLike | None = None, *, threads: int = 0, errors: OnError = "raise"
) -> NDArray[Any]:
    """
    locate_point() for n x 3 points, on several threads. Returns n numbers of Location; with errors='keep' n records of
    LOCATION_DTYPE: location, status.
    """

class FeatureKind(enum.IntEnum):
    """A part of a mesh."""

    VERTEX = 0

    EDGE = 1

    TRIANGLE = 2

class ContactKind(enum.IntEnum):
    """The intersection of two triangles."""

    POINT = 0

    SEGMENT = 1

    POLYGON = 2
    """they lie in one plane"""

class PolylineKind(enum.IntEnum):
    """The kind of a polyline."""

    CURVE = 0
    """surfaces cross, or touch along a line"""

    BOUNDARY = 1
    """of a flat region where surfaces lie on each other"""

class Contacts:
    """
    The contacts of two meshes. Positions and lengths are in the frame of A. Arrays are copies.
    """

    @property
    def contacts(self) -> Records:
        """
        One record a pair of triangles: pair, kind (ContactKind), corner_count, first_corner, cluster.
        """

    @property
    def corners(self) -> NDArray[np.uint32]:
        """Indices into points, which contacts refer to."""

    @property
    def points(self) -> Records:
        """
        position, the features a and b that intersect there (triangle, kind, index), steps, cluster.
        """

    @property
    def polylines(self) -> Records:
        """
        first and point_count (of path), length, kind (PolylineKind), cluster, closed, directed.
        """

    @property
    def path(self) -> Records:
        """The points along polylines, and the contact of each step."""

    @property
    def clusters(self) -> Records:
        """
        Connected parts: min, max, length, area, polylines and counts of what is in them.
        """

    @property
    def status(self) -> int:
        """
        0; of contacts_batch() with errors='keep' the number that records have as `status`, where a pose was refused.
        """

    def polyline(self, index: int) -> NDArray[np.float64]:
        """
        The points of a polyline, k x 3; a closed one also goes from the last to the first.
        """

    def __len__(self) -> int:
        """Pairs of triangles."""

    def __bool__(self) -> bool: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def __repr__(self) -> str: ...

class Separation:
    """A translation that separates two bodies."""

    @property
    def disjoint(self) -> bool:
        """The bodies are disjoint as given; all else is 0."""

    @property
    def length(self) -> float:
        """An upper bound of the penetration depth."""

    @property
    def translation(self) -> NDArray[np.float64]:
        """The translation of B, in the frame of A."""

    @property
    def pose_b(self) -> NDArray[np.float64]:
        """B's pose after it, 3 x 4."""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

def contacts(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    threads: int = 1,
    max_work: int = 0,
) -> Contacts:
    """
    Along which points, curves and regions do A and B intersect? Decided exactly, positions rounded once. Raises what
    collide() raises, NoTopology, Limit.
    """

def contacts_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> list[Contacts]:
    """
    contacts() for B at each of n poses, on several threads. Limits and errors as of collide_batch(): kept, the Contacts of
    a refused pose are empty, and have its `status`.
    """

def overlap_extents(
    a: Tree,
    b: Tree,
    directions: ArrayLike,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    threads: int = 1,
    max_work: int = 0,
) -> NDArray[np.float64] | None:
    """
    The extents of the common points of both bodies along n x 3 directions, in the frame of A: n x 2, the least and the
    largest direction . x. None where there is no common point.
    """

def separating_translation(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    threads: int = 1,
    max_work: int = 0,
) -> Separation:
    """
    A translation of B after which relate() says DISJOINT; its length is an upper bound of the penetration depth.
    """

class Interval:
    """
    A number that is known within bounds: lower <= truth <= upper, certified.

    float() is the middle; x in interval, and comparisons with numbers, are about the bounds: interval <= 0.05 is True where
    the truth certainly is.
    """

    def __init__(self, lower: float, upper: float) -> None: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def width(self) -> float: ...
    def __float__(self) -> float: ...
    def __contains__(self, arg: float, /) -> bool: ...
    def __le__(self, arg: float, /) -> bool: ...
    def __lt__(self, arg: float, /) -> bool: ...
    def __ge__(self, arg: float, /) -> bool: ...
    def __gt__(self, arg: float, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class OverlapKind(enum.IntEnum):
    """The kind of an overlap, as IfcClash names them."""

    NONE = 0
    """no common point"""

    TOUCHING = 1
    """no common volume"""

    PROTRUSION = 2
    """one body enters the other and does not come out"""

    A_PIERCES_B = 3
    """A enters B and leaves it elsewhere"""

    B_PIERCES_A = 4

    MUTUAL = 5
    """each pierces the other"""

    A_IN_B = 6
    """envelope"""

    B_IN_A = 7

    DUPLICATE = 8

    UNDECIDED = 9
    """`reason` says why"""

class OverlapReason(enum.IntEnum):
    """The reason why an overlap is not decided."""

    DECIDED = 0

    OPEN = 1

    SELF_INTERSECTION = 2

    BUDGET = 3

    ARITHMETIC = 4

class FitVerdict(enum.IntEnum):
    """Whether an overlap is within the depth that a fit allows."""

    NONE = 0
    """there is no overlap"""

    FIT = 1

    CLASH = 2

    UNDECIDED = 3

class DepthProof(enum.IntEnum):
    """What proved the lower end of a penetration depth."""

    NONE = 0
    """it is 0"""

    DISJOINT = 1
    """the interiors are disjoint"""

    CONVEX = 2
    """both meshes are convex"""

    BALLS = 3

class DepthSide:
    """
    How deep common points lie below the surface of one body. Places in the frame of A.
    """

    @property
    def depth(self) -> Interval: ...
    @property
    def deepest(self) -> NDArray[np.float64]: ...
    @property
    def nearest(self) -> NDArray[np.float64]:
        """The point of the surface nearest to it."""

    @property
    def direction(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class LocalDepth:
    """How deep two bodies are in each other."""

    @property
    def least(self) -> Interval:
        """The smaller one of both sides, which a fit tolerates."""

    @property
    def a_in_b(self) -> DepthSide:
        """Below the surface of B."""

    @property
    def b_in_a(self) -> DepthSide:
        """Below the surface of A."""

    @property
    def verdict(self) -> FitVerdict:
        """Whether `least` is within allowed_depth."""

    @property
    def relation(self) -> Relation: ...
    @property
    def undecided(self) -> Undecided:
        """The mesh that is open: the intervals are infinite."""

    @property
    def reached(self) -> bool:
        """The intervals are as narrow as was asked for."""

    def __float__(self) -> float: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class PenetrationDepth:
    """The least translation of B after which the interiors are disjoint."""

    @property
    def depth(self) -> Interval: ...
    @property
    def translation(self) -> NDArray[np.float64]:
        """
        A translation of B that is enough, in the frame of A, as long as depth.upper.
        """

    @property
    def pose_b(self) -> NDArray[np.float64]:
        """B's pose after it, 3 x 4."""

    @property
    def relation(self) -> Relation: ...
    @property
    def proof(self) -> DepthProof: ...
    @property
    def reached(self) -> bool: ...
    def __float__(self) -> float: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class PenetrationAlong:
    """How far B has to be moved along a direction."""

    @property
    def first_free(self) -> Interval: ...
    @property
    def free_for_good(self) -> Interval: ...
    @property
    def relation(self) -> Relation: ...
    @property
    def undecided(self) -> Undecided: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

COMPONENT_DEPTH_DTYPE: np.dtype[np.void]

OVERLAP_COMPONENT_DTYPE: np.dtype[np.void]

OVERLAP_DTYPE: np.dtype[np.void]

LOCAL_DEPTH_DTYPE: np.dtype[np.void]

PENETRATION_DTYPE: np.dtype[np.void]

class Overlap:
    """
    What two bodies have in common. Places are in the frame of A; measures are certified.
    """

    @property
    def volume(self) -> Interval:
        """An Interval; of what is not decided, from 0 to an upper bound."""

    @property
    def area(self) -> Interval: ...
    @property
    def centroid(self) -> list[Interval]:
        """Three Intervals."""

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Its box, lower and upper corner; None where there is no volume."""

    @property
    def kind(self) -> OverlapKind: ...
    @property
    def reason(self) -> OverlapReason: ...
    @property
    def place(self) -> tuple[int, int, int]:
        """
        Where `reason` is OPEN or SELF_INTERSECTION: the body (0: A, 1: B), a triangle, and the other triangle.
        """

    @property
    def components(self) -> Records:
        """
        One record a connected part: volume, area, centroid, box_min, box_max (lower and upper ends), kind (OverlapKind),
        patches_a, patches_b, loops, shells, point, and its faces: first_face, face_count.
        """

    @property
    def depths(self) -> Records:
        """
        The local depth of each component, a record each: a_in_b and b_in_a (depth, deepest, nearest, direction), least,
        normal (the contact normal, from A to B), verdict, reached. Empty where depth=False.
        """

    @property
    def mesh(self) -> Mesh | None:
        """Its closed surface; None where mesh=False, or there is no volume."""

    @property
    def sources(self) -> NDArray[np.uint32]:
        """
        For each face of the mesh the body (0: A, 1: B) and the triangle that it lies on, n x 2.
        """

    @property
    def local_depth(self) -> LocalDepth | None:
        """What local_depth() says; None where depth=False."""

    @property
    def depth(self) -> Interval | None:
        """
        How deep material is in material, the smaller one of both sides; None where depth=False.
        """

    def __bool__(self) -> bool:
        """Is there certainly a common volume?"""

    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def __repr__(self) -> str: ...

def overlap(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    mesh: bool = True,
    depth: bool = True,
    relative_width: float = 0.0,
    open_holds_nothing: bool = False,
    threads: int = 1,
    max_work: int = 0,
) -> Overlap:
    """
    How much and how deep do A and B overlap? Volume, area, kind, connected parts, depth, and the overlap as a mesh.

    mesh                make the closed surface of the overlap, too
    depth               find the local depth, too, which takes several times as long
    relative_width      wanted width of the volume; 0: 1e-9
    open_holds_nothing  open surfaces (sheet metal) hold nothing

    Touching bodies have volume 0. Where a mesh is open, or passes through itself, `reason` says so, and the volume is an
    interval from 0. Raises what collide() raises, and NoTopology for a tree without.
    """

def overlap_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    relative_width: float = 0.0,
    open_holds_nothing: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    The volume of the overlap with B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records
    of OVERLAP_DTYPE; intervals are two numbers, lower and upper.
    """

def local_depth(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    allowed_depth: float = 0.0,
    relative_width: float = 0.0,
    verdict_only: bool = False,
    max_work: int = 0,
) -> LocalDepth:
    """
    How deep is the deepest common point below the surface of B, and of A? And is that a fit?

    allowed_depth   the smaller side may be so deep: a fit, and no clash
    relative_width  wanted width of both sides; 0: 1e-3
    verdict_only    only the verdict counts: several times as fast, with wider intervals
    max_work        steps after which the intervals stay as wide as they are; 0: 20 million, about a second

    Raises what collide() raises, and NoTopology for a tree without.
    """

def local_depth_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    allowed_depth: float = 0.0,
    relative_width: float = 0.0,
    verdict_only: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    local_depth() with B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records of
    LOCAL_DEPTH_DTYPE.
    """

def penetration_depth(
    a: Tree,
    b: Tree,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    strict: bool = False,
    relative_width: float = 0.0,
    max_work: int = 0,
) -> PenetrationDepth:
    """
    The least translation of B after which the interiors are disjoint, as a certified interval, and one that is enough.

    strict          after it nothing touches
    relative_width  wanted width; 0: 1 %
    max_work        steps after which the interval stays as wide as it is; 0: 20 million, about a second

    Raises what collide() raises, NoTopology for a tree without, and OpenMesh.
    """

def penetration_depth_batch(
    a: Tree,
    b: Tree,
    poses_b: PosesLike,
    pose_a: PoseLike | None = None,
    *,
    strict: bool = False,
    relative_width: float = 0.0,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    penetration_depth() with B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records of
    PENETRATION_DTYPE.
    """

def penetration_along(
    a: Tree,
    b: Tree,
    direction: ArrayLike,
    pose_b: PoseLike | None = None,
    pose_a: PoseLike | None = None,
    *,
    relative_width: float = 0.0,
    max_work: int = 0,
) -> PenetrationAlong:
    """
    How far has B to be moved along a direction, in the frame of A, until it is free for the first time, and for good?
    """

class RayHit:
    """The first hit of a ray or a segment on a triangle."""

    @property
    def triangle(self) -> int: ...
    @property
    def t(self) -> float:
        """The exact parameter, rounded to nearest."""

    @property
    def point(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

RAYCAST_DTYPE: np.dtype[np.void]

RAY_HIT_DTYPE: np.dtype[np.void]

def raycast(
    tree: Tree, origin: ArrayLike, direction: ArrayLike, pose: PoseLike | None = None, *, max_work: int = 0
) -> RayHit | None:
    """
    The first hit of the ray origin + t direction, t >= 0, on the mesh at `pose`. None: no hit. Which triangle is
    hit first is decided exactly; a hit through an edge or a corner is a hit.
    """

def raycast_all(
    tree: Tree, origin: ArrayLike, direction: ArrayLike, pose: PoseLike | None = None, *, max_work: int = 0
) -> Records:
    """
    One hit for each triangle that is hit, sorted by t: records of RAY_HIT_DTYPE (triangle, t, point).
    """

def raycast_batch(
    tree: Tree,
    origins: ArrayLike,
    directions: ArrayLike,
    pose: PoseLike | None = None,
    *,
    any: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    The first hit of each of n lines, on several threads. They are given by two arrays of n x 3, of which one may be 3 numbers,
    the same for all lines. `any` asks only whether there is a hit, which is faster. Returns n records of RAYCAST_DTYPE:
    intersects, triangle, t, point, status, hit_count, counters.
    """

def raycast_all_batch(
    tree: Tree,
    origins: ArrayLike,
    directions: ArrayLike,
    pose: PoseLike | None = None,
    *,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> tuple[Records, Records, NDArray[np.uint64]]:
    """
    All hits of n lines: the records of the batch, all hits, and n + 1 offsets; those of line i are hits[offsets[i]:
    offsets[i + 1]].
    """

def segment_cast(
    tree: Tree, start: ArrayLike, end: ArrayLike, pose: PoseLike | None = None, *, max_work: int = 0
) -> RayHit | None:
    """
    The first hit of the segment from `start` to `end`. Both ends belong to it; t goes from 0 to 1.
    """

def segment_cast_all(
    tree: Tree, start: ArrayLike, end: ArrayLike, pose: PoseLike | None = None, *, max_work: int = 0
) -> Records:
    """
    One hit for each triangle that is hit, sorted by t: records of RAY_HIT_DTYPE (triangle, t, point).
    """

def segment_cast_batch(
    tree: Tree,
    starts: ArrayLike,
    ends: ArrayLike,
    pose: PoseLike | None = None,
    *,
    any: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    The first hit of each of n lines, on several threads. They are given by two arrays of n x 3, of which one may be 3 numbers,
    the same for all lines. `any` asks only whether there is a hit, which is faster. Returns n records of RAYCAST_DTYPE:
    intersects, triangle, t, point, status, hit_count, counters.
    """

def segment_cast_all_batch(
    tree: Tree,
    starts: ArrayLike,
    ends: ArrayLike,
    pose: PoseLike | None = None,
    *,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> tuple[Records, Records, NDArray[np.uint64]]:
    """
    All hits of n lines: the records of the batch, all hits, and n + 1 offsets; those of line i are hits[offsets[i]:
    offsets[i + 1]].
    """

class ClosestPoint:
    """The point of a mesh that is closest to a given one."""

    @property
    def found(self) -> bool:
        """False: nothing is within the limit."""

    @property
    def triangle(self) -> int:
        """That it lies on; of equally close ones the lowest."""

    @property
    def distance(self) -> float:
        """The smallest double that is not less than the exact one."""

    @property
    def point(self) -> NDArray[np.float64]: ...
    @property
    def counters(self) -> Counters: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

CLOSEST_POINT_DTYPE: np.dtype[np.void]

def closest_point(
    tree: Tree, point: ArrayLike, pose: PoseLike | None = None, *, limit: float = float("inf"), max_work: int = 0
) -> ClosestPoint:
    """
    The point of the mesh at `pose` that is closest to `point`, 3 numbers in the common frame. `limit`: look no farther.
    Which triangle is closest is decided exactly.
    """

def closest_point_batch(
    tree: Tree,
    points: ArrayLike,
    pose: PoseLike | None = None,
    *,
    limit: float = float("inf"),
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    closest_point() for n x 3 points, on several threads. Returns n records of CLOSEST_POINT_DTYPE: found, triangle, status,
    distance, point, counters.
    """

class Motion:
    """
    A pose for every time from 0 to 1: a translation, or a turn about an axis of constant direction while its
    centre goes straight on.
    """

    @staticmethod
    def translation(pose: PoseLike | None, shift: ArrayLike) -> Motion:
        """From `pose` by `shift`, 3 numbers, without turning."""

    @staticmethod
    def between(pose_from: PoseLike | None, pose_to: PoseLike | None, centre: ArrayLike | None = None) -> Motion:
        """
        From one pose to another by a turn of at most half a circle. `centre`, in the frame of the mesh, goes straight;
        None: a screw motion. Raises NotFinite, NotRigid.
        """

    @staticmethod
    def between_batch(
        poses_from: PosesLike, poses_to: PosesLike, centre: ArrayLike | None = None, *, errors: OnError = "raise"
    ) -> list[Motion]:
        """
        between() for n pairs of poses. With errors='keep' a motion with a pose that is refused is all zero, which every
        query refuses: time_of_impact_batch(..., errors='keep') gives it a status.
        """

    def pose(self, t: float) -> NDArray[np.float64]:
        """The pose at time t, 3 x 4."""

    @property
    def angle(self) -> float:
        """In radians."""

    @property
    def axis(self) -> NDArray[np.float64]: ...
    @property
    def centre(self) -> NDArray[np.float64]:
        """The centre of the turn at time 0."""

    @property
    def shift(self) -> NDArray[np.float64]:
        """The way of the centre from time 0 to 1."""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class TimeOfImpactVerdict(enum.IntEnum):
    """The verdict about a motion."""

    CLEAR = 0
    """they intersect at no time"""

    CONTACT = 1
    """they do, first at `time` or at most the tolerance later"""

    CLOSE = 2
    """at `time` they are closer than rounding tells"""

    UNDECIDED = 3
    """the budget ended the search at `time`"""

class TimeOfImpact:
    """When meshes in motion touch first. True in a condition unless clear."""

    @property
    def verdict(self) -> TimeOfImpactVerdict: ...
    def __bool__(self) -> bool: ...
    @property
    def time(self) -> float:
        """There is no contact before it; 1 where the motion is clear."""

    @property
    def upper(self) -> float:
        """A time at which collide() says that they intersect; or infinity."""

    @property
    def distance(self) -> float:
        """An upper bound of the distance at `time`."""

    @property
    def pair(self) -> tuple[int, int]: ...
    @property
    def point_a(self) -> NDArray[np.float64]:
        """A point of each at `time`, in the common frame."""

    @property
    def point_b(self) -> NDArray[np.float64]: ...
    @property
    def normal(self) -> NDArray[np.float64]:
        """From A to B; 0 where they intersect at the start already."""

    @property
    def counters(self) -> Counters: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

TIME_OF_IMPACT_DTYPE: np.dtype[np.void]

def time_of_impact(
    a: Tree,
    b: Tree,
    motion_b: Motion | None = None,
    motion_a: Motion | None = None,
    *,
    tolerance: float = 0.0,
    start: float = 0.0,
    policy: Policy = Policy.DEFAULT,
    max_work: int = 0,
) -> TimeOfImpact:
    """
    When do A and B, each in its motion (None: at rest), touch for the first time?

    tolerance  how much later than `time` the confirmed contact may be; 0 stands for 2**-20 of the motion
    start      the time from which on contacts are looked for
    max_work   where it ends the search, the verdict is UNDECIDED and `time` says how far it got

    Holds for every time, not for samples of it. Raises InvalidArgument, NotFinite, NotRigid.
    """

def time_of_impact_batch(
    a: Tree,
    b: Tree,
    motions_b: Sequence[Motion],
    motion_a: Motion | None = None,
    *,
    tolerance: float = 0.0,
    start: float = 0.0,
    policy: Policy = Policy.DEFAULT,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> Records:
    """
    time_of_impact() for n motions of B, on several threads. Returns n records of TIME_OF_IMPACT_DTYPE: verdict (a number of
    TimeOfImpactVerdict), time, upper, distance, pair, point_a, point_b, normal, status, counters.
    """

class ShapeArray:
    """Shapes of one kind, as Sphere.array() and its like make them."""

    def __len__(self) -> int: ...
    @property
    def kind(self) -> str:
        """The name of their class."""

    def __getstate__(self) -> tuple[str, tuple[str, bytes]]: ...
    def __setstate__(self, state: tuple[str, tuple[str, bytes]]) -> None: ...
    def __repr__(self) -> str: ...

class Sphere:
    """All points within `radius` of `centre`."""

    def __init__(self, centre: ArrayLike, radius: float) -> None: ...
    @staticmethod
    def array(centres: ArrayLike, radii: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n; either once for all."""

    @property
    def centre(self) -> NDArray[np.float64]: ...
    @property
    def radius(self) -> float: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Capsule:
    """All points within `radius` of the segment between two points."""

    def __init__(self, start: ArrayLike, end: ArrayLike, radius: float) -> None: ...
    @staticmethod
    def array(starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3, n; each once for all, too."""

    @property
    def start(self) -> NDArray[np.float64]: ...
    @property
    def end(self) -> NDArray[np.float64]: ...
    @property
    def radius(self) -> float: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Aabb:
    """A box along the axes of space: min <= max in each coordinate."""

    def __init__(self, min: ArrayLike, max: ArrayLike) -> None: ...
    @staticmethod
    def array(mins: ArrayLike, maxs: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3; either once for all."""

    @property
    def min(self) -> NDArray[np.float64]: ...
    @property
    def max(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Obb:
    """
    A box along its own axes: centre + sum of t[i] axes[i], |t[i]| <= half[i]. The axes, the rows of `axes`, should be
    unit vectors at right angles.
    """

    def __init__(self, centre: ArrayLike, axes: ArrayLike, half: ArrayLike) -> None: ...
    @staticmethod
    def array(centres: ArrayLike, axes: ArrayLike, halves: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3 x 3, n x 3; each once for all, too."""

    @property
    def centre(self) -> NDArray[np.float64]: ...
    @property
    def axes(self) -> NDArray[np.float64]:
        """3 x 3; a row is an axis."""

    @property
    def half(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Ellipsoid:
    """
    centre + sum of t[i] axes[i] with the sum of (t[i] / half[i])**2 at most 1; half[i] > 0.
    """

    def __init__(self, centre: ArrayLike, axes: ArrayLike, half: ArrayLike) -> None: ...
    @staticmethod
    def array(centres: ArrayLike, axes: ArrayLike, halves: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3 x 3, n x 3; each once for all, too."""

    @property
    def centre(self) -> NDArray[np.float64]: ...
    @property
    def axes(self) -> NDArray[np.float64]:
        """3 x 3; a row is an axis."""

    @property
    def half(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Plane:
    """All x with normal . x = offset; the side `normal` points to is above."""

    def __init__(self, normal: ArrayLike, offset: float) -> None: ...
    @staticmethod
    def array(normals: ArrayLike, offsets: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n; either once for all."""

    @property
    def normal(self) -> NDArray[np.float64]: ...
    @property
    def offset(self) -> float: ...
    def __repr__(self) -> str: ...
    @staticmethod
    def from_point(point: ArrayLike, normal: ArrayLike) -> Plane:
        """
        Through a point, with a normal of any length but zero; the offset is rounded to nearest.
        """

    @staticmethod
    def from_points(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Plane:
        """
        Through three points, anticlockwise seen from above, with a unit normal. Raises InvalidArgument where they are in a
        line.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Segment:
    """start + t (end - start), t from 0 to 1."""

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None: ...
    @staticmethod
    def array(starts: ArrayLike, ends: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3; either once for all."""

    @property
    def start(self) -> NDArray[np.float64]: ...
    @property
    def end(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Ray:
    """origin + t direction, t >= 0."""

    def __init__(self, origin: ArrayLike, direction: ArrayLike) -> None: ...
    @staticmethod
    def array(origins: ArrayLike, directions: ArrayLike) -> ShapeArray:
        """n of them: n x 3, n x 3; either once for all."""

    @property
    def origin(self) -> NDArray[np.float64]: ...
    @property
    def direction(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Triangle:
    """A triangle by its corners; its surface, not its edge alone."""

    def __init__(self, corners: ArrayLike) -> None: ...
    @staticmethod
    def array(corners: ArrayLike) -> ShapeArray:
        """n of them: n x 3 x 3."""

    @property
    def corners(self) -> NDArray[np.float64]:
        """3 x 3."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

def collide_shape(
    tree: Tree, shape: Solid, pose: PoseLike | None = None, *, below: bool = False, max_work: int = 0
) -> bool:
    """
    Does the surface of the mesh at `pose` intersect a Sphere, Aabb, Obb, Ellipsoid, Capsule (all solid) or Plane, given in the
    common frame? Exact; touching counts. below: a Plane stands for the half-space below it, normal . x <= offset.
    """

def collide_shape_triangles(
    tree: Tree, shape: Solid, pose: PoseLike | None = None, *, below: bool = False, max_work: int = 0
) -> NDArray[np.uint32]:
    """The triangles that intersect the shape, in ascending order."""

COLLIDE_SHAPE_DTYPE: np.dtype[np.void]

def collide_shape_batch(
    tree: Tree,
    shapes: Solid | ShapeArray,
    poses: PosesLike | None = None,
    *,
    below: bool = False,
    threads: int = 0,
    max_work: int = 0,
    max_total: int = 0,
    errors: OnError = "raise",
) -> NDArray[Any]:
    """
    collide_shape() for n shapes, at n poses of the mesh, or one of either, on several threads. Returns n bools; with
    errors='keep' n records of COLLIDE_SHAPE_DTYPE: intersects, status. Limits and errors as of collide_batch().
    """

class SignedDistance:
    """The distance of two shapes, or the depth of one in the other."""

    @property
    def distance(self) -> float:
        """0 where they intersect."""

    @property
    def depth(self) -> float:
        """
        The length of the shortest translation that leaves the shapes touching only.
        """

    @property
    def point_a(self) -> NDArray[np.float64]: ...
    @property
    def point_b(self) -> NDArray[np.float64]: ...
    @property
    def normal(self) -> NDArray[np.float64]:
        """From a to b: moving b by depth * normal ends the overlap."""

    def __float__(self) -> float: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Hit:
    """The hit of a segment or a ray on a shape: t from `enter` to `exit`."""

    @property
    def enter(self) -> float: ...
    @property
    def exit(self) -> float:
        """The last t; that of `enter` for a triangle."""

    @property
    def inside(self) -> bool:
        """True if the segment or ray starts inside the shape."""

    @property
    def point(self) -> NDArray[np.float64]:
        """The point at `enter`."""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

def intersect(a: Shape, b: Shape) -> bool:
    """
    Do two shapes have a point in common? Exact, without a tolerance (ellipsoids: to within a stated margin). TypeError for a
    pair of kinds that there is no test for.
    """

def self_intersect(a: Triangle, b: Triangle) -> bool:
    """
    Do two triangles of one mesh intersect beyond the corners that they share? Exact: what self_collide() asks.
    """

def signed_distance(a: Shape, b: Shape) -> SignedDistance:
    """The distance of two shapes, or the depth of one in the other."""

def shape_distance(a: Shape, b: Shape) -> float:
    """
    The smallest double that is not less than the distance of two shapes; 0 where they intersect.
    """

def plane_distance(shape: Shape, plane: Plane) -> tuple[int, float]:
    """
    On which side of a plane is a shape, 1 above, -1 below, 0 on it; and how far from it, with that sign?
    """

def hit(line: Segment | Ray, shape: Shape) -> Hit | None:
    """
    The hit of a Segment or a Ray on a Sphere, Aabb, Obb, Plane or Triangle. None: no hit.
    """

def bounds(shape: Sphere | Obb | Capsule) -> Aabb:
    """The smallest Aabb of doubles that holds the shape."""

def fit_sphere(points: ArrayLike) -> Sphere:
    """The smallest ball that encloses n x 3 points. Raises Limit, NotFinite."""

def fit_obb(points: ArrayLike) -> Obb:
    """
    A tight oriented box that encloses n x 3 points, half extents ascending. Raises Limit, NotFinite.
    """

def fit_ellipsoid(points: ArrayLike) -> Ellipsoid:
    """
    The ellipsoid of least volume that encloses n x 3 points, to within 1 %. Raises Limit, NotFinite.
    """

SIGNED_DISTANCE_DTYPE: np.dtype[np.void]

PLANE_DISTANCE_DTYPE: np.dtype[np.void]

HIT_DTYPE: np.dtype[np.void]

def intersect_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> NDArray[np.bool_]:
    """
    intersect() of as many pairs as there are shapes: shape i of a and of b, or one of either with each of the other.
    """

def shape_distance_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> NDArray[np.float64]:
    """shape_distance() for many pairs."""

def signed_distance_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> Records:
    """signed_distance() for many pairs: records of SIGNED_DISTANCE_DTYPE."""

def plane_distance_batch(shapes: Shape | ShapeArray, planes: Plane | ShapeArray) -> Records:
    """plane_distance() for many pairs: records of PLANE_DISTANCE_DTYPE."""

def hit_batch(lines: Segment | Ray | ShapeArray, shapes: Shape | ShapeArray) -> Records:
    """hit() for many pairs: records of HIT_DTYPE."""

class ShapeCast:
    """When two shapes in motion touch: times from 0 to 1."""

    @property
    def enter(self) -> float: ...
    @property
    def exit(self) -> float: ...
    @property
    def at_start(self) -> bool: ...
    @property
    def at_end(self) -> bool: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

def shape_cast(
    a: Shape, translation_a: ArrayLike | None, b: Shape, translation_b: ArrayLike | None = None
) -> ShapeCast | None:
    """
    When do two shapes touch that move by a translation each (None: not at all) from time 0 to 1? None: never.
    """

class ShapeCastContact:
    """
    The positions of two shapes in motion at one time, and their contact there.
    """

    @property
    def position_a(self) -> NDArray[np.float64]:
        """
        The centre of a sphere or a box, the first corner of a triangle; 0 for a plane.
        """

    @property
    def position_b(self) -> NDArray[np.float64]: ...
    @property
    def contact(self) -> SignedDistance:
        """The signed distance of the shapes at these positions."""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

def shape_cast_contact(
    a: Shape, translation_a: ArrayLike | None, b: Shape, translation_b: ArrayLike | None, time: float
) -> ShapeCastContact:
    """
    Where are the two shapes of a shape_cast() at a time, `enter` or `exit` of its answer, and where do they touch? Raises
    InvalidArgument for a time that is not in 0 to 1.
    """

SHAPE_CAST_DTYPE: np.dtype[np.void]

def shape_cast_batch(
    a: Shape | ShapeArray,
    translations_a: ArrayLike | None,
    b: Shape | ShapeArray,
    translations_b: ArrayLike | None = None,
) -> Records:
    """
    shape_cast() of as many pairs as there are shapes: shape i of a and of b, or one of either with each of the other;
    translations are n x 3, one for each shape, or 3 numbers for all. Returns records of SHAPE_CAST_DTYPE: intersects, at_start,
    at_end, enter, exit.
    """

class PairRule:
    """
    The rule of a pair of bodies. Lengths are in the unit of the scene, at least 0.

    may_collide                the pair is never looked at
    may_touch                  touching is no clash
    clearance                  bodies less than this apart clash
    touch_gap, touch_overlap   as of relate()
    allowed_depth              an overlap whose local_depth() is at most this is a fit, and no clash; sags are added
    allowed_volume             an overlap of at most this volume is a fit; where both limits are set, both hold
    """

    def __init__(
        self,
        *,
        may_collide: bool = False,
        may_touch: bool = False,
        clearance: float = 0.0,
        touch_gap: float = 0.0,
        touch_overlap: float = 0.0,
        allowed_depth: float = 0.0,
        allowed_volume: float = 0.0,
    ) -> None: ...
    @property
    def may_collide(self) -> bool: ...
    @property
    def may_touch(self) -> bool: ...
    @property
    def clearance(self) -> float: ...
    @property
    def touch_gap(self) -> float: ...
    @property
    def touch_overlap(self) -> float: ...
    @property
    def allowed_depth(self) -> float: ...
    @property
    def allowed_volume(self) -> float: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

class Scene:
    """
    A scene of many bodies: the pairs that clash, the nearest pair, the first hit of a ray.

    A body is a Tree at a pose; many bodies may share a tree. Bodies are known by numbers, which stay theirs until they are
    removed. Two bodies are looked at if the group of each is in the mask of the other and no rule lets them collide. Any
    thread may use a scene; calls wait for each other. A copy, or what a pickle gives, has the bodies and rules of one moment,
    under the same numbers.
    """

    def __init__(self) -> None: ...
    def add(
        self,
        tree: Tree,
        pose: PoseLike | None = None,
        *,
        name: str = "",
        group: int = 0,
        mask: int = 0,
        sag: float = 0.0,
        radius: float = 0.0,
    ) -> int:
        """
        Adds a body and returns its number.

        group   the groups that it is in, a bit each; 0 stands for 1
        mask    the groups that it is checked against; 0 stands for all
        sag     how far its triangles may be from the surface that they stand for; added to touch_gap, touch_overlap and
                allowed_depth of its pairs: a pin whose facets overlap its bore all round is a fit
        radius  the body is all points at most this far from the triangles. A triangle whose corners coincide is a point, one
                with two that do is a segment: so this makes spheres, capsules, clouds of points and padded meshes, exactly.
                Queries that do not take radii yet say so: scene.h has the table
        """

    def remove(self, body: int) -> None:
        """Removes a body and its rules. KeyError if there is none."""

    def set_pose(self, body: int, pose: PoseLike | None) -> None:
        """Moves a body."""

    def set_poses(self, poses: PosesLike, bodies: Sequence[int] | None = None) -> None:
        """
        Moves many bodies; None: all, in ascending order. If one pose is refused none moves.
        """

    def pose(self, body: int) -> NDArray[np.float64]:
        """3 x 4."""

    def tree(self, body: int) -> Tree: ...
    def name(self, body: int) -> str: ...
    def options(self, body: int) -> tuple[int, int, float, float]:
        """group, mask, sag and radius, as add() takes them."""

    @property
    def bodies(self) -> list[int]:
        """The numbers of all bodies, ascending."""

    def __len__(self) -> int: ...
    def __contains__(self, body: object) -> bool: ...
    def set_default_rule(self, rule: PairRule | None) -> None:
        """The rule for pairs that have no other; None: they must not meet."""

    def set_body_rule(self, body: int, rule: PairRule | None) -> None:
        """
        The rule of a body, for its pairs that have none of their own; None removes it.
        """

    def set_pair_rule(self, a: int, b: int, rule: PairRule | None) -> None:
        """The rule of a pair, which goes before all others; None removes it."""

    def rule(self, a: int, b: int) -> PairRule | None:
        """The rule that applies to a pair; None if the pair is never checked."""

    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...]) -> None: ...
    def pairs(self, *, max_total: int = 0) -> NDArray[np.uint32]:
        """
        The pairs of bodies that are checked and whose boxes overlap, n x 2, sorted. Steps are only those of crowds, where very
        many boxes overlap; BudgetSpent has in `found` the pairs until then.
        """

    def collide(
        self,
        *,
        any: bool = False,
        body: int | None = None,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
    ) -> Records:
        """
        The pairs of bodies whose surfaces meet. Records of SCENE_COLLISION_DTYPE: a, b (a < b), first, sorted.

        any        the lowest pair that is found is enough
        body       only pairs of which one is this body
        threads    0: as many as OpenMP would use; -1: all cores
        max_work   steps that each pair may take; 0: no limit
        max_total  steps that all pairs together may take, in their order; 0: no limit

        Raises KeyError (no such body), and BudgetSpent where some pair has no answer: its `found` is the list until then, its
        `open` the pairs without an answer, n x 2. All others are clear.
        """

    def clashes(
        self,
        *,
        any: bool = False,
        body: int | None = None,
        fits: bool = False,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
    ) -> Records:
        """
        Every pair that breaks its rule: records of CLASH_DTYPE: a, b, kind (ClashKind), relation and exact (Relation),
        distance, first, point_a, point_b, separation. With fits=True also pairs that overlap within what their rule allows, as
        ClashKind.FIT. Arguments and exceptions as of collide(); a pair may take max_work for each of its queries.
        """

    def overlaps(
        self, *, any: bool = False, body: int | None = None, threads: int = 0, max_work: int = 0, max_total: int = 0
    ) -> Records:
        """
        How much and how deep every pair overlaps that does: records of SCENE_OVERLAP_DTYPE, sorted by a and b: relation, kind
        (OverlapKind), reason, volume, component_count, depth (the smaller one of a_in_b and b_in_a), deepest, nearest, verdict
        (FitVerdict, by the rule). Intervals are two numbers, lower and upper: found[np.argsort(-found["depth"][:, 1])] has the
        deepest first. Arguments and exceptions as of collide().
        """

    def distance(
        self,
        *,
        limit: float = float("inf"),
        body: int | None = None,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
    ) -> SceneDistance | None:
        """
        The least distance of all pairs that are checked; None: none is within the limit. Arguments as of collide().
        BudgetSpent has in `found` the closest pair until then, or None, and in `at_least` a length that no two bodies are closer
        than.
        """

    def raycast(
        self, origin: ArrayLike, direction: ArrayLike, *, max_work: int = 0, max_total: int = 0
    ) -> tuple[int, RayHit] | None:
        """
        The body that a ray hits first, and the hit. None: no hit. max_work is for each body, max_total for all; BudgetSpent
        has in `found` a hit until then, perhaps not the first, or None.
        """

    def closest_point(
        self, point: ArrayLike, *, limit: float = float("inf"), max_work: int = 0, max_total: int = 0
    ) -> tuple[int, ClosestPoint] | None:
        """
        The body with the point that is closest to a given one, and that point. None: none within the limit. max_work is for
        each body, max_total for all; BudgetSpent has in `found` the closest until then, or None.
        """

    def overlap_aabb(self, box: Aabb, *, max_work: int = 0, max_total: int = 0) -> NDArray[np.uint32]:
        """
        The bodies with a surface that meets a box, ascending. Limits as of raycast(); BudgetSpent has in `found` the lowest of
        them.
        """

    def relate(self, a: int, b: int, *, max_work: int = 0) -> RelateResult:
        """
        The relation of bodies a and b at their poses: disjoint, touching, overlapping, one inside the other, equal.

        Touch tolerances are those of the rule of the pair and the sags of the bodies, as in clashes(); whether groups and rules
        look at the pair does not matter. Raises KeyError (no such body), InvalidArgument (twice the same), NoTopology.
        """

    def pair_distance(
        self,
        a: int,
        b: int,
        *,
        relative_error: float = 0.0,
        absolute_error: float = 0.0,
        limit: float = float("inf"),
        policy: Policy = Policy.DEFAULT,
        max_work: int = 0,
    ) -> DistanceResult:
        """
        The distance of bodies a and b. Arguments as of dualbvh.distance(), exceptions as of relate().
        """

    def contacts(self, a: int, b: int, *, threads: int = 1, max_work: int = 0) -> Contacts:
        """
        Along which points, curves and regions do the surfaces of bodies a and b intersect? As dualbvh.contacts(), in the frame
        of a; exceptions as of relate().
        """

    def collide_batch(
        self,
        poses: ArrayLike,
        bodies: Sequence[int] | None = None,
        *,
        max_distance: float = 0.0,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        Whether any pair of bodies collides, for each of n configurations: the query of motion planners about a robot.

        poses         n x m x 4 x 4, n x m x 3 x 4 or n x m x 12: where m bodies are in each configuration
        bodies        which ones; None: all, ascending. Bodies that are not named stay where they are
        max_distance  above 0: also the least distance of any pair, as far as it is at most this
        threads       0: as many as OpenMP would use
        max_work      steps that each pair of bodies may take in a configuration; 0: no limit
        max_total     steps that the whole call may take: what is finished are the configurations up to one; 0: no limit
        errors        as of dualbvh.collide_batch()

        Returns n records of CONFIGURATION_DTYPE: intersecting, first, pair_count, has_distance, distance, nearest, status. The
        scene stays as it is.
        """

    def collide_pairs_batch(
        self,
        poses: ArrayLike,
        bodies: Sequence[int] | None = None,
        *,
        max_distance: float = 0.0,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> tuple[Records, NDArray[np.uint32], NDArray[np.uint64]]:
        """
        collide_batch() with every pair of bodies that collides: the records, all pairs, m x 2, and n + 1 offsets into them.
        """

    def motion_batch(
        self,
        poses: ArrayLike,
        bodies: Sequence[int] | None = None,
        *,
        edges: Sequence[tuple[int, int]] | None = None,
        centres: ArrayLike | None = None,
        first: bool = False,
        tolerance: float = 0.0,
        policy: Policy = Policy.DEFAULT,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        Whether bodies meet between configurations, each moving by a screw of its own. The answer is about every time, not about
        samples. A robot that moves in joint space goes elsewhere (up to 18 mm away at 0.3 rad a joint): for it
        nothing is certain between the configurations.

        poses, bodies  as of collide_batch()
        edges          pairs of indices of configurations; None: from each to the next
        centres        m x 3: for each body the point of it that goes straight; None: screw motions
        first          look for the first contact of all pairs, not for any
        max_work       steps that each pair of bodies may take on an edge, which is UNDECIDED then; 0: no limit
        max_total      steps that the whole call may take, as of collide_batch()

        Returns a record of EDGE_DTYPE an edge: verdict (TimeOfImpactVerdict), time, upper, bodies, impact, status.
        """

    @staticmethod
    def load(
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        srdf: str | os.PathLike[str] | None = None,
        state: str | None = None,
        packages: dict[str, str | os.PathLike[str]] | None = None,
        split: LoadSplit = LoadSplit.FILE,
        sag: float = 0.0,
        visual: bool = False,
        skip_bad_faces: bool = False,
        allow_outside: bool = False,
        most_memory: int = 0,
        base: JointKind = JointKind.FIXED,
        cache: str | os.PathLike[str] | None = None,
        threads: int = 0,
    ) -> Loaded:
        """
        Loads files as one scene: glTF, GLB, 3MF, URDF, JSON scenes, STL, OBJ, PLY, OFF, and what else is built in.

        srdf            SRDF file: which links may meet, named states
        state           the state in which the robot stands; None: all joints are 0
        packages        folders of ROS packages by name, for package://name/...
        split           how a mesh file becomes bodies
        sag             chordal error for STEP, in the unit of the file
        visual          of robots the <visual> geometry in place of the <collision> geometry
        skip_bad_faces  leave out faces of mesh files that cross or touch themselves
        allow_outside   files may name others outside of their folder and of packages
        most_memory     MiB for meshes and bodies; 0: 128, and 32 times the bytes of the files
        base            FIXED, PLANAR or FLOATING: how links without a parent hang on the world
        cache           folder of trees, as of Tree.cached()

        Sentences of exceptions begin with the file and its line.
        """

class ClashKind(enum.IntEnum):
    """The way in which two bodies break their rule."""

    HARD = 0
    """they overlap"""

    CONTAINMENT = 1
    """one is inside the other"""

    DUPLICATE = 2
    """they are the same"""

    TOUCH = 3
    """they touch and no more"""

    CLEARANCE = 4
    """they are nearer than their clearance"""

    UNDECIDABLE = 5
    """
    one has an open surface that may hold the other, or whether they fit cannot be told
    """

    FIT = 6
    """they overlap within what their rule allows: no clash"""

class SceneDistance:
    """The two bodies of a scene that are closest to each other."""

    @property
    def bodies(self) -> tuple[int, int]: ...
    @property
    def distance(self) -> float: ...
    def __float__(self) -> float: ...
    @property
    def pair(self) -> tuple[int, int]:
        """A triangle of each."""

    @property
    def point_a(self) -> NDArray[np.float64]: ...
    @property
    def point_b(self) -> NDArray[np.float64]: ...
    @property
    def between(self) -> NDArray[np.float64]: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[str, bytes]: ...
    def __setstate__(self, state: tuple[str, bytes]) -> None: ...

SCENE_COLLISION_DTYPE: np.dtype[np.void]

CLASH_DTYPE: np.dtype[np.void]

SCENE_OVERLAP_DTYPE: np.dtype[np.void]

CONFIGURATION_DTYPE: np.dtype[np.void]

EDGE_DTYPE: np.dtype[np.void]

class JointKind(enum.IntEnum):
    """How a link moves against its parent."""

    FIXED = 0

    REVOLUTE = 1

    CONTINUOUS = 2

    PRISMATIC = 3

    PLANAR = 4

    FLOATING = 5

class RobotLayout(enum.IntEnum):
    """The numbers of a configuration."""

    ANGLES = 0

    PINOCCHIO = 1

class EdgeVerdict(enum.IntEnum):
    """The answer about an edge in joint space."""

    CLEAR = 0

    COLLIDES = 1

    CLOSE = 2

    UNDECIDED = 3

def sine_cosine(angle: float) -> tuple[float, float]:
    """
    Sine and cosine by the library's own arithmetic: the same bits on every machine.
    """

def pose_from_rpy(rpy: ArrayLike, pos: ArrayLike | None = None) -> NDArray[np.float64]:
    """
    A pose, 3 x 4, from roll, pitch and yaw as URDF has them, about the fixed axes x, y, z.
    """

ROBOT_EDGE_DTYPE: np.dtype[np.void]

ROBOT_DISTANCE_DTYPE: np.dtype[np.void]

ROBOT_DISTANCES_DTYPE: np.dtype[np.void]

class Robot:
    """
    Links and joints that carry bodies of a Scene; edges in joint space, certified.

    A robot is a tree of links. attach() hangs bodies of a scene on them; the rules of the scene say which pairs are checked
    and how far apart they stay. A configuration is a row of numbers, those of the first link first, see RobotLayout and
    robot.h. Calls may come from several threads.
    """

    def __init__(self) -> None: ...
    def add_link(
        self,
        parent: int | None = None,
        origin: PoseLike | None = None,
        joint: JointKind = JointKind.FIXED,
        axis: ArrayLike | None = None,
        *,
        limits: tuple[float, float] | None = None,
    ) -> int:
        """
        Add a link below `parent` (None: the world), the frame of whose joint is at `origin`, and return its number. The axis of a revolute, continuous or prismatic joint is x unless given.
        """

    def follow(self, link: int, followed: int, factor: float = 1.0, offset: float = 0.0) -> None:
        """
        Make the joint of a link follow that of another: its number is factor times the other's plus offset.
        """

    def attach(self, link: int, body: int, pose: PoseLike | None = None) -> None:
        """
        Attach a body of the scene to a link, at `pose` in its frame. A body that is attached moves to it.
        """

    def detach(self, body: int) -> None:
        """Detach a body; it stands where the scene has it."""

    def __len__(self) -> int:
        """The number of links."""

    def link(self, link: int) -> dict[str, Any]:
        """
        What a link was added with: parent, origin, joint, axis, limits, follows.
        """

    @property
    def bodies(self) -> list[tuple[int, int]]:
        """Attached bodies, ascending, each with its link."""

    def body_pose(self, body: int) -> NDArray[np.float64]:
        """The pose of an attached body in the frame of its link, 3 x 4."""

    def width(self, layout: RobotLayout = RobotLayout.ANGLES) -> int:
        """How many numbers a configuration has."""

    def column(self, link: int, layout: RobotLayout = RobotLayout.ANGLES) -> int | None:
        """
        Where the numbers of a link's joint begin in a configuration; None: it has none.
        """

    def place(
        self, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, links: bool = False
    ) -> NDArray[np.float64]:
        """
        Where attached bodies are in n configurations, n x m x 3 x 4, ascending; with `links` where links are.
        """

    def between(
        self, start: ArrayLike, end: ArrayLike, times: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES
    ) -> NDArray[np.float64]:
        """Configurations on the way between two, at times from 0 to 1."""

    def collide_batch(
        self,
        scene: Scene,
        q: ArrayLike,
        layout: RobotLayout = RobotLayout.ANGLES,
        *,
        max_distance: float = 0.0,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        Whether any pair of bodies collides, for each of n configurations: records as of Scene.collide_batch().
        """

    def distance_batch(
        self,
        scene: Scene,
        q: ArrayLike,
        layout: RobotLayout = RobotLayout.ANGLES,
        *,
        limit: float = 0.0,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        The least distance of any pair that is checked, for each of n configurations, with its nearest points and normal.

        limit  the largest distance of interest, beyond which nothing is found; 0: none

        Returns n records of ROBOT_DISTANCES_DTYPE: found, nearest (bodies, distance, margin, triangles, point_a, point_b, normal),
        pair_count, status.
        """

    def margin_batch(
        self,
        scene: Scene,
        q: ArrayLike,
        layout: RobotLayout = RobotLayout.ANGLES,
        *,
        margin: float = 0.0,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        Whether any pair is nearer than its margin, for each of n configurations: the lowest such pair, in records as of
        distance_batch(). The margin of a pair is `margin`, or the clearance of its rule where that is larger; a pair that collides
        is nearer than any.
        """

    def near_pairs_batch(
        self,
        scene: Scene,
        q: ArrayLike,
        layout: RobotLayout = RobotLayout.ANGLES,
        *,
        margin: float = 0.0,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> tuple[Records, Records, NDArray[np.uint64]]:
        """
        Every pair that is nearer than its margin, for each of n configurations: see margin_batch().

        Returns the records, of which pair_count is the number of pairs and nearest the nearest of them, all pairs as records of
        ROBOT_DISTANCE_DTYPE, ascending, and n + 1 offsets into them.
        """

    def edge_batch(
        self,
        scene: Scene,
        q: ArrayLike,
        edges: Sequence[tuple[int, int]] | None = None,
        layout: RobotLayout = RobotLayout.ANGLES,
        *,
        first: bool = False,
        clearance: float = 0.0,
        tolerance: float = 0.0,
        threads: int = 0,
        max_work: int = 0,
        max_total: int = 0,
        errors: OnError = "raise",
    ) -> Records:
        """
        Whether the straight way in joint space stays clear, for each edge between n configurations. CLEAR is a proof
        about every time, not about samples.

        edges      pairs of indices of configurations; None: from each to the next
        first      look for the first collision on the way, so that free_until is as late as the tolerance allows
        clearance  of every pair at least; the clearance of its rule holds where it is larger
        tolerance  a length: pairs that come nearer than clearance and tolerance are CLOSE; 0: 2^-17 of the robot's reach

        Returns a record of ROBOT_EDGE_DTYPE an edge: verdict (EdgeVerdict), free_until (the edge is proved clear up to this
        time), time, within, bodies, question_count, status.
        """

class LoadSplit(enum.IntEnum):
    """How a mesh file becomes bodies."""

    FILE = 0

    OBJECT = 1

    COMPONENT = 2

    AUTO = 3

class Loaded:
    """
    What Scene.load() has read.

    scene       Scene: bodies and rules of the files
    robot       Robot that carries some of the bodies; None where no file has links
    metres      length of the unit; 0 where no file says it
    bodies      paths of the bodies, by their numbers
    links       names of the links, by their numbers; joints: the names of the joints above them
    states      named configurations: rows of numbers in the layout ANGLES
    properties  what the files say of each body ("class", "material"), a dict each
    notes       sentences: what was left out, assumed or converted
    """

    @property
    def scene(self) -> Scene: ...
    @property
    def robot(self) -> Robot | None: ...
    @property
    def metres(self) -> float: ...
    @property
    def bodies(self) -> list[str]: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def states(self) -> dict[str, NDArray[np.float64]]: ...
    @property
    def properties(self) -> list[dict[str, str]]: ...
    def __repr__(self) -> str: ...

def load_reads(ending: str) -> bool:
    """
    Tell whether this build reads files of an ending, such as 'urdf': what reads them is optional.
    """
