// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The way of the camera from one view to the next, so that one sees where the next clash is.

import { Vector3 } from "three";

const DURATION = 450; // ms

// Where the camera is, and where it looks: six numbers.
export class Flight {
	private from: number[] = [];
	private to: number[] = [];
	private began = -Infinity;

	// Not where somebody has asked for less motion.
	start(from: number[], to: number[]): void {
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
		this.from = from;
		this.to = to;
		this.began = performance.now();
	}

	// Ends it; returns where it would have ended, or nothing where there was none.
	end(): number[] | undefined {
		const wasOn = this.began > -Infinity;
		this.began = -Infinity;
		return wasOn ? this.to : undefined;
	}

	// Where the camera is now; undefined: there is no flight. Directions are turned, distances grow by equal factors.
	at(now: number): number[] | undefined {
		if (this.began === -Infinity) return undefined;
		const time = Math.max(0, Math.min((now - this.began) / DURATION, 1));
		if (time === 1) return this.end();
		const part = time * time * (3 - 2 * time);
		const [eyes, targets] = [0, 3].map((k) => [this.from, this.to].map((x) => new Vector3().fromArray(x, k)));
		const away = eyes.map((eye, i) => eye.clone().sub(targets[i]));
		const [near, far] = away.map((x) => Math.max(x.length(), Number.MIN_VALUE));
		const direction = away[0].divideScalar(near).lerp(away[1].divideScalar(far), part);
		if (direction.length() < 0.01) return this.end(); // to the opposite side
		const target = targets[0].lerp(targets[1], part);
		const eye = target.clone().addScaledVector(direction.normalize(), near ** (1 - part) * far ** part);
		return [...eye.toArray(), ...target.toArray()];
	}
}
