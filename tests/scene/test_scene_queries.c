// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random scenes against brute force: every query of a scene against the function for two meshes on every pair, with
// rules, groups, bodies that come, go and move, on several threads.

#include "dualbvh/shape.h"
#include "scene_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dbvh_pair_rule random_rule( rng *r ) {
	return ( dbvh_pair_rule ){ .may_collide = rng_below( r, 4 ) == 0,
	                           .may_touch = rng_below( r, 3 ) == 0,
	                           .clearance = rng_below( r, 2 ) == 0 ? 0.125 * (double)rng_below( r, 6 ) : 0.0,
	                           .touch_gap = rng_below( r, 3 ) == 0 ? 0.125 : 0.0,
	                           .touch_overlap = rng_below( r, 3 ) == 0 ? 0.0625 : 0.0,
	                           .allowed_depth = rng_below( r, 3 ) == 0 ? 0.1 + 0.1 * rng_unit( r ) : 0.0,
	                           .allowed_volume = rng_below( r, 5 ) == 0 ? 0.02 + 0.2 * rng_unit( r ) : 0.0 };
}

// Something happens: bodies come, go, move; rules change; or nothing does.
static void change( stage *s, rng *r ) {
	switch ( rng_below( r, 6 ) ) {
	case 0:
		for ( uint64_t n = rng_below( r, 10 ); n > 0 && s->count < MOST; --n )
			add_body( s, r );
		break;
	case 1:
		for ( uint64_t n = rng_below( r, 3 ); n > 0 && s->count > 2; --n ) {
			const size_t at = rng_below( r, s->count );
			assert_int_equal( dbvh_scene_remove_body( s->scene, s->bodies[at], NULL ), DBVH_OK );
			s->bodies[at] = s->bodies[--s->count];
		}
		break;
	case 2:
		for ( uint64_t n = rng_below( r, 4 ); n > 0; --n ) {
			const dbvh_pose pose = somewhere( s, r );
			assert_int_equal( dbvh_scene_set_pose( s->scene, s->bodies[rng_below( r, s->count )], &pose, NULL ),
			                  DBVH_OK );
		}
		break;
	case 3: {
		dbvh_pose poses[MOST];
		for ( size_t i = 0; i < s->count; ++i )
			poses[i] = somewhere( s, r );
		assert_int_equal(
		    dbvh_scene_set_poses( s->scene, rng_below( r, 2 ) == 0 ? s->bodies : NULL, poses, s->count, NULL ),
		    DBVH_OK );
		break;
	}
	case 4: {
		const dbvh_pair_rule rule = random_rule( r );
		const bool removes = rng_below( r, 3 ) == 0;
		const uint32_t a = s->bodies[rng_below( r, s->count )], b = s->bodies[rng_below( r, s->count )];
		if ( rng_below( r, 4 ) == 0 )
			assert_int_equal( dbvh_scene_set_default_rule( s->scene, removes ? NULL : &rule, NULL ), DBVH_OK );
		else if ( rng_below( r, 2 ) == 0 || a == b )
			assert_int_equal( dbvh_scene_set_body_rule( s->scene, a, removes ? NULL : &rule, NULL ), DBVH_OK );
		else
			assert_int_equal( dbvh_scene_set_pair_rule( s->scene, a, b, removes ? NULL : &rule, NULL ), DBVH_OK );
		break;
	}
	default:
		break;
	}
}

typedef struct body {
	const dbvh_tree *tree;
	dbvh_pose pose;
	dbvh_body_options options;
} body;

static body body_of( const stage *s, uint32_t number ) {
	body b;
	assert_true( dbvh_scene_get_body( s->scene, number, &b.tree, &b.pose, &b.options ) );
	return b;
}

static bool has_topology( const stage *s, const body *b ) {
	return b->tree != s->trees[3];
}

typedef struct limits {
	bool keeps, breaks; // the limit for certain; neither: nobody can tell
} limits;

static limits compare( dbvh_interval x, double limit ) {
	return ( limits ){ x.upper <= limit, x.lower > limit };
}

