// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pictures of a robot in many configurations.

#include "cli/complain.h"
#include "cli/progress.h"
#include "model/place.h"
#include "picture/contact_finder.h"
#include "picture/frame_choice.h"
#include "picture/limits.h"
#include "picture/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_PLACED = 1 << 22,    // poses in a picture: of each body that a link carries, at each frame
	MOST_ENTRIES = 20000,     // clashes in a picture
	MOST_WITH_CONTACTS = 2000 // the first of them
};

typedef struct telling {
	const picture_robot *robot;
	picture *p;
	contact_finder finder;
	dbvh_pose *poses; // the poses of all bodies in one configuration
} telling;

static size_t pairs_of( const picture_robot *r, size_t i ) {
	return i < r->done ? r->pair_begin[i + 1] - r->pair_begin[i] : 0;
}

static picture_state state_of( const void *user, size_t i ) {
	const picture_robot *r = user;
	return i >= r->done ? PICTURE_UNKNOWN : pairs_of( r, i ) > 0 ? PICTURE_CLASHING : PICTURE_CLEAR;
}

static const double *row_of( const picture_robot *r, size_t i ) {
	return r->rows->values + i * r->assembly->model.link_count;
}

static bool add_bodies( telling *t ) {
	const scene_assembly *assembly = t->robot->assembly;
	const scene_model *model = &assembly->model;
	if ( !scene_place( model, row_of( t->robot, 0 ), t->poses ) )
		return false;
	for ( uint32_t i = 0; i < model->body_count; ++i ) {
		const scene_body *body = &model->bodies[i];
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[body->mesh].mesh );
		const dbvh_tree *tree = t->robot->trees->trees != NULL ? t->robot->trees->trees[body->mesh] : NULL;
		const uint32_t mesh = picture_add_mesh( t->p, &view, tree );
		if ( picture_add_body( t->p, body->path, assembly->files[assembly->file_of[i]], mesh, &t->poses[i] ) ==
		     PICTURE_NONE )
			return false;
		if ( body->link != SCENE_NONE ) {
			t->p->bodies[i].link = body->link;
			t->p->bodies[i].local = body->pose;
		}
	}
	return true;
}

static size_t carried_count( const scene_model *model ) {
	size_t count = 0;
	for ( size_t i = 0; i < model->body_count; ++i )
		count += model->bodies[i].link != SCENE_NONE;
	return count;
}

// Frames with the numbers of their joints, and a track for each body that a link carries.
static bool add_frames( telling *t, const frame_choice *c ) {
	const picture_robot *r = t->robot;
	const scene_model *model = &r->assembly->model;
	picture *p = t->p;
	p->links = model->links;
	p->link_count = model->link_count;
	p->joint_values = picture_own( p, malloc( ( c->count * model->link_count + 1 ) * sizeof *p->joint_values ) );
	for ( size_t i = 0; i < r->rows->count; ++i )
		if ( c->is_chosen[i] )
			picture_add_frame( p, (double)i, NAN, state_of( r, i ) );
	for ( uint32_t i = 0; i < model->body_count && !p->has_failed; ++i )
		if ( model->bodies[i].link != SCENE_NONE )
			picture_add_track( p, i );
	bool ok = !p->has_failed;
	for ( size_t i = 0, frame = 0; ok && i < r->rows->count; ++i ) {
		if ( !c->is_chosen[i] )
			continue;
		memcpy( p->joint_values + frame * model->link_count, row_of( r, i ), model->link_count * sizeof( double ) );
		ok = scene_place( model, row_of( r, i ), t->poses );
		for ( size_t k = 0; k < p->track_count && ok; ++k )
			p->tracks[k].poses[frame] = t->poses[p->tracks[k].body];
		++frame;
	}
	return ok;
}

// A group for each pair of bodies, those that meet most often first.
static void add_groups( telling *t ) {
	const picture_robot *r = t->robot;
	for ( size_t i = 0; i < r->tally_count; ++i ) {
		const scene_pair_tally *tally = &r->tallies[i];
		char *name = picture_print( t->p, "%s and %s: in %zu configuration%s", t->p->bodies[tally->bodies.a].path,
		                            t->p->bodies[tally->bodies.b].path, tally->count, SCENE_PLURAL( tally->count ) );
		if ( name != NULL )
			picture_add_group( t->p, name );
		free( name );
	}
}

