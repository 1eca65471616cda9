// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pictures of two meshes at one pose or many.

#include "command.h"
#include "dualbvh/contact.h"
#include "picture/sources.h"
#include "progress.h"
#include "scene/findings.h"
#include "timeout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_FRAMES = 2000,
	MOST_POINTS = 2000000, // of all contacts
	MOST_WORK = 50000000   // for the contacts of a frame
};

typedef struct telling {
	const picture_pair *pair;
	const picture_wishes *wishes;
	picture *p;
	dbvh_contacts *contacts;
	dbvh_workspace *workspace;
	char *names[2];
	bool has_frames;
	uint32_t group;         // of the run of clashes that is being told
	size_t run_of, run_end; // its frames
} telling;

// What is known of a frame.
typedef struct facts {
	dbvh_relation relation;
	bool is_known, has_distance;
	dbvh_distance_result distance;
} facts;

static dbvh_pose pose_a( const telling *t, size_t i ) {
	return t->pair->poses_a != NULL ? t->pair->poses_a[i] : dbvh_pose_identity();
}

static dbvh_pose pose_b( const telling *t, size_t i ) {
	return t->pair->poses_b != NULL ? t->pair->poses_b[i] : dbvh_pose_identity();
}

static const char *kind_of( const telling *t, const facts *f ) {
	static const char *const kinds[] = { "distance",    "touch",     "hard",       "containment",
	                                     "containment", "duplicate", "undecidable" };
	if ( f->relation != DBVH_RELATION_DISJOINT && !t->wishes->relation )
		return "intersecting";
	if ( f->relation == DBVH_RELATION_DISJOINT && t->wishes->has_clearance && f->has_distance &&
	     f->distance.distance <= t->wishes->clearance )
		return "clearance";
	return kinds[f->relation];
}

