// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/options.h"

#include <string.h>

static bool ends_in( const char *file, const char *ending ) {
	const size_t n = strlen( file ), m = strlen( ending );
	return n > m && strcmp( file + n - m, ending ) == 0;
}

static int refuse_ranks( const ranks *r, const char *command ) {
	return args_refuse(
	    command, "this is rank %u of %u, and ranks share a run only with --output FILE; --rank 0/1 lets each do all",
	    r->rank, r->count );
}

static int check_inputs( const results_options *o, const char *command, const char *const *inputs, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( inputs[i] == NULL )
			continue;
		if ( o->ranks.count > 1 && strcmp( inputs[i], "-" ) == 0 )
			return args_refuse( command, "standard input reaches one rank only; the others need a file" );
	}
	return args_spare_inputs( command, o->file, inputs, count );
}

int results_check_options( results_options *o, const char *command, const char *const *inputs, size_t input_count ) {
	if ( o->file == NULL && ( o->resume || o->exit_zero ) )
		return args_refuse( command, "--%s needs --output", o->resume ? "resume" : "exit-zero" );
	if ( !ranks_find( o->rank_text, command, &o->ranks ) )
		return EXIT_ERROR;
	if ( o->file == NULL )
		return o->ranks.count > 1 ? refuse_ranks( &o->ranks, command ) : ARGS_GO_ON;
	if ( strlen( o->file ) > PART_PATH_ROOM - 64 )
		return args_refuse( command, "the name for --output is too long" );
	if ( ends_in( o->file, ".npy" ) )
		o->form = RESULTS_NPY;
	else if ( ends_in( o->file, ".jsonl" ) )
		o->form = RESULTS_JSON_LINES;
	else
		return args_refuse( command, "'%s' is no value for --output, which takes a name that ends in .npy or .jsonl",
		                    o->file );
	return check_inputs( o, command, inputs, input_count );
}
