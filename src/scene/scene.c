// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bodies and rules: what a scene is told. The queries are in files of their own.

#include "scene/scene.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/common/arguments.h"

#include <math.h>
#include <string.h>

#define MOST_BODIES 0x80000000u
// Pairs asked in a row: what comes of them takes some megabytes, and threads wait for each other after each row.
#define MOST_ASKED 65536

dbvh_body_options dbvh_body_options_default( void ) {
	return ( dbvh_body_options ){ .group = 1, .mask = UINT32_MAX };
}

dbvh_pair_rule dbvh_pair_rule_default( void ) {
	return ( dbvh_pair_rule ){ .may_collide = false };
}

dbvh_scene_query dbvh_scene_query_default( void ) {
	return ( dbvh_scene_query ){ .find = DBVH_FIND_ANY };
}

dbvh_status dbvhi_scene_check_policy( const dbvh_scene *scene, dbvh_policy policy, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_policy( policy, error );
	for ( uint32_t i = 0; i < scene->body_end && status == DBVH_OK && !dbvhi_asks_for_packed( policy ); ++i ) {
		const dbvhi_body *body = dbvhi_scene_body( scene, i );
		if ( body != NULL )
			status = dbvhi_check_form_of( body->tree, policy, "the tree of a body", error );
	}
	return status;
}

dbvh_status dbvh_scene_create( const dbvh_allocator *allocator, dbvh_scene **scene_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( scene_out, sizeof *scene_out, "scene_out", error ) );
	dbvh_allocator a;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &a, error ) );
	dbvh_scene *scene = dbvhi_alloc( &a, 1, sizeof *scene );
	if ( scene == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( scene, 0, sizeof *scene );
	scene->allocator = a;
	scene->has_own_allocator = allocator != NULL;
	scene->most_asked = MOST_ASKED;
	dbvhi_rules_init( &scene->rules, &a );
	dbvhi_broad_phase_init( &scene->phase, &a );
	const dbvh_status status = dbvh_workspace_create( allocator, &scene->workspace, error );
	if ( status != DBVH_OK ) {
		dbvh_scene_destroy( scene );
		return status;
	}
	*scene_out = scene;
	return DBVH_OK;
}

// Copies what a scene has been told and what was derived from it, but no scratch memory.
static dbvh_status copy_scene( dbvh_scene *to, const dbvh_scene *from ) {
	const dbvh_allocator *a = &to->allocator;
	to->body_end = from->body_end;
	to->body_count = from->body_count;
	to->placed = from->placed;
	to->common_reach = from->common_reach;
	to->largest = from->largest;
	to->deviation = from->deviation;
	to->sizes = from->sizes;
	to->masked_count = from->masked_count;
	to->rounded_count = from->rounded_count;
	to->largest_radius = from->largest_radius;
	to->budget = from->budget;
	to->has_budget = from->has_budget;
	to->most_asked = from->most_asked;
	if ( !dbvhi_copy_array( a, &to->bodies, &to->body_capacity, from->bodies, from->body_end, sizeof *to->bodies ) ||
	     !dbvhi_number_set_copy( &to->unplaced, &from->unplaced, a, from->body_end ) ||
	     !dbvhi_free_numbers_copy( &to->free, &from->free, a, from->body_end ) ||
	     !dbvhi_copy_array( a, &to->reaches, &to->reach_capacity, from->reaches, from->reach_count,
	                        sizeof *to->reaches ) )
		return DBVH_OUT_OF_MEMORY;
	to->reach_count = from->reach_count;
	dbvhi_rules_free( &to->rules );
	DBVHI_TRY( dbvhi_rules_copy( &to->rules, &from->rules, a ) );
	dbvhi_broad_phase_free( &to->phase );
	return dbvhi_broad_phase_copy( &to->phase, &from->phase, a );
}

dbvh_status dbvh_scene_clone( const dbvh_scene *scene, const dbvh_allocator *allocator, dbvh_scene **scene_out,
                              dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( scene_out, sizeof *scene_out, "scene_out", error ) );
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	dbvh_scene *clone;
	DBVHI_TRY( dbvh_scene_create( allocator, &clone, error ) );
	const dbvh_status status = copy_scene( clone, scene );
	if ( status != DBVH_OK ) {
		dbvh_scene_destroy( clone );
		return dbvhi_error_status( error, status );
	}
	*scene_out = clone;
	return DBVH_OK;
}