// Whether two bodies that overlap fit by their rule, from the whole depth and the whole volume.
static limits fits_of( const body *a, const body *b, const dbvh_pair_rule *rule ) {
	const double sags = a->options.sag + b->options.sag;
	dbvh_local_depth_result depth;
	dbvh_overlap_result volume;
	dbvh_overlap *overlap;
	assert_int_equal( dbvh_local_depth( a->tree, &a->pose, b->tree, &b->pose, NULL, NULL, &depth, NULL ), DBVH_OK );
	assert_int_equal( dbvh_overlap_create( NULL, &overlap, NULL ), DBVH_OK );
	assert_int_equal( dbvh_overlap_find( a->tree, &a->pose, b->tree, &b->pose, NULL, overlap, &volume, NULL ),
	                  DBVH_OK );
	dbvh_overlap_destroy( overlap );
	if ( depth.undecided != DBVH_UNDECIDED_NOT )
		return ( limits ){ .breaks = true };
	const limits by_sags = sags > 0.0 ? compare( depth.least, sags ) : ( limits ){ .breaks = true };
	limits by_rule = { .keeps = true };
	if ( rule->allowed_depth > 0.0 )
		by_rule = compare( depth.least, rule->allowed_depth + sags );
	if ( rule->allowed_volume > 0.0 ) {
		const limits x = compare( volume.measure.volume, rule->allowed_volume );
		by_rule = ( limits ){ by_rule.keeps && x.keeps, by_rule.breaks || x.breaks };
	}
	if ( rule->allowed_depth == 0.0 && rule->allowed_volume == 0.0 )
		by_rule = ( limits ){ .breaks = true };
	return ( limits ){ by_sags.keeps || by_rule.keeps, by_sags.breaks && by_rule.breaks };
}

// Overlaps that fit are no clash; those of which nobody can tell may be either, or undecidable.
static void expect_kind( const stage *s, const dbvh_clash *x, const dbvh_clash *truth ) {
	const body a = body_of( s, x->a ), b = body_of( s, x->b );
	dbvh_pair_rule rule;
	assert_true( dbvh_scene_get_rule( s->scene, x->a, x->b, &rule ) );
	if ( truth->kind > DBVH_CLASH_KIND_DUPLICATE || !has_topology( s, &a ) || !has_topology( s, &b ) ) {
		assert_int_equal( x->kind, truth->kind );
		return;
	}
	const limits l = fits_of( &a, &b, &rule );
	if ( l.keeps )
		assert_int_equal( x->kind, DBVH_CLASH_KIND_FIT );
	else if ( l.breaks )
		assert_int_equal( x->kind, truth->kind );
	else
		assert_true( x->kind == DBVH_CLASH_KIND_FIT || x->kind == DBVH_CLASH_KIND_UNDECIDABLE ||
		             x->kind == truth->kind );
}

// The clash of a pair by its rule, from the functions for two meshes.
static bool clashes( const stage *s, uint32_t i, uint32_t j, dbvh_clash *out ) {
	const body a = body_of( s, i ), b = body_of( s, j );
	dbvh_pair_rule rule;
	memset( out, 0, sizeof *out );
	if ( !dbvh_scene_get_rule( s->scene, i, j, &rule ) )
		return false;
	dbvh_relation relation;
	if ( has_topology( s, &a ) && has_topology( s, &b ) ) {
		const double sag = a.options.sag + b.options.sag;
		const dbvh_relate_query o = { .touch_gap = rule.touch_gap + sag, .touch_overlap = rule.touch_overlap + sag };
		dbvh_relate_result x;
		assert_int_equal( dbvh_relate( a.tree, &a.pose, b.tree, &b.pose, &o, NULL, &x, NULL ), DBVH_OK );
		relation = x.relation;
	} else {
		dbvh_collide_result x;
		assert_int_equal( dbvh_collide( a.tree, &a.pose, b.tree, &b.pose, NULL, NULL, &x, NULL ), DBVH_OK );
		relation = x.verdict == DBVH_INTERSECTING ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
	}
	out->relation = relation;
	static const dbvh_clash_kind kinds[] = { [DBVH_RELATION_TOUCHING] = DBVH_CLASH_KIND_TOUCH,
	                                         [DBVH_RELATION_OVERLAPPING] = DBVH_CLASH_KIND_HARD,
	                                         [DBVH_RELATION_A_IN_B] = DBVH_CLASH_KIND_CONTAINMENT,
	                                         [DBVH_RELATION_B_IN_A] = DBVH_CLASH_KIND_CONTAINMENT,
	                                         [DBVH_RELATION_EQUAL] = DBVH_CLASH_KIND_DUPLICATE,
	                                         [DBVH_RELATION_UNDECIDABLE] = DBVH_CLASH_KIND_UNDECIDABLE };
	if ( relation != DBVH_RELATION_DISJOINT && !( relation == DBVH_RELATION_TOUCHING && rule.may_touch ) ) {
		out->kind = kinds[relation];
		return true;
	}
	dbvh_distance_result x;
	assert_int_equal( dbvh_distance( a.tree, &a.pose, b.tree, &b.pose, NULL, NULL, &x, NULL ), DBVH_OK );
	out->kind = DBVH_CLASH_KIND_CLEARANCE;
	out->distance = x.distance;
	return x.distance < rule.clearance;
}

static dbvh_clash found[MOST * ( MOST - 1 ) / 2];
static dbvh_scene_collision met[MOST * ( MOST - 1 ) / 2];

enum { CROWD = 2000 };

