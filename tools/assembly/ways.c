// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/ways.h"

#include "base/parallel.h"
#include "dualbvh/relation.h"
#include "dualbvh/toi.h"
#include "model/properties.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// The length of turns

static double distance_from_axis( const scene_way *way, const double x[3] ) {
	double r[3], along = 0.0, sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		r[k] = x[k] - way->centre[k];
		along += r[k] * way->axis[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const double off = r[k] - along * way->axis[k];
		sum += off * off;
	}
	return sqrt( sum );
}

static double reach_of_mesh( const scene_way *way, const scene_mesh *mesh ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh->mesh );
	const double *x = view.positions;
	double most = 0.0;
	for ( size_t i = 0; i < view.vertex_count; ++i )
		most = fmax( most, distance_from_axis( way, x + 3 * i ) );
	return most;
}

// The arc of the farthest point, a little more: an arc is longer than its chord, and rounding is less than a billionth.
double scene_way_length( const scene_model *model, const scene_rule *rule, uint32_t body ) {
	const scene_way *way = &rule->way;
	if ( way->kind != SCENE_WAY_TURN )
		return rule->rule.clearance;
	return reach_of_mesh( way, &model->meshes[model->bodies[body].mesh] ) * fabs( way->angle ) * ( 1.0 + 1e-9 );
}

void scene_ways_measure( scene_model *model ) {
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		scene_rule *rule = &model->rules[i];
		if ( rule->way.kind != SCENE_WAY_TURN )
			continue;
		rule->rule.clearance = 0.0;
		for ( uint32_t k = 0; k < model->body_count; ++k )
			if ( scene_names_body( rule->a, &model->bodies[k] ) )
				rule->rule.clearance = fmax( rule->rule.clearance, scene_way_length( model, rule, k ) );
	}
}

unsigned scene_way_goers( const scene_rule *rule, const scene_body *a, const scene_body *b ) {
	const bool goes_a = scene_names_body( rule->a, a ) && scene_names_body( rule->b, b );
	const bool goes_b = scene_names_body( rule->a, b ) && scene_names_body( rule->b, a );
	return ( goes_a ? 1U : 0U ) | ( goes_b ? 2U : 0U );
}

// ------------------------------------------------------------------------------------------------
// A way

typedef struct judging {
	scene_findings *findings;
	const scene_watch *watch;
	dbvh_workspace **workspaces; // by thread
	bool *is_free;               // by clash
} judging;

typedef struct goer {
	const dbvh_tree *tree, *other;
	const dbvh_pose *pose, *other_pose;
	dbvh_motion motion;
} goer;

static bool is_over( void *user ) {
	const scene_watch *watch = user;
	return watch->is_over != NULL && watch->is_over( watch->user );
}

// Behind this part of a way the end decides: what is only touched there is not in the way.
#define NEARLY_ALL ( 1.0 - 0x1p-19 )

static goer make_goer( const judging *j, const scene_clash *c, bool is_a ) {
	const scene_body *bodies = j->findings->assembly->model.bodies;
	const scene_body *body = &bodies[is_a ? c->a : c->b], *other = &bodies[is_a ? c->b : c->a];
	const scene_way *way = &c->rule->way;
	goer g = { j->findings->trees->trees[body->mesh],
	           j->findings->trees->trees[other->mesh],
	           &body->pose,
	           &other->pose,
	           { .from = body->pose } };
	for ( int i = 0; i < 3; ++i ) {
		if ( way->kind == SCENE_WAY_STRAIGHT ) {
			g.motion.shift[i] = way->axis[i] * c->rule->rule.clearance;
			continue;
		}
		const double *row = body->pose.rot[i];
		g.motion.axis[i] = row[0] * way->axis[0] + row[1] * way->axis[1] + row[2] * way->axis[2];
		g.motion.centre[i] =
		    row[0] * way->centre[0] + row[1] * way->centre[1] + row[2] * way->centre[2] + body->pose.pos[i];
	}
	g.motion.angle = way->kind == SCENE_WAY_TURN ? way->angle : 0.0;
	return g;
}

// Is the other body free of this one at the end of the way? It may touch.
static bool is_free_at_end( const goer *g, dbvh_workspace *workspace ) {
	const dbvh_pose last = dbvh_motion_pose( &g->motion, 1.0 );
	dbvh_relate_result found;
	return dbvh_relate( g->tree, &last, g->other, g->other_pose, NULL, workspace, &found, NULL ) == DBVH_OK &&
	       ( found.relation == DBVH_RELATION_DISJOINT || found.relation == DBVH_RELATION_TOUCHING );
}

