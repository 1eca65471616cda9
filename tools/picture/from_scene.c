// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/review.h"
#include "assembly/sentences.h"
#include "base/os.h"
#include "cli/complain.h"
#include "cli/progress.h"
#include "dualbvh/contact.h"
#include "os/os.h"
#include "picture/limits.h"
#include "picture/sources.h"
#include "text/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WITH_CONTACTS = 5000 }; // the worst clashes

char *picture_name_of( picture *p, const char *file ) {
	const char *slash = dbvhi_os_last_separator( file ), *name = slash != NULL && slash[1] != '\0' ? slash + 1 : file;
	const char *dot = strrchr( name, '.' );
	const int length = dot != NULL && dot > name ? (int)( dot - name ) : (int)strlen( name );
	return picture_print( p, "%.*s", length, name );
}

void picture_add_wished_trees( picture *p, const picture_wishes *wishes ) {
	if ( !wishes->trees || p->body_count == 0 )
		return;
	const uint32_t a = p->clash_count > 0 ? p->clashes[0].a : 0;
	const uint32_t b = p->clash_count > 0 ? p->clashes[0].b : p->body_count > 1 ? 1 : 0;
	const uint32_t frame = p->clash_count > 0 ? p->clashes[0].frame : p->frame_count > 0 ? 0 : PICTURE_NONE;
	picture_add_levels( p, a, PICTURE_MOST_NODES );
	if ( a == b )
		return;
	picture_add_levels( p, b, PICTURE_MOST_NODES );
	const dbvh_pose pose_a = picture_pose( p, a, frame ), pose_b = picture_pose( p, b, frame );
	picture_mark_visited( p, &pose_a, &pose_b );
}

// ------------------------------------------------------------------------------------------------
// Clashes of a scene

typedef struct telling {
	const scene_findings *findings;
	picture *p;
	dbvh_contacts *contacts;
	dbvh_overlap *overlap; // NULL: meshes of overlaps are not wished for
	size_t most_overlaps;
	dbvh_workspace *workspace;
	bool is_limited;
	uint64_t left; // steps, where it is
} telling;

// A budget for one question: some of what all have together.
static dbvh_budget share_of( const telling *t, uint64_t most, uint64_t *spent ) {
	if ( t->is_limited && ( most == 0 || most > t->left ) )
		most = t->left;
	dbvh_budget budget = picture_budget( most );
	*spent = 0;
	budget.spent = spent;
	return budget;
}

static void charge( telling *t, uint64_t spent ) {
	t->left -= spent < t->left ? spent : t->left;
}

static bool is_over( const telling *t ) {
	return ( t->is_limited && t->left == 0 ) || picture_is_over();
}

static const scene_body *body_of( const telling *t, uint32_t body ) {
	return &t->findings->assembly->model.bodies[body];
}

static const dbvh_tree *tree_of( const telling *t, uint32_t body ) {
	return t->findings->trees->trees[body_of( t, body )->mesh];
}

static const char *standing_of( const scene_clash *c ) {
	if ( c->ignored_by != SCENE_NONE )
		return "ignored";
	return scene_standing_word( c->standing );
}

// The points of two bodies that are nearest to each other.
static void add_witness( telling *t, const scene_clash *c, picture_clash *out ) {
	dbvh_distance_result near;
	uint64_t spent;
	const dbvh_budget budget = share_of( t, 0, &spent );
	const dbvh_distance_query query = { .budget = &budget };
	if ( c->distance == 0.0 || is_over( t ) )
		return;
	const dbvh_status status = dbvh_distance( tree_of( t, c->a ), &body_of( t, c->a )->pose, tree_of( t, c->b ),
	                                          &body_of( t, c->b )->pose, &query, t->workspace, &near, NULL );
	charge( t, spent );
	if ( status != DBVH_OK || !near.found )
		return;
	out->has_witness = true;
	out->distance = near.distance;
	memcpy( out->witness[0], near.point_a, sizeof near.point_a );
	memcpy( out->witness[1], near.point_b, sizeof near.point_b );
}

// How much there is to see: the contacts, or what the boxes have in common, and never less than a little of the bodies.
static double size_of( const picture *p, const picture_clash *c, const scene_clash *from ) {
	double most = 0.0;
	for ( size_t i = 0; i < c->place_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			const dbvh_aabb *box = &p->places[c->first_place + i].box;
			most = fmax( most, fmax( fabs( box->max[k] - c->point[k] ), fabs( c->point[k] - box->min[k] ) ) );
		}
	if ( c->has_witness )
		most = fmax( most, c->distance );
	return fmax( 2.0 * most, 0.3 * from->size );
}

