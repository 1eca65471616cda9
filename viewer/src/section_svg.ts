// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The section that the page shows as an SVG: of the bodies as they are drawn. `dualbvh export --section` cuts the bodies
// themselves.

import { Color, type Matrix4, type Plane, Vector3 } from "three";
import type { Shape } from "./picture";
import { lengthText, type Unit } from "./units";

export interface CutPart {
	name: string;
	colour: number;
	isOverlap: boolean;
	shape: Shape;
	matrix: Matrix4;
}

export interface SectionFrame {
	plane: Plane;
	across: Vector3; // of unit length, in the plane
	up: Vector3;
}

export interface SectionView extends SectionFrame {
	title: string;
	unit: Unit;
}

type Loop = [number, number][];
const WIDTH = 800;
const MARGIN = 40;

// Curves in which the plane meets a closed shape. Each triangle that it crosses has a step from the side that leads to the
// far half to the one that leads back, which is the first of its neighbour there.
export function loopsOf({ shape, matrix }: CutPart, { plane, across, up }: SectionFrame): Loop[] {
	const { positions, corners } = shape;
	const count = positions.length / 3;
	const places = Array.from({ length: count }, () => new Vector3());
	const side = new Float64Array(count);
	for (let i = 0; i < count; ++i) {
		places[i].fromArray(positions, 3 * i).applyMatrix4(matrix);
		side[i] = plane.distanceToPoint(places[i]);
	}
	const names = new Map<string, number>(); // vertices at the same place are one
	const nameOf = (i: number): number => {
		const text = `${positions[3 * i]},${positions[3 * i + 1]},${positions[3 * i + 2]}`;
		const known = names.get(text) ?? names.size;
		names.set(text, known);
		return known;
	};
	const steps = new Map<string, { to: string; at: [number, number] }[]>(); // by where they begin
	for (let t = 0; t < corners.length; t += 3) {
		let from = "";
		let to = "";
		let at: [number, number] = [0, 0];
		for (let k = 0; k < 3; ++k) {
			const [a, b] = [corners[t + k], corners[t + ((k + 1) % 3)]];
			if (side[a] >= 0 === side[b] >= 0) continue;
			const [p, q] = [nameOf(a), nameOf(b)];
			const key = p < q ? `${p},${q}` : `${q},${p}`;
			if (side[a] < 0) {
				to = key;
				continue;
			}
			from = key;
			const x = places[a].clone().lerp(places[b], side[a] / (side[a] - side[b]));
			at = [x.dot(across), x.dot(up)];
		}
		if (from === "") continue;
		const found = steps.get(from);
		if (found) found.push({ to, at });
		else steps.set(from, [{ to, at }]);
	}
	const loops: Loop[] = [];
	for (const begin of steps.values())
		for (let step = begin.pop(); step; step = begin.pop()) {
			const loop: Loop = [];
			for (let next: typeof step | undefined = step; next; next = steps.get(next.to)?.pop()) loop.push(next.at);
			loops.push(loop);
		}
	return loops;
}

export function areaOf(loops: Loop[]): number {
	let twice = 0;
	for (const loop of loops)
		loop.forEach(([x, y], i) => {
			const [u, v] = loop[(i + 1) % loop.length];
			twice += (x - loop[0][0]) * (v - loop[0][1]) - (u - loop[0][0]) * (y - loop[0][1]);
		});
	return Math.abs(twice) / 2;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function sectionSvg(parts: CutPart[], view: SectionView): string {
	const cut = parts.map((part) => ({ ...part, loops: loopsOf(part, view) })).filter(({ loops }) => loops.length > 0);
	const points = cut.flatMap(({ loops }) => loops.flat());
	const reach = (k: 0 | 1): [number, number] => [points.reduce((x, p) => Math.min(x, p[k]), Infinity), points.reduce((x, p) => Math.max(x, p[k]), -Infinity)];
	const [[left, right], [low, high]] = points.length > 0 ? [reach(0), reach(1)] : [[0, 1], [0, 1]];
	const scale = Math.min(WIDTH / Math.max(right - left, 1e-300), WIDTH / Math.max(high - low, 1e-300));
	const [width, height] = [(right - left) * scale, (high - low) * scale];
	const patterns = cut.map(({ colour, isOverlap }, i) => {
		const gap = (isOverlap ? 4 : 8) / scale;
		const line = `<line y2="${gap}" stroke="#${new Color(colour).getHexString()}" stroke-width="${2 / scale}"/>`;
		return `<pattern id="hatch${i}" patternUnits="userSpaceOnUse" width="${gap}" height="${gap}" patternTransform="rotate(${isOverlap ? 90 : 45 + 65 * i})">${line}</pattern>`;
	});
	const paths = cut.map(({ name, colour, loops }, i) => {
		const curves = loops.map((loop) => `M${loop.map(([x, y]) => `${(x - left).toPrecision(8)} ${(y - low).toPrecision(8)}`).join("L")}Z`).join("");
		return `<path fill="url(#hatch${i})" stroke="#${new Color(colour).getHexString()}" data-area="${areaOf(loops)}" d="${curves}"><title>${escaped(name)}</title></path>`;
	});
	const rows = cut.map(({ name, loops }, i) => {
		const y = MARGIN + height + 40 + 20 * i;
		const box = `<g transform="translate(${MARGIN} ${y - 11}) scale(${scale})"><rect width="${18 / scale}" height="${13 / scale}" fill="url(#hatch${i})"/></g>`;
		return `${box}<text x="${MARGIN + 26}" y="${y}">${escaped(name)}: area ${lengthText(areaOf(loops), view.unit, 2)}</text>`;
	});
	const size = `${lengthText(right - left, view.unit)} by ${lengthText(high - low, view.unit)}`;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${(width + 2 * MARGIN).toFixed(1)} ${(height + 2 * MARGIN + 40 + 20 * cut.length).toFixed(1)}" font-family="sans-serif" font-size="13">`,
		`<title>${escaped(view.title)}</title><defs>${patterns.join("")}</defs>`,
		`<rect width="100%" height="100%" fill="#fff"/><text x="${MARGIN}" y="24">${escaped(view.title)}</text>`,
		`<g transform="matrix(${scale} 0 0 ${-scale} ${MARGIN} ${MARGIN + height})" fill-rule="evenodd" stroke-width="1.5">`,
		...paths.map((path) => path.replace("<path", '<path vector-effect="non-scaling-stroke"')),
		"</g>",
		`<text x="${MARGIN}" y="${MARGIN + height + 20}">${size}, as the page draws it</text>`,
		...rows,
		"</svg>\n",
	].join("\n");
}
