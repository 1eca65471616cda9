// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file interval.h
/// A number that is known within bounds.

#ifndef DUALBVH_INTERVAL_H
#define DUALBVH_INTERVAL_H

/// Certified bounds of a number: lower <= truth <= upper, in real arithmetic.
typedef struct dbvh_interval {
	double lower, upper;
} dbvh_interval;

#endif // DUALBVH_INTERVAL_H
