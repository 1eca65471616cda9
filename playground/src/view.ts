// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The drawing: A blue, B orange, curves of contact, the shortest way between the two, their overlap in red. Floats round
// the shapes from the middle of the scene on; the answers have the doubles.

import type { Mesh as Triangles } from "dualbvh/single";
import {
	AmbientLight,
	BufferAttribute,
	BufferGeometry,
	Color,
	DirectionalLight,
	DoubleSide,
	GreaterDepth,
	LineBasicMaterial,
	LineSegments,
	Mesh,
	MeshBasicMaterial,
	MeshLambertMaterial,
	type Object3D,
	PerspectiveCamera,
	Plane,
	Raycaster,
	Scene,
	Sphere,
	Vector2,
	Vector3,
	WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Answer } from "./answer";

export class View {
	onDrag: (by: Vector3) => void = () => {};
	private readonly scene = new Scene();
	private readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
	private readonly renderer?: WebGLRenderer; // undefined: there is no WebGL, and only the numbers are shown
	private readonly controls: OrbitControls;
	private readonly bodies = [0x0072b2, 0xe69f00].map(
		(color) => new Mesh(new BufferGeometry(), new MeshLambertMaterial({ color, flatShading: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })),
	);
	private readonly found: Object3D[] = [];
	private readonly origin = new Vector3();
	private readonly around = new Sphere();
	private wanted = false;

	constructor(private readonly canvas: HTMLCanvasElement) {
		try {
			this.renderer = new WebGLRenderer({ canvas, antialias: true });
		} catch {
			this.renderer = undefined;
		}
		this.scene.background = new Color(matchMedia("(prefers-color-scheme: dark)").matches ? 0x14171c : 0xf4f5f7);
		this.camera.up.set(0, 0, 1);
		const light = new DirectionalLight(0xffffff, 2.2);
		light.position.set(0.4, 0.7, 1);
		this.camera.add(light);
		this.scene.add(this.camera, new AmbientLight(0xffffff, 1.1), ...this.bodies);
		this.controls = new OrbitControls(this.camera, canvas);
		this.controls.enableDamping = false;
		this.controls.addEventListener("change", () => this.invalidate());
		this.listen();
		new ResizeObserver(() => this.resize()).observe(canvas.parentElement as HTMLElement);
		this.resize();
	}

	setBodies(meshes: [Triangles, Triangles]): void {
		const box = { min: new Vector3(Infinity, Infinity, Infinity), max: new Vector3(-Infinity, -Infinity, -Infinity) };
		for (const { positions } of meshes)
			for (let i = 0; i < positions.length; i += 3) {
				const at = new Vector3(positions[i], positions[i + 1], positions[i + 2]);
				box.min.min(at);
				box.max.max(at);
			}
		this.origin.copy(box.min).add(box.max).multiplyScalar(0.5);
		this.around.set(new Vector3(), Math.max(0.5 * box.min.distanceTo(box.max), Number.MIN_VALUE));
		meshes.forEach((mesh, i) => {
			this.bodies[i].geometry.dispose();
			this.bodies[i].geometry = this.geometryOf(mesh);
		});
	}

	private geometryOf({ positions, indices }: Triangles): BufferGeometry {
		const geometry = new BufferGeometry();
		const o = this.origin.toArray();
		geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions, (x, i) => x - o[i % 3]), 3));
		geometry.setIndex(new BufferAttribute(indices, 1));
		return geometry;
	}

	moveB(offset: Vector3): void {
		this.bodies[1].position.copy(offset);
		this.invalidate();
	}

	showAnswer({ curves, gap, solid }: Answer): void {
		for (const object of this.found.splice(0)) {
			this.scene.remove(object);
			(object as Mesh).geometry.dispose();
		}
		if (curves) this.addLines(Float32Array.from(curves, (x, i) => x - this.origin.toArray()[i % 3]), 0xf0e442);
		if (gap) this.addLines(Float32Array.from([...gap[0], ...gap[1]], (x, i) => x - this.origin.toArray()[i % 3]), 0xcc79a7);
		if (solid) {
			const geometry = this.geometryOf(solid);
			const red = { color: 0xd0202e, side: DoubleSide, depthWrite: false };
			this.add(new Mesh(geometry, new MeshBasicMaterial({ ...red, depthFunc: GreaterDepth, transparent: true, opacity: 0.4 })), 1);
			this.add(new Mesh(geometry, new MeshLambertMaterial({ ...red, flatShading: true, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 })), 0);
		}
		this.invalidate();
	}

	private addLines(points: Float32Array, color: number): void {
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(points, 3));
		this.add(new LineSegments(geometry, new LineBasicMaterial({ color, depthTest: false, transparent: true })), 2);
	}

	private add(object: Object3D, order: number): void {
		object.renderOrder = order;
		this.found.push(object);
		this.scene.add(object);
	}

	showAll(): void {
		const away = (1.3 * this.around.radius) / Math.sin((this.camera.fov * Math.PI) / 360);
		this.controls.target.set(0, 0, 0);
		this.camera.position.set(2, -2, 1.55).normalize().multiplyScalar(away);
		this.controls.update();
		this.invalidate();
	}

	// ------------------------------------------------------------------------------------------------
	// Dragging: B moves in the plane that faces the camera, where it was taken hold of.

	private listen(): void {
		const ray = new Raycaster();
		const plane = new Plane();
		const last = new Vector3();
		const to = new Vector3();
		let dragging = false;
		const aim = (e: PointerEvent): void => {
			const box = this.canvas.getBoundingClientRect();
			ray.setFromCamera(new Vector2((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height), this.camera);
		};
		this.canvas.addEventListener(
			"pointerdown",
			(e) => {
				aim(e);
				const [hit] = ray.intersectObjects(this.bodies);
				dragging = hit?.object === this.bodies[1];
				this.controls.enabled = !dragging;
				if (!dragging) return;
				last.copy(hit.point);
				plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), last);
				this.canvas.setPointerCapture(e.pointerId);
			},
			{ capture: true },
		);
		this.canvas.addEventListener("pointermove", (e) => {
			if (!dragging) return;
			aim(e);
			if (!ray.ray.intersectPlane(plane, to)) return;
			this.onDrag(to.clone().sub(last));
			last.copy(to);
		});
		for (const name of ["pointerup", "pointercancel"] as const)
			this.canvas.addEventListener(name, () => {
				dragging = false;
				this.controls.enabled = true;
			});
	}

	private resize(): void {
		const { clientWidth: width, clientHeight: height } = this.canvas.parentElement as HTMLElement;
		if (width === 0 || height === 0) return;
		this.renderer?.setPixelRatio(Math.min(window.devicePixelRatio, 2));
		this.renderer?.setSize(width, height, false);
		this.camera.aspect = width / height;
		this.invalidate();
	}

	private invalidate(): void {
		if (this.wanted) return;
		this.wanted = true;
		requestAnimationFrame(() => {
			this.wanted = false;
			const far = this.camera.position.length() + 4 * this.around.radius + this.bodies[1].position.length();
			this.camera.near = far / 1e4;
			this.camera.far = far;
			this.camera.updateProjectionMatrix();
			this.renderer?.render(this.scene, this.camera);
		});
	}
}
