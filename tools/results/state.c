// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/state.h"

#include "base/os.h"
#include "base/replace.h"
#include "text/reason.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "dualbvh results, state 1\n";
static const char separator[] = "--\n"; // between what the run is about and how far it is
static const char *const ends[] = { "no", "by a signal", "by --timeout", "complete" };
enum { STATE_ROOM = 2 * FINGERPRINT_ROOM, PATH_ROOM = 4096 };

results_tally tally_zero( void ) {
	return ( results_tally ){ .least = INFINITY };
}

void tally_least( results_tally *t, double x, uint64_t of_case ) {
	if ( x > t->least || ( x == t->least && of_case >= t->least_case ) )
		return;
	t->least = x;
	t->least_case = of_case;
}

void tally_add( results_tally *t, const results_tally *more ) {
	for ( int i = 0; i < TALLY_COUNTS; ++i )
		t->counts[i] += more->counts[i];
	if ( more->least < INFINITY )
		tally_least( t, more->least, more->least_case );
}

static bool name_of( const char *file, const char *ending, char path[PATH_ROOM] ) {
	const int length = snprintf( path, PATH_ROOM, "%s%s", file, ending );
	if ( length >= 0 && length < PATH_ROOM )
		return true;
	complain( "%.60s...: the name is too long", file );
	return false;
}

// ------------------------------------------------------------------------------------------------
// Writing

static int print( char *text, size_t room, const fingerprint *about, const results_state *s ) {
	int at = snprintf( text, room,
	                   "%s%s%srank: %" PRIu32 " of %" PRIu32 "\nfinished: %" PRIu64 " of %" PRIu64 "\nbytes: %" PRIu64
	                   "\nended: %s\nleast: %a at %" PRIu64 "\ncounts:",
	                   first_line, about->text, separator, s->ranks.rank, s->ranks.count, s->finished, s->of, s->bytes,
	                   ends[s->end], s->tally.least, s->tally.least_case );
	for ( int i = 0; i < TALLY_COUNTS; ++i )
		at += snprintf( text + at, room - (size_t)at, " %" PRIu64, s->tally.counts[i] );
	return at + snprintf( text + at, room - (size_t)at, "\n" );
}

bool state_write( const char *file, const fingerprint *about, const results_state *state ) {
	char path[PATH_ROOM], text[STATE_ROOM];
	const char *what;
	dbvhi_replacement out;
	if ( !name_of( file, ".state", path ) )
		return false;
	const int length = print( text, sizeof text, about, state );
	bool good = dbvhi_replacement_begin( &out, path, DBVHI_REPLACE_TARGET, &what );
	if ( good ) {
		const bool is_whole = dbvhi_replacement_append( &out, text, (size_t)length );
		good = dbvhi_replacement_end( &out, is_whole, true, &what );
	}
	if ( !good )
		complain( "%s: the file cannot be %s: %s", path, what, reason_of( errno ) );
	return good;
}

void state_remove( const char *file ) {
	char path[PATH_ROOM];
	if ( name_of( file, ".state", path ) )
		dbvhi_os_remove( path );
}

// ------------------------------------------------------------------------------------------------
// Reading

static bool skip( const char **at, const char *text ) {
	const size_t length = strlen( text );
	if ( strncmp( *at, text, length ) != 0 )
		return false;
	*at += length;
	return true;
}

static bool read_count( const char **at, const char *before, uint64_t *out ) {
	if ( !skip( at, before ) || **at < '0' || **at > '9' )
		return false;
	char *end;
	errno = 0;
	*out = strtoull( *at, &end, 10 );
	*at = end;
	return errno == 0;
}

static bool read_end( const char **at, results_end *out ) {
	if ( !skip( at, "\nended: " ) )
		return false;
	for ( int i = 0; i < (int)( sizeof ends / sizeof ends[0] ); ++i ) {
		if ( skip( at, ends[i] ) ) {
			*out = (results_end)i;
			return true;
		}
	}
	return false;
}

static bool parse( const char *at, fingerprint *about, results_state *s ) {
	uint64_t rank, count;
	if ( !skip( &at, first_line ) )
		return false;
	const char *progress = strstr( at, "\n--\n" );
	if ( progress == NULL || (size_t)( ++progress - at ) >= sizeof about->text )
		return false;
	*about = ( fingerprint ){ 0 };
	memcpy( about->text, at, (size_t)( progress - at ) );
	at = progress + strlen( separator );
	if ( !read_count( &at, "rank: ", &rank ) || !read_count( &at, " of ", &count ) || rank >= count ||
	     count > UINT32_MAX || !read_count( &at, "\nfinished: ", &s->finished ) || !read_count( &at, " of ", &s->of ) ||
	     s->finished > s->of || !read_count( &at, "\nbytes: ", &s->bytes ) || !read_end( &at, &s->end ) ||
	     !skip( &at, "\nleast: " ) )
		return false;
	s->ranks = ( ranks ){ .rank = (uint32_t)rank, .count = (uint32_t)count };
	char *end;
	s->tally.least = strtod( at, &end );
	at = end;
	if ( !read_count( &at, " at ", &s->tally.least_case ) || !skip( &at, "\ncounts:" ) )
		return false;
	for ( int i = 0; i < TALLY_COUNTS; ++i )
		if ( !read_count( &at, " ", &s->tally.counts[i] ) )
			return false;
	return strcmp( at, "\n" ) == 0;
}

state_found state_read( const char *file, fingerprint *about, results_state *out ) {
	char path[PATH_ROOM], text[STATE_ROOM];
	if ( !name_of( file, ".state", path ) )
		return STATE_BAD;
	FILE *in = dbvhi_os_fopen( path );
	if ( in == NULL && errno == ENOENT )
		return STATE_NONE;
	if ( in == NULL ) {
		complain( "%s: the file cannot be opened: %s", path, reason_of( errno ) );
		return STATE_BAD;
	}
	const size_t count = fread( text, 1, sizeof text - 1, in );
	fclose( in );
	text[count] = '\0';
	if ( parse( text, about, out ) )
		return STATE_THERE;
	complain( "%s: this is no state of results", path );
	return STATE_BAD;
}

bool state_is_of( const fingerprint *theirs, const fingerprint *ours, char text[512] ) {
	const char *a = theirs->text, *b = ours->text;
	if ( ours->is_cut ) {
		snprintf( text, 512, "there is too much to compare" );
		return false;
	}
	for ( ;; ) {
		const size_t n = strcspn( a, "\n" ), m = strcspn( b, "\n" );
		if ( n == m && memcmp( a, b, n ) == 0 ) {
			if ( n == 0 )
				return true;
			a += n + 1;
			b += m + 1;
			continue;
		}
		const size_t key = strcspn( b, ":" ), skipped = n > key + 2 ? key + 2 : n;
		snprintf( text, 512, "%.*s: there '%.*s', here '%.*s'", (int)( key < 40 ? key : 40 ), b,
		          (int)( n - skipped < 120 ? n - skipped : 120 ), a + skipped,
		          (int)( m < key + 2         ? 0
		                 : m - key - 2 < 120 ? m - key - 2
		                                     : 120 ),
		          b + ( m < key + 2 ? m : key + 2 ) );
		return false;
	}
}
