// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pictures of two meshes at one pose or many.

#include "cli/complain.h"
#include "cli/progress.h"
#include "picture/contact_finder.h"
#include "picture/frame_choice.h"
#include "picture/limits.h"
#include "picture/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct telling {
	const picture_pair *pair;
	const picture_wishes *wishes;
	picture *p;
	contact_finder finder;
	char *names[2];
	pair_fact *facts; // by pose, not only of those that are shown
} telling;

// The facts of a frame: those of its pose, and those for the picture alone.
typedef struct facts {
	pair_fact is;
	bool surfaces_meet, has_distance;
	dbvh_distance_result distance;
} facts;

static dbvh_pose pose_a( const telling *t, size_t i ) {
	return t->pair->poses_a != NULL ? t->pair->poses_a[i] : dbvh_pose_identity();
}

static dbvh_pose pose_b( const telling *t, size_t i ) {
	return t->pair->poses_b != NULL ? t->pair->poses_b[i] : dbvh_pose_identity();
}

static double time_of( const telling *t, size_t i ) {
	return t->pair->times != NULL ? t->pair->times[i] : (double)i;
}

static const char *kind_of( const telling *t, const pair_fact *f ) {
	static const char *const kinds[] = { "distance",    "touch",     "hard",       "containment",
	                                     "containment", "duplicate", "undecidable" };
	if ( f->relation != DBVH_RELATION_DISJOINT && f->of_surfaces )
		return "intersecting";
	if ( f->relation == DBVH_RELATION_DISJOINT && f->state == PAIR_CLASHING )
		return t->wishes->has_clearance ? "clearance" : "close";
	return kinds[f->relation];
}

static char *sentence_of( const telling *t, const facts *f, double time ) {
	picture *p = t->p;
	const char *a = t->names[0], *b = t->names[1];
	const bool is_close = f->is.state == PAIR_CLASHING && !t->wishes->has_clearance;
	char when[48] = "";
	if ( t->pair->is_series )
		snprintf( when, sizeof when, "%s %.6g: ", t->pair->time_name, time );
	switch ( f->is.relation ) {
	case DBVH_RELATION_DISJOINT:
		if ( !isnan( f->is.distance ) )
			return picture_print( p, "%s%s and %s are %.6g apart%s", when, a, b, f->is.distance,
			                      is_close ? ", too near to tell whether they touch" : "" );
		return f->is.state == PAIR_CLASHING ? picture_print( p, "%s%s and %s are too near to each other", when, a, b )
		                                    : picture_print( p, "%s%s and %s do not meet", when, a, b );
	case DBVH_RELATION_TOUCHING:
		return picture_print( p, "%s%s and %s touch", when, a, b );
	case DBVH_RELATION_OVERLAPPING:
		return picture_print( p, f->is.of_surfaces ? "%s%s and %s intersect" : "%s%s and %s overlap", when, a, b );
	case DBVH_RELATION_A_IN_B:
		return picture_print( p, "%s%s is inside %s", when, a, b );
	case DBVH_RELATION_B_IN_A:
		return picture_print( p, "%s%s is inside %s", when, b, a );
	case DBVH_RELATION_EQUAL:
		return picture_print( p, "%s%s and %s are the same body twice", when, a, b );
	default:
		return picture_print(
		    p, "%swhether %s and %s overlap cannot be told: the surface of one is open where the other may be in it",
		    when, a, b );
	}
}

// Judge a pose as `dualbvh check` does.
static pair_state judge( const telling *t, dbvh_relation relation, dbvh_relation surfaces ) {
	const bool may_touch = t->wishes->allows_touching;
	switch ( relation ) {
	case DBVH_RELATION_DISJOINT:
		return PAIR_CLEAR;
	case DBVH_RELATION_TOUCHING:
		return may_touch ? PAIR_CLEAR : PAIR_CLASHING;
	case DBVH_RELATION_UNDECIDABLE:
		return surfaces == DBVH_RELATION_DISJOINT || ( surfaces == DBVH_RELATION_TOUCHING && may_touch )
		           ? PAIR_UNDECIDABLE
		           : PAIR_CLASHING;
	default:
		return PAIR_CLASHING;
	}
}

