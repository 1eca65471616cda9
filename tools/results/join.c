// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/join.h"

#include "base/os.h"
#include "base/replace.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "os/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 10 }; // ranks that are missing

// Seconds after which ranks that have not begun are worth a word. Launchers start them one after the other.
static const double longest_wait = 10.0;

// ------------------------------------------------------------------------------------------------
// How the ranks stand

typedef enum standing { RANK_COMPLETE, RANK_AT_WORK, RANK_DIED, RANK_STOPPED, RANK_ABSENT, STANDING_COUNT } standing;

static standing look_at( const part *mine, const char *file, uint32_t rank, results_state *state ) {
	static fingerprint theirs;
	char path[PART_PATH_ROOM], difference[512];
	part_path( path, file, ( ranks ){ .rank = rank, .count = mine->state.ranks.count } );
	// A rank at work may also be one that is complete and about to come here: it will be the last.
	if ( part_is_at_work( path ) )
		return RANK_AT_WORK;
	if ( state_read( path, &theirs, state ) != STATE_THERE || !state_is_of( &theirs, mine->about, difference ) )
		return RANK_ABSENT;
	return state->end == END_COMPLETE ? RANK_COMPLETE : state->end == END_NONE ? RANK_DIED : RANK_STOPPED;
}

static void name_missing( const part *mine, const char *file, const char *one ) {
	const uint32_t count = mine->state.ranks.count;
	size_t named = 0;
	for ( uint32_t rank = 0; rank < count; ++rank ) {
		results_state s;
		const standing how = look_at( mine, file, rank, &s );
		if ( how == RANK_COMPLETE || ++named > MOST_NAMED )
			continue;
		if ( how == RANK_ABSENT )
			complain( "rank %" PRIu32 " of %" PRIu32 " has not begun", rank, count );
		else
			complain( "rank %" PRIu32 " of %" PRIu32 " %s after %" PRIu64 " of its %" PRIu64 " %ss", rank, count,
			          how == RANK_DIED ? "died" : "was stopped", s.finished, s.of, one );
	}
	if ( named > MOST_NAMED )
		complain( "and %zu more ranks", named - MOST_NAMED );
}

// ------------------------------------------------------------------------------------------------
// One file of many

static bool copy_record( const part *p, FILE *in, FILE *out ) {
	if ( p->form == RESULTS_NPY ) {
		char bytes[1024];
		for ( size_t left = record_size( p->record ); left > 0; ) {
			const size_t n = left < sizeof bytes ? left : sizeof bytes;
			if ( fread( bytes, 1, n, in ) != n )
				return false;
			fwrite( bytes, 1, n, out );
			left -= n;
		}
		return true;
	}
	int c;
	do {
		c = getc( in );
		if ( c == EOF )
			return false;
		putc( c, out );
	} while ( c != '\n' );
	return true;
}

static FILE *open_part( const part *p, const char *path ) {
	char header[RECORD_HEADER_ROOM];
	const size_t length = p->form == RESULTS_NPY ? record_header( p->record, 0, header ) : 0;
	FILE *in = dbvhi_os_fopen( path );
	if ( in != NULL && dbvhi_os_seek( in, (int64_t)length, SEEK_SET ) )
		return in;
	part_cannot( path, "read" );
	if ( in != NULL )
		fclose( in );
	return NULL;
}

// Case i is the next one of rank i mod count.
static bool copy_parts( const part *p, const char *file, FILE **in, size_t cases, FILE *out ) {
	const uint32_t count = p->state.ranks.count;
	char path[PART_PATH_ROOM];
	for ( uint32_t rank = 0; rank < count; ++rank ) {
		part_path( path, file, ( ranks ){ .rank = rank, .count = count } );
		in[rank] = open_part( p, path );
		if ( in[rank] == NULL )
			return false;
	}
	for ( size_t i = 0; i < cases; ++i ) {
		const uint32_t rank = (uint32_t)( i % count );
		if ( copy_record( p, in[rank], out ) )
			continue;
		part_path( path, file, ( ranks ){ .rank = rank, .count = count } );
		complain( "%s: ends before its last record", path );
		return false;
	}
	return true;
}

static bool write_whole( const part *p, const char *file, size_t cases, FILE *out ) {
	char header[RECORD_HEADER_ROOM];
	const uint32_t count = p->state.ranks.count;
	const size_t length = p->form == RESULTS_NPY ? record_header( p->record, cases, header ) : 0;
	fwrite( header, 1, length, out );
	FILE **in = calloc( count, sizeof( *in ) );
	if ( in == NULL ) {
		complain( "no memory for the files of %" PRIu32 " ranks", count );
		return false;
	}
	const bool good = copy_parts( p, file, in, cases, out );
	for ( uint32_t rank = 0; rank < count; ++rank )
		if ( in[rank] != NULL )
			fclose( in[rank] );
	free( in );
	return good;
}

