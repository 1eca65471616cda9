// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The content of all reports of a scene. Each writer takes the same report and a file; none opens one.

#pragma once

#include "assembly/findings.h"
#include "assembly/ignores.h"
#include "text/json.h"

typedef struct scene_report {
	const scene_findings *findings;
	const scene_ignores *ignores;
	const char *baseline; // its file; NULL: none
	const char *split;    // value of --split
	double timeout;       // 0: none
	double seconds;       // duration of the search, for formats that have a time
	int64_t now;          // seconds since 1970, for readers that want a date
	bool was_interrupted; // a signal ended the search, and reports are of what was found by then
} scene_report;

enum { REPORT_KIND_COUNT = DBVH_CLASH_KIND_UNDECIDABLE + 1 };

typedef struct report_counts {
	size_t kinds[REPORT_KIND_COUNT]; // by kind, without the ignored ones
	size_t clashes;                  // sum over the kinds
	size_t ignored;
	size_t standings[SCENE_STANDING_COUNT]; // against the baseline
	size_t failing;                         // certain clashes that count for the exit status
	size_t open;                            // undecidable ones that count
} report_counts;

report_counts report_count( const scene_findings *findings );

// "2 hard, 1 touch"; "none" where all are 0. The caller frees it.
char *report_kinds_text( const report_counts *counts );

// A text from a file, without what a terminal would obey.
void report_put( FILE *file, const char *text );

// Prints notes for people: rules and ignores that match nothing, and the notes of readers.
void report_notes( const scene_model *model, const scene_ignores *ignores, FILE *file );

void report_text( const scene_report *report, FILE *file );
// The first `count` of the worst clashes in `width` columns, where report_text() writes to a terminal.
void report_table( const scene_report *report, size_t count, size_t width, FILE *file );
void report_json( const scene_report *report, FILE *file ); // schema dualbvh.clashes/1
void report_junit( const scene_report *report, FILE *file );
void report_sarif( const scene_report *report, FILE *file );
void report_csv( const scene_report *report, FILE *file );
void report_github( const scene_report *report, FILE *file );

bool report_bcf( const scene_report *report, FILE *file ); // false where there is no memory

// Has a signal come since the reports were begun? They are given up then: what is written is for nobody.
bool report_is_given_up( const scene_report *report );