void dbvh_scene_destroy( dbvh_scene *scene ) {
	if ( scene == NULL )
		return;
	const dbvh_allocator a = scene->allocator;
	dbvh_workspace_destroy( scene->workspace );
	dbvhi_broad_phase_free( &scene->phase );
	dbvhi_rules_free( &scene->rules );
	dbvhi_free( &a, scene->bodies, scene->body_capacity, sizeof *scene->bodies );
	dbvhi_number_set_free( &scene->unplaced, &a );
	dbvhi_free_numbers_free( &scene->free, &a );
	dbvhi_free( &a, scene->moved_place, scene->moved_capacity, sizeof *scene->moved_place );
	dbvhi_free( &a, scene->reaches, scene->reach_capacity, sizeof *scene->reaches );
	dbvhi_free( &a, scene->pairs, scene->pair_capacity, sizeof *scene->pairs );
	dbvhi_free( &a, scene->outcomes, scene->outcome_bytes, 1 );
	dbvhi_free( &a, scene->front.heap, scene->front.capacity, sizeof *scene->front.heap );
	dbvhi_free( &a, scene->numbers, scene->number_capacity, sizeof *scene->numbers );
	dbvhi_free( &a, scene, 1, sizeof *scene );
}

// ------------------------------------------------------------------------------------------------
// Bodies

static dbvh_status no_body( dbvh_error *error, uint32_t body ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "body %lu is not in the scene", (unsigned long)body );
}

static bool is_length( double x ) {
	return x >= 0.0 && isfinite( x );
}

// Room among the bodies to be placed and the free numbers, too, so that moving or removing one cannot fail.
static bool reserve( dbvh_scene *scene, size_t count ) {
	return dbvhi_grow_array( &scene->allocator, &scene->bodies, &scene->body_capacity, count, sizeof *scene->bodies ) &&
	       dbvhi_number_set_require( &scene->unplaced, &scene->allocator, count ) &&
	       dbvhi_free_numbers_require( &scene->free, &scene->allocator, count );
}

static bool is_masked( const dbvh_body_options *options ) {
	return options->group != 1 || options->mask != UINT32_MAX;
}

