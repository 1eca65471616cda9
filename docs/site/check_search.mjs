// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Does the search of the site find what it should, in each of its parts? node check_search.mjs SITE

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const site = resolve(process.argv[2]);

// Words, the part of the site, and the page and anchor that must be among the first results there.
const expected = [
	["dbvh_collide", "C", /^\/reference\/c\/collide_8h\.html/],
	["dbvh_scene_clashes", "C", /^\/reference\/c\/scene_8h\.html/],
	["dbvh_budget", "C", /^\/reference\/c\/(structdbvh__budget|base_8h)\.html/],
	["collide_all", "C++", /^\/reference\/cpp\//],
	["Scene", "C++", /^\/reference\/cpp\/classdualbvh_1_1/],
	["collide_batch", "Python", /^\/python\//],
	["Spent", "Python", /^\/python\/classes\.html/],
	["time of impact", "Documents", /^\/docs\//],
	["Navisworks", "Documents", /^\/docs\/coming-from\.html/],
	["penetration depth", "Documents", /^\/docs\//],
];

const server = createServer((request, response) => {
	const file = join(site, decodeURIComponent(new URL(request.url, "http://x").pathname));
	if (!existsSync(file)) return response.writeHead(404).end();
	createReadStream(file).pipe(response);
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));

let bad = 0;
try {
	const pagefind = await import(pathToFileURL(join(site, "pagefind/pagefind.js")));
	await pagefind.options({ basePath: `http://127.0.0.1:${server.address().port}/pagefind/`, baseUrl: "/" });
	await pagefind.init();
	for (const [words, part, page] of expected) {
		const { results } = await pagefind.search(words, { filters: { Part: part } });
		const found = await Promise.all(results.slice(0, 5).map((result) => result.data()));
		const urls = found.flatMap((one) => [one.url, ...one.sub_results.map((sub) => sub.url)]);
		if (urls.some((url) => page.test(url))) continue;
		console.log(`"${words}" in ${part} finds ${urls.slice(0, 5).join(" ") || "nothing"}`);
		++bad;
	}
	const { results } = await pagefind.search("collide");
	const parts = new Set((await Promise.all(results.map((result) => result.data()))).map((one) => one.filters.Part[0]));
	if (parts.size !== 4) {
		console.log(`"collide" is found in ${[...parts].join(", ")} only`);
		++bad;
	}
	console.log(`${expected.length + 1} searches, ${bad} of them do not find`);
} finally {
	server.close();
}
process.exit(bad > 0 ? 1 : 0);
