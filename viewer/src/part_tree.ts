// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts: a tree by the paths of bodies, with the number of clashes of each.

import type { Picture } from "./picture";
import type { State } from "./state";

export interface Part {
	name: string;
	path: string;
	parent: number; // -1: none
	children: number[];
	hasBody: boolean; // of its own, not only below
	clashes: number;
}

export const isWithin = (path: string, part: string): boolean => path === part || path.startsWith(`${part}/`);

export class PartTree {
	readonly parts: Part[] = [];
	readonly ofBody: number[];

	constructor(picture: Picture) {
		const byPath = new Map<string, number>();
		this.ofBody = picture.bodies.map((body) => this.add(body.path, byPath));
		for (const part of this.ofBody) this.parts[part].hasBody = true;
		for (const clash of picture.clashes) {
			if (!clash.counts) continue;
			const both = new Set<Part>();
			for (const body of [clash.a, clash.b]) this.climb(this.ofBody[body], (i) => both.add(this.parts[i]));
			for (const part of both) ++part.clashes;
		}
	}

	get top(): number[] {
		return this.parts.flatMap((part, i) => (part.parent < 0 ? [i] : []));
	}

	private add(path: string, byPath: Map<string, number>): number {
		const known = byPath.get(path);
		if (known !== undefined) return known;
		const slash = path.lastIndexOf("/");
		const parent = slash > 0 ? this.add(path.slice(0, slash), byPath) : -1;
		const number = this.parts.length;
		this.parts.push({ name: slash > 0 ? path.slice(slash + 1) : path, path, parent, children: [], hasBody: false, clashes: 0 });
		if (parent >= 0) this.parts[parent].children.push(number);
		byPath.set(path, number);
		return number;
	}

	climb(part: number, visit: (part: number) => void): void {
		for (let i = part; i >= 0; i = this.parts[i].parent) visit(i);
	}

	// The bodies that are hidden, by number; with their part, or one above it.
	hiddenBodies(state: State): Set<number> {
		const hidden = new Set(state.hidden.map(Number));
		const found = new Set<number>();
		if (hidden.size === 0) return found;
		this.ofBody.forEach((part, body) => {
			this.climb(part, (i) => {
				if (hidden.has(i)) found.add(body);
			});
		});
		return found;
	}
}
