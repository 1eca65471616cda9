// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The panel about the whole picture: the summary, a list of omissions, and how to read it.

import { $, element } from "./dom";
import type { Picture } from "./picture";

export function tellSummary(picture: Picture): void {
	$("title").textContent = picture.title;
	const counted = picture.clashes.filter((clash) => clash.counts).length;
	const open = picture.clashes.filter((clash) => clash.kind === "undecidable" && !clash.counts && clash.standing !== "ignored").length;
	const triangles = picture.triangles.whole.toLocaleString("en");
	$("summary").textContent =
		`${picture.bodies.length} ${picture.bodies.length === 1 ? "body" : "bodies"}, ${triangles} triangles, ` +
		`${counted === 0 ? "no clashes" : counted === 1 ? "1 clash" : `${counted} clashes`}` +
		`${open === 0 ? "" : `, ${open} undecidable`}${picture.complete ? "" : " among what is shown"}`;
}

export function tellAbout(picture: Picture): void {
	const { drawn, whole, simplified_bodies: bodies } = picture.triangles;
	const paragraphs: string[] = [];
	if (bodies > 0) {
		const text = `Simplified far from clashes: ${drawn.toLocaleString("en")} of ${whole.toLocaleString("en")} triangles are drawn.`;
		$("note").textContent = text;
		$("note").hidden = false;
		paragraphs.push(`${text} Clashes, contacts and numbers are those of the whole bodies.`);
	}
	if (!picture.complete) {
		$("note").textContent = [picture.notes[0], ...paragraphs.slice(0, 1)].join(" ");
		$("note").hidden = false;
	}
	paragraphs.push(...picture.notes);
	paragraphs.push(
		"What clashes was decided exactly, on the numbers in the files; the drawing is rounded. Coordinates and lengths " +
			"that are shown are those of the files; 'Copy as JSON' has all their digits. Lines of contact are rounded, to less than " +
			"a thousandth of their length: 'Copy as JSON' says by how much, and dualbvh export writes them whole.",
		picture.metres ? `A unit of the files is ${picture.metres} m.` : "The files do not say what their unit is.",
		`Written by dualbvh ${picture.version}. Drawn with three.js (MIT licence).`,
	);
	$("about").append(...paragraphs.map((text) => element("p", text)));
}
