// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/parts.h"

#include "base/os.h"
#include "cli/complain.h"
#include "os/os.h"
#include "text/reason.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool part_cannot( const char *path, const char *what ) {
	complain( "%s: the file cannot be %s: %s", path, what, reason_of( errno ) );
	return false;
}

void part_path( char path[PART_PATH_ROOM], const char *file, ranks r ) {
	if ( r.count == 1 )
		snprintf( path, PART_PATH_ROOM, "%s", file );
	else
		snprintf( path, PART_PATH_ROOM, "%s.rank-%" PRIu32 "-of-%" PRIu32, file, r.rank, r.count );
}

// ------------------------------------------------------------------------------------------------
// Locks: of whole files, for writers, released by the system when their process ends or closes the file

bool part_is_at_work( const char *path ) {
	const int file = dbvhi_os_open( path, DBVHI_OS_READ_WRITE, 0 );
	const bool at_work = file >= 0 && os_is_locked( file );
	if ( file >= 0 )
		dbvhi_os_close( file );
	return at_work;
}

// False after a sentence.
static bool lock_own( FILE *file, const char *path ) {
	const os_locked locked = os_lock( os_file_of( file ), false );
	if ( locked == OS_LOCKED )
		return true;
	if ( locked == OS_HELD ) {
		complain( "%s: another process is writing it", path );
		return false;
	}
	return part_cannot( path, "locked" );
}

// ------------------------------------------------------------------------------------------------
// One part

void part_begin( part *p, const results_options *o, const results_work *work, const fingerprint *about ) {
	*p = ( part ){ .form = o->form, .record = work->record, .about = about };
	part_path( p->path, o->file, o->ranks );
	p->state = ( results_state ){
	    .ranks = o->ranks, .of = ranks_case_count( o->ranks, work->case_count ), .tally = tally_zero() };
}

void part_close( part *p ) {
	if ( p->file != NULL )
		fclose( p->file );
	p->file = NULL;
}

// A .npy file is one at any time: its header says how many records are on disk.
static bool write_header( part *p ) {
	if ( p->form != RESULTS_NPY )
		return true;
	char header[RECORD_HEADER_ROOM];
	const size_t length = record_header( p->record, p->state.finished, header );
	return length > 0 && os_write_at( os_file_of( p->file ), 0, header, length );
}

bool part_flush( part *p ) {
	if ( fflush( p->file ) != 0 || ferror( p->file ) || !write_header( p ) || !dbvhi_os_sync( os_file_of( p->file ) ) )
		return part_cannot( p->path, "written" );
	p->state.bytes = (uint64_t)dbvhi_os_tell( p->file );
	return state_write( p->path, p->about, &p->state );
}

static bool start( part *p ) {
	char header[RECORD_HEADER_ROOM];
	const size_t length = p->form == RESULTS_NPY ? record_header( p->record, 0, header ) : 0;
	// The state of an older run must not be taken for that of this one, whatever happens between these lines.
	if ( !state_write( p->path, p->about, &p->state ) )
		return false;
	if ( !os_truncate( os_file_of( p->file ), 0 ) || fwrite( header, 1, length, p->file ) != length )
		return part_cannot( p->path, "written" );
	return part_flush( p );
}

static bool resume( part *p, const results_state *state ) {
	dbvhi_os_facts now;
	p->state = *state;
	if ( state->bytes == 0 ) { // ended before its header was on disk
		p->state.finished = 0;
		p->state.tally = tally_zero();
		return start( p );
	}
	if ( !dbvhi_os_facts_of_open( os_file_of( p->file ), &now ) )
		return part_cannot( p->path, "read" );
	if ( now.size < state->bytes ) {
		complain( "%s: shorter than %s.state says; it was changed since", p->path, p->path );
		return false;
	}
	// Behind what is surely finished there may be a piece of a record.
	if ( !os_truncate( os_file_of( p->file ), state->bytes ) ||
	     !dbvhi_os_seek( p->file, (int64_t)state->bytes, SEEK_SET ) )
		return part_cannot( p->path, "written" );
	return true;
}

// Is `their` state of this run? False after a sentence.
static bool is_ours( const part *p, const char *path, const fingerprint *theirs ) {
	char difference[512];
	if ( state_is_of( theirs, p->about, difference ) )
		return true;
	complain( "%s is of another run, which --resume does not go on with; %s", path, difference );
	return false;
}

static bool has_content( const char *path ) {
	dbvhi_os_facts now;
	return dbvhi_os_facts_of( path, true, &now ) && now.size > 0;
}

