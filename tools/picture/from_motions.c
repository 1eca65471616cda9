// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Motions as many poses, at the times of samples and of the impact.

#include "cli/complain.h"
#include "picture/sources.h"

#include <math.h>
#include <stdlib.h>

typedef struct sampling {
	const dbvh_motion *motions_a, *motions_b;
	dbvh_pose *a, *b;
	double *times; // leg and part of it
	pair_fact *facts;
	size_t count, must;
} sampling;

static void add( sampling *s, size_t leg, double time ) {
	s->a[s->count] = s->motions_a != NULL ? dbvh_motion_pose( &s->motions_a[leg], time ) : dbvh_pose_identity();
	s->b[s->count] = dbvh_motion_pose( &s->motions_b[leg], time );
	s->facts[s->count] = ( pair_fact ){ .distance = NAN };
	s->times[s->count++] = (double)leg + time;
}

// Record the impact as a fact: the pose is rounded, and need not show it.
static void add_impact( sampling *s, const picture_impact *impact ) {
	s->must = s->count;
	add( s, impact->leg, impact->time );
	s->facts[s->must] = ( pair_fact ){ .state = PAIR_CLASHING,
	                                   .relation = impact->meets ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT,
	                                   .of_surfaces = true,
	                                   .distance = impact->meets ? 0.0 : NAN };
}

static void add_leg( sampling *s, size_t leg, size_t samples, const picture_impact *impact ) {
	bool is_due = impact != NULL && impact->leg == leg;
	for ( size_t i = 0; i < samples; ++i ) {
		const double time = (double)i / (double)samples;
		if ( is_due && impact->time <= time ) {
			add_impact( s, impact );
			is_due = false;
			if ( impact->time == time )
				continue;
		}
		add( s, leg, time );
	}
	if ( is_due )
		add_impact( s, impact );
}

bool picture_from_motions( const picture_pair *pair, const dbvh_motion *motions_a, const dbvh_motion *motions_b,
                           size_t leg_count, size_t samples, const picture_impact *impact, const picture_wishes *wishes,
                           picture *p ) {
	const size_t room = leg_count * samples + 2;
	sampling s = { .motions_a = motions_a,
	               .motions_b = motions_b,
	               .a = malloc( room * sizeof *s.a ),
	               .b = malloc( room * sizeof *s.b ),
	               .times = malloc( room * sizeof *s.times ),
	               .facts = malloc( room * sizeof *s.facts ),
	               .must = PICTURE_NONE };
	bool ok = s.a != NULL && s.b != NULL && s.times != NULL && s.facts != NULL;
	if ( ok ) {
		for ( size_t leg = 0; leg < leg_count; ++leg )
			add_leg( &s, leg, samples, impact );
		if ( s.times[s.count - 1] < (double)leg_count )
			add( &s, leg_count - 1, 1.0 );
		picture_pair all = *pair;
		all.poses_a = motions_a != NULL ? s.a : NULL;
		all.poses_b = s.b;
		all.times = s.times;
		all.count = s.count;
		all.time_name = "time";
		all.is_series = true;
		all.facts = s.facts;
		all.must = s.must;
		ok = picture_from_poses( &all, wishes, p );
	} else
		complain_memory();
	free( s.a );
	free( s.b );
	free( s.times );
	free( s.facts );
	return ok;
}