// All boxes are made anew where the deviation grows: a power of two grows seldom.
static void raise_deviation( dbvh_scene *scene, double deviation ) {
	if ( deviation > scene->deviation ) {
		int exponent;
		(void)frexp( deviation, &exponent );
		scene->deviation = ldexp( 1.0, exponent );
	}
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_add_body( dbvh_scene *scene, const dbvh_tree *tree, const dbvh_pose *pose,
                                                        const dbvh_body_options *options, uint32_t *body_out,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( body_out == NULL )
		return dbvhi_error_null( error, "body_out" );
	*body_out = DBVH_NO_BODY;
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( tree == NULL )
		return dbvhi_error_null( error, "tree" );
	dbvh_body_options o = options != NULL ? *options : dbvh_body_options_default();
	o.group = o.group == 0 ? 1 : o.group;
	o.mask = o.mask == 0 ? UINT32_MAX : o.mask;
	if ( !is_length( o.sag ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.sag is negative, infinite or not a number" );
	if ( !is_length( o.radius ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.radius is negative, infinite or not a number" );
	const dbvh_pose at = pose != NULL ? *pose : dbvh_pose_identity();
	double deviation;
	DBVHI_TRY( dbvh_pose_check( &at, &deviation, error ) );
	const uint32_t number = scene->free.count > 0 ? dbvhi_free_numbers_lowest( &scene->free ) : scene->body_end;
	if ( number >= MOST_BODIES )
		return dbvhi_error_set( error, DBVH_LIMIT, "a scene has at most 2^31 bodies" );
	if ( !reserve( scene, (size_t)( number < scene->body_end ? scene->body_end : number + 1 ) ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	dbvhi_body *body = &scene->bodies[number];
	if ( number == scene->body_end )
		scene->body_end = number + 1;
	else
		dbvhi_free_numbers_remove( &scene->free, number );
	// No rule names the body yet. If another rule changes before its box is made, all boxes are made anew.
	*body = ( dbvhi_body ){ .reach = scene->common_reach };
	body->tree = tree;
	body->pose = at;
	body->options = o;
	scene->masked_count += is_masked( &o );
	scene->rounded_count += o.radius > 0.0;
	scene->largest_radius = o.radius > scene->largest_radius ? o.radius : scene->largest_radius;
	dbvhi_number_set_add( &scene->unplaced, number );
	raise_deviation( scene, deviation );
	scene->largest = tree->largest > scene->largest ? tree->largest : scene->largest;
	scene->sizes = dbvhi_tree_sizes_max( scene->sizes, dbvhi_tree_sizes_of( tree ) );
	scene->body_count += 1;
	*body_out = number;
	return DBVH_OK;
}

dbvh_status dbvh_scene_add_body( dbvh_scene *scene, const dbvh_tree *tree, const dbvh_pose *pose,
                                 const dbvh_body_options *options, uint32_t *body_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_add_body( scene, tree, pose, options, body_out, error ) );
}

dbvh_status dbvh_scene_remove_body( dbvh_scene *scene, uint32_t body, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( dbvhi_scene_body( scene, body ) == NULL )
		return no_body( error, body );
	dbvhi_rules_forget( &scene->rules, body );
	dbvhi_number_set_add( &scene->unplaced, body );
	scene->masked_count -= is_masked( &scene->bodies[body].options );
	scene->rounded_count -= scene->bodies[body].options.radius > 0.0;
	scene->bodies[body].tree = NULL;
	scene->body_count -= 1;
	dbvhi_free_numbers_add( &scene->free, body );
	return DBVH_OK;
}

static void move( dbvh_scene *scene, uint32_t number, const dbvh_pose *pose, double deviation ) {
	dbvhi_body *body = &scene->bodies[number];
	if ( memcmp( &body->pose, pose, sizeof *pose ) == 0 )
		return;
	body->pose = *pose;
	raise_deviation( scene, deviation );
	dbvhi_number_set_add( &scene->unplaced, number );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_set_pose( dbvh_scene *scene, uint32_t body, const dbvh_pose *pose,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( pose == NULL )
		return dbvhi_error_null( error, "pose" );
	if ( dbvhi_scene_body( scene, body ) == NULL )
		return no_body( error, body );
	double deviation;
	DBVHI_TRY( dbvh_pose_check( pose, &deviation, error ) );
	move( scene, body, pose, deviation );
	return DBVH_OK;
}

dbvh_status dbvh_scene_set_pose( dbvh_scene *scene, uint32_t body, const dbvh_pose *pose, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_set_pose( scene, body, pose, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_set_poses( dbvh_scene *scene, const uint32_t *bodies,
                                                         const dbvh_pose *poses, size_t count, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( poses == NULL && count > 0 )
		return dbvhi_error_null( error, "poses" );
	if ( bodies == NULL && count != scene->body_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%zu poses for %lu bodies", count,
		                        (unsigned long)scene->body_count );
	double largest = 0.0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( bodies != NULL && dbvhi_scene_body( scene, bodies[i] ) == NULL ) {
			if ( error != NULL )
				error->element = (int64_t)i;
			return no_body( error, bodies[i] );
		}
		double deviation;
		const dbvh_status status = dbvhi_pose_check( &poses[i], &deviation );
		if ( status != DBVH_OK ) {
			if ( error != NULL )
				error->element = (int64_t)i;
			dbvh_error detail;
			(void)dbvh_pose_check( &poses[i], NULL, &detail );
			return dbvhi_error_set( error, status, "pose %zu: %s", i, detail.text );
		}
		largest = deviation > largest ? deviation : largest;
	}
	uint32_t next = 0;
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t number = bodies != NULL ? bodies[i] : dbvh_scene_next_body( scene, next );
		next = number + 1;
		move( scene, number, &poses[i], largest );
	}
	return DBVH_OK;
}

dbvh_status dbvh_scene_set_poses( dbvh_scene *scene, const uint32_t *bodies, const dbvh_pose *poses, size_t count,
                                  dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_set_poses( scene, bodies, poses, count, error ) );
}

bool dbvh_scene_get_body( const dbvh_scene *scene, uint32_t body, const dbvh_tree **tree_out, dbvh_pose *pose_out,
                          dbvh_body_options *options_out ) {
	const dbvhi_body *found = scene != NULL ? dbvhi_scene_body( scene, body ) : NULL;
	if ( found == NULL )
		return false;
	if ( tree_out != NULL )
		*tree_out = found->tree;
	if ( pose_out != NULL )
		*pose_out = found->pose;
	if ( options_out != NULL )
		*options_out = found->options;
	return true;
}

size_t dbvh_scene_body_count( const dbvh_scene *scene ) {
	return scene != NULL ? scene->body_count : 0;
}

uint32_t dbvh_scene_next_body( const dbvh_scene *scene, uint32_t from ) {
	for ( uint32_t i = from; scene != NULL && i < scene->body_end; ++i ) {
		if ( scene->bodies[i].tree != NULL )
			return i;
	}
	return DBVH_NO_BODY;
}

// ------------------------------------------------------------------------------------------------
// Rules

static dbvh_status check_rule( const dbvh_pair_rule *rule, dbvh_error *error ) {
	if ( rule == NULL )
		return DBVH_OK;
	const double lengths[] = { rule->clearance, rule->touch_gap, rule->touch_overlap, rule->allowed_depth,
	                           rule->allowed_volume };
	static const char *const names[] = { "clearance", "touch_gap", "touch_overlap", "allowed_depth", "allowed_volume" };
	for ( size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i ) {
		if ( !is_length( lengths[i] ) )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "rule.%s is negative, infinite or not a number",
			                        names[i] );
	}
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_set_default_rule( dbvh_scene *scene, const dbvh_pair_rule *rule,
                                                                dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	const dbvh_status status = check_rule( rule, error );
	const dbvh_pair_rule none = dbvh_pair_rule_default();
	if ( status == DBVH_OK )
		dbvhi_rules_set_default( &scene->rules, rule != NULL ? rule : &none );
	return status;
}

dbvh_status dbvh_scene_set_default_rule( dbvh_scene *scene, const dbvh_pair_rule *rule, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_set_default_rule( scene, rule, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_set_body_rule( dbvh_scene *scene, uint32_t body,
                                                             const dbvh_pair_rule *rule, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( dbvhi_scene_body( scene, body ) == NULL )
		return no_body( error, body );
	DBVHI_TRY( check_rule( rule, error ) );
	return dbvhi_error_status( error, dbvhi_rules_set_body( &scene->rules, body, rule ) );
}

dbvh_status dbvh_scene_set_body_rule( dbvh_scene *scene, uint32_t body, const dbvh_pair_rule *rule,
                                      dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_set_body_rule( scene, body, rule, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_set_pair_rule( dbvh_scene *scene, uint32_t a, uint32_t b,
                                                             const dbvh_pair_rule *rule, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( dbvhi_scene_body( scene, a ) == NULL )
		return no_body( error, a );
	if ( dbvhi_scene_body( scene, b ) == NULL )
		return no_body( error, b );
	if ( a == b )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "body %lu and itself are no pair", (unsigned long)a );
	DBVHI_TRY( check_rule( rule, error ) );
	return dbvhi_error_status( error, dbvhi_rules_set_pair( &scene->rules, a, b, rule ) );
}

dbvh_status dbvh_scene_set_pair_rule( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_pair_rule *rule,
                                      dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_set_pair_rule( scene, a, b, rule, error ) );
}

dbvh_status dbvh_scene_set_budget( dbvh_scene *scene, const dbvh_budget *budget, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	scene->has_budget = budget != NULL;
	scene->budget = budget != NULL ? *budget : dbvh_budget_default();
	return DBVH_OK;
}

bool dbvhi_scene_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out ) {
	const dbvh_body_options *of_a = &scene->bodies[a].options, *of_b = &scene->bodies[b].options;
	*rule_out = dbvhi_rules_of( &scene->rules, a, b );
	return ( of_a->group & of_b->mask ) != 0 && ( of_b->group & of_a->mask ) != 0 && !rule_out->may_collide;
}

static DBVHI_NOINLINE_FP bool do_scene_get_rule( const dbvh_scene *scene, uint32_t a, uint32_t b,
                                                 dbvh_pair_rule *rule_out ) {
	dbvh_pair_rule rule = { .may_collide = false };
	bool is_looked_at = false;
	if ( scene != NULL && a != b && dbvhi_scene_body( scene, a ) != NULL && dbvhi_scene_body( scene, b ) != NULL )
		is_looked_at = dbvhi_scene_rule( scene, a, b, &rule );
	if ( rule_out != NULL )
		*rule_out = rule;
	return is_looked_at;
}

bool dbvh_scene_get_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out ) {
	DBVHI_IN_DEFAULT_FPENV( bool, do_scene_get_rule( scene, a, b, rule_out ) );
}
