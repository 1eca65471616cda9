// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cut of a section plane through bodies: hatched in their colours, and red where two bodies are at once. Counting
// what is behind the plane (back faces +1, front faces -1) gives in each pixel how many bodies the point of the plane is
// in: its winding number. Open bodies have none and get no cut.

import {
	AlwaysStencilFunc,
	BackSide,
	Color,
	DecrementWrapStencilOp,
	DoubleSide,
	FrontSide,
	IncrementWrapStencilOp,
	KeepStencilOp,
	LessEqualStencilFunc,
	type Material,
	Mesh,
	MeshBasicMaterial,
	NotEqualStencilFunc,
	type Plane,
	PlaneGeometry,
	type Scene,
	ShaderMaterial,
	Vector3,
} from "three";
import { Layer } from "./layer";
import type { Shape } from "./picture";
import { solidityOf } from "./solidity";

// A cut in one colour: of one body, or of all that have that colour.
export interface Cut {
	colour: number;
	bodies: { mesh: Mesh; shape: Shape }[];
}

function counting(up: boolean, plane: Plane): MeshBasicMaterial {
	const step = up ? IncrementWrapStencilOp : DecrementWrapStencilOp;
	return new MeshBasicMaterial({
		side: up ? BackSide : FrontSide,
		colorWrite: false,
		depthWrite: false,
		depthTest: false,
		stencilWrite: true,
		stencilFunc: AlwaysStencilFunc,
		stencilZPass: step,
		stencilFail: step,
		stencilZFail: step,
		clippingPlanes: [plane],
	});
}

// Lines on the screen at an angle, `gap` pixels apart.
function hatched(colour: number, angle: number, gap: number): ShaderMaterial {
	return new ShaderMaterial({
		uniforms: { colour: { value: new Color(colour) }, along: { value: [Math.cos(angle), Math.sin(angle)] }, gap: { value: gap } },
		side: DoubleSide,
		stencilWrite: true,
		stencilZPass: KeepStencilOp,
		vertexShader: "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }",
		fragmentShader: `
			uniform vec3 colour;
			uniform vec2 along;
			uniform float gap;
			void main() {
				float at = fract( dot( gl_FragCoord.xy, along ) / gap );
				gl_FragColor = vec4( at < 0.22 ? 0.45 * colour : mix( colour, vec3( 1.0 ), 0.35 ), 1.0 );
				#include <colorspace_fragment>
			}`,
	});
}

export class SectionCuts {
	private readonly layer: Layer;

	constructor(scene: Scene) {
		this.layer = new Layer(scene, true);
	}

	clear(): void {
		this.layer.clear();
	}

	// The half that `plane` keeps is drawn. Returns the bodies that are open.
	show(cuts: Cut[], overlap: number, plane: Plane, middle: Vector3, size: number): Mesh[] {
		this.layer.clear();
		const open: Mesh[] = [];
		let order = 2;
		const closed = cuts.map((cut) => ({
			...cut,
			bodies: cut.bodies.filter(({ mesh, shape }) => {
				const { isClosed } = solidityOf(shape);
				if (!isClosed) open.push(mesh);
				return isClosed;
			}),
		}));
		closed.forEach((cut, i) => {
			order = this.count(cut, plane, order);
			this.fill(hatched(cut.colour, Math.PI * (0.25 + 0.5 * i), 9), NotEqualStencilFunc, 0, plane, middle, size, order++);
		});
		for (const cut of closed) order = this.count(cut, plane, order);
		this.fill(hatched(overlap, 0.5 * Math.PI, 6), LessEqualStencilFunc, 2, plane, middle, size, order);
		return open;
	}

	private count(cut: Cut, plane: Plane, order: number): number {
		for (const { mesh, shape } of cut.bodies)
			for (const up of [true, false]) {
				const pass = new Mesh(mesh.geometry, counting(up !== solidityOf(shape).isInsideOut, plane));
				pass.matrixAutoUpdate = false;
				pass.userData.sharesGeometry = true;
				pass.matrix.copy(mesh.matrix);
				this.layer.add(pass, order);
			}
		return order + 1;
	}

	// Fills the plane where the count passes, and forgets the count.
	private fill(material: Material, test: typeof NotEqualStencilFunc | typeof LessEqualStencilFunc, than: number, plane: Plane, middle: Vector3, size: number, order: number): void {
		material.stencilFunc = test;
		material.stencilRef = than;
		const quad = new Mesh(new PlaneGeometry(size, size), material);
		quad.position.copy(plane.projectPoint(middle, new Vector3()));
		quad.lookAt(quad.position.clone().add(plane.normal));
		quad.onAfterRender = (renderer) => renderer.clearStencil();
		this.layer.add(quad, order);
	}
}
