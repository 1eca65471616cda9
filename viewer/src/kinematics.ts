// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where the links of a robot are, for the numbers of its joints: the tree of joints as the file has it, in doubles. The page
// draws by it; what clashes was decided by the command.

export interface Link {
	name: string;
	joint?: string; // above it; none of a root
	parent?: number; // a link before it
	kind: "fixed" | "revolute" | "prismatic";
	origin: number[]; // of the joint in its parent: the rows of [R|t]
	axis: [number, number, number]; // of length 1
	lower?: number; // radians, or a length; undefined: no limit
	upper?: number;
	mimic?: number; // the link whose joint this one follows: factor * its number + offset
	factor?: number;
	offset?: number;
}

// outer( inner( x ) ), as rows of [R|t].
export function compose(outer: ArrayLike<number>, inner: ArrayLike<number>): number[] {
	const out = new Array<number>(12);
	for (let row = 0; row < 12; row += 4)
		for (let k = 0; k < 4; ++k)
			out[row + k] = outer[row] * inner[k] + outer[row + 1] * inner[4 + k] + outer[row + 2] * inner[8 + k] + (k === 3 ? outer[row + 3] : 0);
	return out;
}

// The motion of a joint: about its axis by an angle (Rodrigues), or along it by a length.
function motionOf({ kind, axis: [x, y, z] }: Link, value: number): number[] {
	if (kind === "prismatic") return [1, 0, 0, value * x, 0, 1, 0, value * y, 0, 0, 1, value * z];
	const [s, c] = [Math.sin(value), Math.cos(value)];
	const d = 1 - c;
	return [c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0, y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0, z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0];
}

export const isFree = (link: Link): boolean => link.kind !== "fixed" && link.mimic === undefined;

// The poses of all links; `values`: a number for each of them.
export function placeLinks(links: Link[], values: ArrayLike<number>): number[][] {
	const poses: number[][] = [];
	links.forEach((link, i) => {
		const value = link.mimic === undefined ? values[i] : (link.factor ?? 1) * values[link.mimic] + (link.offset ?? 0);
		const joint = link.parent === undefined ? link.origin : compose(poses[link.parent], link.origin);
		poses.push(link.kind === "fixed" ? joint : compose(joint, motionOf(link, value)));
	});
	return poses;
}
