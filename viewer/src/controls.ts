// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tabs, fields and buttons, which show the state and change it.

import { $, element } from "./dom";
import type { Picture } from "./picture";
import type { State } from "./state";

export const tabs = ["clashes", "parts", "view", "trees", "joints", "about"];
const flags = ["isolate", "reveal", "markers", "section", "flip", "visited", "trail"] as const;
const numbers = ["ghosts", "explode", "parted", "cut", "level", "tree"] as const;
const texts = ["axis", "sort", "volume", "theme", "unit", "filter"] as const;

export interface Actions {
	set: (changes: Partial<State>) => void;
	aim: () => void;
	step: (by: number) => void;
	showAll: () => void;
	copyLink: () => void;
}

// A box for each kind of clash that there is.
export function fillKinds(picture: Picture): void {
	for (const kind of new Set(picture.clashes.map((clash) => clash.kind))) {
		const label = element("label");
		const box = element("input");
		box.type = "checkbox";
		box.value = kind;
		const count = picture.clashes.filter((clash) => clash.kind === kind).length;
		label.append(box, `${kind} (${count})`);
		$("kinds").append(label);
	}
}

export function showControls(state: State): void {
	for (const tab of tabs) {
		const button = $(`tab-${tab}`);
		button.setAttribute("aria-selected", String(tab === state.tab));
		button.tabIndex = tab === state.tab ? 0 : -1;
		$(`panel-${tab}`).hidden = tab !== state.tab;
	}
	for (const id of flags) $<HTMLInputElement>(id).checked = state[id];
	for (const id of [...numbers, ...texts, "up"] as const) {
		const input = $<HTMLInputElement>(id);
		if (input.value !== String(state[id])) input.value = String(state[id]);
	}
	for (const box of document.querySelectorAll<HTMLInputElement>("#kinds input"))
		box.checked = !state.kinds.includes(box.value);
}

export function listenToControls(on: Actions): void {
	for (const id of flags) $<HTMLInputElement>(id).addEventListener("change", (e) => on.set({ [id]: (e.target as HTMLInputElement).checked }));
	for (const id of numbers) $(id).addEventListener("input", (e) => on.set({ [id]: Number((e.target as HTMLInputElement).value) }));
	for (const id of texts) $(id).addEventListener("input", (e) => on.set({ [id]: (e.target as HTMLInputElement).value }));
	$("up").addEventListener("input", (e) => {
		on.set({ up: (e.target as HTMLSelectElement).value as "y" | "z" });
		on.aim();
	});
	$("kinds").addEventListener("change", () => {
		const boxes = [...document.querySelectorAll<HTMLInputElement>("#kinds input")];
		on.set({ kinds: boxes.filter((box) => !box.checked).map((box) => box.value) });
	});
	tabs.forEach((tab, i) => {
		$(`tab-${tab}`).addEventListener("click", () => on.set({ tab }));
		$(`tab-${tab}`).addEventListener("keydown", (e) => stepTab(e, i, on));
	});
	$("next").addEventListener("click", () => on.step(1));
	$("previous").addEventListener("click", () => on.step(-1));
	$("all").addEventListener("click", on.showAll);
	$("near").addEventListener("click", on.aim);
	$("link").addEventListener("click", on.copyLink);
	$("help").addEventListener("click", () => $<HTMLDialogElement>("keys").showModal());
}

function stepTab(e: KeyboardEvent, from: number, on: Actions): void {
	const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
	if (by === 0) return;
	const shown = tabs.filter((tab) => !$(`tab-${tab}`).hidden);
	const tab = shown[(shown.indexOf(tabs[from]) + by + shown.length) % shown.length];
	on.set({ tab });
	$(`tab-${tab}`).focus();
	e.stopPropagation();
	e.preventDefault();
}
