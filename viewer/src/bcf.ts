// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// BCF 3.0 (buildingSMART): a topic for each clash that is listed, as `dualbvh scene --report bcf=FILE` writes it, with the
// same GUIDs, so that programs know a topic again, whoever has written it.

import type { Clash, Picture, Vec } from "./picture";
import type { Review } from "./review";
import { zip } from "./zip";

const MOST = 1000; // topics
const MOST_SNAPSHOTS = 50;

// In the frame and unit of the files.
export interface Eye {
	at: Vec;
	direction: Vec;
	up: Vec;
	field: number; // of view, in degrees
	aspect: number;
}

export interface Shower {
	show: (clash: number) => Eye;
	snapshot: () => string; // a data URL of a PNG; "": none can be drawn
}

const MASK = (1n << 64n) - 1n;

// The hash of io/text/hash.c.
function hash(sum: bigint, x: bigint): bigint {
	let h = ((sum ^ x) + 0x9e3779b97f4a7c15n) & MASK;
	h = ((h ^ (h >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
	h = ((h ^ (h >> 27n)) * 0x94d049bb133111ebn) & MASK;
	return h ^ (h >> 31n);
}

// The GUID of a topic (0), of its view (1), and of its comments (2 and on).
function guidOf(id: string, what: number): string {
	const number = BigInt(`0x${id}`);
	const high = hash(hash(0x6475616c62766831n, BigInt(what)), number);
	const low = hash(high, number);
	const digits = (x: bigint, count: number): string => x.toString(16).padStart(count, "0");
	const variant = ((low >> 48n) & 0x3fffn) | 0x8000n;
	return `${digits(high >> 32n, 8)}-${digits((high >> 16n) & 0xffffn, 4)}-8${digits(high & 0xfffn, 3)}-${digits(variant, 4)}-${digits(low & 0xffffffffffffn, 12)}`;
}

// Text of XML 1.0, without the characters that it has no way to write.
const xml = (text: string): string =>
	text
		.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
		.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const tag = (name: string, text: string): string => `<${name}>${xml(text)}</${name}>`;
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function statusOf(clash: Clash, review: Review): string {
	if (review.isAccepted(clash) || clash.standing === "accepted") return "Accepted";
	return clash.standing && clash.standing !== "new" ? "Known" : "Open";
}

function markup(picture: Picture, clash: Clash, review: Review, date: string, hasSnapshot: boolean): string {
	const files = new Set([clash.a, clash.b].flatMap((i) => picture.bodies[i].file ?? []));
	const file = (name: string): string => `<File IsExternal="true">${tag("Filename", name)}</File>`;
	const { comment, assignee } = review.of(clash);
	const said = [review.isAccepted(clash) ? review.reasonOf(clash) || "accepted" : "", comment].map((text, i) => [text, i] as const).filter(([text]) => text !== "");
	const comments = said.map(([text, i]) => `<Comment Guid="${guidOf(clash.id, 2 + i)}">${tag("Date", date)}${tag("Author", "dualbvh")}${tag("Comment", text)}</Comment>`);
	return (
		`${HEAD}<Markup>\n<Header><Files>${[...files].map(file).join("")}</Files></Header>\n` +
		`<Topic Guid="${guidOf(clash.id, 0)}" TopicType="Clash" TopicStatus="${statusOf(clash, review)}">\n${tag("Title", clash.sentence)}` +
		`<Labels>${tag("Label", clash.kind)}</Labels>${tag("CreationDate", date)}${tag("CreationAuthor", "dualbvh")}` +
		`${assignee === "" ? "" : tag("AssignedTo", assignee)}${tag("Description", `Clash ${clash.id}`)}\n` +
		`${comments.length === 0 ? "" : `<Comments>${comments.join("")}</Comments>\n`}` +
		`<Viewpoints><ViewPoint Guid="${guidOf(clash.id, 1)}">${tag("Viewpoint", "viewpoint.bcfv")}${hasSnapshot ? tag("Snapshot", "snapshot.png") : ""}</ViewPoint></Viewpoints>\n</Topic>\n</Markup>\n`
	);
}

function viewpoint(picture: Picture, clash: Clash, eye: Eye): string {
	const metres = picture.metres ?? 1;
	const point = (name: string, x: Vec, scale: number): string => `<${name}><X>${scale * x[0]}</X><Y>${scale * x[1]}</Y><Z>${scale * x[2]}</Z></${name}>\n`;
	const component = (body: number): string => `<Component>${tag("AuthoringToolId", picture.bodies[body].path)}</Component>`;
	return (
		`${HEAD}<VisualizationInfo Guid="${guidOf(clash.id, 1)}">\n<Components>\n<Selection>${component(clash.a)}${component(clash.b)}</Selection>\n` +
		'<Visibility DefaultVisibility="true"/>\n</Components>\n<PerspectiveCamera>\n' +
		point("CameraViewPoint", eye.at, metres) +
		point("CameraDirection", eye.direction, 1) +
		point("CameraUpVector", eye.up, 1) +
		`<FieldOfView>${eye.field}</FieldOfView>\n<AspectRatio>${eye.aspect}</AspectRatio>\n</PerspectiveCamera>\n</VisualizationInfo>\n`
	);
}

function extensions(clashes: Clash[], review: Review): string {
	const each = (name: string, words: string[]): string => [...new Set(words)].map((word) => tag(name, word)).join("");
	const users = clashes.map((clash) => review.of(clash).assignee).filter((name) => name !== "");
	return (
		`${HEAD}<Extensions>\n<TopicTypes>${tag("TopicType", "Clash")}</TopicTypes>\n<TopicStatuses>${each("TopicStatus", ["Open", "Known", "Accepted"])}</TopicStatuses>\n` +
		`<TopicLabels>${each("TopicLabel", clashes.map(({ kind }) => kind))}</TopicLabels>\n<Users>${each("User", ["dualbvh", ...users])}</Users>\n</Extensions>\n`
	);
}

const bytesOf = (url: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (c) => c.charCodeAt(0));

// Of the clashes with these numbers, those that have an id.
export function bcfOf(picture: Picture, listed: number[], review: Review, shower: Shower, now: Date): Blob {
	const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content) as Uint8Array<ArrayBuffer>;
	const topics = listed.filter((i) => picture.clashes[i].id !== "" && picture.clashes[i].kind !== "fit").slice(0, MOST);
	const files: [string, Uint8Array<ArrayBuffer>][] = [
		["bcf.version", text(`${HEAD}<Version VersionId="3.0"/>\n`)],
		["extensions.xml", text(extensions(topics.map((i) => picture.clashes[i]), review))],
	];
	const date = `${now.toISOString().slice(0, 19)}Z`;
	topics.forEach((i, k) => {
		const clash = picture.clashes[i];
		const folder = guidOf(clash.id, 0);
		const eye = shower.show(i);
		const picturePng = k < MOST_SNAPSHOTS ? shower.snapshot() : "";
		files.push([`${folder}/markup.bcf`, text(markup(picture, clash, review, date, picturePng !== ""))]);
		files.push([`${folder}/viewpoint.bcfv`, text(viewpoint(picture, clash, eye))]);
		if (picturePng !== "") files.push([`${folder}/snapshot.png`, bytesOf(picturePng)]);
	});
	return zip(files, now);
}
