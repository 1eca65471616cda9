// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A group of objects that are drawn and removed together.

import { InstancedMesh, type Material, type Matrix4, type Mesh, type Object3D, type Scene, Vector3 } from "three";

export class Layer {
	readonly objects: Object3D[] = [];

	constructor(
		private readonly scene: Scene,
		private readonly ownsMaterials: boolean,
	) {}

	add(object: Object3D, order: number): void {
		object.renderOrder = order;
		object.frustumCulled = false;
		this.objects.push(object);
		this.scene.add(object);
	}

	// What graphics memory they take is given back.
	clear(): void {
		for (const object of this.objects) {
			const mesh = object as Mesh;
			this.scene.remove(object);
			if (!object.userData.sharesGeometry) mesh.geometry?.dispose();
			if (object instanceof InstancedMesh) object.dispose();
			if (this.ownsMaterials) (mesh.material as Material | undefined)?.dispose();
		}
		this.objects.length = 0;
	}
}

// Appends the edges of the cube [-1, 1]^3 as the matrix places it: two points each.
export function addEdges(matrix: Matrix4, edges: number[]): void {
	const corner = (i: number): Vector3 =>
		new Vector3((i & 1) * 2 - 1, (i & 2) - 1, (i & 4) / 2 - 1).applyMatrix4(matrix);
	for (let i = 0; i < 8; ++i)
		for (const bit of [1, 2, 4]) if ((i & bit) === 0) edges.push(...corner(i).toArray(), ...corner(i | bit).toArray());
}
