// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The scale bar, which holds where the camera looks, and the directions of the axes.

import { $ } from "./dom";
import { lengthText, type Unit } from "./units";

const LONGEST = 130; // pixels

// The longest of 1, 2 and 5 times a power of ten that is at most `most`.
export function roundLength(most: number): number {
	const power = 10 ** Math.floor(Math.log10(most));
	const digit = [5, 2, 1].find((x) => x * power <= most) ?? 1;
	return digit * power;
}

export interface Bar {
	pixels: number;
	text: string;
}

// `perUnit`: pixels of a unit of the files.
export function barOf(perUnit: number, unit: Unit): Bar | undefined {
	const most = (LONGEST / perUnit) * unit.factor;
	if (!(most > 1e-300 && most < 1e300)) return undefined;
	const length = roundLength(most);
	return { pixels: (length / unit.factor) * perUnit, text: lengthText(length / unit.factor, unit) };
}

export function showBar(bar: Bar | undefined): void {
	$("bar").hidden = bar === undefined;
	if (!bar) return;
	$("bar").textContent = bar.text;
	$("bar").style.width = `${bar.pixels.toFixed(1)}px`;
}

// `axes`: where x, y and z go on the screen, to the right and upwards, of length 1 at most.
export function showAxes(axes: [number, number][]): void {
	const svg = document.getElementById("axes");
	axes.forEach(([x, y], i) => {
		const line = svg?.children[2 * i];
		const letter = svg?.children[2 * i + 1];
		line?.setAttribute("x2", (24 + 15 * x).toFixed(1));
		line?.setAttribute("y2", (24 - 15 * y).toFixed(1));
		letter?.setAttribute("x", (24 + 20 * x).toFixed(1));
		letter?.setAttribute("y", (24 - 20 * y).toFixed(1));
	});
}
