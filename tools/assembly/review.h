// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The review file: every clash that was ever found, with what people decided about it, as paragraphs of "key: value"
// lines, sorted, so that changes of several people merge. docs/command.md is its manual.

#pragma once

#include "assembly/standing.h"

#include <stdio.h>

// Reads a review file into an earlier run that is all zero, to be freed in any case. `error` may not be NULL. Errors:
// MALFORMED with a line, OUT_OF_MEMORY.
dbvh_status scene_review_read( scene_earlier *review_out, const unsigned char *bytes, size_t count, dbvh_error *error );

// Makes the review after scene_stand() of the findings against `before`: what is new is added, what is not as it was
// gets its measures anew, and what is absent becomes resolved or gone. A second run of the same model changes nothing.
// `after_out` is all zero, and to be freed in any case. False where there is no memory.
bool scene_review_next( const scene_findings *findings, scene_earlier *before, scene_earlier *after_out );

// Adds a comment to a review. False where there is no memory.
bool scene_review_comment( earlier_review *review, const char *text );

// Notes a comment that came by BCF. False where there is no memory.
bool scene_review_see( earlier_review *review, uint64_t hash );

// Dates each status and assignee that people have written into the file since the last run by this one, in seconds
// since 1970, but a second after the words before them at least. False where there is no memory.
bool scene_review_date( scene_earlier *review, int64_t now );
// Dates the status and assignee of a clash. False where there is no memory.
bool scene_review_edited( earlier_review *review, int64_t when );

// Writes a review file; sorts the bodies and clashes of `review` that it lists, not the review. False where there is no
// memory; errors of the file are the caller's to find.
bool scene_review_write( const scene_earlier *review, FILE *file );