static uint32_t group_of( const picture_robot *r, dbvh_body_pair pair ) {
	for ( size_t i = 0; i < r->tally_count; ++i )
		if ( r->tallies[i].bodies.a == pair.a && r->tallies[i].bodies.b == pair.b )
			return (uint32_t)i;
	return PICTURE_NONE;
}

static void add_clash( telling *t, size_t configuration, uint32_t frame, dbvh_body_pair pair ) {
	picture *p = t->p;
	const uint32_t bodies[2] = { pair.a, pair.b };
	const picture_clash made = { .id = picture_print( p, "%s", "" ),
	                             .sentence = picture_print( p, "configuration %zu: %s and %s intersect", configuration,
	                                                        p->bodies[pair.a].path, p->bodies[pair.b].path ),
	                             .kind = "intersecting",
	                             .a = pair.a,
	                             .b = pair.b,
	                             .group = group_of( t->robot, pair ),
	                             .frame = frame,
	                             .counts = true };
	const dbvh_tree *trees[2];
	dbvh_pose poses[2];
	if ( picture_add_clash( p, &made ) == PICTURE_NONE )
		return;
	for ( int i = 0; i < 2; ++i ) {
		trees[i] = p->meshes[p->bodies[bodies[i]].mesh].tree;
		poses[i] = picture_pose( p, bodies[i], frame );
	}
	picture_clash *last = &p->clashes[p->clash_count - 1];
	if ( p->clash_count > MOST_WITH_CONTACTS || trees[0] == NULL || trees[1] == NULL )
		last->contacts_left_out = true;
	else
		contact_finder_add( &t->finder, trees, poses );
	contact_finder_look_at( p, last );
}

static void add_clashes( telling *t, const frame_choice *c ) {
	const picture_robot *r = t->robot;
	size_t left_out = 0;
	for ( size_t i = 0, frame = 0; !t->p->has_failed && i < r->done; ++i ) {
		if ( !c->is_chosen[i] )
			continue;
		progress_step( "configurations drawn", frame, c->count );
		for ( size_t k = 0; k < pairs_of( r, i ) && !t->p->has_failed; ++k )
			if ( t->p->clash_count < MOST_ENTRIES )
				add_clash( t, i, (uint32_t)frame, r->pairs[r->pair_begin[i] + k] );
			else
				++left_out;
		++frame;
	}
	if ( left_out > 0 )
		picture_add_note( t->p, "%zu more pairs of bodies clash in the last configurations.", left_out );
	t->p->is_complete = t->p->is_complete && left_out == 0;
}

static bool tell( telling *t ) {
	const picture_robot *r = t->robot;
	const scene_model *model = &r->assembly->model;
	const frame_states states = { r->rows->count, state_of, r };
	const size_t room = MOST_PLACED / ( carried_count( model ) + 1 ) + 4;
	frame_choice c = { 0 };
	bool ok = frame_choice_make( &states, PICTURE_NONE, room < PICTURE_MOST_FRAMES ? room : PICTURE_MOST_FRAMES, &c ) &&
	          add_bodies( t ) && add_frames( t, &c );
	if ( ok ) {
		add_groups( t );
		frame_choice_note( &c, &states, "configurations", t->p );
		add_clashes( t, &c );
		for ( size_t i = 0; i < model->note_count; ++i )
			picture_add_note( t->p, "%s", model->notes[i] );
	}
	frame_choice_free( &c );
	return ok;
}

bool picture_from_joints( const picture_robot *robot, const picture_wishes *wishes, picture *p ) {
	telling t = { .robot = robot, .p = p };
	char *name = picture_name_of( p, robot->assembly->files[0] );
	t.poses = malloc( ( robot->assembly->model.body_count + 1 ) * sizeof *t.poses );
	p->metres = robot->assembly->model.metres;
	p->time_name = "configuration";
	p->title = wishes->title != NULL ? picture_print( p, "%s", wishes->title )
	                                 : picture_print( p, "%s", name != NULL ? name : "" );
	const bool ok = name != NULL && t.poses != NULL && contact_finder_create( p, wishes->most_overlaps, &t.finder ) &&
	                tell( &t ) && !p->has_failed;
	contact_finder_destroy( &t.finder );
	free( t.poses );
	free( name );
	if ( !ok )
		complain_memory();
	return ok;
}
