// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The panel about one clash: in words, and as JSON.

import { button, element } from "./dom";
import type { Clash, Picture, Place, Vec } from "./picture";
import { type Review, reviewRow } from "./review";
import { intervalText, lengthText, type Unit } from "./units";

function placesOf(picture: Picture, clash: Clash): Place[] {
	const [first, count] = clash.places ?? [0, 0];
	return picture.places.slice(first, first + count);
}

// `place`: one of the clash's, or -1 for all.
export function factsOf(picture: Picture, clash: Clash, place: number, unit: Unit): [string, string][] {
	const facts: [string, string][] = [["Kind", clash.standing ? `${clash.kind}, ${clash.standing}` : clash.kind]];
	if (clash.id !== "") facts.push(["Id", clash.id]);
	facts.push(["Near", clash.point.map((x) => Number(x.toPrecision(6))).join(", ")]);
	if (clash.type) facts.push(["Type", clash.type]);
	if (clash.depth) facts.push(["Depth", intervalText(clash.depth, unit)]);
	if (clash.volume) facts.push(["Volume", intervalText(clash.volume, unit, 3)]);
	if (clash.distance !== undefined) facts.push(["Distance", lengthText(clash.distance, unit)]);
	if (clash.move) facts.push(["Parted by", `${vectorText(clash.move)} (moves ${picture.bodies[clash.b].path})`]);
	if (clash.pair) facts.push(["Triangles", `${clash.pair[0]} and ${clash.pair[1]}`]);
	const places = placesOf(picture, clash);
	const chosen = place >= 0 ? [places[place]] : places;
	if (places.length > 0) {
		const sum = (key: "length" | "area"): number => chosen.reduce((total, place) => total + place[key], 0);
		facts.push(["Contact", `${lengthText(sum("length"), unit)} long` + (sum("area") > 0 ? `, ${lengthText(sum("area"), unit, 2)} flat` : "")]);
		facts.push(["Places", place >= 0 ? `${place + 1} of ${places.length}` : String(places.length)]);
	}
	if (clash.contacts_left_out) facts.push(["Contact", "not in this page: there would be too much of it, or the time was over"]);
	return facts;
}

// Six digits of the longest component, and as many places of the others.
function vectorText(x: Vec): string {
	const places = 5 - Math.floor(Math.log10(Math.max(...x.map(Math.abs), Number.MIN_VALUE)));
	return x.map((y) => Number(places >= 0 && places <= 100 ? y.toFixed(places) : y.toPrecision(6)) + 0).join(", ");
}

// The facts that are shown at once; the rest is folded.
const first = new Set(["Depth", "Volume", "Distance", "Parted by"]);
let isUnfolded = false;

function listOf(facts: [string, string][]): HTMLElement {
	const list = element("dl");
	for (const [name, text] of facts) list.append(element("dt", name), element("dd", text));
	return list;
}

function folded(facts: [string, string][]): HTMLElement {
	const details = element("details");
	details.append(element("summary", "Kind, id, place, contact"), listOf(facts));
	details.open = isUnfolded;
	details.addEventListener("toggle", () => {
		isUnfolded = details.open;
	});
	return details;
}

export interface PanelActions {
	copy: () => void;
	nextPlace: () => void;
	reviewed: () => void;
}

// `place`: one of the clash's, or -1 for all.
export function tellClash(box: HTMLElement, picture: Picture, clash: Clash | undefined, place: number, unit: Unit, review: Review, actions: PanelActions): void {
	if (!clash) {
		box.replaceChildren();
		if (picture.clashes.length === 0) box.textContent = picture.complete ? "Nothing clashes." : "Nothing that is shown clashes.";
		return;
	}
	const facts = factsOf(picture, clash, place, unit);
	const row = element("div");
	row.className = "row";
	row.append(button("Copy as JSON", "copy", actions.copy));
	if (placesOf(picture, clash).length > 1) row.append(button("Next place", "next-place", actions.nextPlace));
	const list = listOf(facts.filter(([name]) => first.has(name)));
	const rest = folded(facts.filter(([name]) => !first.has(name)));
	box.replaceChildren(element("p", `${clash.sentence}.`), list, rest, row, ...reviewRow(review, clash, actions.reviewed));
}

// Writes all data of a clash, with all digits.
export function clashJson(picture: Picture, clash: Clash | undefined): string {
	if (!clash) return "null";
	const span = <T>(range: [number, number] | undefined, take: (i: number) => T): T[] =>
		Array.from({ length: range?.[1] ?? 0 }, (_, i) => take((range as [number, number])[0] + i));
	const triples = (x: Float64Array): number[][] =>
		Array.from({ length: x.length / 3 }, (_, i) => [...x.subarray(3 * i, 3 * i + 3)]);
	const { lines, regions, places, ...rest } = clash;
	return JSON.stringify(
		{
			...rest,
			a: picture.bodies[clash.a].path,
			b: picture.bodies[clash.b].path,
			places: span(places, (i) => picture.places[i]),
			// Points of polylines and regions are rounded to multiples of it; dualbvh export has all their digits.
			polyline_step: lines ? picture.line(lines[0]).step : undefined,
			polylines: span(lines, (i) => ({ closed: picture.line(i).closed, points: triples(picture.line(i).points) })),
			regions: span(regions, (i) => triples(picture.region(i).points)),
		},
		null,
		1,
	);
}
