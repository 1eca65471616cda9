// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// JUnit's XML by the strictest of its schemas in use, junit-10.xsd of Jenkins' xUnit plugin: no file or line on a test
// case, times without an exponent. GitLab knows a test case again by class and name, so both are made of paths: a case
// for each clash, and one for all that does not clash.

#include "assembly/sentences.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/xml.h"

#include <stdlib.h>

static void put_details( const scene_report *report, const scene_clash *c, const char *sentence, FILE *file ) {
	const scene_findings *f = report->findings;
	char id[SCENE_HASH_ROOM], number[3][40];
	const dbvh_pair triangles = c->has_first ? scene_clash_triangles( f, c ) : c->first;
	for ( int k = 0; k < 3; ++k )
		snprintf( number[k], sizeof number[k], "%.9g", c->point[k] );
	xml_text( file, sentence );
	fprintf( file, ".\nid: %s\nwhere: %s %s %s\na: ", scene_hash_print( c->id, id ), number[0], number[1], number[2] );
	xml_text( file, scene_file_of( f, c->a ) );
	if ( c->has_first )
		fprintf( file, ", triangle %u", triangles.a );
	fputs( "\nb: ", file );
	xml_text( file, scene_file_of( f, c->b ) );
	if ( c->has_first )
		fprintf( file, ", triangle %u", triangles.b );
	fputc( '\n', file );
}

static void put_case( const scene_report *report, const scene_clash *c, FILE *file ) {
	const scene_findings *f = report->findings;
	const char *kind = scene_kind_word( c->kind );
	char *sentence = scene_clash_sentence( f, c );
	const char *shown = sentence != NULL ? sentence : kind;
	fputs( "  <testcase", file );
	xml_attribute( file, "classname", scene_path( f, c->a ) );
	fprintf( file, " name=\"%s: ", kind );
	if ( c->rule != NULL && c->rule->name != NULL ) {
		xml_text( file, c->rule->name );
		fputs( ": ", file );
	}
	xml_text( file, scene_path( f, c->b ) );
	fputs( "\" time=\"0\">", file );
	if ( c->ignored_by != SCENE_NONE ) {
		fputs( "<skipped", file );
		xml_attribute( file, "message", report->ignores->entries[c->ignored_by].reason );
		fputs( "/>", file );
	} else if ( c->kind == DBVH_CLASH_KIND_FIT ) {
		fputs( "<system-out>", file );
		xml_text( file, shown );
		fputs( "</system-out>", file );
	} else if ( scene_severity_of( c ) < f->least_severity ) {
		fprintf( file, "<skipped message=\"%s: less severe than what counts\"/>",
		         scene_severity_word( scene_severity_of( c ) ) );
	} else if ( !scene_clash_counts( f, c ) ) {
		fputs( "<skipped message=\"known: ", file );
		xml_text( file, report->baseline );
		fputs( " has it\"/>", file );
	} else {
		const char *element = c->kind == DBVH_CLASH_KIND_UNDECIDABLE ? "error" : "failure";
		fprintf( file, "<%s type=\"%s\"", element, kind );
		xml_attribute( file, "message", shown );
		fputc( '>', file );
		put_details( report, c, shown, file );
		fprintf( file, "</%s>", element );
	}
	fputs( "</testcase>\n", file );
	free( sentence );
}

void report_junit( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const report_counts counts = report_count( f );
	const size_t tests = f->clash_count + 1, errors = counts.open + !f->is_finished;
	const size_t skipped = f->clash_count - counts.failing - counts.open - counts.kinds[DBVH_CLASH_KIND_FIT];
	const size_t clear = f->done_count > f->clash_count ? f->done_count - f->clash_count : 0;
	fputs( "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file );
	fprintf( file, "<testsuites name=\"dualbvh scene\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
	         tests, counts.failing, errors, report->seconds );
	fputs( " <testsuite", file );
	xml_attribute( file, "name", f->assembly->files[0] );
	fprintf( file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n", tests,
	         counts.failing, errors, skipped, report->seconds );
	fprintf( file, "  <testcase classname=\"dualbvh scene\" name=\"all other pairs of bodies\" time=\"%.3f\">",
	         report->seconds );
	if ( !f->is_finished )
		fprintf( file, "<error type=\"unfinished\" message=\"%zu of %zu pairs were looked at\"/>", f->done_count,
		         f->pair_count );
	fprintf( file, "<system-out>%zu bodies; of the pairs whose boxes are near each other %zu do not clash</system-out>",
	         f->assembly->model.body_count, clear );
	fputs( "</testcase>\n", file );
	for ( size_t i = 0; i < f->clash_count && !report_is_given_up( report ); ++i )
		put_case( report, &f->clashes[i], file );
	fputs( " </testsuite>\n</testsuites>\n", file );
}