typedef struct counts {
	size_t kinds[DBVH_CLASH_KIND_FIT + 1], pairs, collisions, hits, near, inside, contacts;
} counts;

static void check_pairs( const stage *s, rng *r, counts *sums ) {
	dbvh_scene_query query = {
	    .find = DBVH_FIND_ALL, .lists_fits = true, .thread_count = 1 + (uint32_t)rng_below( r, 3 ) };
	if ( rng_below( r, 4 ) == 0 ) {
		query.has_body = true;
		query.body = s->bodies[rng_below( r, s->count )];
	}
	dbvh_scene_result result, of_met;
	dbvh_error error;
	assert_int_equal( dbvh_scene_clashes( s->scene, &query, found, sizeof found / sizeof *found, &result, &error ),
	                  DBVH_OK );
	assert_int_equal( dbvh_scene_collide( s->scene, &query, met, sizeof met / sizeof *met, &of_met, &error ), DBVH_OK );
	assert_int_equal( result.found_count, result.written_count );
	assert_int_equal( result.done_count, result.pair_count );
	size_t at = 0, met_at = 0;
	double least = INFINITY;
	for ( uint32_t i = dbvh_scene_next_body( s->scene, 0 ); i != DBVH_NO_BODY;
	      i = dbvh_scene_next_body( s->scene, i + 1 ) ) {
		for ( uint32_t j = dbvh_scene_next_body( s->scene, i + 1 ); j != DBVH_NO_BODY;
		      j = dbvh_scene_next_body( s->scene, j + 1 ) ) {
			if ( query.has_body && i != query.body && j != query.body )
				continue;
			dbvh_clash truth;
			if ( clashes( s, i, j, &truth ) ) {
				assert_true( at < result.found_count );
				const dbvh_clash *x = &found[at++];
				assert_true( x->a == i && x->b == j );
				expect_kind( s, x, &truth );
				assert_int_equal( x->relation, truth.relation );
				assert_true( x->kind != DBVH_CLASH_KIND_CLEARANCE || x->distance == truth.distance );
				sums->kinds[x->kind] += 1;
			}
			sums->pairs += 1;
			if ( !dbvh_scene_get_rule( s->scene, i, j, NULL ) )
				continue;
			const body a = body_of( s, i ), b = body_of( s, j );
			dbvh_distance_result d;
			assert_int_equal( dbvh_distance( a.tree, &a.pose, b.tree, &b.pose, NULL, NULL, &d, NULL ), DBVH_OK );
			if ( d.distance == 0.0 ) {
				assert_true( met_at < of_met.found_count );
				assert_true( met[met_at].a == i && met[met_at].b == j );
				met_at += 1;
			}
			least = fmin( least, d.distance );
		}
	}
	assert_int_equal( at, result.found_count );
	assert_int_equal( met_at, of_met.found_count );
	sums->collisions += met_at;

	// Without lists_fits the fits are missing.
	size_t fits = 0;
	for ( size_t i = 0; i < at; ++i )
		fits += found[i].kind == DBVH_CLASH_KIND_FIT;
	dbvh_scene_query clashing = query;
	clashing.lists_fits = false;
	assert_int_equal( dbvh_scene_clashes( s->scene, &clashing, NULL, 0, &result, &error ), DBVH_OK );
	assert_int_equal( result.found_count, at - fits );

	// The first is enough.
	dbvh_scene_query any = query;
	any.find = DBVH_FIND_ANY;
	dbvh_clash one;
	assert_int_equal( dbvh_scene_clashes( s->scene, &any, &one, 1, &result, &error ), DBVH_OK );
	assert_int_equal( result.written_count, at > 0 );
	assert_true( at == 0 || ( one.a == found[0].a && one.b == found[0].b && one.kind == found[0].kind ) );

	dbvh_scene_distance_result nearest;
	const double most = rng_below( r, 2 ) == 0 ? INFINITY : rng_range( r, 0.01, 2.0 );
	const dbvh_scene_distance_query near = {
	    .limit = most, .has_body = query.has_body, .body = query.body, .thread_count = query.thread_count };
	assert_int_equal( dbvh_scene_distance( s->scene, &near, &nearest, &error ), DBVH_OK );
	assert_int_equal( nearest.found, least <= most && least < INFINITY );
	assert_true( !nearest.found || nearest.distance == least );
	sums->near += nearest.found && least > 0.0;
}

