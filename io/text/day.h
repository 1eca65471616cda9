// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Days and times of the calendar as ISO 8601 writes them, in UTC.

#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SCENE_TIME_ROOM = 21 };

// "2026-12-31": is it a day of the calendar?
bool scene_day_is_valid( const char *text );
// The day of a time in seconds since 1970.
void scene_day_print( int64_t seconds, char text[11] );

// Read "2026-12-31T23:59:59Z": a fraction of the second is left out, the offset from UTC may be "+01:00", and none is
// UTC. False: it is something else.
bool scene_time_read( const char *text, int64_t *seconds_out );
// Print a time as "2026-12-31T23:59:59Z". Returns `text`.
const char *scene_time_print( int64_t seconds, char text[SCENE_TIME_ROOM] );
