// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh scene --explain A,B: by which rule two bodies are looked at or not, and what is found.

#include "assembly/sentences.h"
#include "assembly/ways.h"
#include "cmd/scene_job.h"
#include "model/properties.h"
#include "report/report.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 20 };

// List the pairs of bodies of which `a` names one and `b` the other. Returns their number, of which out holds
// MOST_PAIRS.
static size_t list_pairs( const scene_model *model, const char *a, const char *b, dbvh_body_pair *out ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < model->body_count; ++i ) {
		if ( !scene_names_body( a, &model->bodies[i] ) )
			continue;
		for ( uint32_t k = 0; k < model->body_count; ++k ) {
			if ( i == k || !scene_names_body( b, &model->bodies[k] ) ||
			     ( k < i && scene_names_body( b, &model->bodies[i] ) && scene_names_body( a, &model->bodies[k] ) ) )
				continue;
			if ( count < MOST_PAIRS )
				out[count] = ( dbvh_body_pair ){ i < k ? i : k, i < k ? k : i };
			++count;
		}
	}
	return count;
}

static bool names_any( const scene_model *model, const char *pattern ) {
	for ( size_t i = 0; i < model->body_count; ++i )
		if ( scene_names_body( pattern, &model->bodies[i] ) )
			return true;
	return false;
}

static void put_length( const char *name, double x ) {
	char text[REAL_ROOM];
	if ( x > 0.0 )
		printf( ", %s %s", name, real_text( x, text ) );
}

static void print_rule( const scene_rule *rule ) {
	if ( rule->name != NULL ) {
		putchar( '\'' );
		report_put( stdout, rule->name );
		fputs( "', ", stdout );
	}
	if ( rule->line > 0 )
		printf( "line %lld, ", (long long)rule->line );
	if ( rule->a == NULL && rule->b == NULL ) {
		fputs( "for all bodies", stdout );
		return;
	}
	if ( rule->same != NULL ) {
		fputs( "of the same '", stdout );
		report_put( stdout, rule->same );
		fputs( "', ", stdout );
	}
	fputs( "for '", stdout );
	report_put( stdout, rule->a != NULL ? rule->a : rule->b );
	if ( rule->a != NULL && rule->b != NULL ) {
		fputs( "' and '", stdout );
		report_put( stdout, rule->b );
	}
	putchar( '\'' );
}

// The length of the way that is asked of two bodies: the longer one where each goes.
static double longest_way( const scene_job *job, const scene_rule *rule, dbvh_body_pair pair ) {
	const scene_model *model = &job->assembly.model;
	const unsigned goers = scene_way_goers( rule, &model->bodies[pair.a], &model->bodies[pair.b] );
	const double a = ( goers & 1 ) != 0 ? scene_way_length( model, rule, pair.a ) : 0.0;
	return ( goers & 2 ) != 0 ? fmax( a, scene_way_length( model, rule, pair.b ) ) : a;
}

// Print the way of a rule, and who goes it.
static void print_way( const scene_rule *rule, const scene_body *a, const scene_body *b ) {
	const scene_way *way = &rule->way;
	if ( way->kind == SCENE_WAY_NONE )
		return;
	const unsigned goers = scene_way_goers( rule, a, b );
	if ( way->kind == SCENE_WAY_STRAIGHT )
		printf( "  the clearance is that in the direction %.6g %.6g %.6g of ", way->axis[0], way->axis[1],
		        way->axis[2] );
	else
		printf( "  the clearance is the longest way of a point in the swing by %.6g degrees of ",
		        way->angle * 57.295779513082323 );
	report_put( stdout, goers == 2 ? b->path : a->path );
	if ( goers == 3 ) {
		fputs( ", and of ", stdout );
		report_put( stdout, b->path );
	}
	putchar( '\n' );
}

static void print_terms( const dbvh_pair_rule *rule ) {
	fputs( rule->may_collide ? "they may meet" : rule->may_touch ? "they may touch" : "they must not meet", stdout );
	put_length( "clearance", rule->clearance );
	put_length( "touch_gap", rule->touch_gap );
	put_length( "touch_overlap", rule->touch_overlap );
	put_length( "allowed_depth", rule->allowed_depth );
	put_length( "allowed_volume", rule->allowed_volume );
	putchar( '\n' );
}

