// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/parts.h"

#include "cli/complain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool part_cannot( const char *path, const char *what ) {
	complain( "%s: cannot be %s: %s", path, what, strerror( errno ) );
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

static struct flock whole( void ) {
	return ( struct flock ){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

bool part_is_at_work( const char *path ) {
	struct flock lock = whole();
	const int file = open( path, O_RDWR );
	const bool at_work = file >= 0 && fcntl( file, F_GETLK, &lock ) == 0 && lock.l_type != F_UNLCK;
	if ( file >= 0 )
		close( file );
	return at_work;
}

// False after a sentence.
static bool lock_own( FILE *file, const char *path ) {
	struct flock lock = whole();
	if ( fcntl( fileno( file ), F_SETLK, &lock ) == 0 )
		return true;
	if ( errno == EACCES || errno == EAGAIN ) {
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
	return length > 0 && pwrite( fileno( p->file ), header, length, 0 ) == (ssize_t)length;
}

bool part_flush( part *p ) {
	if ( fflush( p->file ) != 0 || ferror( p->file ) || !write_header( p ) || fdatasync( fileno( p->file ) ) != 0 )
		return part_cannot( p->path, "written" );
	p->state.bytes = (uint64_t)ftello( p->file );
	return state_write( p->path, p->about, &p->state );
}

static bool start( part *p ) {
	char header[RECORD_HEADER_ROOM];
	const size_t length = p->form == RESULTS_NPY ? record_header( p->record, 0, header ) : 0;
	// The state of an older run must not be taken for that of this one, whatever happens between these lines.
	if ( !state_write( p->path, p->about, &p->state ) )
		return false;
	if ( ftruncate( fileno( p->file ), 0 ) != 0 || fwrite( header, 1, length, p->file ) != length )
		return part_cannot( p->path, "written" );
	return part_flush( p );
}

static bool resume( part *p, const results_state *state ) {
	struct stat now;
	p->state = *state;
	if ( state->bytes == 0 ) { // ended before its header was on disk
		p->state.finished = 0;
		p->state.tally = tally_zero();
		return start( p );
	}
	if ( fstat( fileno( p->file ), &now ) != 0 )
		return part_cannot( p->path, "read" );
	if ( (uint64_t)now.st_size < state->bytes ) {
		complain( "%s: shorter than %s.state says; it was changed since", p->path, p->path );
		return false;
	}
	// Behind what is surely finished there may be a piece of a record.
	if ( ftruncate( fileno( p->file ), (off_t)state->bytes ) != 0 ||
	     fseeko( p->file, (off_t)state->bytes, SEEK_SET ) != 0 )
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
	struct stat now;
	return stat( path, &now ) == 0 && now.st_size > 0;
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

// Shares that another number of ranks has left are results, too. False after a sentence about one.
static bool no_other_shares( const results_options *o ) {
	char folder[PART_PATH_ROOM] = ".";
	const char *slash = strrchr( o->file, '/' ), *name = slash != NULL ? slash + 1 : o->file;
	if ( slash != NULL )
		snprintf( folder, sizeof folder, "%.*s", (int)( slash - o->file + 1 ), o->file );
	DIR *list = opendir( folder );
	if ( list == NULL )
		return true; // the file in it cannot be made, either
	const size_t length = strlen( name );
	uint32_t rank, count = o->ranks.count;
	for ( const struct dirent *entry; count == o->ranks.count && ( entry = readdir( list ) ) != NULL; ) {
		int end = 0;
		uint32_t found;
		if ( strncmp( entry->d_name, name, length ) == 0 &&
		     sscanf( entry->d_name + length, ".rank-%" SCNu32 "-of-%" SCNu32 "%n", &rank, &found, &end ) == 2 &&
		     entry->d_name[length + (size_t)end] == '\0' )
			count = found;
	}
	closedir( list );
	if ( count == o->ranks.count )
		return true;
	complain( "%s.rank-%" PRIu32 "-of-%" PRIu32 " is a share of a run that was not finished; %" PRIu32
	          " ranks can go on with it, and removing the shares begins anew",
	          o->file, rank, count, count );
	return false;
}

part_opened part_open( part *p, const results_options *o, results_state *done ) {
	const part_opened found = find_whole( p, o, done );
	if ( found == PART_ALL_DONE ) { // the process that joined the parts did not get to removing this one
		remove( p->path );
		state_remove( p->path );
	}
	if ( found != PART_OPEN )
		return found;
	if ( !no_other_shares( o ) )
		return PART_FAILED;
	// Created if it is not there, but not cut before it is known to be nobody's.
	const int file = open( p->path, O_RDWR | O_CREAT, 0666 );
	p->file = file >= 0 ? fdopen( file, "r+b" ) : NULL;
	if ( p->file == NULL ) {
		part_cannot( p->path, "written" );
		if ( file >= 0 )
			close( file );
		return PART_FAILED;
	}
	if ( lock_own( p->file, p->path ) && go_on( p, o ) )
		return PART_OPEN;
	part_close( p );
	return PART_FAILED;
}