// Ask for the relation of the two. The state stays unknown where there is no time.
static facts ask_relation( const telling *t, size_t i ) {
	const dbvh_pose a = pose_a( t, i ), b = pose_b( t, i );
	const dbvh_tree *const *trees = t->pair->trees;
	const dbvh_budget budget = picture_budget( 0 );
	facts f = { .is = { .of_surfaces = !t->wishes->relation, .distance = NAN } };
	if ( t->wishes->relation ) {
		dbvh_relate_result related;
		dbvh_relate_query query = t->wishes->relate;
		query.budget = &budget;
		if ( dbvh_relate( trees[0], &a, trees[1], &b, &query, t->finder.workspace, &related, NULL ) != DBVH_OK )
			return f;
		f.is.relation = related.relation;
		f.is.state = judge( t, related.relation, related.surface_relation );
		f.surfaces_meet = related.surfaces_intersect;
	} else {
		dbvh_collide_result surfaces;
		const dbvh_collide_query query = { .budget = &budget };
		if ( dbvh_collide( trees[0], &a, trees[1], &b, &query, t->finder.workspace, &surfaces, NULL ) != DBVH_OK )
			return f;
		f.surfaces_meet = surfaces.verdict == DBVH_INTERSECTING;
		f.is.relation = f.surfaces_meet ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
		f.is.state = f.surfaces_meet ? PAIR_CLASHING : PAIR_CLEAR;
	}
	return f;
}

static void ask_distance( const telling *t, size_t i, facts *f ) {
	const dbvh_pose a = pose_a( t, i ), b = pose_b( t, i );
	const dbvh_budget budget = picture_budget( 0 );
	const dbvh_distance_query near = { .budget = &budget };
	f->has_distance = dbvh_distance( t->pair->trees[0], &a, t->pair->trees[1], &b, &near, t->finder.workspace,
	                                 &f->distance, NULL ) == DBVH_OK &&
	                  f->distance.found;
	if ( f->has_distance )
		f->is.distance = f->distance.distance;
	else if ( f->surfaces_meet )
		f->is.distance = 0.0;
}

// `for_all`: only the state is needed.
static facts ask( const telling *t, size_t i, bool for_all ) {
	const picture_wishes *wishes = t->wishes;
	const pair_fact *known = &t->facts[i];
	facts f = { .is = *known };
	if ( picture_is_over() )
		return f;
	f = ask_relation( t, i );
	if ( f.is.state == PAIR_UNKNOWN ) {
		f = ( facts ){ .is = *known };
		return f;
	}
	if ( f.surfaces_meet )
		f.is.distance = 0.0;
	if ( wishes->has_clearance || ( !for_all && ( !f.surfaces_meet || wishes->distance ) ) )
		ask_distance( t, i, &f );
	if ( wishes->has_clearance && f.is.state != PAIR_CLASHING ) {
		if ( f.has_distance && f.is.distance <= wishes->clearance )
			f.is.state = PAIR_CLASHING;
		else if ( !f.has_distance )
			f.is.state = PAIR_UNKNOWN;
	}
	if ( known->state != PAIR_UNKNOWN )
		f.is.state = known->state;
	return f;
}

// Neighbouring frames of a kind are a group.
static uint32_t group_of( telling *t, size_t number, uint32_t frame, const char *kind ) {
	picture *p = t->p;
	if ( !t->pair->is_series )
		return PICTURE_NONE;
	const picture_clash *last = p->clash_count > 0 ? &p->clashes[p->clash_count - 1] : NULL;
	if ( last != NULL && last->frame + 1 == frame && strcmp( last->kind, kind ) == 0 )
		return last->group;
	char *name = picture_print( p, "%s from %s %.6g on", kind, t->pair->time_name, time_of( t, number ) );
	const uint32_t group = name != NULL ? picture_add_group( p, name ) : PICTURE_NONE;
	free( name );
	return group;
}