// The questions about one pair are those about two meshes, whatever the rules; and what names no pair is refused.
static void check_one_pair( const stage *s, rng *r, dbvh_contacts *contacts, dbvh_contacts *truth, counts *sums ) {
	const uint32_t i = s->bodies[rng_below( r, s->count )], j = s->bodies[rng_below( r, s->count )];
	dbvh_relate_result related;
	dbvh_distance_result apart;
	dbvh_error error;
	if ( i == j ) {
		assert_int_equal( dbvh_scene_relate( s->scene, i, j, NULL, &related, &error ), DBVH_INVALID_ARGUMENT );
		assert_int_equal( dbvh_scene_contacts( s->scene, i, 1u << 30, NULL, contacts, &error ), DBVH_INVALID_ARGUMENT );
		assert_int_equal( dbvh_contacts_get( contacts ).contact_count, 0 );
		return;
	}
	const body a = body_of( s, i ), b = body_of( s, j );
	dbvh_distance_result d;
	assert_int_equal( dbvh_scene_pair_distance( s->scene, i, j, NULL, &apart, &error ), DBVH_OK );
	assert_int_equal( dbvh_distance( a.tree, &a.pose, b.tree, &b.pose, NULL, NULL, &d, NULL ), DBVH_OK );
	assert_true( apart.distance == d.distance );
	const bool knows_inside = has_topology( s, &a ) && has_topology( s, &b );
	const dbvh_status expected = knows_inside ? DBVH_OK : DBVH_NO_TOPOLOGY;
	assert_int_equal( dbvh_scene_relate( s->scene, i, j, NULL, &related, &error ), expected );
	assert_int_equal( dbvh_scene_contacts( s->scene, i, j, NULL, contacts, &error ), expected );
	assert_int_equal( dbvh_contacts_find( a.tree, &a.pose, b.tree, &b.pose, NULL, truth, NULL ), expected );
	const dbvh_contacts_view x = dbvh_contacts_get( contacts ), y = dbvh_contacts_get( truth );
	assert_int_equal( x.contact_count, y.contact_count );
	assert_int_equal( x.point_count, y.point_count );
	sums->contacts += x.contact_count;
	dbvh_clash clash;
	if ( knows_inside && dbvh_scene_get_rule( s->scene, i, j, NULL ) ) {
		clashes( s, i, j, &clash );
		assert_int_equal( related.relation, clash.relation );
	}
}

static void check_points( const stage *s, rng *r, int questions, counts *sums ) {
	dbvh_error error;
	for ( int n = 0; n < questions; ++n ) {
		dbvh_ray ray;
		double point[3];
		dbvh_aabb box;
		for ( int k = 0; k < 3; ++k ) {
			ray.from[k] = rng_range( r, -1.0, s->size + 1.0 );
			ray.direction[k] = rng_below( r, 4 ) == 0 ? 0.0 : rng_range( r, -1.0, 1.0 );
			point[k] = rng_range( r, -2.0, s->size + 2.0 );
			box.min[k] = rng_range( r, 0.0, s->size );
			box.max[k] = box.min[k] + rng_range( r, 0.0, 1.0 );
		}
		const double most = rng_below( r, 2 ) == 0 ? INFINITY : rng_range( r, 0.01, 2.0 );
		const dbvh_closest_point_query within_most = { .limit = most };
		dbvh_scene_hit hit, truth = { .body = DBVH_NO_BODY };
		dbvh_scene_closest_point_result closest, nearest = { .body = DBVH_NO_BODY };
		static uint32_t in_box[CROWD];
		size_t count, at = 0;
		assert_int_equal( dbvh_scene_raycast( s->scene, &ray, &hit, &error ), DBVH_OK );
		assert_int_equal( dbvh_scene_closest_point( s->scene, point, &within_most, &closest, &error ), DBVH_OK );
		assert_int_equal( dbvh_scene_overlap_aabb( s->scene, &box, in_box, CROWD, &count, &error ), DBVH_OK );
		for ( uint32_t i = dbvh_scene_next_body( s->scene, 0 ); i != DBVH_NO_BODY;
		      i = dbvh_scene_next_body( s->scene, i + 1 ) ) {
			const body b = body_of( s, i );
			const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
			dbvh_raycast_result x;
			assert_int_equal( dbvh_raycast( b.tree, &b.pose, &ray, &first, NULL, &x, NULL ), DBVH_OK );
			if ( x.intersects && ( truth.body == DBVH_NO_BODY || x.first.t < truth.hit.t ) )
				truth = ( dbvh_scene_hit ){ i, x.first };
			dbvh_closest_point_result y;
			assert_int_equal( dbvh_closest_point( b.tree, &b.pose, point, &within_most, NULL, &y, NULL ), DBVH_OK );
			if ( y.found && ( nearest.body == DBVH_NO_BODY || y.distance < nearest.closest.distance ) )
				nearest = ( dbvh_scene_closest_point_result ){ i, y };
			const dbvh_shape within = { .kind = DBVH_SHAPE_KIND_AABB, .as.aabb = box };
			dbvh_collide_shape_result z;
			assert_int_equal( dbvh_collide_shape( b.tree, &b.pose, &within, NULL, NULL, &z, NULL ), DBVH_OK );
			if ( z.intersects )
				assert_true( at < count && in_box[at++] == i );
		}
		assert_int_equal( hit.body, truth.body );
		assert_true( hit.body == DBVH_NO_BODY || memcmp( &hit.hit, &truth.hit, sizeof hit.hit ) == 0 );
		assert_int_equal( closest.body, nearest.body );
		assert_true( closest.body == DBVH_NO_BODY || ( closest.closest.distance == nearest.closest.distance &&
		                                               closest.closest.triangle == nearest.closest.triangle ) );
		assert_int_equal( at, count );
		sums->hits += hit.body != DBVH_NO_BODY;
		sums->inside += count > 0;
	}
}

