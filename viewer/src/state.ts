// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The state of the view, which a link restores.

export type Axis = "x" | "y" | "z" | "view";
export type Volume = "box" | "sphere" | "ellipsoid";
export type Sort = "worst" | "volume" | "kind" | "name" | "standing";
export type Theme = "auto" | "light" | "dark";

export interface State {
	clash: number; // -1: none
	place: number; // of the clash; -1: all of them
	filter: string;
	sort: Sort; // of the list
	markers: boolean;
	part: string; // only the clashes of this part are listed; "": of all
	other: string; // only those that it has with this one
	kinds: string[]; // that are hidden
	hidden: string[]; // numbers of parts
	isolate: boolean;
	ghosts: number; // 0 to 1
	reveal: boolean; // what hides the other body of a clash is transparent
	explode: number; // 0 to 1: other bodies away from the clash
	parted: number; // 0 to 1: B along the move that parts the two
	section: boolean;
	axis: Axis;
	cut: number; // 0 to 1
	flip: boolean;
	frame: number;
	joints: number[]; // of a robot that was moved by hand; empty: those of the frame
	trail: boolean; // of what moves
	nearer: number; // frames whose distance is below it are marked; 0: none
	tab: string;
	tree: number; // -1: both
	level: number;
	volume: Volume;
	visited: boolean;
	measures: boolean; // clicks do
	measured: string[]; // at most two features, as measure.ts writes them
	theme: Theme;
	unit: string;
	up: "y" | "z";
	camera: number[]; // where it is and where it looks; empty: by itself
}

export function initialState(up: "y" | "z", clash: number, frame: number): State {
	return {
		clash,
		place: -1,
		filter: "",
		sort: "worst",
		markers: true,
		part: "",
		other: "",
		kinds: [],
		hidden: [],
		isolate: false,
		ghosts: 0.35,
		reveal: true,
		explode: 0,
		parted: 0,
		section: false,
		axis: "x",
		cut: 0.5,
		flip: false,
		frame,
		joints: [],
		trail: false,
		nearer: 0,
		tab: "clashes",
		tree: -1,
		level: 4,
		volume: "box",
		visited: false,
		measures: false,
		measured: [],
		theme: "auto",
		unit: "",
		up,
		camera: [],
	};
}

// Writes only the members that differ from the initial state.
export function toHash(state: State, first: State): string {
	const words = new URLSearchParams();
	for (const [key, value] of Object.entries(state)) {
		const text = Array.isArray(value)
			? value.map((x) => (typeof x === "number" ? Number(x.toPrecision(7)) : x)).join(",")
			: String(value);
		if (text !== String(first[key as keyof State])) words.set(key, text);
	}
	return words.toString();
}

// A link may have been written by hand: values that do not fit are ignored.
export function fromHash(hash: string, first: State): State {
	const state: Record<string, unknown> = { ...first };
	const known = first as unknown as Record<string, unknown>;
	for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
		const old = known[key];
		if (typeof old === "number" && Number.isFinite(Number(text))) state[key] = Number(text);
		else if (typeof old === "boolean") state[key] = text === "true";
		else if (typeof old === "string") state[key] = text;
		else if (key === "camera" || key === "joints") {
			const numbers = text.split(",").map(Number);
			if ((numbers.length === 6 || key === "joints") && numbers.every(Number.isFinite)) state[key] = numbers;
		} else if (Array.isArray(old)) state[key] = text === "" ? [] : text.split(",");
	}
	return state as unknown as State;
}