static bool join_all( part *p, const char *file, size_t cases, results_state *all ) {
	dbvhi_replacement out;
	const char *what;
	os_raise_file_limit();
	if ( !dbvhi_replacement_begin( &out, file, DBVHI_REPLACE_TARGET, &what ) || !dbvhi_replacement_open_stream( &out ) )
		return part_cannot( file, "written" );
	bool good = write_whole( p, file, cases, out.stream );
	if ( good && ( fflush( out.stream ) != 0 || ferror( out.stream ) ) )
		good = part_cannot( file, "written" );
	if ( !good ) {
		dbvhi_replacement_end( &out, false, true, &what );
		return false;
	}
	all->bytes = (uint64_t)dbvhi_os_tell( out.stream );
	// Without a state the file counts for nothing: at any moment either the parts or the whole are valid.
	state_remove( file );
	return ( dbvhi_replacement_end( &out, true, true, &what ) || part_cannot( file, what ) ) &&
	       state_write( file, p->about, all );
}

static void remove_parts( const part *p, const char *file ) {
	const uint32_t count = p->state.ranks.count;
	for ( uint32_t rank = 0; rank < count; ++rank ) {
		char path[PART_PATH_ROOM];
		part_path( path, file, ( ranks ){ .rank = rank, .count = count } );
		state_remove( path );
		dbvhi_os_remove( path );
	}
}

// ------------------------------------------------------------------------------------------------
// The end of a rank

// Lock: only one rank at a time looks at how the others stand, so that one of them is the last. -1 after a sentence.
static int lock_ranks( const char *path ) {
	const int file = dbvhi_os_open( path, DBVHI_OS_READ_WRITE | DBVHI_OS_CREATE, 0666 );
	if ( file >= 0 && os_lock( file, true ) == OS_LOCKED )
		return file;
	part_cannot( path, "locked" );
	if ( file >= 0 )
		dbvhi_os_close( file );
	return -1;
}

// How all ranks stand; the sum of those that are complete.
static void look_at_all( const part *p, const char *file, size_t found[STANDING_COUNT], results_state *sum ) {
	memset( found, 0, STANDING_COUNT * sizeof *found );
	*sum = ( results_state ){ .ranks = { 0, 1 }, .end = END_COMPLETE, .tally = tally_zero() };
	for ( uint32_t rank = 0; rank < p->state.ranks.count; ++rank ) {
		results_state s;
		const standing how = look_at( p, file, rank, &s );
		++found[how];
		if ( how != RANK_COMPLETE )
			continue;
		sum->finished += s.finished;
		sum->of += s.of;
		tally_add( &sum->tally, &s.tally );
	}
}

static join_result join_locked( part *p, const char *file, const results_work *work, results_state *all ) {
	size_t found[STANDING_COUNT];
	results_state own;
	part_close( p );
	if ( look_at( p, file, p->state.ranks.rank, &own ) == RANK_ABSENT )
		return JOIN_JOINED;
	look_at_all( p, file, found, all );
	if ( found[RANK_AT_WORK] > 0 )
		return JOIN_OTHERS;
	if ( found[RANK_DIED] + found[RANK_STOPPED] > 0 )
		return JOIN_DEAD;
	if ( found[RANK_ABSENT] > 0 )
		return JOIN_ABSENT;
	if ( !join_all( p, file, work->case_count, all ) )
		return JOIN_FAILED;
	remove_parts( p, file );
	return JOIN_DONE;
}

join_result join( part *p, const results_options *o, const results_work *work, results_state *all ) {
	char path[PART_PATH_ROOM];
	snprintf( path, sizeof path, "%s.ranks", o->file );
	const double begun = progress_now();
	const bool is_launched = o->rank_text == NULL;
	for ( ;; ) {
		const int lock = lock_ranks( path );
		if ( lock < 0 )
			return JOIN_FAILED;
		const join_result result = join_locked( p, o->file, work, all );
		if ( result == JOIN_DONE || result == JOIN_JOINED )
			dbvhi_os_remove( path );
		dbvhi_os_close( lock );
		// A rank that died before may be about to resume.
		const bool is_early = is_launched && ( result == JOIN_ABSENT || ( result == JOIN_DEAD && o->resume ) );
		if ( is_early && !interrupted() && progress_now() - begun < longest_wait ) {
			dbvhi_os_sleep( 50000000 );
			continue;
		}
		if ( result == JOIN_ABSENT || result == JOIN_DEAD )
			name_missing( p, o->file, work->one );
		if ( result == JOIN_DEAD )
			complain( "%s is not whole yet; the same command with --resume goes on", o->file );
		return result;
	}
}
