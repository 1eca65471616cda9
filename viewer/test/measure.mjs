// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How long pages take: node measure.mjs PAGE... Prints for each its size, the time until its first picture, and frame
// times in milliseconds, of drawing all of it anew (the median of many, with a camera that goes round) and while a hand
// turns it, where slow machines draw fewer pixels.

import { statSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";

const browser = await startBrowser();
let failed = 0;
for (const file of process.argv.slice(2)) {
	const { page, mistakes } = await openPage(browser, file);
	const first = await page.evaluate(() => document.documentElement.dataset.milliseconds);
	const numbers = await page.evaluate(() => {
		const { view, picture } = window.dualbvh;
		const times = [];
		for (let i = 0; i < 12; ++i) {
			const angle = (i / 12) * 2 * Math.PI;
			const away = 1.2 * Math.hypot(...picture.upper.map((x, k) => x - picture.lower[k]));
			view.setCamera([away * Math.cos(angle), away * Math.sin(angle), 0.4 * away, 0, 0, 0], "z");
			times.push(view.measure());
		}
		times.sort((a, b) => a - b);
		return { median: times[6], bodies: picture.bodies.length, ...picture.triangles };
	});
	const box = await page.locator("#canvas").boundingBox();
	const middle = [box.x + box.width / 2, box.y + box.height / 2];
	await page.evaluate(() => {
		window.dualbvh.view.frameTimes.length = 0;
	});
	await page.mouse.move(...middle);
	await page.mouse.down();
	const begin = Date.now();
	for (let i = 0; i < 60 && Date.now() - begin < 15000; ++i)
		await page.mouse.move(middle[0] + 80 * Math.sin(i / 5), middle[1] + 2 * (i % 20));
	const turned = await page.evaluate(() => {
		// The first ones are those by which it finds out.
		const times = window.dualbvh.view.frameTimes.slice(3).sort((a, b) => a - b);
		return times.length > 0 ? times[times.length >> 1] : Number.NaN;
	});
	await page.mouse.up();
	const size = (statSync(file).size / 1e6).toFixed(2);
	console.log(
		`${file.replace(/.*\//, "")}: ${numbers.bodies} bodies, ${numbers.drawn} of ${numbers.whole} triangles drawn; ${size} MB; ` +
			`first picture after ${first} ms; frame ${numbers.median.toFixed(0)} ms, while turning ${turned.toFixed(0)} ms`,
	);
	if (mistakes.length > 0) {
		++failed;
		console.log(`FAIL: ${mistakes.join("; ")}`);
	}
	await page.close();
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
