// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The drawing: bodies, the section plane, the camera, and frames. It draws when something has changed, and with fewer
// pixels while a slow machine moves.

import {
	AmbientLight,
	BufferAttribute,
	BufferGeometry,
	Color,
	DirectionalLight,
	DoubleSide,
	type Intersection,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	Mesh,
	MeshLambertMaterial,
	type Object3D,
	PerspectiveCamera,
	Plane,
	type Quaternion,
	Raycaster,
	Scene,
	type ShaderMaterial,
	type Sphere,
	Vector2,
	Vector3,
	WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Eye } from "./bcf";
import { type Colours, dark, light } from "./colours";
import { Contacts } from "./contacts3d";
import { creasesOf } from "./creases";
import { type Area2d, Flat3d, type Line2d } from "./flat3d";
import { Flight } from "./flight";
import { GhostBoxes, ghostMaterial } from "./ghosts";
import { Inset } from "./inset3d";
import { Markers } from "./markers3d";
import type { Feature, Place } from "./measure";
import { Measured3d, snap } from "./measure3d";
import { OverlapSolid } from "./overlap3d";
import { isWhole, type Picture, type Shape, type Vec } from "./picture";
import { type Cut, SectionCuts } from "./section3d";
import { type CutPart, loopsOf, sectionSvg } from "./section_svg";
import { solidityOf } from "./solidity";
import { Cover } from "./reveal";
import type { State } from "./state";
import type { Unit } from "./units";
import { Trail } from "./trail3d";
import { Trees } from "./trees3d";

const SLOW = 60; // ms a frame; above it less is drawn while the user moves the camera

// Behind the edges that lie on it.
const solidMaterial = (): MeshLambertMaterial =>
	new MeshLambertMaterial({ flatShading: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });

export class View3d {
	readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
	readonly frameTimes: number[] = [];
	onMove: () => void = () => {};
	onPick: (body: number) => void = () => {};
	onMeasure: (feature: Feature) => void = () => {};
	onMark: (clash: number) => void = () => {};
	open: number[] = []; // bodies that the section cuts and that have no inside
	readonly renderer?: WebGLRenderer; // undefined: this browser has no WebGL, and nothing is drawn
	private readonly flat?: Flat3d; // in its place
	private readonly controls: OrbitControls;
	private readonly scene = new Scene();
	private readonly contacts: Contacts;
	private readonly overlap: OverlapSolid;
	private readonly cuts = new SectionCuts(this.scene);
	private readonly measured = new Measured3d(this.scene);
	private readonly markers = new Markers(this.scene);
	private readonly trail = new Trail(this.scene);
	private readonly trees: Trees;
	private readonly ghostBoxes = new GhostBoxes(this.scene);
	private readonly headlight = new DirectionalLight(0xffffff, 2.2);
	private readonly ambient = new AmbientLight(0xffffff, 1.1);
	private readonly bodies: Mesh[] = [];
	private readonly materials = {
		a: solidMaterial(),
		b: solidMaterial(),
		rest: solidMaterial(),
		ghost: ghostMaterial(),
		veil: ghostMaterial(4), // of the body that hides the other
		crease: new LineBasicMaterial({ transparent: true, opacity: 0.6 }),
	};
	private readonly creases = new Map<number, LineSegments>(); // by body
	private readonly origin: Vector3;
	private readonly diagonal: number;
	private readonly plane = new Plane();
	private colours: Colours = light;
	private wanted = false;
	private held = false; // by the user
	private wheeled = -Infinity; // when the wheel was last turned
	private ratio = 1;
	private lastState?: State;
	private lastHidden = new Set<number>();
	private readonly cover = new Cover();
	private readonly flight = new Flight();
	private readonly inset: Inset;
	private inInset = ""; // the choices that it shows, beside the place of the camera
	private hasLooked = false;
	covering = -1; // the body that hides the other one of the clash; -1: none
	private moved = ""; // the state for which bodies stand where they do
	private readonly offsets: Vector3[] = []; // by body, in the drawing alone

