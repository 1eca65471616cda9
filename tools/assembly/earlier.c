// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/earlier.h"

#include "model/properties.h"
#include "text/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const earlier_review *scene_review_of( const scene_findings *f, const scene_clash *c ) {
	if ( f->earlier == NULL || c->was == SCENE_NONE )
		return NULL;
	return &f->earlier->clashes[f->was[c->was].number].review;
}

void scene_review_clear( earlier_review *r ) {
	char *const texts[] = { r->accepted, r->lapsed, r->by,       r->until, r->assignee, r->status,
	                        r->unsure,   r->found,  r->resolved, r->gone,  r->edited };
	for ( size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i )
		free( texts[i] );
	for ( size_t i = 0; i < r->comment_count; ++i )
		free( r->comments[i] );
	free( r->comments );
	free( r->seen );
	*r = ( earlier_review ){ 0 };
}

void scene_earlier_free( scene_earlier *e ) {
	for ( size_t i = 0; i < e->body_count; ++i ) {
		free( e->bodies[i].path );
		free( e->bodies[i].guid );
	}
	for ( size_t i = 0; i < e->clash_count; ++i ) {
		free( e->clashes[i].rule );
		scene_review_clear( &e->clashes[i].review );
	}
	free( e->bodies );
	free( e->clashes );
	scene_names_free( &e->paths );
	*e = ( scene_earlier ){ 0 };
}

uint32_t scene_earlier_body( scene_earlier *e, const char *path ) {
	const uint32_t known = scene_names_find( &e->paths, path );
	if ( known != SCENE_NONE )
		return known;
	if ( !scene_grow( &e->bodies, &e->body_capacity, e->body_count, sizeof *e->bodies ) )
		return SCENE_NONE;
	char *copy = scene_copy( path );
	if ( copy == NULL || !scene_names_add( &e->paths, copy, (uint32_t)e->body_count ) ) {
		free( copy );
		return SCENE_NONE;
	}
	e->bodies[e->body_count] = ( earlier_body ){ .path = copy, .now = SCENE_NONE };
	return (uint32_t)e->body_count++;
}

earlier_clash *scene_earlier_add( scene_earlier *e ) {
	if ( !scene_grow( &e->clashes, &e->clash_capacity, e->clash_count, sizeof *e->clashes ) )
		return NULL;
	earlier_clash *made = &e->clashes[e->clash_count++];
	*made = ( earlier_clash ){ .a = SCENE_NONE, .b = SCENE_NONE, .now = SCENE_NONE };
	return made;
}

void scene_into_frame( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		out[k] = 0.0;
		for ( int i = 0; i < 3; ++i )
			out[k] += pose->rot[i][k] * ( x[i] - pose->pos[i] );
	}
}

void scene_out_of_frame( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
}

dbvh_pose scene_relative_pose( const dbvh_pose *a, const dbvh_pose *b ) {
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k ) {
			out.rot[i][k] = 0.0;
			for ( int n = 0; n < 3; ++n )
				out.rot[i][k] += a->rot[n][i] * b->rot[n][k];
		}
	scene_into_frame( a, b->pos, out.pos );
	return out;
}

static bool set_text( char **place, const char *text ) {
	if ( text != NULL && *place != NULL && strcmp( text, *place ) == 0 )
		return true;
	char *made = scene_copy( text );
	if ( text != NULL && made == NULL )
		return false;
	free( *place );
	*place = made;
	return true;
}

bool scene_earlier_refresh_body( earlier_body *to, const scene_findings *f, uint32_t body ) {
	const scene_body *from = &f->assembly->model.bodies[body];
	to->has_fingerprint = to->has_shape = to->has_pose = true;
	to->fingerprint = scene_body_fingerprint( f, body );
	to->shape = f->trees->fingerprints[from->mesh];
	to->pose = from->pose;
	return set_text( &to->guid, scene_guid_of( from ) );
}

void scene_earlier_place( earlier_place *to, const double world[3], const dbvh_pose *a, const dbvh_pose *b ) {
	to->is_known = to->is_in_a = to->is_in_b = to->has_frames = true;
	memcpy( to->world, world, sizeof to->world );
	scene_into_frame( a, world, to->in_a );
	scene_into_frame( b, world, to->in_b );
}

