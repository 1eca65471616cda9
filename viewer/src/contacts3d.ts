// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The contacts of the two bodies of a clash, or their distance: thick lines, regions, points.

import { BufferAttribute, BufferGeometry, DoubleSide, GreaterDepth, LessEqualDepth, Mesh, MeshBasicMaterial, Points, PointsMaterial, type Scene, type Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Colours } from "./colours";
import { Layer } from "./layer";
import type { Picture } from "./picture";
import type { State } from "./state";

const lineMaterial = (linewidth: number, isHidden: boolean): LineMaterial =>
	new LineMaterial({
		linewidth,
		transparent: true,
		depthWrite: false,
		dashed: isHidden,
		depthFunc: isHidden ? GreaterDepth : LessEqualDepth,
		polygonOffset: true,
		polygonOffsetFactor: -4,
		polygonOffsetUnits: -4,
	});

export class Contacts {
	// Contacts lie in both surfaces: they are drawn in front of these, and dashed where anything else hides them.
	private readonly core = lineMaterial(3.5, false);
	private readonly edge = lineMaterial(7, false);
	private readonly hiddenCore = lineMaterial(3.5, true);
	private readonly hiddenEdge = lineMaterial(6, true);
	private readonly witness = new LineMaterial({ linewidth: 4, depthTest: false, transparent: true });
	private readonly rim = new LineMaterial({ linewidth: 7, depthTest: false, transparent: true });
	private readonly region = new MeshBasicMaterial({
		side: DoubleSide,
		transparent: true,
		opacity: 0.65,
		depthTest: false,
	});
	private readonly dots = new PointsMaterial({ size: 11, sizeAttenuation: false, depthTest: false, transparent: true });
	private readonly layer: Layer;
	witnessMiddle?: Vector3;
	segments: { points: number[]; colour: number; width: number }[] = []; // that are drawn: six numbers each

	constructor(
		scene: Scene,
		private readonly picture: Picture,
		private readonly place: (x: ArrayLike<number>) => Vector3,
	) {
		this.layer = new Layer(scene, false);
	}

	resize(width: number, height: number): void {
		for (const material of [this.core, this.edge, this.hiddenCore, this.hiddenEdge, this.witness, this.rim]) material.resolution.set(width, height);
	}

	paint(colours: Colours): void {
		this.core.color.set(colours.contact);
		this.edge.color.set(colours.edge);
		this.rim.color.set(colours.edge);
		this.hiddenCore.color.set(colours.contact);
		this.hiddenEdge.color.set(colours.edge);
		this.witness.color.set(colours.witness);
		this.region.color.set(colours.contact);
		this.dots.color.set(colours.contact);
	}

	show(state: State): void {
		this.layer.clear();
		this.witnessMiddle = undefined;
		this.segments = [];
		const clash = this.picture.clashes[state.clash];
		if (!clash) return;
		const first = clash.places?.[0] ?? 0;
		const wanted = (place: number): boolean => state.place < 0 || place === first + state.place;
		const segments: number[] = [];
		const dots: number[] = [];
		const isDuplicate = clash.kind === "duplicate"; // all of it is contact
		for (let i = 0; i < (isDuplicate ? 0 : (clash.lines?.[1] ?? 0)); ++i) {
			const line = this.picture.line((clash.lines as [number, number])[0] + i);
			if (!wanted(line.place)) continue;
			const count = line.points.length / 3;
			const at = (k: number): number[] => this.place(line.points.subarray(3 * (k % count))).toArray();
			if (count === 1) dots.push(...at(0));
			for (let k = 0; k + 1 < count + (line.closed ? 1 : 0); ++k) segments.push(...at(k), ...at(k + 1));
		}
		for (const material of [this.hiddenCore, this.hiddenEdge]) {
			material.dashSize = 0.03 * clash.size;
			material.gapSize = 0.015 * clash.size;
		}
		this.fat(segments, this.hiddenEdge, 10);
		this.fat(segments, this.hiddenCore, 11);
		this.fat(segments, this.edge, 12);
		this.fat(segments, this.core, 13);
		if (!isDuplicate) this.showRegions(state, wanted);
		const way = clash.witness ?? clash.deepest;
		if (way) {
			const [a, b] = way.map((x) => this.place(x));
			this.fat([...a.toArray(), ...b.toArray()], this.rim, 14);
			this.fat([...a.toArray(), ...b.toArray()], this.witness, 15);
			dots.push(...a.toArray(), ...b.toArray());
			this.witnessMiddle = a.add(b).multiplyScalar(0.5);
		}
		if (dots.length > 0) {
			const geometry = new BufferGeometry();
			geometry.setAttribute("position", new BufferAttribute(new Float32Array(dots), 3));
			this.layer.add(new Points(geometry, this.dots), 16);
		}
	}

	private showRegions(state: State, wanted: (place: number) => boolean): void {
		const clash = this.picture.clashes[state.clash];
		const corners: number[] = [];
		for (let i = 0; i < (clash.regions?.[1] ?? 0); ++i) {
			const region = this.picture.region((clash.regions as [number, number])[0] + i);
			if (!wanted(region.place)) continue;
			const at = (k: number): number[] => this.place(region.points.subarray(3 * k)).toArray();
			for (let k = 2; k < region.points.length / 3; ++k) corners.push(...at(0), ...at(k - 1), ...at(k));
		}
		if (corners.length === 0) return;
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
		this.layer.add(new Mesh(geometry, this.region), 9);
	}

	private fat(segments: number[], material: LineMaterial, order: number): void {
		if (segments.length === 0) return;
		if (!material.dashed) this.segments.push({ points: segments, colour: material.color.getHex(), width: material.linewidth });
		const geometry = new LineSegmentsGeometry();
		geometry.setPositions(segments);
		const lines = new LineSegments2(geometry, material);
		if (material.dashed) lines.computeLineDistances();
		this.layer.add(lines, order);
	}
}
