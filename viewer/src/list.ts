// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The list of clashes, by groups. Long lists are shown a part at a time.

import { element } from "./dom";
import { isBetween } from "./matrix";
import type { Clash, Picture } from "./picture";
import type { Review } from "./review";
import type { Sort, State } from "./state";

const MOST = 250;

function matches(picture: Picture, clash: Clash, state: State): boolean {
	if (state.kinds.includes(clash.kind)) return false;
	const { bodies } = picture;
	if (!isBetween(bodies[clash.a].path, bodies[clash.b].path, state.part, state.other)) return false;
	const text = `${clash.sentence} ${clash.kind} ${clash.id} ${clash.standing ?? ""} ${bodies[clash.a].path} ${bodies[clash.b].path}`;
	return state.filter
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.toLowerCase().includes(word));
}

const collator = new Intl.Collator("en", { numeric: true });

// Compares two clashes; equal ones stay as the command has put them, the worst first.
function orderOf(picture: Picture, sort: Sort): (i: number, k: number) => number {
	const { clashes, bodies } = picture;
	const group = (i: number): number => clashes[i].group ?? Number.MAX_SAFE_INTEGER;
	const name = (i: number): string => `${bodies[clashes[i].a].path} ${bodies[clashes[i].b].path}`;
	const text = (of: (i: number) => string) => (i: number, k: number) => collator.compare(of(i), of(k));
	if (sort === "volume") return (i, k) => (clashes[k].volume?.[1] ?? -1) - (clashes[i].volume?.[1] ?? -1);
	if (sort === "kind") return text((i) => clashes[i].kind);
	if (sort === "name") return text(name);
	if (sort === "standing") return text((i) => clashes[i].standing ?? "");
	return (i, k) => group(i) - group(k);
}

// Which clashes are in the list, in its order.
export function entriesOf(picture: Picture, state: State): number[] {
	const found = picture.clashes.map((_, i) => i).filter((i) => matches(picture, picture.clashes[i], state));
	const order = orderOf(picture, state.sort);
	return found.sort((i, k) => order(i, k) || i - k);
}

export class List {
	private shown = "";
	private from = 0;
	private buttons = new Map<number, HTMLButtonElement>();

	constructor(
		private readonly root: HTMLElement,
		private readonly picture: Picture,
		private readonly review: Review,
		private readonly choose: (clash: number) => void,
	) {}

	// How many are in the list.
	show(state: State): number {
		const entries = entriesOf(this.picture, state);
		const at = entries.indexOf(state.clash);
		if (at >= 0 && (at < this.from || at >= this.from + MOST)) this.from = Math.max(0, at - 20);
		if (this.from >= entries.length) this.from = 0;
		const key = `${state.sort}|${state.part}|${state.other}|${state.filter}|${state.kinds}|${this.from}`;
		if (key !== this.shown) this.fill(entries, state.sort === "worst");
		this.shown = key;
		for (const [clash, button] of this.buttons) {
			button.classList.toggle("accepted", this.review.isAccepted(this.picture.clashes[clash]));
			const current = clash === state.clash;
			// A list that does not scroll by itself (on phones) leaves the panel where it is.
			const scrolls = this.root.scrollHeight > this.root.clientHeight;
			if (current && scrolls && button.getAttribute("aria-current") !== "true") button.scrollIntoView({ block: "center" });
			button.setAttribute("aria-current", String(current));
		}
		return entries.length;
	}

	private fill(entries: number[], inGroups: boolean): void {
		const parts: HTMLElement[] = [];
		let group: number | undefined = -1;
		let ul = document.createElement("ul");
		this.buttons.clear();
		if (this.from > 0) parts.push(this.more("Earlier ones", entries, inGroups, this.from - MOST));
		for (const i of entries.slice(this.from, this.from + MOST)) {
			const clash = this.picture.clashes[i];
			if ((inGroups && clash.group !== group) || parts.length === 0) {
				group = clash.group;
				const heading = document.createElement("h2");
				heading.textContent = group === undefined ? "without a group" : this.picture.groups[group];
				if (inGroups && (group !== undefined || this.picture.groups.length > 0)) parts.push(heading);
				ul = document.createElement("ul");
				parts.push(ul);
			}
			const item = document.createElement("li");
			item.append(this.button(i));
			ul.append(item);
		}
		if (this.from + MOST < entries.length) parts.push(this.more("Later ones", entries, inGroups, this.from + MOST));
		else parts.push(...this.resolved());
		this.root.replaceChildren(...parts);
	}

	// Clashes of earlier runs, behind those that are there.
	private resolved(): HTMLElement[] {
		const { resolved } = this.review;
		if (resolved.length === 0) return [];
		const list = element("ul");
		list.className = "resolved";
		list.append(...resolved.slice(0, MOST).map((text) => element("li", text)));
		return [element("h2", `Resolved: ${resolved.length}`), list];
	}

	private button(i: number): HTMLButtonElement {
		const clash = this.picture.clashes[i];
		const button = document.createElement("button");
		const kind = document.createElement("span");
		button.type = "button";
		kind.className = "kind";
		kind.textContent = ` ${clash.kind}${clash.standing ? `, ${clash.standing}` : ""}`;
		if (clash.standing) button.dataset.standing = clash.standing === "new" || clash.standing === "worsened" ? "new" : "known";
		button.append(clash.sentence, kind);
		button.addEventListener("click", () => this.choose(i));
		this.buttons.set(i, button);
		return button;
	}

	private more(text: string, entries: number[], inGroups: boolean, from: number): HTMLElement {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = text;
		button.addEventListener("click", () => {
			this.from = Math.max(0, from);
			this.fill(entries, inGroups);
			this.root.scrollTop = 0;
		});
		return button;
	}
}