bool scene_earlier_refresh( earlier_clash *to, const scene_findings *f, const scene_clash *from ) {
	const scene_body *bodies = f->assembly->model.bodies;
	to->kind = from->kind;
	to->has_depth = from->overlap.has_depth;
	to->depth = from->overlap.depth;
	to->has_volume = scene_has_volume( from );
	to->volume = from->overlap.volume;
	to->has_distance = from->kind == DBVH_CLASH_KIND_CLEARANCE || from->kind == DBVH_CLASH_KIND_TOUCH;
	to->distance = from->distance;
	double middle[3];
	for ( int k = 0; k < 3; ++k )
		middle[k] = 0.5 * from->region.min[k] + 0.5 * from->region.max[k];
	const dbvh_pose *a = &bodies[from->a].pose, *b = &bodies[from->b].pose;
	scene_earlier_place( &to->middle, middle, a, b );
	to->point = ( earlier_place ){ 0 };
	if ( from->overlap.has_depth )
		scene_earlier_place( &to->point, from->overlap.deepest, a, b );
	else if ( to->has_distance && from->has_first )
		scene_earlier_place( &to->point, from->point, a, b );
	to->has_severity = true;
	to->severity = scene_severity_of( from );
	to->has_terms = from->has_terms;
	to->terms = from->terms;
	return set_text( &to->rule, from->rule != NULL ? from->rule->name : NULL );
}

// False where a number has become too large.
static bool scale( double *numbers, int count, double factor ) {
	bool ok = true;
	for ( int i = 0; i < count; ++i ) {
		numbers[i] *= factor;
		ok = ok && isfinite( numbers[i] );
	}
	return ok;
}

static bool scale_interval( dbvh_interval *x, double factor ) {
	return scale( &x->lower, 1, factor ) && scale( &x->upper, 1, factor );
}

static void scale_place( earlier_place *p, double factor ) {
	p->is_known = scale( p->world, 3, factor ) && p->is_known;
	p->is_in_a = scale( p->in_a, 3, factor ) && p->is_in_a;
	p->is_in_b = scale( p->in_b, 3, factor ) && p->is_in_b;
	p->has_frames = p->is_known && p->is_in_a && p->is_in_b;
}

void scene_earlier_convert( scene_earlier *e, double metres ) {
	if ( !( metres > 0.0 && e->metres > 0.0 ) )
		return;
	// note: readers compute units, such as 25.4 * 0.001, and the last digits differ.
	const double factor = e->metres / metres;
	if ( fabs( factor - 1.0 ) <= 1e-9 )
		return;
	e->metres = metres;
	for ( size_t i = 0; i < e->body_count; ++i ) {
		earlier_body *body = &e->bodies[i];
		body->has_shape = body->has_fingerprint = false;
		body->has_pose = scale( body->pose.pos, 3, factor ) && body->has_pose;
	}
	for ( size_t i = 0; i < e->clash_count; ++i ) {
		earlier_clash *c = &e->clashes[i];
		c->has_depth = scale_interval( &c->depth, factor ) && c->has_depth;
		c->has_volume = scale_interval( &c->volume, factor * factor * factor ) && c->has_volume;
		c->has_distance = scale( &c->distance, 1, factor ) && c->has_distance;
		scale_place( &c->middle, factor );
		scale_place( &c->point, factor );
	}
}

bool scene_earlier_take( scene_earlier *e, const scene_findings *f ) {
	e->rules = f->rules;
	e->metres = f->assembly->model.metres;
	for ( size_t i = 0; i < f->clash_count; ++i ) {
		const scene_clash *c = &f->clashes[i];
		const uint32_t a = scene_earlier_body( e, scene_path( f, c->a ) ),
		               b = scene_earlier_body( e, scene_path( f, c->b ) );
		earlier_clash *to = a != SCENE_NONE && b != SCENE_NONE ? scene_earlier_add( e ) : NULL;
		if ( to == NULL )
			return false;
		to->id = c->id;
		to->a = a;
		to->b = b;
		if ( !scene_earlier_refresh( to, f, c ) || !scene_earlier_refresh_body( &e->bodies[a], f, c->a ) ||
		     !scene_earlier_refresh_body( &e->bodies[b], f, c->b ) )
			return false;
	}
	return true;
}
