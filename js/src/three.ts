// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh for three.js: trees of BufferGeometry, poses of Object3D, contacts as lines, and BoundsTree, which stands in for
// the boundsTree of three-mesh-bvh.

import { type Box3, BufferAttribute, BufferGeometry, Matrix4, type Object3D, Quaternion, type Sphere, Vector3 } from "three";
import { DualBvhError } from "./errors.js";
import type { Contacts } from "./contacts.js";
import { contactSegments } from "./contacts.js";
import type { Mesh } from "./mesh.js";
import { collide, distance } from "./pairs.js";
import { closestPoint, collideShape, raycast, type RayHit } from "./points.js";
import { Tree, type TreeOptions } from "./tree.js";

const placement = { place: new Vector3(), turn: new Quaternion(), scale: new Vector3(), matrix: new Matrix4() };

/** The vertices and triangles of a geometry, scaled by `scale` where it is given. Groups and draw ranges do not count. */
export function meshOfGeometry(geometry: BufferGeometry, scale?: Vector3): Mesh {
	const attribute = geometry.getAttribute("position");
	if (!attribute) throw new DualBvhError("the geometry has no positions", "EMPTY");
	const positions = new Float64Array(3 * attribute.count);
	for (let i = 0; i < attribute.count; ++i) {
		positions[3 * i] = attribute.getX(i) * (scale?.x ?? 1);
		positions[3 * i + 1] = attribute.getY(i) * (scale?.y ?? 1);
		positions[3 * i + 2] = attribute.getZ(i) * (scale?.z ?? 1);
	}
	const index = geometry.getIndex();
	const indices = new Uint32Array(index ? index.count : attribute.count);
	for (let i = 0; i < indices.length; ++i) indices[i] = index ? index.getX(i) : i;
	return { positions, indices };
}

export interface GeometryTreeOptions extends TreeOptions {
	/** Lengths by which the vertices are multiplied: poses have no scale, see scaleOf(). */
	scale?: Vector3;
}

/** Builds a tree of a geometry. */
export function treeOfGeometry(geometry: BufferGeometry, options: GeometryTreeOptions = {}): Tree {
	const { positions, indices } = meshOfGeometry(geometry, options.scale);
	return new Tree(positions, indices, options);
}

/** The scale of an object in the world, to build its tree with. Its parents must not shear it. */
export function scaleOf(object: Object3D): Vector3 {
	object.updateWorldMatrix(true, false);
	object.matrixWorld.decompose(placement.place, placement.turn, placement.scale);
	return placement.scale.clone();
}

/** The pose of an object in the world, without its scale. */
export function poseOf(object: Object3D): Float64Array {
	object.updateWorldMatrix(true, false);
	object.matrixWorld.decompose(placement.place, placement.turn, placement.scale);
	placement.matrix.compose(placement.place, placement.turn, new Vector3(1, 1, 1));
	return Float64Array.from(placement.matrix.elements);
}

/** The curves along which two meshes meet, for LineSegments; in the frame of A, so that the lines belong under A's object. */
export function contactGeometry(contacts: Contacts, geometry = new BufferGeometry()): BufferGeometry {
	geometry.setAttribute("position", new BufferAttribute(contactSegments(contacts), 3));
	geometry.computeBoundingSphere();
	return geometry;
}

// ------------------------------------------------------------------------------------------------
// In place of three-mesh-bvh

/** A hit as three-mesh-bvh gives it. */
export interface HitPointInfo {
	point: Vector3;
	distance: number;
	faceIndex: number;
}

interface Shadow {
	tree: Tree;
	position: unknown;
	version: number;
}

// Trees of geometries that have none of their own, and of scaled ones.
const shadows = new WeakMap<BufferGeometry, Map<string, Shadow>>();

const versionOf = (geometry: BufferGeometry) => (geometry.getAttribute("position") as BufferAttribute).version;

function shadowOf(geometry: BufferGeometry, scale: Vector3): Tree {
	const own = geometry.boundsTree;
	const isPlain = scale.x === 1 && scale.y === 1 && scale.z === 1;
	if (isPlain && own instanceof BoundsTree) return own.tree;
	let all = shadows.get(geometry);
	if (!all) shadows.set(geometry, (all = new Map()));
	const key = `${scale.x} ${scale.y} ${scale.z}`;
	const known = all.get(key);
	const position = geometry.getAttribute("position");
	if (known && known.position === position && known.version === versionOf(geometry)) return known.tree;
	known?.tree.dispose();
	const tree = treeOfGeometry(geometry, { scale, topology: false });
	all.set(key, { tree, position, version: versionOf(geometry) });
	return tree;
}

