// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The tree of parts as a list that folds: how many clashes each has, and which are hidden.

import { button, element } from "./dom";
import type { PartTree } from "./part_tree";
import type { State } from "./state";

const MOST_OPEN = 60; // parts that are unfolded at once

export interface PartActions {
	hide: (hidden: string[]) => void;
	find: (path: string) => void;
}

export class Parts {
	private readonly boxes = new Map<number, HTMLInputElement>();

	constructor(
		root: HTMLElement,
		private readonly tree: PartTree,
		private readonly on: PartActions,
	) {
		root.replaceChildren(this.listOf(tree.top));
	}

	show(state: State): void {
		for (const [part, box] of this.boxes) box.checked = !state.hidden.includes(String(part));
	}

	// Parts below are made when they are unfolded.
	private listOf(parts: number[]): HTMLElement {
		const list = element("ul");
		for (const i of parts) {
			const part = this.tree.parts[i];
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
				details.open = this.tree.parts.length <= MOST_OPEN;
				unfold();
				item.append(details);
			}
			list.append(item);
		}
		return list;
	}

	private row(i: number): HTMLElement {
		const { name, path, clashes } = this.tree.parts[i];
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
