// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The palette of Okabe and Ito (2008), which colour-blind people can tell apart: A blue, B orange, contact yellow with
// a dark edge, so that it stands out from both, and from light and dark.

export interface Colours {
	background: number;
	a: number;
	b: number;
	rest: number; // ghosts
	solid: number; // bodies that are neither A nor B, where none is drawn as a ghost
	contact: number;
	edge: number;
	witness: number;
	overlap: number;
	third: number;
}

export const light: Colours = {
	background: 0xf4f5f7,
	a: 0x0072b2,
	b: 0xe69f00,
	rest: 0x5a6270,
	solid: 0xb4bac6,
	contact: 0xf0e442,
	edge: 0x000000,
	witness: 0xcc79a7,
	overlap: 0xd0202e,
	third: 0x009e73,
};

export const dark: Colours = { ...light, background: 0x14171c, a: 0x3d9bd8, rest: 0x9aa3b2, b: 0xe69f00 };