	constructor(
		private readonly canvas: HTMLCanvasElement,
		insetCanvas: HTMLCanvasElement,
		private readonly picture: Picture,
	) {
		this.inset = new Inset(insetCanvas);
		this.renderer = this.openRenderer();
		if (!this.renderer) this.flat = new Flat3d(canvas);
		const lower = new Vector3(...picture.lower);
		const upper = new Vector3(...picture.upper);
		this.origin = lower.clone().add(upper).multiplyScalar(0.5);
		this.diagonal = Math.max(upper.distanceTo(lower), Number.MIN_VALUE);
		this.contacts = new Contacts(this.scene, picture, (x) => this.place(x));
		this.overlap = new OverlapSolid(this.scene, picture, (x) => this.place(x));
		this.trees = new Trees(this.scene, picture, (x) => this.place(x));
		this.controls = new OrbitControls(this.camera, canvas);
		this.controls.enableDamping = false;
		this.controls.zoomToCursor = true;
		canvas.addEventListener("pointerdown", () => {
			this.held = true;
			this.flight.end();
		});
		for (const name of ["pointerup", "pointercancel"])
			window.addEventListener(name, () => {
				this.held = false;
				this.invalidate();
			});
		const onWheel = (): void => {
			this.wheeled = performance.now();
			this.flight.end();
		};
		canvas.addEventListener("wheel", onWheel, { passive: true });
		this.controls.addEventListener("end", () => this.reveal());
		this.controls.addEventListener("change", () => {
			this.invalidate();
			this.onMove();
		});
		this.camera.add(this.headlight);
		this.headlight.position.set(0.4, 0.7, 1);
		this.scene.add(this.camera, this.ambient);
		this.addBodies();
		this.listen();
	}

