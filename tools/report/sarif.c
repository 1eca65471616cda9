// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// SARIF 2.1.0 (OASIS 2020) as GitHub's code scanning reads it: every result has a place in a file, or the whole upload
// fails, and of more than 25,000 results none is read.

#include "assembly/sentences.h"
#include "base/os.h"
#include "report/report.h"
#include "text/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 25000 };

static const struct {
	const char *id, *name, *level, *what, *help;
} kinds[DBVH_CLASH_KIND_FIT] = {
    // a fit is no result
    { "clash-hard", "HardClash", "error", "Two bodies overlap.",
      "Move one of the bodies, change its shape, or allow the two to meet where the overlap is meant." },
    { "clash-containment", "Containment", "error", "One body is inside another one.",
      "Take one of the bodies away, hollow the outer one, or allow the two to meet." },
    { "clash-duplicate", "Duplicate", "error", "The same body is there twice.", "Remove one of the two." },
    { "clash-touch", "Touch", "warning", "Two bodies touch.",
      "Move them apart, or allow touching for the two where they are meant to." },
    { "clash-clearance", "Clearance", "warning", "Two bodies are nearer to each other than their clearance.",
      "Move them apart, or ask for less clearance between the two." },
    { "clash-undecidable", "Undecidable", "note", "Whether two bodies overlap cannot be told.",
      "Close the surface that is open: it encloses nothing, and the other body may be in it." },
};

static void put_message( json *j, const char *key, const char *text ) {
	json_key( j, key );
	json_open( j, '{' );
	json_put_string( j, "text", text );
	json_close( j, '}' );
}