static void add_contacts( telling *t, const scene_clash *c ) {
	picture *p = t->p;
	picture_clash *made = &p->clashes[p->clash_count - 1];
	uint64_t spent;
	const dbvh_budget budget = share_of( t, PICTURE_MOST_WORK, &spent );
	const dbvh_contacts_query query = { .budget = &budget };
	const bool has_contacts = c->kind != DBVH_CLASH_KIND_CLEARANCE && c->exact != DBVH_RELATION_DISJOINT;
	if ( !has_contacts )
		return;
	made->contacts_left_out = p->clash_count > MOST_WITH_CONTACTS || p->point_count > PICTURE_MOST_POINTS ||
	                          is_over( t ) ||
	                          dbvh_contacts_find( tree_of( t, c->a ), &body_of( t, c->a )->pose, tree_of( t, c->b ),
	                                              &body_of( t, c->b )->pose, &query, t->contacts, NULL ) != DBVH_OK;
	charge( t, spent );
	if ( made->contacts_left_out )
		return;
	const dbvh_contacts_view found = dbvh_contacts_get( t->contacts );
	picture_add_contacts( p, &found, &body_of( t, c->a )->pose );
}

// Make the overlap a mesh. One that takes too long, or has none, is left out.
static void add_overlap( telling *t, const scene_clash *c ) {
	uint64_t spent;
	const dbvh_budget budget = share_of( t, PICTURE_MOST_WORK, &spent );
	const dbvh_overlap_query query = { .mesh = true, .budget = &budget };
	dbvh_overlap_result result;
	if ( t->overlap == NULL || t->p->clash_count > t->most_overlaps || !( c->overlap.volume.upper > 0.0 ) ||
	     is_over( t ) )
		return;
	const dbvh_status status = dbvh_overlap_find( tree_of( t, c->a ), &body_of( t, c->a )->pose, tree_of( t, c->b ),
	                                              &body_of( t, c->b )->pose, &query, t->overlap, &result, NULL );
	charge( t, spent );
	if ( status != DBVH_OK )
		return;
	const dbvh_overlap_view found = dbvh_overlap_get( t->overlap );
	picture_add_overlap( t->p, &found, &body_of( t, c->a )->pose );
}

static void add_clash( telling *t, const scene_clash *c ) {
	picture *p = t->p;
	char id[SCENE_HASH_ROOM];
	picture_clash made = { .id = picture_print( p, "%s", scene_hash_print( c->id, id ) ),
	                       .sentence = scene_clash_sentence( t->findings, c ),
	                       .kind = scene_kind_word( c->kind ),
	                       .standing = standing_of( c ),
	                       .a = c->a,
	                       .b = c->b,
	                       .has_first = c->has_first,
	                       .first = c->has_first ? scene_clash_triangles( t->findings, c ) : c->first,
	                       .has_move = c->overlap.has_penetration,
	                       .type = c->overlap.type,
	                       .has_depth = c->overlap.has_depth,
	                       .has_volume = scene_knows_volume( &c->overlap ) && c->overlap.volume.upper > 0.0,
	                       .has_deepest = c->overlap.has_depth && c->overlap.depth.lower > 0.0,
	                       .depth = c->overlap.depth,
	                       .volume = c->overlap.volume,
	                       .group = c->group,
	                       .frame = PICTURE_NONE,
	                       .counts = c->ignored_by == SCENE_NONE && c->kind != DBVH_CLASH_KIND_UNDECIDABLE &&
	                                 c->kind != DBVH_CLASH_KIND_FIT };
	memcpy( made.point, c->point, sizeof made.point );
	made.has_middle = true;
	for ( int k = 0; k < 3; ++k )
		made.middle[k] = 0.5 * c->region.min[k] + 0.5 * c->region.max[k];
	memcpy( made.move, c->overlap.separation, sizeof made.move );
	memcpy( made.deepest[0], c->overlap.deepest, sizeof made.deepest[0] );
	memcpy( made.deepest[1], c->overlap.nearest, sizeof made.deepest[1] );
	add_witness( t, c, &made );
	if ( picture_add_clash( p, &made ) == PICTURE_NONE )
		return;
	add_contacts( t, c );
	add_overlap( t, c );
	picture_clash *last = &p->clashes[p->clash_count - 1];
	last->size = size_of( p, last, c );
}