	private openRenderer(): WebGLRenderer | undefined {
		try {
			const renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, stencil: true, preserveDrawingBuffer: true });
			renderer.localClippingEnabled = true;
			return renderer;
		} catch {
			return undefined;
		}
	}

	get witnessMiddle(): Vector3 | undefined {
		return this.contacts.witnessMiddle;
	}

	get measuredMiddle(): Vector3 | undefined {
		return this.measured.middle;
	}

	// What is drawn of trees.
	get volumes(): Object3D[] {
		return this.trees.objects;
	}

	// A place of the files where it is drawn.
	place(x: ArrayLike<number>): Vector3 {
		return new Vector3(x[0] - this.origin.x, x[1] - this.origin.y, x[2] - this.origin.z);
	}

	private addBodies(): void {
		const geometries = new Map<number, BufferGeometry>();
		this.picture.bodies.forEach((body, i) => {
			let geometry = geometries.get(body.shape);
			if (!geometry) {
				const shape = this.picture.shape(body.shape);
				geometry = new BufferGeometry();
				geometry.setAttribute("position", new BufferAttribute(shape.positions, 3));
				geometry.setIndex(new BufferAttribute(shape.corners, 1));
				geometry.computeBoundingSphere();
				geometries.set(body.shape, geometry);
			}
			const mesh = new Mesh(geometry, this.materials.rest);
			mesh.matrixAutoUpdate = false;
			mesh.userData.body = i;
			this.bodies.push(mesh);
			this.scene.add(mesh);
			this.setPose(i, body.pose);
		});
	}

	private setPose(body: number, pose: ArrayLike<number>): void {
		this.bodies[body].matrix.copy(this.matrixOf(body, pose));
		this.bodies[body].matrixWorldNeedsUpdate = true;
	}

	// Shapes begin at their lower corner, and all is drawn round the origin, in doubles as far as that.
	private matrixOf(body: number, pose: ArrayLike<number>): Matrix4 {
		const lower = this.picture.shape(this.picture.bodies[body].shape).lower;
		const at = [0, 1, 2].map((i) => {
			const row = 4 * i;
			return pose[row] * lower[0] + pose[row + 1] * lower[1] + pose[row + 2] * lower[2] + pose[row + 3];
		});
		const x = this.place(at);
		return new Matrix4().set(
			pose[0], pose[1], pose[2], x.x,
			pose[4], pose[5], pose[6], x.y,
			pose[8], pose[9], pose[10], x.z,
			0, 0, 0, 1);
	}

	private listen(): void {
		let down: Vector2 | undefined;
		this.canvas.addEventListener("pointerdown", (e) => {
			down = new Vector2(e.clientX, e.clientY);
		});
		this.canvas.addEventListener("pointerup", (e) => {
			if (down && down.distanceTo(new Vector2(e.clientX, e.clientY)) < 4) this.pick(e);
			down = undefined;
		});
		new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement as HTMLElement);
		this.resize();
	}

	private pick(e: PointerEvent): void {
		const box = this.canvas.getBoundingClientRect();
		const screen = { x: e.clientX - box.left, y: e.clientY - box.top, width: box.width, height: box.height, camera: this.camera };
		const measures = this.lastState?.measures ?? false;
		const clash = measures ? undefined : this.markers.at(screen.x, screen.y, box.width, box.height, this.camera);
		if (clash !== undefined) {
			this.onMark(clash);
			return;
		}
		const ray = new Raycaster();
		ray.setFromCamera(new Vector2((screen.x / box.width) * 2 - 1, 1 - (screen.y / box.height) * 2), this.camera);
		const hit = this.firstHit(ray);
		if (!hit) return;
		const body = hit.object.userData.body as number;
		if (measures) this.onMeasure(snap(hit, ray.ray, this.picture.shape(this.picture.bodies[body].shape), screen));
		else this.onPick(body);
	}

	// Of what is drawn, solid bodies before ghosts.
	private firstHit(ray: Raycaster): Intersection | undefined {
		const cut = this.lastState?.section ? this.plane : undefined;
		const hits = ray
			.intersectObjects(this.bodies.filter((body) => body.visible))
			.filter((hit) => !cut || cut.distanceToPoint(hit.point) >= 0);
		return hits.find((hit) => (hit.object as Mesh).material !== this.materials.ghost) ?? hits[0];
	}

	// Two features at most, and the line between them.
	showMeasured(places: Place[]): void {
		const drawn = places.map(({ point, feature }) => this.place(point).add(this.offsets[feature.body]));
		this.measured.show(drawn, this.colours.third, this.colours.edge);
		this.invalidate();
	}

	private resize(): void {
		const { clientWidth: width, clientHeight: height } = this.canvas.parentElement as HTMLElement;
		if (width === 0 || height === 0) return;
		this.renderer?.setPixelRatio(this.ratio * Math.min(window.devicePixelRatio, 2));
		this.renderer?.setSize(width, height, false);
		this.camera.aspect = width / height;
		this.camera.updateProjectionMatrix();
		this.contacts.resize(width, height);
		this.measured.resize(width, height);
		this.invalidate();
	}

	// ------------------------------------------------------------------------------------------------
	// What is shown

	show(state: State, isDark: boolean, hidden: Set<number>, listed: number[]): void {
		this.colours = isDark ? dark : light;
		this.lastState = state;
		this.lastHidden = hidden;
		this.ghostBoxes.remove();
		this.scene.background = new Color(this.colours.background);
		this.materials.a.color.set(this.colours.a);
		this.materials.b.color.set(this.colours.b);
		this.materials.rest.color.set(this.colours.solid);
		(this.materials.ghost.uniforms.colour.value as Color).set(this.colours.rest);
		this.materials.veil.uniforms.density.value = 0.5;
		this.materials.ghost.uniforms.density.value = state.ghosts;
		this.materials.crease.color.set(this.colours.edge);
		this.contacts.paint(this.colours);
		this.showBodies(state, hidden);
		this.showSection(state);
		this.overlap.show(state, this.colours);
		this.contacts.show(state);
		this.showMarkers(state, listed);
		this.showTrail(state);
		this.trees.show(state, this.colours);
		const inInset = [[...hidden].join(), state.ghosts, state.isolate, isDark].join("|");
		if (inInset !== this.inInset) this.showInset();
		this.inInset = inInset;
		this.invalidate();
	}

	// The diameter of a sphere round a body.
	sizeOf(body: number): number {
		return 2 * (this.bodies[body].geometry.boundingSphere as Sphere).radius;
	}

	// How far the bodies reach from a place of the drawing, at most.
	reachFrom(place: Vector3, bodies: number[]): number {
		const far = bodies.map((body) => {
			const { center, radius } = this.bodies[body].geometry.boundingSphere as Sphere;
			return center.clone().applyMatrix4(this.bodies[body].matrix).distanceTo(place) + radius;
		});
		return Math.max(...far);
	}

	// Bodies stand as they do at the frame. Exploded, those that do not clash go away from the clash; parted, B goes along the
	// move after which the two no longer overlap.
	private moveBodies(state: State): void {
		const moved = `${state.explode}|${state.parted}|${state.clash}|${state.frame}|${state.joints}`;
		if (moved === this.moved) return;
		this.moved = moved;
		const clash = this.picture.clashes[state.clash];
		const focus = clash ? this.place(clash.point) : new Vector3();
		this.bodies.forEach((mesh, i) => {
			this.setPose(i, this.picture.poseAt(i, state.frame, state.joints));
			const offset = new Vector3();
			if (i === clash?.b && clash.move) offset.fromArray(clash.move).multiplyScalar(state.parted);
			else if (i !== clash?.a && i !== clash?.b && state.explode > 0) {
				const { center } = mesh.geometry.boundingSphere as Sphere;
				offset.copy(center).applyMatrix4(mesh.matrix).sub(focus).multiplyScalar(2 * state.explode);
			}
			this.offsets[i] = offset;
			mesh.matrix.setPosition(new Vector3().setFromMatrixPosition(mesh.matrix).add(offset));
		});
	}

	private showBodies(state: State, hidden: Set<number>): void {
		const clash = this.picture.clashes[state.clash];
		this.moveBodies(state);
		const frames = this.picture.allFrames.length > 0 && this.picture.links.length === 0; // of two bodies
		const trees = state.tab === "trees" ? this.picture.trees.map((tree) => tree.body) : [];
		const hasVeil = state.reveal && !state.section && this.covering >= 0 && (clash?.a === this.covering || clash?.b === this.covering);
		this.paintOverVeil(this.materials.a, hasVeil && clash?.b === this.covering);
		this.paintOverVeil(this.materials.b, hasVeil && clash?.a === this.covering);
		this.bodies.forEach((mesh, i) => {
			const isA = clash ? clash.a === i : frames && i === 0;
			const isB = clash ? clash.b === i : frames && i === 1;
			const inTree = trees.includes(i);
			const solid = inTree ? this.materials.rest : isA ? this.materials.a : isB ? this.materials.b : this.materials.rest;
			const ghosts = !inTree && !isA && !isB && (clash !== undefined || frames);
			const isVeil = i === this.covering && (isA || isB) && !inTree && state.reveal && !state.section;
			if (isVeil) (this.materials.veil.uniforms.colour.value as Color).copy((solid as MeshLambertMaterial).color);
			mesh.material = ghosts ? this.materials.ghost : isVeil ? this.materials.veil : solid;
			mesh.visible = isA || isB || !((clash || frames) && state.isolate);
			if (hidden.has(i) || (ghosts && state.ghosts <= 0)) mesh.visible = false;
			mesh.renderOrder = ghosts || isVeil ? 1 : hasVeil && (isA || isB) ? 2 : 0;
			this.showCreases(i, mesh.visible && (isA || isB));
		});
	}

	// Drawn among what is transparent, a covered body keeps its own colour behind the one that covers it.
	private paintOverVeil(material: MeshLambertMaterial, isCovered: boolean): void {
		if (material.transparent === isCovered) return;
		material.transparent = isCovered;
		material.needsUpdate = true;
	}

	// Once the camera rests: the body of the clash that hides the other becomes transparent.
	private reveal(): void {
		const state = this.lastState;
		const clash = state && this.picture.clashes[state.clash];
		this.setDepthRange();
		this.camera.updateMatrixWorld();
		this.showInset();
		if (!state || !clash) return;
		const isAsked = state.reveal && clash.a !== clash.b && ![clash.a, clash.b].some((i) => this.lastHidden.has(i));
		const found = isAsked && this.renderer ? this.cover.find(this.bodies[clash.a], this.bodies[clash.b], this.camera, this.renderer) : undefined;
		const outer = this.sizeOf(clash.a) > this.sizeOf(clash.b) ? clash.a : clash.b;
		const covering = found ? (found.userData.body as number) : isAsked && isWhole(clash) ? outer : -1;
		if (covering === this.covering) return;
		this.covering = covering;
		this.showBodies(state, this.lastHidden);
		this.invalidate();
	}

	// All of the scene, small, where the camera is near.
	private showInset(): void {
		if (this.renderer) this.inset.show(this.scene, this.renderer, this.camera, this.controls.target, 0.5 * this.diagonal);
	}

	private showTrail(state: State): void {
		const { allFrames, moving, poseAt } = this.picture;
		const bodies = state.trail ? moving.filter((body) => !this.lastHidden.has(body)) : [];
		const drawn = bodies.map((body) => ({ geometry: this.bodies[body].geometry, at: (frame: number) => this.matrixOf(body, poseAt(body, frame)) }));
		this.trail.show(allFrames.length, drawn, this.colours.b);
	}

	// Clashes of other frames have their places elsewhere.
	private showMarkers(state: State, listed: number[]): void {
		const { clashes, allFrames } = this.picture;
		const marked = state.markers && state.explode === 0 && allFrames.length === 0 ? listed.filter((i) => i !== state.clash) : [];
		this.markers.show(this.picture, marked, marked.map((i) => this.place(clashes[i].point)), this.colours);
	}

	private showCreases(body: number, visible: boolean): void {
		let lines = this.creases.get(body);
		if (!lines && visible) {
			const edges = creasesOf(this.picture.shape(this.picture.bodies[body].shape));
			const geometry = new BufferGeometry();
			geometry.setAttribute("position", this.bodies[body].geometry.getAttribute("position"));
			geometry.setIndex(new BufferAttribute(edges, 1));
			lines = new LineSegments(geometry, this.materials.crease);
			lines.matrixAutoUpdate = false;
			this.creases.set(body, lines);
			this.scene.add(lines);
		}
		if (!lines) return;
		lines.visible = visible;
		lines.matrix.copy(this.bodies[body].matrix);
		lines.matrixWorldNeedsUpdate = true;
	}

	private showSection(state: State): void {
		const normal = new Vector3();
		if (state.axis === "view") this.camera.getWorldDirection(normal);
		else normal[state.axis] = 1;
		const half = 0.5 * this.diagonal;
		const clash = this.picture.clashes[state.clash];
		const middle = clash ? this.place(clash.deepest?.[0] ?? clash.point) : new Vector3();
		const reach = clash ? Math.min(half, 4 * clash.size) : half;
		const along = normal.dot(middle) + (2 * state.cut - 1) * reach;
		this.plane.set(normal, -along);
		if (!state.flip) this.plane.negate();
		const planes = state.section ? [this.plane] : [];
		for (const material of Object.values(this.materials)) material.clippingPlanes = planes;
		if (state.section) this.showCuts(middle);
		else this.cuts.clear();
	}

	private showCuts(middle: Vector3): void {
		const { a, b, rest } = this.materials;
		const cuts: Cut[] = [a, b, rest].map((material) => ({
			colour: material.color.getHex(),
			bodies: this.bodies
				.filter((mesh) => mesh.visible && mesh.material === material)
				.map((mesh) => ({ mesh, shape: this.picture.shape(this.picture.bodies[mesh.userData.body as number].shape) })),
		}));
		this.open = this.cuts
			.show(cuts.filter((cut) => cut.bodies.length > 0), this.colours.overlap, this.plane, middle, 4 * this.diagonal)
			.map((mesh) => mesh.userData.body as number);
	}

	// Bodies that have a cut, and the overlap of the clash; directions in the plane.
	private sectionParts(): { parts: CutPart[]; across: Vector3; up: Vector3 } {
		const { a, b, rest } = this.materials;
		const shapeOf = (mesh: Mesh): Shape => this.picture.shape(this.picture.bodies[mesh.userData.body as number].shape);
		const parts: CutPart[] = this.bodies
			.filter((mesh) => mesh.visible && ([a, b, rest] as unknown[]).includes(mesh.material) && solidityOf(shapeOf(mesh)).isClosed)
			.map((mesh) => ({
				name: this.picture.bodies[mesh.userData.body as number].path,
				colour: (mesh.material as MeshLambertMaterial).color.getHex(),
				isOverlap: false,
				shape: shapeOf(mesh),
				matrix: mesh.matrix,
			}));
		const solid = this.picture.clashes[this.lastState?.clash ?? -1]?.solid;
		if (solid !== undefined) {
			const shape = this.picture.shape(solid);
			const matrix = new Matrix4().setPosition(this.place(shape.lower));
			parts.push({ name: "overlap", colour: this.colours.overlap, isOverlap: true, shape, matrix });
		}
		const axis = this.lastState?.axis ?? "x";
		const turned = (x: number, y: number, z: number): Vector3 => new Vector3(x, y, z).transformDirection(this.camera.matrixWorld);
		const across = axis === "view" ? turned(1, 0, 0) : new Vector3(axis === "x" ? 0 : 1, axis === "x" ? 1 : 0, 0);
		const up = axis === "view" ? turned(0, 1, 0) : new Vector3(0, axis === "z" ? 1 : 0, axis === "z" ? 0 : 1);
		return { parts, across, up };
	}

	sectionDrawing(title: string, unit: Unit): string {
		const { parts, across, up } = this.sectionParts();
		const axis = this.lastState?.axis ?? "x";
		const normal = axis === "view" ? undefined : this.plane.normal[axis];
		const at = normal === undefined ? "across the view" : `at ${axis} = ${Number((-this.plane.constant / normal + this.origin[axis as "x"]).toPrecision(10))}`;
		return sectionSvg(parts, { plane: this.plane, across, up, title: `${title}, section ${at}`, unit });
	}

	// ------------------------------------------------------------------------------------------------
	// The camera

	setUp(up: "y" | "z"): void {
		this.camera.up.set(0, up === "y" ? 1 : 0, up === "z" ? 1 : 0);
		// OrbitControls takes the direction over when it is made: it keeps it here.
		const controls = this.controls as unknown as { _quat: Quaternion; _quatInverse: Quaternion };
		if (!controls._quat) return;
		controls._quat.setFromUnitVectors(this.camera.up, new Vector3(0, 1, 0));
		controls._quatInverse.copy(controls._quat).invert();
	}

	// From the side that the command chose, or from above, the front and one side; as far away as shows `size` around the
	// point.
	lookAt(point: Vector3, size: number, up: "y" | "z", view?: Vec): void {
		const from = [...this.camera.position.toArray(), ...this.controls.target.toArray()]; // of a flight, too
		this.flight.end();
		this.setUp(up);
		const usual: Vec = up === "z" ? [2, -2, 1.55] : [2, 1.55, 2];
		const direction = new Vector3(...(view ?? usual));
		const away = (0.5 * size) / Math.tan((this.camera.fov * Math.PI) / 360);
		this.camera.position.copy(point).addScaledVector(direction.normalize(), Math.max(away, 1e-6 * this.diagonal));
		this.controls.target.copy(point);
		this.controls.update();
		this.reveal();
		if (this.hasLooked) this.flight.start(from, [...this.camera.position.toArray(), ...point.toArray()]);
		this.hasLooked = true;
		this.invalidate();
	}

	private stand(numbers: number[]): void {
		this.camera.position.fromArray(numbers);
		this.controls.target.fromArray(numbers, 3);
		this.controls.update();
	}

	// Ends a flight where it goes.
	private land(): void {
		const end = this.flight.end();
		if (end) this.stand(end);
	}

	lookAtAll(up: "y" | "z"): void {
		this.lookAt(new Vector3(), this.diagonal, up);
	}

	getCamera(): number[] {
		this.land();
		return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
	}

	setCamera(numbers: number[], up: "y" | "z"): void {
		this.flight.end();
		this.hasLooked = true;
		this.setUp(up);
		this.stand(numbers);
		this.reveal();
		this.invalidate();
	}

	// Pixels of a unit of the files where the camera looks.
	get scale(): number {
		const away = this.camera.position.distanceTo(this.controls.target);
		return this.canvas.clientHeight / (2 * away * Math.tan((0.5 * this.camera.fov * Math.PI) / 180));
	}

	// Where the axes go on the screen, to the right and upwards.
	get axes(): [number, number][] {
		const turned = this.camera.quaternion.clone().invert();
		return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((x) => {
			const seen = x.applyQuaternion(turned);
			return [seen.x, seen.y];
		});
	}

	// Where a place is on the screen, in pixels of the page; undefined behind the camera.
	project(x: Vector3): Vec | undefined {
		const at = x.clone().project(this.camera);
		const box = this.canvas.getBoundingClientRect();
		if (at.z > 1) return undefined;
		return [((at.x + 1) / 2) * box.width, ((1 - at.y) / 2) * box.height, at.z];
	}

	// ------------------------------------------------------------------------------------------------
	// Frames

	invalidate(): void {
		if (this.wanted) return;
		this.wanted = true;
		requestAnimationFrame(() => this.draw());
	}

	private setDepthRange(): void {
		const distance = this.camera.position.distanceTo(this.controls.target);
		const far = this.camera.position.length() + this.diagonal;
		this.camera.near = Math.max(Math.min(distance / 100, far / 1000), far / 1e6);
		this.camera.far = far;
		this.camera.updateProjectionMatrix();
	}

	private draw(): void {
		this.wanted = false;
		const start = performance.now();
		const flown = this.flight.at(start);
		if (flown) this.stand(flown);
		this.setDepthRange();
		if (!this.renderer) {
			this.drawFlat();
			this.onMove();
			return;
		}
		if (this.lastState?.section && this.lastState.axis === "view") this.showSection(this.lastState);
		this.renderer.render(this.scene, this.camera);
		const moves = this.held || start - this.wheeled < 400;
		if (moves) this.wait();
		const took = performance.now() - start;
		this.frameTimes.push(took);
		if (this.frameTimes.length > 1000) this.frameTimes.shift();
		this.adapt(moves, took);
		this.onMove();
	}

	private drawFlat(): void {
		const { flat, camera } = this;
		const { clientWidth: width, clientHeight: height } = this.canvas;
		if (!flat?.works || width === 0 || height === 0) return;
		camera.updateMatrixWorld();
		flat.begin(width, height, new Color(this.colours.background));
		const cut = this.lastState?.section ? this.plane : undefined;
		const seen = this.bodies.filter((mesh) => mesh.visible);
		const isSolid = (mesh: Mesh): boolean => (mesh.material as MeshLambertMaterial).isMeshLambertMaterial;
		for (const mesh of seen.filter(isSolid)) flat.mesh(mesh, (mesh.material as MeshLambertMaterial).color, camera, "solid", cut);
		if (this.overlap.solid) flat.mesh(this.overlap.solid, new Color(this.colours.overlap), camera, "shining");
		for (const mesh of seen.filter((mesh) => !isSolid(mesh))) flat.mesh(mesh, (mesh.material as ShaderMaterial).uniforms.colour.value as Color, camera, "ghost", cut);
		const lines = this.contacts.segments.map(({ points, colour, width }): Line2d => {
			const pixels = Array.from({ length: points.length / 3 }, (_, i) => this.project(new Vector3().fromArray(points, 3 * i)));
			const pairs = pixels.flatMap((from, i) => (i % 2 === 0 && from && pixels[i + 1] ? [from, pixels[i + 1] as Vec] : []));
			return { points: pairs.map(([x, y]) => [x, y]), colour: `#${new Color(colour).getHexString()}`, width };
		});
		flat.end(lines, this.flatCuts());
	}

	// The cut of the section as areas of the screen. Seen from the side that is cut away, nothing that is left is in front of it.
	private flatCuts(): Area2d[] {
		if (!this.lastState?.section || this.plane.distanceToPoint(this.camera.position) > 0) return [];
		const { parts, across, up } = this.sectionParts();
		const origin = this.plane.coplanarPoint(new Vector3());
		origin.addScaledVector(across, -origin.dot(across)).addScaledVector(up, -origin.dot(up));
		const seen = (x: number, y: number): [number, number] => {
			const at = this.project(origin.clone().addScaledVector(across, x).addScaledVector(up, y));
			return at ? [at[0], at[1]] : [0, 0];
		};
		return parts.map((part) => ({
			loops: loopsOf(part, { plane: this.plane, across, up }).map((loop) => loop.map(([x, y]) => seen(x, y))),
			colour: `#${new Color(part.colour).getHexString()}`,
		}));
	}

	// Until all is drawn: browsers only pass on what they are asked to draw.
	private wait(): void {
		const gl = this.renderer?.getContext();
		if (!gl) return;
		gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
	}

	// Where a frame takes long while a hand moves the camera: fewer pixels, then boxes in place of ghosts; all of it again
	// once it stands still.
	private adapt(moves: boolean, took: number): void {
		const reduced = this.ratio < 1 || this.ghostBoxes.areShown;
		if (moves && took > SLOW) {
			if (this.ratio === 1) this.setRatio(0.5);
			else this.ghostBoxes.show(this.bodies.filter((mesh) => mesh.visible && mesh.material === this.materials.ghost), this.colours.rest);
		} else if (!moves && reduced) {
			this.setRatio(1);
			this.ghostBoxes.remove();
			this.invalidate();
		}
		if (moves && !this.held) setTimeout(() => this.invalidate(), 500);
	}

	private setRatio(ratio: number): void {
		if (ratio === this.ratio) return;
		this.ratio = ratio;
		this.resize();
	}

	// The camera in the frame of the files.
	eye(): Eye {
		this.land();
		this.camera.updateMatrixWorld();
		const at = this.camera.position.clone().add(this.origin).toArray();
		const up = new Vector3(0, 1, 0).transformDirection(this.camera.matrixWorld).toArray();
		const direction = this.camera.getWorldDirection(new Vector3()).toArray();
		return { at, direction, up, field: this.camera.fov, aspect: this.camera.aspect };
	}

	// The picture as it is, for print and reports.
	snapshot(format: "jpeg" | "png"): string {
		this.land();
		this.draw();
		return this.renderer || this.flat?.works ? this.canvas.toDataURL(`image/${format}`, 0.9) : "";
	}

	// The time of one frame with everything in it, for measurements.
	measure(): number {
		const start = performance.now();
		this.renderer?.render(this.scene, this.camera);
		this.wait();
		return performance.now() - start;
	}
}
