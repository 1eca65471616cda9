// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The tree of parts, by the paths of bodies: how many clashes each has, and which are hidden.

import { button, element } from "./dom";
import type { Picture } from "./picture";
import type { State } from "./state";

const MOST_OPEN = 60; // parts that are unfolded at once

interface Part {
	name: string;
	path: string;
	parent: number; // -1: none
	children: number[];
	bodies: number;
	clashes: number;
}

export interface PartActions {
	hide: (hidden: string[]) => void;
	find: (path: string) => void;
}

export class Parts {
	private readonly parts: Part[] = [];
	private readonly ofBody: number[];
	private readonly boxes = new Map<number, HTMLInputElement>();

	constructor(
		root: HTMLElement,
		picture: Picture,
		private readonly on: PartActions,
	) {
		const byPath = new Map<string, number>();
		this.ofBody = picture.bodies.map((body) => this.add(body.path, byPath));
		this.ofBody.forEach((part) => this.climb(part, (p) => ++p.bodies));
		for (const clash of picture.clashes) {
			if (!clash.counts) continue;
			const both = new Set<Part>();
			for (const body of [clash.a, clash.b]) this.climb(this.ofBody[body], (p) => both.add(p));
			for (const part of both) ++part.clashes;
		}
		const top = this.parts.flatMap((part, i) => (part.parent < 0 ? [i] : []));
		root.replaceChildren(this.listOf(top));
	}

	private add(path: string, byPath: Map<string, number>): number {
		const known = byPath.get(path);
		if (known !== undefined) return known;
		const slash = path.lastIndexOf("/");
		const parent = slash > 0 ? this.add(path.slice(0, slash), byPath) : -1;
		const number = this.parts.length;
		this.parts.push({ name: slash > 0 ? path.slice(slash + 1) : path, path, parent, children: [], bodies: 0, clashes: 0 });
		if (parent >= 0) this.parts[parent].children.push(number);
		byPath.set(path, number);
		return number;
	}

	private climb(part: number, visit: (part: Part) => void): void {
		for (let i = part; i >= 0; i = this.parts[i].parent) visit(this.parts[i]);
	}

	// The bodies that are hidden, by number; with their part, or one above it.
	hiddenBodies(state: State): Set<number> {
		const hidden = new Set(state.hidden.map(Number));
		const found = new Set<number>();
		if (hidden.size === 0) return found;
		this.ofBody.forEach((part, body) => {
			for (let i = part; i >= 0; i = this.parts[i].parent) if (hidden.has(i)) found.add(body);
		});
		return found;
	}

	show(state: State): void {
		for (const [part, box] of this.boxes) box.checked = !state.hidden.includes(String(part));
	}

	// Parts below are made when they are unfolded.
	private listOf(parts: number[]): HTMLElement {
		const list = element("ul");
		for (const i of parts) {
			const part = this.parts[i];
			const item = element("li");
			if (part.children.length === 0) item.append(this.row(i));
			else {
				const details = element("details");
				const summary = element("summary");
				summary.append(this.row(i));
				details.append(summary);
				const unfold = (): void => {
					if (details.open && details.childElementCount === 1) details.append(this.listOf(part.children));
				};
				details.addEventListener("toggle", unfold);
				details.open = this.parts.length <= MOST_OPEN;
				unfold();
				item.append(details);
			}
			list.append(item);
		}
		return list;
	}

	private row(i: number): HTMLElement {
		const { name, path, clashes } = this.parts[i];
		const row = element("span");
		const box = element("input");
		row.className = "part";
		box.type = "checkbox";
		box.checked = true;
		box.setAttribute("aria-label", `show ${path}`);
		box.addEventListener("change", () => this.toggle(i, box.checked));
		this.boxes.set(i, box);
		row.append(box);
		if (clashes === 0) row.append(element("span", name));
		else {
			const find = button(name, "", () => this.on.find(path));
			find.title = `list the clashes of ${path}`;
			row.append(find, element("span", `${clashes}`));
		}
		return row;
	}

	private toggle(part: number, visible: boolean): void {
		const hidden = [...this.boxes].filter(([i, box]) => (i === part ? !visible : !box.checked)).map(([i]) => String(i));
		this.on.hide(hidden);
	}
}