// Goes on, or begins, by what is there already. False after a sentence.
static bool go_on( part *p, const results_options *o ) {
	static fingerprint theirs;
	results_state state;
	const state_found found = state_read( p->path, &theirs, &state );
	if ( found == STATE_BAD )
		return false;
	if ( found == STATE_NONE && o->resume && has_content( p->path ) ) {
		complain( "%s: there is no %s.state, which --resume needs", p->path, p->path );
		return false;
	}
	const bool is_whole = found == STATE_THERE && state.end == END_COMPLETE && o->ranks.count == 1;
	if ( found == STATE_NONE || ( !o->resume && ( is_whole || state.finished == 0 ) ) )
		return start( p );
	if ( !o->resume ) {
		complain( "%s: there are %" PRIu64 " of %" PRIu64 " results of a run that was not finished; --resume goes on, "
		          "and removing the file and %s.state begins anew",
		          p->path, state.finished, state.of, p->path );
		return false;
	}
	return is_ours( p, p->path, &theirs ) && resume( p, &state );
}

// Is the file there that all ranks make? PART_OPEN: no.
static part_opened find_whole( const part *p, const results_options *o, results_state *done ) {
	static fingerprint theirs;
	const state_found found = o->ranks.count > 1 ? state_read( o->file, &theirs, done ) : STATE_NONE;
	if ( found == STATE_NONE || ( found == STATE_THERE && done->end == END_COMPLETE && !o->resume ) )
		return PART_OPEN;
	if ( found == STATE_BAD || !is_ours( p, o->file, &theirs ) )
		return PART_FAILED;
	if ( done->end == END_COMPLETE )
		return PART_ALL_DONE;
	complain( "%s: one process began this run, and one alone can go on with it", o->file );
	return PART_FAILED;
}

typedef struct share {
	const char *name; // the file of all ranks
	uint32_t rank, mine, count;
} share;

// Goes on until a share of another number of ranks is found.
static bool look_for_share( void *user, const char *entry ) {
	share *s = user;
	const size_t length = strlen( s->name );
	uint32_t found;
	int end = 0;
	if ( strncmp( entry, s->name, length ) == 0 &&
	     sscanf( entry + length, ".rank-%" SCNu32 "-of-%" SCNu32 "%n", &s->rank, &found, &end ) == 2 &&
	     entry[length + (size_t)end] == '\0' )
		s->count = found;
	return s->count == s->mine;
}

// Shares that another number of ranks has left are results, too. False after a sentence about one.
static bool no_other_shares( const results_options *o ) {
	char folder[PART_PATH_ROOM] = ".";
	const char *slash = dbvhi_os_last_separator( o->file ), *name = slash != NULL ? slash + 1 : o->file;
	if ( slash != NULL )
		snprintf( folder, sizeof folder, "%.*s", (int)( slash - o->file + 1 ), o->file );
	share other = { .name = name, .mine = o->ranks.count, .count = o->ranks.count };
	// A folder that cannot be read is refused when the file in it is made.
	if ( !os_list( folder, look_for_share, &other ) || other.count == other.mine )
		return true;
	complain( "%s.rank-%" PRIu32 "-of-%" PRIu32 " is a share of a run that was not finished; %" PRIu32
	          " ranks can go on with it, and removing the shares begins anew",
	          o->file, other.rank, other.count, other.count );
	return false;
}

part_opened part_open( part *p, const results_options *o, results_state *done ) {
	const part_opened found = find_whole( p, o, done );
	if ( found == PART_ALL_DONE ) { // the process that joined the parts did not get to removing this one
		dbvhi_os_remove( p->path );
		state_remove( p->path );
	}
	if ( found != PART_OPEN )
		return found;
	if ( !no_other_shares( o ) )
		return PART_FAILED;
	// Created if it is not there, but not cut before it is known to be nobody's.
	const int file = dbvhi_os_open( p->path, DBVHI_OS_READ_WRITE | DBVHI_OS_CREATE, 0666 );
	p->file = file >= 0 ? dbvhi_os_stream_of( file, "r+b" ) : NULL;
	if ( p->file == NULL ) {
		part_cannot( p->path, "written" );
		if ( file >= 0 )
			dbvhi_os_close( file );
		return PART_FAILED;
	}
	if ( lock_own( p->file, p->path ) && go_on( p, o ) )
		return PART_OPEN;
	part_close( p );
	return PART_FAILED;
}