static void scenes_against_brute_force( void **state ) {
	(void)state;
	rng r = rng_announce( "scene", 1 );
	counts sums = { 0 };
	dbvh_contacts *contacts, *truth;
	assert_int_equal( dbvh_contacts_create( NULL, &contacts, NULL ), DBVH_OK );
	assert_int_equal( dbvh_contacts_create( NULL, &truth, NULL ), DBVH_OK );
	const size_t scenes = rounds( 30 );
	size_t steps = 0;
	for ( size_t n = 0; n < scenes; ++n ) {
		stage s;
		raise( &s, &r );
		const size_t count = 2 + rng_below( &r, n % 10 == 0 ? ( is_short_run() ? 60 : MOST - 2 ) : 30 );
		while ( s.count < count )
			add_body( &s, &r );
		for ( int step = 0; step < 5; ++step, ++steps ) {
			check_pairs( &s, &r, &sums );
			for ( int i = 0; i < 8; ++i )
				check_one_pair( &s, &r, contacts, truth, &sums );
			check_points( &s, &r, 3, &sums );
			for ( uint64_t k = 1 + rng_below( &r, 3 ); k > 0; --k )
				change( &s, &r );
		}
		strike( &s );
	}
	printf( "scene: %zu scenes, %zu steps, %zu pairs: %zu collide; ", scenes, steps, sums.pairs, sums.collisions );
	for ( int k = 0; k <= DBVH_CLASH_KIND_FIT; ++k ) {
		printf( "%zu %s%s", sums.kinds[k], dbvh_clash_kind_name( (dbvh_clash_kind)k ),
		        k < DBVH_CLASH_KIND_FIT ? ", " : "\n" );
		assert_outcomes( scenes < 30 || sums.kinds[k] > 0 );
	}
	assert_outcomes( sums.collisions > 0 && sums.hits > 0 && sums.inside > 0 && ( scenes < 30 || sums.near > 0 ) );
	assert_outcomes( scenes < 30 || sums.contacts > 0 );
	dbvh_contacts_destroy( contacts );
	dbvh_contacts_destroy( truth );
}

// More bodies than a few, some of which move.
static void rays_points_and_boxes_in_a_crowd( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: crowd", 86 );
	counts sums = { 0 };
	for ( size_t n = 0; n < rounds( 2 ); ++n ) {
		stage s;
		raise( &s, &r );
		s.size = 40.0;
		for ( int i = 0; i < CROWD; ++i ) {
			const dbvh_pose pose = somewhere( &s, &r );
			uint32_t number;
			assert_int_equal(
			    dbvh_scene_add_body( s.scene, s.trees[rng_below( &r, TREES )], &pose, NULL, &number, NULL ), DBVH_OK );
		}
		for ( int step = 0; step < 2; ++step ) {
			check_points( &s, &r, 8, &sums );
			for ( int i = 0; i < CROWD / 20; ++i ) {
				const dbvh_pose pose = somewhere( &s, &r );
				assert_int_equal( dbvh_scene_set_pose( s.scene, (uint32_t)rng_below( &r, CROWD ), &pose, NULL ),
				                  DBVH_OK );
			}
		}
		strike( &s );
	}
	assert_outcomes( sums.hits > 0 && sums.inside > 0 );
}

// ------------------------------------------------------------------------------------------------
// Many configurations

