// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses and motions.

import { ARGUMENTS, call, check, floats, room } from "./module.js";
import { DualBvhError } from "./errors.js";

/**
 * The placement of a mesh: sixteen numbers, column-major, as three's Matrix4 and glTF have them; nothing is the identity.
 * The matrix must be a rotation and a translation, to within 2e-6: scale belongs into the vertices.
 */
export type Pose = ArrayLike<number> | { readonly elements: ArrayLike<number> } | null | undefined;

/** Many poses: sixteen numbers each in one array, or a list of poses. */
export type Poses = Float64Array | Float32Array | readonly Pose[];

const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function numbersOf(pose: Pose): ArrayLike<number> {
	if (pose === null || pose === undefined) return IDENTITY;
	const numbers = "elements" in pose ? pose.elements : pose;
	if (numbers.length !== 16) throw new DualBvhError(`a pose has 16 numbers, not ${numbers.length}`, "INVALID_ARGUMENT");
	return numbers;
}

/** Returns the number of poses. */
export function poseCount(poses: Poses): number {
	if (Array.isArray(poses)) return poses.length;
	if (poses.length % 16 !== 0)
		throw new DualBvhError(`poses have 16 numbers each, and ${poses.length} is no multiple of it`, "INVALID_ARGUMENT");
	return poses.length / 16;
}

/** Writes one pose; a loop is faster than set() for so few numbers. @internal */
export function writePose(out: Float64Array, at: number, pose: Pose): void {
	const numbers = numbersOf(pose);
	for (let i = 0; i < 16; ++i) out[at + i] = numbers[i]!;
}

/** Writes the poses into the module's memory. @internal */
export function writePoses(out: Float64Array, poses: Poses): void {
	if (!Array.isArray(poses)) out.set(poses as Float64Array);
	else poses.forEach((pose, i) => out.set(numbersOf(pose), 16 * i));
}

/** Writes poses, the first perhaps the pose of A; returns the addresses of both. @internal */
export function sendPoses(poseA: Pose, poses: Poses): [a: number, b: number, count: number] {
	const count = poseCount(poses);
	const at = room(ARGUMENTS, 128 * (count + 1));
	const numbers = floats(at, 16 * (count + 1));
	const isPlaced = poseA !== null && poseA !== undefined;
	if (isPlaced) numbers.set(numbersOf(poseA));
	writePoses(numbers.subarray(16), poses);
	return [isPlaced ? at : 0, at + 128, count];
}

/** Writes one pose; returns its address, 0 for none. @internal */
export function sendPose(pose: Pose, more = 0): [pose: number, behind: number] {
	const at = room(ARGUMENTS, 128 + more);
	if (pose === null || pose === undefined) return [0, at + 128];
	floats(at, 16).set(numbersOf(pose));
	return [at, at + 128];
}

/** Returns the pose with the nearest rotation, for matrices that are a little off, or scaled evenly. */
export function orthonormalise(pose: Pose): Float64Array {
	const [at] = sendPose(pose ?? IDENTITY);
	check(call("web_orthonormalise", at));
	return floats(at, 16).slice();
}

/** A pose for every time from 0 to 1: a translation, or a turn while the centre goes straight on. */
export class Motion {
	private constructor(
		/** @internal */
		readonly numbers: Float64Array,
	) {}

	/** @internal */
	static readonly LENGTH = 22;

	/**
	 * From one pose to another by a turn of at most half a circle. `centre`, in the frame of the mesh, moves along a
	 * straight line; without it the motion is a screw.
	 */
	static between(from: Pose, to: Pose, centre?: ArrayLike<number>): Motion {
		const at = room(ARGUMENTS, 8 * (16 + 16 + 3 + Motion.LENGTH));
		const numbers = floats(at, 35);
		numbers.set(numbersOf(from));
		numbers.set(numbersOf(to), 16);
		if (centre) numbers.set(centre, 32);
		check(call("web_motion_between", at, at + 128, centre ? at + 256 : 0, at + 280));
		return new Motion(floats(at + 280, Motion.LENGTH).slice());
	}

	/** From a pose by a shift along a straight line. */
	static translation(from: Pose, shift: ArrayLike<number>): Motion {
		const at = room(ARGUMENTS, 8 * (16 + 3 + Motion.LENGTH));
		floats(at, 16).set(numbersOf(from));
		floats(at + 128, 3).set(shift);
		call("web_motion_translation", at, at + 128, at + 152);
		return new Motion(floats(at + 152, Motion.LENGTH).slice());
	}

	/** The pose at a time, column-major. */
	pose(time: number): Float64Array {
		const at = room(ARGUMENTS, 8 * (Motion.LENGTH + 16));
		floats(at, Motion.LENGTH).set(this.numbers);
		call("web_motion_pose", at, time, at + 8 * Motion.LENGTH);
		return floats(at + 8 * Motion.LENGTH, 16).slice();
	}

	/** @internal */
	static fromNumbers(numbers: Float64Array): Motion {
		return new Motion(numbers);
	}
}
