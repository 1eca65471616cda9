// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The matrix of parts: how many clashes each two of them have with each other. A click lists these.

import { button, element } from "./dom";
import { isWithin, type PartTree } from "./part_tree";
import type { Picture } from "./picture";
import type { State } from "./state";

const MOST = 12; // rows
const FEWEST = 3; // fewer tell no more than the list does

// Parts that have clashes, from the top down as far as there is room; more than that, the worst of them.
function rowsOf(tree: PartTree): number[] {
	const clashing = (parts: number[]): number[] => parts.filter((i) => tree.parts[i].clashes > 0);
	const worst = (a: number, b: number): number => tree.parts[b].clashes - tree.parts[a].clashes;
	let rows = clashing(tree.top);
	const done = new Set<number>();
	for (;;) {
		const next = rows.filter((i) => !done.has(i) && tree.parts[i].children.length > 0).sort(worst)[0];
		if (next === undefined) break;
		done.add(next);
		const below = clashing(tree.parts[next].children);
		if (tree.parts[next].hasBody) below.push(next);
		if (rows.length > 1 && rows.length - 1 + below.length > MOST) continue;
		rows = rows.flatMap((i) => (i === next ? below : [i]));
	}
	return rows.length <= MOST ? rows : rows.sort(worst).slice(0, MOST - 1);
}

export class Matrix {
	private readonly cells: { a: string; b: string; button: HTMLButtonElement }[] = [];

	constructor(
		root: HTMLElement,
		picture: Picture,
		private readonly tree: PartTree,
		private readonly find: (part: string, other: string) => void,
	) {
		const rows = rowsOf(tree);
		const counts = this.count(picture, rows);
		root.hidden = picture.allFrames.length > 0 || rows.length < FEWEST;
		if (!root.hidden) root.replaceChildren(element("p", "How many clashes two parts have with each other; a click lists them"), this.table(rows, counts));
	}

	// By two rows, the later one first. Clashes of parts that have no row are those of a last one, "others".
	private count(picture: Picture, rows: number[]): number[][] {
		const rowOfPart = new Map(rows.map((part, row) => [part, row]));
		const rowOf = (body: number): number => {
			let found = rows.length;
			this.tree.climb(this.tree.ofBody[body], (part) => {
				if (found === rows.length) found = rowOfPart.get(part) ?? rows.length;
			});
			return found;
		};
		const counts = Array.from({ length: rows.length + 1 }, () => new Array<number>(rows.length + 1).fill(0));
		for (const clash of picture.clashes)
			if (clash.counts) {
				const [a, b] = [rowOf(clash.a), rowOf(clash.b)];
				++counts[Math.max(a, b)][Math.min(a, b)];
			}
		return counts;
	}

	private table(rows: number[], counts: number[][]): HTMLElement {
		const table = element("table");
		const head = element("tr");
		const most = Math.max(...counts.flat());
		const hasOthers = counts.some((row, i) => row.some((n, k) => n > 0 && Math.max(i, k) === rows.length));
		const all = hasOthers ? [...rows, -1] : rows;
		const name = (row: number): string => this.tree.parts[row]?.name ?? "others";
		head.append(element("td"), ...all.map((row, i) => this.header("col", String(i + 1), row)));
		table.append(head);
		all.forEach((row, i) => {
			const line = element("tr");
			line.append(this.header("row", `${i + 1} ${name(row)}`, row));
			for (let k = 0; k <= i; ++k) line.append(this.cell(row, all[k], counts[i][k], most));
			table.append(line);
		});
		return table;
	}

	private header(scope: string, text: string, row: number): HTMLElement {
		const made = element("th", text);
		made.scope = scope;
		made.title = this.tree.parts[row]?.path ?? "parts with fewer clashes";
		return made;
	}

	private cell(row: number, column: number, count: number, most: number): HTMLElement {
		const made = element("td");
		if (count === 0) return made;
		const share = 12 + 38 * (Math.log1p(count) / Math.log1p(most));
		made.style.setProperty("--share", `${share.toFixed(0)}%`);
		made.className = "some";
		// A part with others below it: its path would list theirs, too.
		const isOne = (i: number): boolean => i >= 0 && !(this.tree.parts[i].hasBody && this.tree.parts[i].children.length > 0);
		if (!isOne(row) || !isOne(column)) {
			made.textContent = String(count);
			return made;
		}
		const [a, b] = [this.tree.parts[row].path, this.tree.parts[column].path];
		const found = button(String(count), "", () => this.find(a, b));
		found.title = a === b ? `${count} within ${a}` : `${count} of ${a} with ${b}`;
		found.setAttribute("aria-label", found.title);
		this.cells.push({ a, b, button: found });
		made.append(found);
		return made;
	}

	show(state: State): void {
		for (const { a, b, button } of this.cells) button.setAttribute("aria-pressed", String(state.part === a && state.other === b));
	}
}

// Is a clash of two bodies one of `part`, with `other` if that is not ""?
export function isBetween(a: string, b: string, part: string, other: string): boolean {
	if (part === "") return true;
	if (other === "") return isWithin(a, part) || isWithin(b, part);
	return (isWithin(a, part) && isWithin(b, other)) || (isWithin(a, other) && isWithin(b, part));
}