static void add_bodies( telling *t ) {
	const scene_findings *f = t->findings;
	const scene_model *model = &f->assembly->model;
	uint32_t *number = malloc( ( model->mesh_count + 1 ) * sizeof *number ); // in the picture, of what bodies have
	t->p->has_failed |= number == NULL;
	for ( size_t i = 0; number != NULL && i < model->mesh_count; ++i )
		number[i] = PICTURE_NONE;
	for ( uint32_t i = 0; number != NULL && i < model->body_count; ++i ) {
		const scene_body *body = &model->bodies[i];
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[body->mesh].mesh );
		if ( number[body->mesh] == PICTURE_NONE )
			number[body->mesh] = picture_append_mesh( t->p, &view, f->trees->trees[body->mesh] );
		picture_add_body( t->p, body->path, scene_file_of( f, i ), number[body->mesh], &body->pose );
	}
	free( number );
}

static void add_clashes( telling *t, const picture_wishes *wishes ) {
	const scene_findings *f = t->findings;
	for ( size_t i = 0; i < f->group_count; ++i )
		picture_add_group( t->p, scene_path( f, f->groups[i].body ) );
	const size_t most = wishes->most_clashes > 0 ? wishes->most_clashes : f->worst_count;
	for ( size_t i = 0; i < f->worst_count && i < most; ++i ) {
		progress_step( "clashes drawn", i, f->worst_count );
		add_clash( t, &f->clashes[f->worst[i]] );
	}
	for ( size_t i = 0; i < f->clash_count && wishes->most_clashes == 0; ++i )
		if ( f->clashes[i].ignored_by != SCENE_NONE )
			add_clash( t, &f->clashes[i] );
}

static void add_title( telling *t, const picture_wishes *wishes ) {
	picture *p = t->p;
	const scene_assembly *assembly = t->findings->assembly;
	char *name = picture_name_of( p, assembly->files[0] );
	if ( wishes->title != NULL )
		p->title = picture_print( p, "%s", wishes->title );
	else if ( assembly->file_count == 1 )
		p->title = picture_print( p, "%s", name != NULL ? name : "" );
	else if ( assembly->file_count > 2 )
		p->title = picture_print( p, "%s and %zu more", name != NULL ? name : "", assembly->file_count - 1 );
	else {
		char *other = picture_name_of( p, assembly->files[1] );
		p->title = picture_print( p, "%s and %s", name != NULL ? name : "", other != NULL ? other : "" );
		free( other );
	}
	free( name );
}

void picture_add_review( picture *p, const scene_findings *findings, scene_earlier *earlier ) {
	scene_earlier next = { 0 };
	os_text text = { 0 };
	bool ok = scene_review_next( findings, earlier, &next ) && os_text_open( &text );
	if ( ok ) {
		ok = scene_review_write( &next, text.stream );
		fputc( '\0', text.stream );
		ok = os_text_close( &text ) && ok;
	}
	scene_earlier_free( &next );
	p->review = picture_own( p, text.bytes );
	p->has_failed |= !ok;
}

bool picture_from_scene( const scene_findings *f, const picture_wishes *wishes, picture *p ) {
	telling t = { .findings = f,
	              .p = p,
	              .most_overlaps = wishes->most_overlaps,
	              .is_limited = wishes->most_work > 0,
	              .left = wishes->most_work };
	bool ok = dbvh_contacts_create( NULL, &t.contacts, NULL ) == DBVH_OK &&
	          ( wishes->most_overlaps == 0 || dbvh_overlap_create( NULL, &t.overlap, NULL ) == DBVH_OK ) &&
	          dbvh_workspace_create( NULL, &t.workspace, NULL ) == DBVH_OK;
	if ( ok ) {
		p->metres = f->assembly->model.metres;
		add_title( &t, wishes );
		add_bodies( &t );
		add_clashes( &t, wishes );
		picture_add_wished_trees( p, wishes );
		p->is_complete = f->is_finished && ( wishes->most_clashes == 0 || f->worst_count <= wishes->most_clashes );
		if ( !f->is_finished )
			picture_add_note( p, "The search was ended early: there may be more clashes." );
		else if ( !p->is_complete )
			picture_add_note( p, "Of %zu clashes the worst %zu are shown.", f->worst_count, wishes->most_clashes );
		for ( size_t i = 0; i < f->assembly->model.note_count; ++i )
			picture_add_note( p, "%s", f->assembly->model.notes[i] );
	}
	dbvh_contacts_destroy( t.contacts );
	dbvh_overlap_destroy( t.overlap );
	dbvh_workspace_destroy( t.workspace );
	ok = ok && !p->has_failed;
	if ( !ok )
		complain_memory();
	return ok;
}