// Divides a matrix into a scale, which a tree has in its vertices, and a pose. A scale that is 1 but for rounding is 1.
function divide(matrix: Matrix4): { scale: Vector3; pose: Matrix4 } {
	const scale = new Vector3();
	const turn = new Quaternion();
	const place = new Vector3();
	matrix.decompose(place, turn, scale);
	if (Math.max(...scale.toArray().map((s) => Math.abs(s - 1))) < 1e-7) return { scale: new Vector3(1, 1, 1), pose: matrix };
	return { scale, pose: new Matrix4().compose(place, turn, new Vector3(1, 1, 1)) };
}

declare module "three" {
	interface BufferGeometry {
		boundsTree?: unknown;
	}
}

/**
 * A stand-in for three-mesh-bvh's MeshBVH: `geometry.boundsTree = new BoundsTree(geometry)`. Verdicts and distances are
 * exact. The other geometry's tree is its own BoundsTree, or is built at the first call and kept with the geometry.
 */
export class BoundsTree {
	readonly tree: Tree;

	constructor(
		readonly geometry: BufferGeometry,
		options: TreeOptions = {},
	) {
		this.tree = treeOfGeometry(geometry, { topology: false, ...options });
	}

	/** Do this geometry and another one, placed by a matrix in this one's frame, share a point? */
	intersectsGeometry(other: BufferGeometry, otherToThis: Matrix4): boolean {
		const { scale, pose } = divide(otherToThis);
		return collide(this.tree, shadowOf(other, scale), pose).intersecting;
	}

	/**
	 * The closest points of this geometry and another one: target1 in this one's frame, which is returned, target2 in the
	 * other's; null where they are maxThreshold or farther apart. minThreshold is the distance that is near enough.
	 */
	closestPointToGeometry(
		other: BufferGeometry,
		otherToThis: Matrix4,
		target1: Partial<HitPointInfo> = {},
		target2: Partial<HitPointInfo> = {},
		minThreshold = 0,
		maxThreshold = Infinity,
	): HitPointInfo | null {
		const { scale, pose } = divide(otherToThis);
		const found = distance(this.tree, shadowOf(other, scale), pose, { limit: maxThreshold, absoluteError: minThreshold });
		if (!found || found.distance >= maxThreshold) return null;
		fill(target2, found.pointB, found.distance, found.pair[1]).point.applyMatrix4(new Matrix4().copy(otherToThis).invert());
		return fill(target1, found.pointA, found.distance, found.pair[0]);
	}

	closestPointToPoint(point: Vector3, target: Partial<HitPointInfo> = {}, minThreshold = 0, maxThreshold = Infinity): HitPointInfo | null {
		void minThreshold; // the closest point is found in any case
		const found = closestPoint(this.tree, point.toArray(), { limit: maxThreshold });
		return found ? fill(target, found.point, found.distance, found.triangle) : null;
	}

	intersectsBox(box: Box3, boxToThis: Matrix4 = new Matrix4()): boolean {
		const { scale, pose } = divide(boxToThis);
		const centre = box.getCenter(new Vector3()).applyMatrix4(boxToThis);
		const half = box.getSize(new Vector3()).multiplyScalar(0.5).multiply(scale);
		const axes = [0, 1, 2].flatMap((i) => Array.from(pose.elements).slice(4 * i, 4 * i + 3));
		const positive = half.toArray().map(Math.abs);
		return collideShape(this.tree, { kind: "obb", centre: centre.toArray(), axes, half: positive });
	}

	intersectsSphere(sphere: Sphere): boolean {
		return collideShape(this.tree, { kind: "sphere", centre: sphere.center.toArray(), radius: sphere.radius });
	}

	/** The first hit of a ray in this geometry's frame. Both sides of triangles count. */
	raycastFirst(ray: { origin: Vector3; direction: Vector3 }): RayHit | undefined {
		return raycast(this.tree, ray.origin.toArray(), ray.direction.toArray());
	}

	getBoundingBox(target: Box3): Box3 {
		this.geometry.computeBoundingBox();
		return target.copy(this.geometry.boundingBox!);
	}

	/** Takes the vertices of the geometry where they are now. */
	refit(): void {
		const { positions, indices } = meshOfGeometry(this.geometry);
		this.tree.refit(positions, indices);
	}

	dispose(): void {
		this.tree.dispose();
	}
}

function fill(target: Partial<HitPointInfo>, point: readonly [number, number, number], far: number, face: number): HitPointInfo {
	(target.point ??= new Vector3()).set(...point);
	target.distance = far;
	target.faceIndex = face;
	return target as HitPointInfo;
}
