// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volumes of trees, level by level.

import {
	BoxGeometry,
	BufferAttribute,
	BufferGeometry,
	DoubleSide,
	IcosahedronGeometry,
	InstancedMesh,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	MeshLambertMaterial,
	type Object3D,
	Quaternion,
	type Scene,
	Vector3,
} from "three";
import type { Colours } from "./colours";
import { addEdges, Layer } from "./layer";
import type { Picture } from "./picture";
import type { State, Volume } from "./state";

export class Trees {
	private readonly layer: Layer;
	private shown = "";

	constructor(
		scene: Scene,
		private readonly picture: Picture,
		private readonly place: (x: ArrayLike<number>) => Vector3,
	) {
		this.layer = new Layer(scene, true);
	}

	get objects(): Object3D[] {
		return this.layer.objects;
	}

	// Made anew only where something about them has changed.
	show(state: State, colours: Colours): void {
		const { tab, tree, level, volume, visited, frame } = state;
		const key = tab === "trees" ? [tree, level, volume, visited, frame, colours.a, colours.b].join() : "";
		if (key === this.shown) return;
		this.shown = key;
		this.layer.clear();
		if (key === "") return;
		for (let i = 0; i < this.picture.trees.length; ++i)
			if (tree < 0 || tree === i) this.showLevel(state, i, i === 0 ? colours.a : colours.b);
	}

	private showLevel(state: State, index: number, colour: number): void {
		const tree = this.picture.tree(index);
		const places: number[] = [];
		for (let i = 0; i < tree.count; ++i) {
			const isLeaf = tree.nodes[4 * i + 2] <= 1;
			const level = tree.nodes[4 * i];
			const isHere = level === state.level || (isLeaf && level < state.level);
			if (isHere && (!state.visited || tree.nodes[4 * i + 3] !== 0)) places.push(i);
		}
		if (places.length === 0) return;
		const pose = this.picture.poseAt(tree.body, state.frame, state.joints);
		const x = this.place([pose[3], pose[7], pose[11]]);
		const world = new Matrix4().set(
			pose[0], pose[1], pose[2], x.x, pose[4], pose[5], pose[6], x.y, pose[8], pose[9], pose[10], x.z, 0, 0, 0, 1);
		const box = state.volume === "box";
		const geometry = box ? new BoxGeometry(2, 2, 2) : new IcosahedronGeometry(1, 3);
		const material = new MeshLambertMaterial({ color: colour, transparent: true, opacity: box ? 0.22 : 0.15, depthWrite: false, side: DoubleSide });
		const mesh = new InstancedMesh(geometry, material, places.length);
		const edges: number[] = [];
		places.forEach((node, k) => {
			const matrix = volumeMatrix(tree.volumes, node, state.volume).premultiply(world);
			mesh.setMatrixAt(k, matrix);
			if (box) addEdges(matrix, edges);
		});
		this.layer.add(mesh, 2);
		if (!box) return;
		const lines = new BufferGeometry();
		lines.setAttribute("position", new BufferAttribute(new Float32Array(edges), 3));
		this.layer.add(new LineSegments(lines, new LineBasicMaterial({ color: colour })), 3);
	}
}

function volumeMatrix(volumes: Float32Array, node: number, volume: Volume): Matrix4 {
	const at = 34 * node;
	if (volume === "sphere") {
		const radius = volumes[at + 3];
		return new Matrix4().compose(
			new Vector3(volumes[at], volumes[at + 1], volumes[at + 2]),
			new Quaternion(),
			new Vector3(radius, radius, radius),
		);
	}
	const from = at + (volume === "box" ? 4 : 19);
	const axis = (k: number): Vector3 =>
		new Vector3(volumes[from + 3 + 3 * k], volumes[from + 4 + 3 * k], volumes[from + 5 + 3 * k]).multiplyScalar(
			volumes[from + 12 + k],
		);
	return new Matrix4()
		.makeBasis(axis(0), axis(1), axis(2))
		.setPosition(volumes[from], volumes[from + 1], volumes[from + 2]);
}