static char *sentence_of( const telling *t, const facts *f, double time ) {
	picture *p = t->p;
	const char *a = t->names[0], *b = t->names[1];
	char when[48] = "";
	if ( t->has_frames )
		snprintf( when, sizeof when, "%s %.6g: ", t->pair->time_name, time );
	switch ( f->relation ) {
	case DBVH_RELATION_DISJOINT:
		return f->has_distance && f->distance.found
		           ? picture_print( p, "%s%s and %s are %.6g apart", when, a, b, f->distance.distance )
		           : picture_print( p, "%s%s and %s do not meet", when, a, b );
	case DBVH_RELATION_TOUCHING:
		return picture_print( p, "%s%s and %s touch", when, a, b );
	case DBVH_RELATION_OVERLAPPING:
		return picture_print( p, t->wishes->relation ? "%s%s and %s overlap" : "%s%s and %s intersect", when, a, b );
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

static facts ask( const telling *t, size_t i ) {
	const dbvh_pose a = pose_a( t, i ), b = pose_b( t, i );
	const dbvh_tree *const *trees = t->pair->trees;
	facts f = { .relation = DBVH_RELATION_UNDECIDABLE };
	if ( t->wishes->relation ) {
		dbvh_relate_result related;
		dbvh_relate_query query = t->wishes->relate;
		query.budget = timeout_budget();
		if ( dbvh_relate( trees[0], &a, trees[1], &b, &query, t->workspace, &related, NULL ) != DBVH_OK )
			return f;
		f.relation = related.relation;
	} else {
		dbvh_collide_result surfaces;
		const dbvh_collide_query query = { .budget = timeout_budget() };
		if ( dbvh_collide( trees[0], &a, trees[1], &b, &query, t->workspace, &surfaces, NULL ) != DBVH_OK )
			return f;
		f.relation = surfaces.verdict == DBVH_INTERSECTING ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
	}
	f.is_known = true;
	if ( f.relation == DBVH_RELATION_DISJOINT || t->wishes->distance ) {
		const dbvh_distance_query near = { .budget = timeout_budget() };
		f.has_distance =
		    dbvh_distance( trees[0], &a, trees[1], &b, &near, t->workspace, &f.distance, NULL ) == DBVH_OK &&
		    f.distance.found;
	}
	return f;
}

// The middle of all places, and how far they reach; else of the bodies.
static void look_at( const telling *t, picture_clash *c, uint32_t frame ) {
	const picture *p = t->p;
	dbvh_aabb all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( size_t i = 0; i < c->place_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			all.min[k] = fmin( all.min[k], p->places[c->first_place + i].box.min[k] );
			all.max[k] = fmax( all.max[k], p->places[c->first_place + i].box.max[k] );
		}
	const dbvh_aabb a = picture_bounds_of( p, 0, frame ), b = picture_bounds_of( p, 1, frame );
	double least = INFINITY, largest = c->has_witness ? 2.0 * c->distance : 0.0;
	for ( int k = 0; k < 3; ++k ) {
		c->overlap.min[k] = fmin( fmax( a.min[k], b.min[k] ), fmin( a.max[k], b.max[k] ) );
		c->overlap.max[k] = fmax( fmax( a.min[k], b.min[k] ), fmin( a.max[k], b.max[k] ) );
		if ( c->place_count > 0 ) {
			c->point[k] = 0.5 * all.min[k] + 0.5 * all.max[k];
			largest = fmax( largest, all.max[k] - all.min[k] );
		} else if ( c->has_witness )
			c->point[k] = 0.5 * c->witness[0][k] + 0.5 * c->witness[1][k];
		else
			c->point[k] = 0.5 * c->overlap.min[k] + 0.5 * c->overlap.max[k];
		least = fmin( least, fmin( hypot( a.max[0] - a.min[0], a.max[1] - a.min[1] ),
		                           hypot( b.max[0] - b.min[0], b.max[1] - b.min[1] ) ) );
	}
	c->size = fmax( largest, 0.2 * least );
}

static void add_contacts( telling *t, size_t i ) {
	picture *p = t->p;
	const dbvh_pose a = pose_a( t, i ), b = pose_b( t, i );
	const dbvh_budget budget = { .max_work = MOST_WORK };
	const dbvh_contacts_query query = { .budget = &budget };
	if ( p->point_count > MOST_POINTS ||
	     dbvh_contacts_find( t->pair->trees[0], &a, t->pair->trees[1], &b, &query, t->contacts, NULL ) != DBVH_OK ) {
		p->clashes[p->clash_count - 1].contacts_left_out = true;
		return;
	}
	const dbvh_contacts_view found = dbvh_contacts_get( t->contacts );
	picture_add_contacts( p, &found, &a );
}

// Neighbouring frames of a kind are a group.
static uint32_t group_of( telling *t, size_t number, uint32_t frame, const char *kind ) {
	picture *p = t->p;
	if ( !t->has_frames )
		return PICTURE_NONE;
	const picture_clash *last = p->clash_count > 0 ? &p->clashes[p->clash_count - 1] : NULL;
	if ( last != NULL && last->frame + 1 == frame && strcmp( last->kind, kind ) == 0 )
		return last->group;
	char *name = picture_print( p, "%s from %s %.6g on", kind, t->pair->time_name,
	                            t->pair->times != NULL ? t->pair->times[number] : (double)number );
	const uint32_t group = name != NULL ? picture_add_group( p, name ) : PICTURE_NONE;
	free( name );
	return group;
}

static void add_entry( telling *t, size_t number, uint32_t frame, const facts *f, double time ) {
	picture *p = t->p;
	const char *kind = kind_of( t, f );
	picture_clash made = { .id = picture_print( p, "%s", "" ),
	                       .sentence = sentence_of( t, f, time ),
	                       .kind = kind,
	                       .a = 0,
	                       .b = 1,
	                       .group = group_of( t, number, frame, kind ),
	                       .frame = frame };
	if ( f->has_distance && f->distance.distance > 0.0 ) {
		made.has_first = made.has_witness = true;
		made.first = f->distance.pair;
		made.distance = f->distance.distance;
		memcpy( made.witness[0], f->distance.point_a, sizeof made.witness[0] );
		memcpy( made.witness[1], f->distance.point_b, sizeof made.witness[1] );
	}
	if ( picture_add_clash( p, &made ) == PICTURE_NONE )
		return;
	if ( f->relation != DBVH_RELATION_DISJOINT )
		add_contacts( t, number );
	look_at( t, &p->clashes[p->clash_count - 1], frame );
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

// All poses, or as many as a page can have, evenly chosen.
static void add_frames( telling *t ) {
	const size_t count = t->pair->count, shown = count < MOST_FRAMES ? count : MOST_FRAMES;
	picture *p = t->p;
	size_t *numbers = malloc( ( shown + 1 ) * sizeof *numbers );
	facts *known = malloc( ( shown + 1 ) * sizeof *known );
	p->has_failed |= numbers == NULL || known == NULL;
	size_t done = 0;
	for ( ; !p->has_failed && done < shown && !timeout_expired(); ++done ) {
		progress_step( "poses drawn", done, shown );
		const size_t number =
		    shown > 1 ? (size_t)( (double)done / (double)( shown - 1 ) * (double)( count - 1 ) + 0.5 ) : 0;
		numbers[done] = number;
		known[done] = ask( t, number );
		const bool clashing = strcmp( kind_of( t, &known[done] ), "distance" ) != 0 &&
		                      !( t->wishes->allows_touching && known[done].relation == DBVH_RELATION_TOUCHING );
		const double time = t->pair->times != NULL ? t->pair->times[number] : (double)number;
		if ( t->has_frames )
			picture_add_frame( p, time,
			                   known[done].has_distance ? known[done].distance.distance
			                   : clashing               ? 0.0
			                                            : NAN,
			                   !known[done].is_known ? PICTURE_UNKNOWN
			                   : clashing            ? PICTURE_CLASHING
			                                         : PICTURE_CLEAR );
	}
	dbvh_pose *track = t->has_frames && t->pair->poses_b != NULL ? picture_add_track( p, 1 ) : NULL;
	dbvh_pose *track_a = t->has_frames && t->pair->poses_a != NULL ? picture_add_track( p, 0 ) : NULL;
	for ( size_t i = 0; !p->has_failed && i < done; ++i ) {
		if ( track != NULL )
			track[i] = pose_b( t, numbers[i] );
		if ( track_a != NULL )
			track_a[i] = pose_a( t, numbers[i] );
	}
	for ( size_t i = 0; !p->has_failed && i < done; ++i )
		if ( known[i].is_known )
			add_entry( t, numbers[i], t->has_frames ? (uint32_t)i : PICTURE_NONE, &known[i],
			           t->pair->times != NULL ? t->pair->times[numbers[i]] : (double)numbers[i] );
	if ( shown < count )
		picture_add_note( p, "Of %zu poses %zu are shown, evenly chosen.", count, shown );
	if ( done < shown )
		picture_add_note( p, "The time was over after %zu of %zu poses.", done, shown );
	free( numbers );
	free( known );
}

bool picture_from_poses( const picture_pair *pair, const picture_wishes *wishes, picture *p ) {
	telling t = { .pair = pair, .wishes = wishes, .p = p, .has_frames = pair->count > 1 };
	bool ok = dbvh_contacts_create( NULL, &t.contacts, NULL ) == DBVH_OK &&
	          dbvh_workspace_create( NULL, &t.workspace, NULL ) == DBVH_OK;
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
	dbvh_contacts_destroy( t.contacts );
	dbvh_workspace_destroy( t.workspace );
	free( t.names[0] );
	free( t.names[1] );
	ok = ok && !p->has_failed;
	if ( !ok )
		complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
	return ok;
}

bool picture_from_pair( const mesh_pair *pair, const picture_wishes *wishes, picture *p ) {
	const picture_pair x = { .files = { pair->file_a, pair->file_b },
	                         .meshes = { pair->mesh_a, pair->mesh_b },
	                         .trees = { pair->tree_a, pair->tree_b },
	                         .poses_b = pair->pose_file != NULL ? pair->poses.poses : NULL,
	                         .count = pair_pose_count( pair ),
	                         .time_name = "pose" };
	return picture_from_poses( &x, wishes, p );
}

// ------------------------------------------------------------------------------------------------
// Motions

bool picture_from_motions( const picture_pair *pair, const dbvh_motion *motions_a, const dbvh_motion *motions_b,
                           size_t leg_count, size_t samples, double extra, const picture_wishes *wishes, picture *p ) {
	const size_t room = leg_count * samples + 2;
	dbvh_pose *a = malloc( room * sizeof *a ), *b = malloc( room * sizeof *b );
	double *times = malloc( room * sizeof *times );
	bool ok = a != NULL && b != NULL && times != NULL;
	size_t count = 0;
	for ( size_t i = 0; ok && i <= leg_count * samples; ++i ) {
		const double time = (double)i / (double)samples;
		if ( count > 0 && times[count - 1] < extra && extra < time )
			times[count++] = extra;
		times[count++] = time;
	}
	for ( size_t i = 0; ok && i < count; ++i ) {
		const size_t leg = times[i] < (double)leg_count ? (size_t)times[i] : leg_count - 1;
		a[i] = motions_a != NULL ? dbvh_motion_pose( &motions_a[leg], times[i] - (double)leg ) : dbvh_pose_identity();
		b[i] = dbvh_motion_pose( &motions_b[leg], times[i] - (double)leg );
	}
	picture_pair all = *pair;
	all.poses_a = motions_a != NULL ? a : NULL;
	all.poses_b = b;
	all.times = times;
	all.count = count;
	all.time_name = "time";
	if ( !ok )
		complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
	ok = ok && picture_from_poses( &all, wishes, p );
	free( a );
	free( b );
	free( times );
	return ok;
}