// Each configuration as the scene itself says once its bodies are there.
static void configurations_against_scenes( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: configurations", 85 );
	enum { COUNT = 300 };
	size_t collisions = 0, apart = 0, near = 0;
	for ( size_t n = 0; n < rounds( 12 ); ++n ) {
		stage s;
		raise( &s, &r );
		const size_t bodies = 2 + rng_below( &r, n % 3 == 1 ? 3 : 8 ), others = n % 3 == 1 ? 0 : rng_below( &r, 12 );
		s.size = 3.0 + (double)rng_below( &r, 6 );
		while ( s.count < bodies + others )
			add_body( &s, &r );
		for ( int i = 0; i < 4; ++i ) {
			const dbvh_pair_rule allowed = { .may_collide = true };
			const uint32_t a = s.bodies[rng_below( &r, s.count )], b = s.bodies[rng_below( &r, s.count )];
			if ( a != b )
				assert_int_equal( dbvh_scene_set_pair_rule( s.scene, a, b, &allowed, NULL ), DBVH_OK );
		}
		const size_t moved = others == 0 ? s.count : bodies;
		dbvh_pose *poses = malloc( COUNT * moved * sizeof *poses );
		size_t *begin = malloc( ( COUNT + 1 ) * sizeof *begin );
		assert_true( poses != NULL && begin != NULL );
		for ( size_t i = 0; i < COUNT * moved; ++i )
			poses[i] = somewhere( &s, &r );
		static dbvh_configuration_result counted[COUNT], any[COUNT], listed[COUNT];
		dbvh_error error;
		dbvh_configurations_query query = { .find = DBVH_FIND_ALL,
		                                    .bodies = moved < s.count ? s.bodies : NULL,
		                                    .body_count = moved,
		                                    .max_distance = n % 3 == 0   ? 0.0
		                                                    : n % 3 == 1 ? 0.5
		                                                                 : INFINITY,
		                                    .thread_count = 1 };
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, counted, &error ), DBVH_OK );
		begin[0] = 0;
		for ( size_t i = 0; i < COUNT; ++i )
			begin[i + 1] = begin[i] + counted[i].pair_count;
		dbvh_body_pair *pairs = malloc( ( begin[COUNT] + 1 ) * sizeof *pairs );
		assert_true( pairs != NULL );
		query.pairs = pairs;
		query.pair_begin = begin;
		query.thread_count = 3;
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, listed, &error ), DBVH_OK );
		const dbvh_configurations_query first = {
		    .bodies = query.bodies, .body_count = moved, .thread_count = 1 + (uint32_t)( n % 3 ) };
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &first, any, &error ), DBVH_OK );
		for ( size_t i = 0; i < COUNT; ++i ) {
			assert_int_equal( dbvh_scene_set_poses( s.scene, query.bodies, poses + i * moved, moved, NULL ), DBVH_OK );
			const dbvh_scene_query all = { .find = DBVH_FIND_ALL };
			dbvh_scene_result result;
			// Pairs of bodies that stay are no business of a configuration.
			assert_int_equal( dbvh_scene_collide( s.scene, &all, met, sizeof met / sizeof *met, &result, NULL ),
			                  DBVH_OK );
			size_t count = 0;
			for ( size_t k = 0; k < result.found_count; ++k ) {
				bool is_moved = query.bodies == NULL;
				for ( size_t b = 0; b < moved && !is_moved; ++b )
					is_moved = query.bodies[b] == met[k].a || query.bodies[b] == met[k].b;
				if ( !is_moved )
					continue;
				assert_true( count < listed[i].written_count );
				assert_true( pairs[begin[i] + count].a == met[k].a && pairs[begin[i] + count].b == met[k].b );
				count += 1;
			}
			assert_int_equal( listed[i].pair_count, count );
			assert_int_equal( counted[i].pair_count, count );
			assert_int_equal( any[i].verdict, count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT );
			collisions += count > 0;
			apart += count == 0;
			if ( query.max_distance == 0.0 || query.bodies != NULL )
				continue;
			dbvh_scene_distance_result nearest;
			const dbvh_scene_distance_query within_reach = { .limit = query.max_distance };
			assert_int_equal( dbvh_scene_distance( s.scene, &within_reach, &nearest, NULL ), DBVH_OK );
			assert_int_equal( listed[i].has_distance, nearest.found );
			if ( nearest.found ) {
				assert_true( listed[i].distance == nearest.distance );
				assert_true( listed[i].nearest.a == nearest.a && listed[i].nearest.b == nearest.b );
				near += nearest.distance > 0.0;
			}
		}
		// A refused element does not spoil the others.
		poses[7 * moved].pos[0] = NAN;
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &first, counted, &error ), DBVH_NOT_FINITE );
		assert_int_equal( error.element, 7 );
		assert_int_equal( counted[7].status, DBVH_NOT_FINITE );
		for ( size_t i = 0; i < COUNT; ++i )
			assert_true( i == 7 || counted[i].verdict == any[i].verdict );
		free( pairs );
		free( begin );
		free( poses );
		strike( &s );
	}
	printf( "scene: %zu configurations collide, %zu do not, %zu of them with a distance\n", collisions, apart, near );
	assert_outcomes( collisions > 0 && apart > 0 && ( rounds( 12 ) < 12 || near > 0 ) );
}

// ------------------------------------------------------------------------------------------------
// What is refused, who is asked, and memory

typedef struct patience {
	size_t asked, most, last, total;
} patience;

static bool is_patient( void *user, size_t done, size_t total ) {
	patience *p = user;
	assert_true( done >= p->last && done <= total );
	p->last = done;
	p->total = total;
	return ++p->asked < p->most;
}

