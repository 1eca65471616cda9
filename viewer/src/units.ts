// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Lengths for people: six digits, in the unit that they chose.

export interface Unit {
	name: string; // "" for that of the files
	label: string;
	suffix: string; // behind numbers; "" where nobody said what the unit is
	factor: number; // of a length in the files
}

export function unitsOf(metres: number | undefined): Unit[] {
	const known: [string, number][] = [
		["mm", 0.001],
		["cm", 0.01],
		["m", 1],
		["in", 0.0254],
	];
	const suffix = known.find(([, size]) => size === metres)?.[0] ?? "";
	const own: Unit = { name: "", label: "as in the files", suffix, factor: 1 };
	if (!metres) return [own];
	return [own, ...known.map(([name, size]) => ({ name, label: name, suffix: name, factor: metres / size }))];
}

// The number that stands for a certified interval, as the command prints it: the middle of one that is narrow, else the
// upper end.
export function valueOf([lower, upper]: [number, number]): number {
	return upper - lower <= 0.01 * upper ? 0.5 * lower + 0.5 * upper : upper;
}

// As many digits as are certain, up to five, as the command prints it.
export function intervalText(x: [number, number], unit: Unit, power = 1): string {
	const certain = Math.floor(-Math.log10((x[1] - x[0]) / x[1]));
	const digits = Math.max(3, Math.min(Number.isFinite(certain) ? certain : 5, 5));
	const upper = lengthText(Number(valueOf(x).toPrecision(digits)), unit, power);
	if (x[1] - x[0] <= 0.01 * x[1]) return upper;
	return x[0] > 0 ? `${lengthText(Number(x[0].toPrecision(digits)), unit, power)} to ${upper}` : `at most ${upper}`;
}

export function lengthText(x: number, unit: Unit, power = 1): string {
	const scaled = x * unit.factor ** power;
	const digits = Number.isFinite(scaled) ? Number(scaled.toPrecision(6)).toString() : "–";
	const raised = power === 3 ? "³" : power === 2 ? "²" : "";
	return unit.suffix === "" ? digits : `${digits} ${unit.suffix}${raised}`;
}
