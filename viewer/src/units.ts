// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Lengths for people: six digits, in the unit that they chose.

export interface Unit {
	name: string; // "" for that of the files, where nobody said which
	label: string;
	factor: number; // of a length in the files
}

export function unitsOf(metres: number | undefined): Unit[] {
	const own: Unit = { name: "", label: "as in the files", factor: 1 };
	if (!metres) return [own];
	const known: [string, number][] = [
		["mm", 0.001],
		["cm", 0.01],
		["m", 1],
		["in", 0.0254],
	];
	return [own, ...known.map(([name, size]) => ({ name, label: name, factor: metres / size }))];
}

export function lengthText(x: number, unit: Unit, power = 1): string {
	const scaled = x * unit.factor ** power;
	const digits = Number.isFinite(scaled) ? Number(scaled.toPrecision(6)).toString() : "–";
	const suffix = power === 2 ? "²" : "";
	return unit.name === "" ? digits : `${digits} ${unit.name}${suffix}`;
}