static void progress_and_cancelling( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: progress", 82 );
	stage s;
	raise( &s, &r );
	s.size = 3.0;
	while ( s.count < 60 )
		add_body( &s, &r );
	static dbvh_clash whole[MOST * ( MOST - 1 ) / 2];
	patience p = { .most = SIZE_MAX };
	dbvh_scene_query query = { .find = DBVH_FIND_ALL, .progress = is_patient, .user = &p, .thread_count = 1 };
	dbvh_scene_result result;
	dbvh_error error;
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, whole, MOST * 10, &result, &error ), DBVH_OK );
	assert_true( p.asked > 3 && p.last == result.pair_count && p.total == result.pair_count );
	const size_t all = result.found_count;
	p = ( patience ){ .most = 2 };
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, MOST * 10, &result, &error ), DBVH_CANCELLED );
	assert_true( result.done_count > 0 && result.done_count < result.pair_count );
	assert_true( result.found_count < all && result.written_count == result.found_count );
	for ( size_t i = 0; i < result.written_count; ++i )
		assert_memory_equal( &found[i], &whole[i], sizeof *found );
	assert_true( strstr( error.text, "a callback ended the call" ) != NULL );
	// Many configurations: those that were reached are done, the others say that they were not.
	enum { COUNT = 600 };
	static dbvh_pose poses[COUNT];
	static dbvh_configuration_result done[COUNT], cut[COUNT];
	for ( int i = 0; i < COUNT; ++i )
		poses[i] = somewhere( &s, &r );
	p = ( patience ){ .most = SIZE_MAX };
	dbvh_configurations_query many = {
	    .bodies = s.bodies, .body_count = 1, .progress = is_patient, .user = &p, .thread_count = 1 };
	assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &many, done, &error ), DBVH_OK );
	assert_true( p.asked > 3 && p.last == COUNT && p.total == COUNT );
	for ( uint32_t threads = 1; threads <= 3; threads += 2 ) {
		p = ( patience ){ .most = 2 };
		many.thread_count = threads;
		const dbvh_status status = dbvh_scene_collide_batch( s.scene, poses, COUNT, &many, cut, &error );
		size_t reached = 0;
		for ( int i = 0; i < COUNT; ++i ) {
			reached += cut[i].status == DBVH_OK;
			assert_true( cut[i].status == DBVH_CANCELLED ||
			             ( cut[i].status == DBVH_OK && cut[i].verdict == done[i].verdict ) );
		}
		assert_int_equal( status, reached < COUNT ? DBVH_CANCELLED : DBVH_OK );
		assert_true( threads > 1 || ( reached > 0 && reached < COUNT ) );
		char text[80];
		snprintf( text, sizeof text, "a callback ended the call: %zu of %d configurations have an answer", reached,
		          COUNT );
		assert_true( status == DBVH_OK || strcmp( error.text, text ) == 0 );
	}
	// Room for two.
	query.progress = NULL;
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, 2, &result, &error ), DBVH_OK );
	assert_true( result.written_count == 2 && result.found_count == all );
	assert_memory_equal( found, whole, 2 * sizeof *found );
	strike( &s );
}

