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

enum { CLASH_KIND_COUNT = DBVH_CLASH_KIND_FIT + 1 };

typedef struct report_counts {
	size_t kinds[CLASH_KIND_COUNT]; // by kind, without the ignored ones
	size_t clashes;                 // sum over the kinds but fits
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

// The kinds of --report, and whether one may go to standard output, where the text is, too.
#define REPORT_KINDS( X )                                                                                              \
	X( junit, false )                                                                                                  \
	X( sarif, false ) X( json, false ) X( csv, false ) X( github, true ) X( bcf, false ) X( bcf21, false )

// report_junit() and so on. One that fails for another reason than its file leaves an errno. report_json() is the
// schema dualbvh.clashes/2.
#define DECLARE_REPORT( name, may_be_stdout ) void report_##name( const scene_report *report, FILE *file );
REPORT_KINDS( DECLARE_REPORT )
#undef DECLARE_REPORT

// "junit, sarif, ", and so on, for sentences.
#define REPORT_NAME( name, may_be_stdout ) #name ", "
#define REPORT_NAMES REPORT_KINDS( REPORT_NAME )

// "github ", and so on: those that may go to standard output.
#define REPORT_STDOUT_false( name )
#define REPORT_STDOUT_true( name ) name " "
#define REPORT_STDOUT_NAME( name, may_be_stdout ) REPORT_STDOUT_##may_be_stdout( #name )
#define REPORT_STDOUT_NAMES REPORT_KINDS( REPORT_STDOUT_NAME )

// Has a signal come since the reports were begun? They are given up then: what is written is for nobody.
bool report_is_given_up( const scene_report *report );
