// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ZIP archive of files as they are, without packing.

const table = Uint32Array.from({ length: 256 }, (_, i) => {
	let x = i;
	for (let k = 0; k < 8; ++k) x = x & 1 ? (x >>> 1) ^ 0xedb88320 : x >>> 1;
	return x;
});

function crcOf(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
	return ~crc >>> 0;
}

// Numbers of two or four bytes, the lowest first.
function numbers(...list: [bytes: number, value: number][]): Uint8Array<ArrayBuffer> {
	const made: number[] = [];
	for (const [bytes, value] of list) for (let k = 0; k < bytes; ++k) made.push((value >>> (8 * k)) & 255);
	return Uint8Array.from(made);
}

export function zip(files: [name: string, content: Uint8Array<ArrayBuffer>][], now: Date): Blob {
	const day = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
	const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
	const parts: Uint8Array<ArrayBuffer>[] = [];
	const directory: Uint8Array<ArrayBuffer>[] = [];
	const sizeOf = (list: Uint8Array[]): number => list.reduce((sum, part) => sum + part.length, 0);
	let at = 0;
	for (const [text, content] of files) {
		const name = new TextEncoder().encode(text);
		// Version 2.0; names are UTF-8; stored.
		const head = numbers([2, 20], [2, 0x800], [2, 0], [2, time], [2, day], [4, crcOf(content)], [4, content.length], [4, content.length], [2, name.length], [2, 0]);
		parts.push(numbers([4, 0x04034b50]), head, name, content);
		directory.push(numbers([4, 0x02014b50], [2, 20]), head, numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, at]), name);
		at += 4 + head.length + name.length + content.length;
	}
	const count = files.length;
	const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, sizeOf(directory)], [4, at], [2, 0]);
	return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
