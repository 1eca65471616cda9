// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/results.h"

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cli/timeout.h"
#include "results/join.h"
#include "results/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How often what is finished goes to the disk: often, but for no more than a twentieth of the time.
static const double shortest_interval = 0.02, intervals_per_flush = 20.0;

// ------------------------------------------------------------------------------------------------
// A run

static void describe( const results_options *o, const char *command, const results_work *work, fingerprint *about ) {
	const record *fields = work->record;
	*about = ( fingerprint ){ 0 };
	fingerprint_say( about, "command", "%s", command );
	fingerprint_say( about, "version", "%s", dbvh_version() );
	fingerprint_say( about, "cases", "%zu", work->case_count );
	fingerprint_say( about, "form", "%s", o->form == RESULTS_NPY ? ".npy" : ".jsonl" );
	for ( int i = 0; o->form == RESULTS_NPY && i < fields->count; ++i )
		fingerprint_say( about, "field", "%s", fields->fields[i].name );
	const size_t at = strlen( about->text ), more = strlen( work->about->text );
	about->is_cut = about->is_cut || work->about->is_cut || at + more >= sizeof about->text;
	if ( !about->is_cut )
		memcpy( about->text + at, work->about->text, more + 1 );
}

// Answers the next case, of those that are prepared where there is such a thing.
static dbvh_status do_case( part *p, const results_work *work, size_t *ready ) {
	results_state *s = &p->state;
	const size_t i = ranks_case( s->ranks, s->finished ), left = s->of - s->finished;
	if ( work->prepare != NULL && *ready == 0 ) {
		const size_t count = left < work->at_once ? left : work->at_once;
		const dbvh_status status = work->prepare( work->user, i, s->ranks.count, count, ready );
		if ( *ready == 0 )
			return status == DBVH_OK ? DBVH_CANCELLED : status;
	}
	const dbvh_status status = work->answer( work->user, i, p->form, p->file, &s->tally );
	if ( status != DBVH_OK )
		return status;
	++s->finished;
	*ready -= work->prepare != NULL;
	return DBVH_OK;
}

// Does the cases of this rank that are left. False after a sentence; what is finished by then is kept.
static bool do_cases( part *p, const results_work *work ) {
	double flushed = progress_now(), interval = shortest_interval;
	results_state *s = &p->state;
	size_t ready = 0;
	s->end = END_NONE;
	while ( s->finished < s->of && ( ready > 0 || ( !interrupted() && !timeout_expired() ) ) ) {
		progress_step( work->doing, s->finished, s->of );
		const dbvh_status status = do_case( p, work, &ready );
		if ( status == DBVH_CANCELLED )
			break;
		if ( status != DBVH_OK ) {
			part_flush( p );
			complain( "%s %zu: %s", work->one, ranks_case( s->ranks, s->finished ), dbvh_status_text( status ) );
			return false;
		}
		const double now = progress_now();
		if ( now - flushed < interval )
			continue;
		if ( !part_flush( p ) )
			return false;
		flushed = progress_now();
		interval = fmax( shortest_interval, intervals_per_flush * ( flushed - now ) );
	}
	s->end = s->finished == s->of ? END_COMPLETE : interrupted() ? END_SIGNAL : END_TIMEOUT;
	progress_end();
	return part_flush( p );
}

static int finish( const results_options *o, const results_work *work, const results_state *s ) {
	work->summary( work->user, &s->tally, s->finished );
	if ( o->exit_zero && s->end == END_COMPLETE )
		return finish_output( EXIT_CLEAR );
	const int status = work->status( work->user, &s->tally );
	return finish_output( s->end == END_TIMEOUT && status == EXIT_CLEAR ? EXIT_UNDECIDABLE : status );
}

// Finish one rank of several.
static int leave( part *p, const results_options *o, const results_work *work ) {
	results_state all;
	const join_result result = join( p, o, work, &all );
	if ( result == JOIN_DONE )
		return finish( o, work, &all );
	if ( p->state.end == END_SIGNAL )
		return EXIT_CLEAR; // not looked at: the signal ends the process
	if ( result == JOIN_DEAD || result == JOIN_FAILED )
		return EXIT_ERROR;
	// With --exit-zero only the last rank returns the status: mpirun would end the others.
	return p->state.end == END_TIMEOUT && !o->exit_zero ? EXIT_UNDECIDABLE : EXIT_CLEAR;
}

int results_run( const results_options *o, const char *command, const results_work *work ) {
	static fingerprint about;
	static part p;
	describe( o, command, work, &about );
	part_begin( &p, o, work, &about );
	results_state done;
	switch ( part_open( &p, o, &done ) ) {
	case PART_OPEN:
		break;
	case PART_ALL_DONE: // one word is enough
		return o->ranks.rank == 0 ? finish( o, work, &done ) : EXIT_CLEAR;
	default:
		return EXIT_ERROR;
	}
	interrupt_begin();
	const bool good = do_cases( &p, work );
	const bool is_shared = o->ranks.count > 1;
	const int status = !good ? EXIT_ERROR : is_shared ? leave( &p, o, work ) : finish( o, work, &p.state );
	part_close( &p );
	return good && p.state.end != END_COMPLETE ? interrupt_finish( status ) : status;
}