static void add_entry( telling *t, size_t number, uint32_t frame, const facts *f ) {
	picture *p = t->p;
	const char *kind = kind_of( t, &f->is );
	picture_clash made = { .id = picture_print( p, "%s", "" ),
	                       .sentence = sentence_of( t, f, time_of( t, number ) ),
	                       .kind = kind,
	                       .a = 0,
	                       .b = 1,
	                       .group = group_of( t, number, frame, kind ),
	                       .frame = frame,
	                       .counts = f->is.state == PAIR_CLASHING };
	if ( f->has_distance && f->distance.distance > 0.0 ) {
		made.has_first = made.has_witness = true;
		made.first = f->distance.pair;
		made.distance = f->distance.distance;
		memcpy( made.witness[0], f->distance.point_a, sizeof made.witness[0] );
		memcpy( made.witness[1], f->distance.point_b, sizeof made.witness[1] );
	}
	if ( picture_add_clash( p, &made ) == PICTURE_NONE )
		return;
	if ( f->is.relation != DBVH_RELATION_DISJOINT )
		contact_finder_add( &t->finder, t->pair->trees,
		                    ( const dbvh_pose[2] ){ pose_a( t, number ), pose_b( t, number ) } );
	contact_finder_look_at( p, &p->clashes[p->clash_count - 1] );
}

static void add_bodies( telling *t ) {
	const picture_pair *pair = t->pair;
	const bool twins = strcmp( t->names[0], t->names[1] ) == 0;
	for ( int i = 0; i < 2; ++i ) {
		if ( twins ) {
			char *name = picture_print( t->p, "%s (%c)", t->names[i], "AB"[i] );
			if ( name != NULL ) {
				free( t->names[i] );
				t->names[i] = name;
			}
		}
		const dbvh_mesh_view view = dbvh_mesh_get_view( pair->meshes[i] );
		const uint32_t mesh = picture_add_mesh( t->p, &view, pair->trees[i] );
		const dbvh_pose pose = i == 0 ? pose_a( t, 0 ) : pose_b( t, 0 );
		picture_add_body( t->p, t->names[i], pair->files[i], mesh, &pose );
	}
}

// ------------------------------------------------------------------------------------------------
// Frames

// For the choice, a pose that was looked at and cannot be decided is one that does not clash.
static picture_state state_of( const void *user, size_t i ) {
	const pair_state state = ( (const telling *)user )->facts[i].state;
	return state == PAIR_UNKNOWN ? PICTURE_UNKNOWN : state == PAIR_CLASHING ? PICTURE_CLASHING : PICTURE_CLEAR;
}

// All poses, or as many as a page can have.
static bool choose_frames( telling *t, const frame_states *states, frame_choice *c ) {
	for ( size_t i = 0; states->count > PICTURE_MOST_FRAMES && i < states->count && !picture_is_over(); ++i ) {
		progress_step( "poses looked at", i, states->count );
		if ( t->facts[i].state == PAIR_UNKNOWN )
			t->facts[i] = ask( t, i, true ).is;
	}
	return frame_choice_make( states, t->pair->must, PICTURE_MOST_FRAMES, c );
}

static void add_tracks( telling *t, const frame_choice *c ) {
	const picture_pair *pair = t->pair;
	dbvh_pose *of_b = pair->poses_b != NULL ? picture_add_track( t->p, 1 ) : NULL;
	dbvh_pose *of_a = pair->poses_a != NULL ? picture_add_track( t->p, 0 ) : NULL;
	for ( size_t i = 0, frame = 0; !t->p->has_failed && i < pair->count; ++i ) {
		if ( !c->is_chosen[i] )
			continue;
		if ( of_b != NULL )
			of_b[frame] = pose_b( t, i );
		if ( of_a != NULL )
			of_a[frame] = pose_a( t, i );
		++frame;
	}
}