static void put_driver( json *j ) {
	json_key( j, "tool" );
	json_open( j, '{' );
	json_key( j, "driver" );
	json_open( j, '{' );
	json_put_string( j, "name", "dualbvh" );
	json_put_string( j, "version", dbvh_version() );
	json_put_string( j, "semanticVersion", dbvh_version() );
	json_put_string( j, "informationUri", DUALBVH_HOMEPAGE );
	json_key( j, "rules" );
	json_open( j, '[' );
	for ( int i = 0; i < DBVH_CLASH_KIND_FIT; ++i ) {
		json_open( j, '{' );
		json_put_string( j, "id", kinds[i].id );
		json_put_string( j, "name", kinds[i].name );
		put_message( j, "shortDescription", kinds[i].what );
		put_message( j, "fullDescription", kinds[i].what );
		put_message( j, "help", kinds[i].help );
		json_key( j, "defaultConfiguration" );
		json_open( j, '{' );
		json_put_string( j, "level", kinds[i].level );
		json_close( j, '}' );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
	json_close( j, '}' );
	json_close( j, '}' );
}

// A path as a URI (RFC 3986): relative ones stay so, which is what GitHub asks for. The caller frees it.
static char *uri_of( const char *path ) {
	while ( path[0] == '.' && dbvhi_os_is_separator( path[1] ) )
		path += 2;
	char *uri = malloc( 3 * strlen( path ) + 9 ), *to = uri;
	if ( uri == NULL )
		return NULL;
	if ( dbvhi_os_is_absolute( path ) )
		to += snprintf( to, 9, "file://%s", dbvhi_os_is_separator( *path ) ? "" : "/" );
	for ( ; *path != '\0'; ++path ) {
		const unsigned char c = (unsigned char)*path;
		if ( dbvhi_os_is_separator( *path ) )
			*to++ = '/';
		else if ( isalnum( c ) || strchr( "-._~", c ) != NULL )
			*to++ = (char)c;
		else
			to += snprintf( to, 4, "%%%02X", (unsigned)c );
	}
	*to = '\0';
	return uri;
}

static void put_location( json *j, const scene_findings *f, uint32_t body, int64_t id ) {
	char *uri = uri_of( scene_file_of( f, body ) );
	json_open( j, '{' );
	if ( id >= 0 )
		json_put_count( j, "id", (uint64_t)id );
	json_key( j, "physicalLocation" );
	json_open( j, '{' );
	json_key( j, "artifactLocation" );
	json_open( j, '{' );
	json_put_string( j, "uri", uri != NULL ? uri : "" );
	json_close( j, '}' );
	json_key( j, "region" );
	json_open( j, '{' );
	json_put_count( j, "startLine", 1 );
	json_close( j, '}' );
	json_close( j, '}' );
	json_key( j, "logicalLocations" );
	json_open( j, '[' );
	json_open( j, '{' );
	json_put_string( j, "fullyQualifiedName", scene_path( f, body ) );
	json_put_string( j, "kind", "object" );
	json_close( j, '}' );
	json_close( j, ']' );
	json_close( j, '}' );
	free( uri );
}

static void put_suppression( json *j, const char *reason ) {
	json_key( j, "suppressions" );
	json_open( j, '[' );
	if ( reason != NULL ) {
		json_open( j, '{' );
		json_put_string( j, "kind", "external" );
		json_put_string( j, "status", "accepted" );
		json_put_string( j, "justification", reason );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

// The level that the severity asks for; that of the kind where no rule says more.
static const char *level_of( const scene_clash *c ) {
	static const char *const levels[SCENE_SEVERITY_COUNT] = { "note", "warning", NULL, "error" };
	const char *level = levels[scene_severity_of( c )];
	return level != NULL && c->kind != DBVH_CLASH_KIND_FIT ? level : kinds[c->kind].level;
}

static void put_result( json *j, const scene_report *report, const scene_clash *c ) {
	const scene_findings *f = report->findings;
	char *sentence = scene_clash_sentence( f, c ), id[SCENE_HASH_ROOM];
	json_open( j, '{' );
	json_put_string( j, "ruleId", kinds[c->kind].id );
	json_put_count( j, "ruleIndex", (uint64_t)c->kind );
	json_put_string( j, "level", level_of( c ) );
	put_message( j, "message", sentence != NULL ? sentence : kinds[c->kind].what );
	json_key( j, "locations" );
	json_open( j, '[' );
	put_location( j, f, c->a, -1 );
	json_close( j, ']' );
	json_key( j, "relatedLocations" );
	json_open( j, '[' );
	put_location( j, f, c->b, 1 );
	json_close( j, ']' );
	json_key( j, "partialFingerprints" );
	json_open( j, '{' );
	json_put_string( j, "primaryLocationLineHash", scene_hash_print( c->id, id ) );
	json_close( j, '}' );
	if ( c->standing != SCENE_NOT_COMPARED )
		json_put_string( j, "baselineState",
		                 scene_is_known( c )        ? "unchanged"
		                 : c->standing == SCENE_NEW ? "new"
		                                            : "updated" );
	if ( report->ignores->count > 0 )
		put_suppression( j, c->ignored_by != SCENE_NONE ? report->ignores->entries[c->ignored_by].reason : NULL );
	json_key( j, "properties" );
	json_open( j, '{' );
	json_put_reals( j, "point", c->point, 3 );
	json_put_string( j, "relation", scene_relation_word( c->relation ) );
	json_close( j, '}' );
	json_close( j, '}' );
	json_break( j );
	free( sentence );
}

static void put_notification( json *j, const char *level, const char *text ) {
	json_open( j, '{' );
	json_put_string( j, "level", level );
	put_message( j, "message", text );
	json_close( j, '}' );
}

static void put_invocation( json *j, const scene_findings *f, size_t left_out ) {
	char text[160];
	json_key( j, "invocations" );
	json_open( j, '[' );
	json_open( j, '{' );
	json_put_bool( j, "executionSuccessful", f->is_finished );
	json_key( j, "toolExecutionNotifications" );
	json_open( j, '[' );
	if ( !f->is_finished ) {
		snprintf( text, sizeof text, "The run was ended early: %zu of %zu pairs of bodies were looked at.",
		          f->done_count, f->pair_count );
		put_notification( j, "error", text );
	}
	if ( left_out > 0 ) {
		snprintf( text, sizeof text, "%zu clashes are left out, the least bad ones: no more than %d are read.",
		          left_out, MOST_RESULTS );
		put_notification( j, "warning", text );
	}
	json_close( j, ']' );
	json_close( j, '}' );
	json_close( j, ']' );
}

static size_t count_fits( const scene_findings *f ) {
	size_t count = 0;
	for ( size_t i = 0; i < f->clash_count; ++i )
		count += f->clashes[i].kind == DBVH_CLASH_KIND_FIT;
	return count;
}

void report_sarif( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	size_t left = MOST_RESULTS;
	json j = { .file = file };
	json_open( &j, '{' );
	json_put_string( &j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json" );
	json_put_string( &j, "version", "2.1.0" );
	json_key( &j, "runs" );
	json_open( &j, '[' );
	json_open( &j, '{' );
	put_driver( &j );
	const size_t results = f->clash_count - count_fits( f );
	put_invocation( &j, f, results > left ? results - left : 0 );
	json_put_string( &j, "columnKind", "unicodeCodePoints" );
	json_key( &j, "results" );
	json_open( &j, '[' );
	json_break( &j );
	for ( size_t i = 0; i < f->worst_count && left > 0 && !report_is_given_up( report ); ++i )
		if ( f->clashes[f->worst[i]].kind != DBVH_CLASH_KIND_FIT ) {
			put_result( &j, report, &f->clashes[f->worst[i]] );
			--left;
		}
	for ( size_t i = 0; i < f->clash_count && left > 0 && !report_is_given_up( report ); ++i )
		if ( f->clashes[i].ignored_by != SCENE_NONE && f->clashes[i].kind != DBVH_CLASH_KIND_FIT ) {
			put_result( &j, report, &f->clashes[i] );
			--left;
		}
	json_close( &j, ']' );
	json_close( &j, '}' );
	json_close( &j, ']' );
	json_close( &j, '}' );
	fputc( '\n', file );
}