static const scene_clash *find_clash( const scene_findings *f, dbvh_body_pair pair ) {
	for ( size_t i = 0; i < f->clash_count; ++i )
		if ( f->clashes[i].a == pair.a && f->clashes[i].b == pair.b )
			return &f->clashes[i];
	return NULL;
}

// The distance of two bodies that do not clash.
static void print_clear( const scene_job *job, dbvh_body_pair pair ) {
	dbvh_distance_result d;
	char text[REAL_ROOM];
	if ( dbvh_scene_pair_distance( job->scene, pair.a, pair.b, NULL, &d, NULL ) == DBVH_OK && d.distance > 0.0 )
		printf( "  no clash: they are %s apart\n", real_text( d.distance, text ) );
	else
		puts( "  no clash" );
}

static void explain( const scene_job *job, dbvh_body_pair pair ) {
	const scene_findings *f = &job->findings;
	const scene_body *a = &job->assembly.model.bodies[pair.a], *b = &job->assembly.model.bodies[pair.b];
	const scene_rule *rule = scene_rules_of( job->book, pair.a, pair.b );
	const scene_clash *clash = find_clash( f, pair );
	dbvh_pair_rule terms;
	report_put( stdout, a->path );
	fputs( " and ", stdout );
	report_put( stdout, b->path );
	putchar( '\n' );
	if ( a->link != SCENE_NONE && a->link == b->link ) {
		fputs( "  not looked at: one link carries both, ", stdout );
		report_put( stdout, job->assembly.model.links[a->link].name );
		putchar( '\n' );
		return;
	}
	const bool is_checked = dbvh_scene_get_rule( job->scene, pair.a, pair.b, &terms );
	if ( rule != NULL && rule->way.kind != SCENE_WAY_NONE )
		terms.clearance = longest_way( job, rule, pair );
	fputs( rule != NULL ? "  rule: " : "  no rule", stdout );
	if ( rule != NULL )
		print_rule( rule );
	fputs( ": ", stdout );
	print_terms( &terms );
	if ( rule != NULL )
		print_way( rule, a, b );
	if ( !is_checked ) {
		puts( terms.may_collide ? "  not looked at" : "  not looked at: their groups exclude each other" );
		return;
	}
	if ( clash == NULL ) {
		print_clear( job, pair );
		return;
	}
	char *sentence = scene_clash_sentence( f, clash );
	printf( "  %s: ", scene_kind_word( clash->kind ) );
	report_put( stdout, sentence != NULL ? sentence : "?" );
	putchar( '\n' );
	free( sentence );
}

int scene_job_find_explained( scene_job *job, const dbvh_body_pair **pairs_out, size_t *count_out ) {
	static dbvh_body_pair pairs[MOST_PAIRS];
	const scene_model *model = &job->assembly.model;
	const char *comma = strchr( job->explained, ',' );
	char *a = malloc( (size_t)( comma - job->explained ) + 1 );
	if ( a == NULL )
		return complain_memory();
	memcpy( a, job->explained, (size_t)( comma - job->explained ) );
	a[comma - job->explained] = '\0';
	const char *const patterns[] = { a, comma + 1 };
	int status = ARGS_GO_ON;
	for ( int i = 0; i < 2 && status == ARGS_GO_ON; ++i )
		if ( !names_any( model, patterns[i] ) )
			status = complain( "--explain: '%s' names no body", patterns[i] );
	job->explained_count = status == ARGS_GO_ON ? list_pairs( model, a, comma + 1, pairs ) : 0;
	free( a );
	*pairs_out = job->explained_pairs = pairs;
	*count_out = job->explained_count < MOST_PAIRS ? job->explained_count : MOST_PAIRS;
	if ( status == ARGS_GO_ON && job->explained_count == 0 )
		status = complain( "--explain: the patterns name one body, and no pair" );
	return status;
}

int scene_job_explain( const scene_job *job ) {
	for ( size_t i = 0; i < job->explained_count && i < MOST_PAIRS; ++i )
		explain( job, job->explained_pairs[i] );
	if ( job->explained_count > MOST_PAIRS )
		printf( "and %zu pairs more\n", job->explained_count - MOST_PAIRS );
	return finish_output( EXIT_CLEAR );
}