static void add_frames( telling *t ) {
	static const picture_state shown[] = { [PAIR_UNKNOWN] = PICTURE_UNKNOWN,
	                                       [PAIR_CLEAR] = PICTURE_CLEAR,
	                                       [PAIR_CLASHING] = PICTURE_CLASHING,
	                                       [PAIR_UNDECIDABLE] = PICTURE_UNKNOWN };
	const size_t count = t->pair->count;
	const frame_states states = { count, state_of, t };
	picture *p = t->p;
	frame_choice c;
	facts *known = choose_frames( t, &states, &c ) ? malloc( ( c.count + 1 ) * sizeof *known ) : NULL;
	p->has_failed |= known == NULL;
	for ( size_t i = 0, frame = 0; !p->has_failed && i < count; ++i ) {
		if ( !c.is_chosen[i] )
			continue;
		progress_step( "poses drawn", frame, c.count );
		facts *f = &known[frame++];
		*f = ask( t, i, false );
		t->facts[i] = f->is;
		if ( t->pair->is_series )
			picture_add_frame( p, time_of( t, i ), f->is.state == PAIR_UNKNOWN ? NAN : f->is.distance,
			                   shown[f->is.state] );
	}
	if ( !p->has_failed && t->pair->is_series )
		add_tracks( t, &c );
	for ( size_t i = 0, frame = 0; !p->has_failed && i < count; ++i ) {
		if ( !c.is_chosen[i] )
			continue;
		if ( known[frame].is.state != PAIR_UNKNOWN )
			add_entry( t, i, t->pair->is_series ? (uint32_t)frame : PICTURE_NONE, &known[frame] );
		++frame;
	}
	if ( !p->has_failed )
		frame_choice_note( &c, &states, "poses", p );
	frame_choice_free( &c );
	free( known );
}

// Take over the facts that the command knows already.
static bool take_facts( telling *t ) {
	const size_t count = t->pair->count;
	t->facts = malloc( ( count + 1 ) * sizeof *t->facts );
	for ( size_t i = 0; t->facts != NULL && i < count; ++i )
		t->facts[i] = t->pair->facts != NULL ? t->pair->facts[i] : ( pair_fact ){ .distance = NAN };
	return t->facts != NULL;
}

bool picture_from_poses( const picture_pair *pair, const picture_wishes *wishes, picture *p ) {
	telling t = { .pair = pair, .wishes = wishes, .p = p };
	bool ok = contact_finder_create( p, wishes->most_overlaps, &t.finder ) && take_facts( &t );
	for ( int i = 0; ok && i < 2; ++i ) {
		t.names[i] = picture_name_of( p, pair->files[i] );
		ok = t.names[i] != NULL;
	}
	if ( ok ) {
		p->metres = pair->metres;
		p->time_name = pair->time_name;
		p->title = wishes->title != NULL ? picture_print( p, "%s", wishes->title )
		                                 : picture_print( p, "%s and %s", t.names[0], t.names[1] );
		add_bodies( &t );
		if ( !p->has_failed )
			add_frames( &t );
		if ( !p->has_failed )
			picture_add_wished_trees( p, wishes );
	}
	contact_finder_destroy( &t.finder );
	free( t.facts );
	free( t.names[0] );
	free( t.names[1] );
	ok = ok && !p->has_failed;
	if ( !ok )
		complain_memory();
	return ok;
}

bool picture_from_pair( const mesh_pair *pair, const picture_wishes *wishes, picture *p ) {
	const picture_pair x = { .files = { pair->file_a, pair->file_b },
	                         .meshes = { pair->mesh_a, pair->mesh_b },
	                         .trees = { pair->tree_a, pair->tree_b },
	                         .poses_b = pair->pose_file != NULL ? pair->poses.poses : NULL,
	                         .count = pair_pose_count( pair ),
	                         .time_name = "pose",
	                         .metres = pair->metres,
	                         .is_series = pair->pose_file != NULL,
	                         .facts = pair->facts,
	                         .must = PICTURE_NONE };
	return picture_from_poses( &x, wishes, p );
}
