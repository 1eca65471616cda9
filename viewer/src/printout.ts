// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What is printed: a page for each clash that is listed, with its picture and its facts.

import { $, element } from "./dom";
import type { Clash } from "./picture";

const MOST = 50;

export interface Printer {
	listed: () => number[];
	clash: (i: number) => Clash;
	facts: (clash: Clash) => [string, string][];
	picture: (i: number) => string; // as a data URL; "": none can be drawn
	title: string;
}

export function printAll(printer: Printer): void {
	const all = printer.listed();
	const sheets = all.slice(0, MOST).map((i) => {
		const clash = printer.clash(i);
		const sheet = element("section");
		const facts = element("dl");
		for (const [name, text] of printer.facts(clash)) facts.append(element("dt", name), element("dd", text));
		sheet.append(element("h2", clash.sentence));
		const url = printer.picture(i);
		if (url !== "") {
			const image = element("img");
			image.src = url;
			image.alt = clash.sentence;
			sheet.append(image);
		}
		sheet.append(facts);
		return sheet;
	});
	const rest = all.length > MOST ? [element("p", `${all.length - MOST} more are in the list of the page.`)] : [];
	$("print").replaceChildren(element("h1", printer.title), ...sheets, ...rest);
}
