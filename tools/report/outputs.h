// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --report: which reports go where.

#pragma once

#include "cli/args.h"
#include "report/report.h"

typedef struct report_output {
	int kind;         // a row of the table in outputs.c
	const char *file; // "-": standard output
	char *text;       // memory that `file` points into
} report_output;

typedef struct report_outputs {
	report_output *list;
	size_t count;
	bool is_given_up; // a signal came while they were written
} report_outputs;

// Reads "kind=file", several with commas between them. ARGS_GO_ON, or the exit status after a sentence. Only github may
// go to standard output, where the text is, too.
int report_outputs_parse( const arg_texts *texts, report_outputs *outputs_out );
void report_outputs_free( report_outputs *outputs );

// Writes all, each under another name first, so that nobody sees half a file. False after a sentence for each that
// cannot be written. A signal gives up the one that is being written, after a sentence, and all behind it.
bool report_outputs_write( report_outputs *outputs, const scene_report *report );