// Look along the way. False where it is free; else `time` and what is touched there, if it was found.
static bool is_in_the_way( const judging *j, const goer *g, dbvh_workspace *workspace, dbvh_toi_result *found ) {
	const dbvh_budget budget = { .is_cancelled = is_over, .user = (void *)j->watch };
	const dbvh_toi_query query = { .budget = &budget };
	const dbvh_motion rest = dbvh_motion_translation( g->other_pose, NULL );
	if ( dbvh_time_of_impact( g->tree, &g->motion, g->other, &rest, &query, workspace, found, NULL ) != DBVH_OK ) {
		found->verdict = DBVH_TOI_VERDICT_UNDECIDED;
		return true;
	}
	return found->verdict != DBVH_TOI_VERDICT_CLEAR && ( found->time < NEARLY_ALL || !is_free_at_end( g, workspace ) );
}

// note: the clearance of the rule of a turn is the length of the longest one, perhaps of another body.
static void note_contact( const judging *j, scene_clash *c, const dbvh_toi_result *found, bool is_a ) {
	c->clearance = scene_way_length( &j->findings->assembly->model, c->rule, is_a ? c->a : c->b );
	c->distance = found->time * c->clearance;
	if ( found->verdict == DBVH_TOI_VERDICT_UNDECIDED )
		return;
	c->first = is_a ? found->pair : ( dbvh_pair ){ found->pair.b, found->pair.a };
	for ( int k = 0; k < 3; ++k )
		c->point[k] = 0.5 * found->point_a[k] + 0.5 * found->point_b[k];
}

static void judge_one( void *context, size_t index, uint32_t thread ) {
	const judging *j = context;
	scene_clash *c = &j->findings->clashes[index];
	const scene_body *bodies = j->findings->assembly->model.bodies;
	dbvh_toi_result found;
	double least = INFINITY;
	if ( c->kind != DBVH_CLASH_KIND_CLEARANCE || c->rule == NULL || c->rule->way.kind == SCENE_WAY_NONE )
		return;
	const unsigned goers = scene_way_goers( c->rule, &bodies[c->a], &bodies[c->b] );
	for ( unsigned i = 1; i <= 2; ++i ) {
		if ( ( goers & i ) == 0 )
			continue;
		const goer g = make_goer( j, c, i == 1 );
		if ( is_in_the_way( j, &g, j->workspaces[thread], &found ) && found.time < least ) {
			least = found.time;
			note_contact( j, c, &found, i == 1 );
		}
	}
	j->is_free[index] = !( least < INFINITY );
}

// ------------------------------------------------------------------------------------------------

static bool has_ways( const scene_model *model ) {
	for ( size_t i = 0; i < model->rule_count; ++i )
		if ( model->rules[i].way.kind != SCENE_WAY_NONE )
			return true;
	return false;
}

bool scene_ways_judge( scene_findings *f, uint32_t thread_count, const scene_watch *watch ) {
	const uint32_t threads = dbvhi_thread_count( thread_count );
	size_t kept = 0;
	if ( !has_ways( &f->assembly->model ) )
		return true;
	judging j = { .findings = f, .watch = watch };
	j.is_free = calloc( f->clash_count + 1, sizeof *j.is_free );
	j.workspaces = calloc( threads, sizeof( dbvh_workspace * ) );
	bool ok = j.is_free != NULL && j.workspaces != NULL;
	for ( uint32_t i = 0; ok && i < threads; ++i )
		ok = dbvh_workspace_create( NULL, &j.workspaces[i], NULL ) == DBVH_OK;
	if ( ok )
		dbvhi_parallel_for( f->clash_count, 1, threads, judge_one, &j );
	for ( size_t i = 0; ok && i < f->clash_count; ++i )
		if ( !j.is_free[i] )
			f->clashes[kept++] = f->clashes[i];
	if ( ok )
		f->clash_count = kept;
	for ( uint32_t i = 0; j.workspaces != NULL && i < threads; ++i )
		dbvh_workspace_destroy( j.workspaces[i] );
	free( j.workspaces );
	free( j.is_free );
	return ok;
}
