// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Depths and volumes for people: a certified interval as a number of few digits, in the unit of the files.

#pragma once

#include "dualbvh/interval.h"

enum { MEASURE_ROOM = 96 };

// The number that stands for an interval wherever people read it and lists are sorted: the middle of one that is
// narrow, within a hundredth of its upper end, else the upper end.
double measure_value( dbvh_interval x );

// "0.3 mm", "0.28 to 0.31 mm", "at most 5"; the unit is "mm" to the power of `power` (1 or 3), for 0.001 metres, and
// none where the unit is not known. Returns `text`.
const char *measure_text( dbvh_interval x, double metres, int power, char text[MEASURE_ROOM] );

// "mm", "cm", "m", "in" and the like, "" where no unit of this length has a name here.
const char *measure_unit( double metres );