static void what_is_refused( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: refusals", 83 );
	stage s;
	raise( &s, &r );
	dbvh_error error;
	uint32_t number, other;
	dbvh_scene_result result;
	dbvh_pose bad = dbvh_pose_identity();
	assert_int_equal( dbvh_scene_create( NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_add_body( NULL, s.trees[0], NULL, NULL, &number, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_add_body( s.scene, NULL, NULL, NULL, &number, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( number, DBVH_NO_BODY );
	assert_string_equal( error.text, "tree is NULL" );
	bad.rot[0][0] = 2.0;
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], &bad, NULL, &number, &error ), DBVH_NOT_RIGID );
	const dbvh_body_options sagging = { .sag = -1.0 };
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, &sagging, &number, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_body_count( s.scene ), 0 );
	// An empty scene.
	assert_int_equal( dbvh_scene_collide( s.scene, NULL, NULL, 0, &result, &error ), DBVH_OK );
	assert_int_equal( result.pair_count, 0 );
	dbvh_scene_distance_result nearest;
	assert_int_equal( dbvh_scene_distance( s.scene, NULL, &nearest, &error ), DBVH_OK );
	assert_false( nearest.found );
	dbvh_scene_hit hit;
	const dbvh_ray ray = { { 0, 0, 0 }, { 1, 0, 0 } };
	assert_int_equal( dbvh_scene_raycast( s.scene, &ray, &hit, &error ), DBVH_OK );
	assert_int_equal( hit.body, DBVH_NO_BODY );
	assert_int_equal( dbvh_scene_next_body( s.scene, 0 ), DBVH_NO_BODY );

	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, NULL, &number, &error ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[0], NULL, NULL, &other, &error ), DBVH_OK );
	assert_true( number == 0 && other == 1 );
	assert_int_equal( dbvh_scene_remove_body( s.scene, 0, &error ), DBVH_OK );
	assert_int_equal( dbvh_scene_remove_body( s.scene, 0, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "body 0 is not in the scene" );
	assert_int_equal( dbvh_scene_add_body( s.scene, s.trees[1], NULL, NULL, &number, &error ), DBVH_OK );
	assert_int_equal( number, 0 ); // the lowest that is free
	const dbvh_pose poses[2] = { dbvh_pose_identity(), bad };
	assert_int_equal( dbvh_scene_set_poses( s.scene, NULL, poses, 1, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_set_poses( s.scene, NULL, poses, 2, &error ), DBVH_NOT_RIGID );
	assert_int_equal( error.element, 1 );
	assert_int_equal( dbvh_scene_set_pose( s.scene, 0, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "pose is NULL" );
	assert_int_equal( dbvh_scene_set_pose( s.scene, 7, &poses[0], &error ), DBVH_INVALID_ARGUMENT );
	const dbvh_configurations_query too_few = { .body_count = 1 };
	dbvh_configuration_result configuration;
	assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, 1, &too_few, &configuration, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "query.body_count is 1 without query.bodies, and the scene has 2 bodies" );
	const dbvh_pair_rule negative = { .clearance = -0.5 }, endless = { .touch_gap = INFINITY };
	assert_int_equal( dbvh_scene_set_default_rule( s.scene, &negative, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "rule.clearance is negative, infinite or not a number" );
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, 0, 1, &endless, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, 1, 1, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_false( dbvh_scene_get_rule( s.scene, 1, 1, NULL ) );
	dbvh_scene_query query = { .find = DBVH_FIND_CLOSEST };
	assert_int_equal( dbvh_scene_collide( s.scene, &query, NULL, 0, &result, &error ), DBVH_INVALID_ARGUMENT );
	query = ( dbvh_scene_query ){ .has_body = true, .body = 9 };
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, NULL, 0, &result, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_clashes( s.scene, NULL, NULL, 1, &result, &error ), DBVH_INVALID_ARGUMENT );
	const dbvh_scene_distance_query backwards = { .limit = -1.0 };
	assert_int_equal( dbvh_scene_distance( s.scene, &backwards, &nearest, &error ), DBVH_INVALID_ARGUMENT );
	strike( &s );
}

// Every allocation fails once: an answer or OUT_OF_MEMORY, nothing leaks, and the scene goes on.
static void memory_that_fails( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: memory", 84 );
	stage s;
	raise( &s, &r );
	dbvh_scene_destroy( s.scene );
	size_t failures = 0;
	for ( size_t n = 1;; ++n ) {
		ledger books = { 0 };
		const dbvh_allocator allocator = ledger_allocator( &books );
		books.fail_at = n;
		rng again = { 5 };
		dbvh_status status = dbvh_scene_create( &allocator, &s.scene, NULL );
		uint32_t number;
		for ( int i = 0; i < 30 && status == DBVH_OK; ++i ) {
			const dbvh_pose pose = somewhere( &s, &again );
			status = dbvh_scene_add_body( s.scene, s.trees[i % TREES], &pose, NULL, &number, NULL );
			const dbvh_pair_rule rule = { .clearance = 0.25 };
			if ( status == DBVH_OK && i > 0 )
				status = dbvh_scene_set_pair_rule( s.scene, (uint32_t)i - 1, number, &rule, NULL );
			if ( status == DBVH_OK && i % 5 == 0 )
				status = dbvh_scene_set_body_rule( s.scene, number, &rule, NULL );
		}
		dbvh_scene_result result = { 0 }, second = { 0 };
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = 2 };
		if ( status == DBVH_OK )
			status = dbvh_scene_clashes( s.scene, &query, found, MOST, &result, NULL );
		if ( status == DBVH_OUT_OF_MEMORY && s.scene != NULL && result.pair_count > 0 ) {
			books.fail_at = 0;
			assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, MOST, &second, NULL ), DBVH_OK );
			assert_true( second.found_count > 0 );
		}
		dbvh_scene_destroy( s.scene );
		s.scene = NULL;
		assert_int_equal( books.live, 0 );
		assert_int_equal( books.mistakes, 0 );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		failures += 1;
	}
	assert_true( failures > 15 );
	strike( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( scenes_against_brute_force ),
	    cmocka_unit_test( rays_points_and_boxes_in_a_crowd ),
	    cmocka_unit_test( configurations_against_scenes ),
	    cmocka_unit_test( progress_and_cancelling ),
	    cmocka_unit_test( what_is_refused ),
	    cmocka_unit_test( memory_that_fails ),
	};
	return test_main( argc, argv, tests );
}
