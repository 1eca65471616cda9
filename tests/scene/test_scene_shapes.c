// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bodies with a radius: spheres, capsules, clouds of points, rounded and plain meshes, against each other. The oracle
// is the distance of the meshes in rational arithmetic; where poses are exact, also the tests of primitives.

#include "dualbvh/primitives.h"
#include "math/pose.h"
#include "support/oracle_distance.h"
#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPHERE, CAPSULE, CLOUD, ROUNDED, MESH, BOXES, SHAPES, MOST = 7 };

// The parts of a body: points, segments or triangles, and a radius.
typedef struct figure {
	int kind;
	shape mesh;
	dbvh_tree *tree;
	double radius;
} figure;

static double some_length( rng *r, bool grid ) {
	return grid ? 0.125 * (double)( 1 + rng_below( r, 6 ) ) : rng_range( r, 0.01, 0.8 );
}

static uint32_t some_vertex( figure *f, rng *r, bool grid ) {
	double x[3];
	for ( int k = 0; k < 3; ++k )
		x[k] = grid ? coarse( r ) : rng_range( r, -1.0, 1.0 );
	shape_vertex( &f->mesh, x[0], x[1], x[2] );
	return (uint32_t)( f->mesh.vertex_count - 1 );
}

static figure make_figure( rng *r, int kind, bool grid ) {
	figure f = { .kind = kind };
	memset( &f.mesh, 0, sizeof f.mesh );
	const int elements = kind == CLOUD ? 2 + (int)rng_below( r, 12 ) : kind == ROUNDED || kind == MESH ? 3 : 1;
	for ( int i = 0; i < elements && kind != BOXES; ++i ) {
		const uint32_t a = some_vertex( &f, r, grid ),
		               b = kind == SPHERE || kind == CLOUD ? a : some_vertex( &f, r, grid );
		shape_triangle( &f.mesh, a, b, kind == ROUNDED || kind == MESH ? some_vertex( &f, r, grid ) : b );
	}
	if ( kind == BOXES ) { // two cells of an octree
		shape_add_box( &f.mesh, 0.25, 0.25, 0.25, 1 );
		const size_t first = f.mesh.vertex_count;
		shape_add_box( &f.mesh, 0.25, 0.25, 0.25, 1 );
		scale_and_move( &f.mesh, first, 1.0, 0.5, 0.5, 0.0 );
	}
	f.radius = kind == MESH || kind == BOXES ? 0.0 : some_length( r, grid );
	const dbvh_mesh_view view = shape_view( &f.mesh );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &f.tree, NULL ), DBVH_OK );
	return f;
}

static void free_figure( figure *f ) {
	dbvh_tree_destroy( f->tree );
	shape_free( &f->mesh );
}

// The rounded-up distance of the meshes of two bodies, one in the frame of the other, as a query has it.
static double mesh_distance( const figure *a, const dbvh_pose *pose_a, const figure *b, const dbvh_pose *pose_b ) {
	const dbvh_mesh_view of_a = shape_view( &a->mesh ), of_b = shape_view( &b->mesh );
	dbvhi_relative_pose relative;
	assert_int_equal( dbvhi_pose_relate( pose_a, pose_b, &relative ), DBVH_OK );
	return relative.a_moves ? oracle_distance( &of_b, &of_a, &relative.frame_from_moved, NULL, NULL )
	                        : oracle_distance( &of_a, &of_b, &relative.frame_from_moved, NULL, NULL );
}

// Is x the smallest double that is not less than a + b?
static bool is_sum_up( double x, double a, double b ) {
	mpq_t sum, other;
	mpq_inits( sum, other, NULL );
	mpq_set_d( sum, a );
	mpq_set_d( other, b );
	mpq_add( sum, sum, other );
	mpq_set_d( other, x );
	const bool is_above = mpq_cmp( other, sum ) >= 0;
	mpq_set_d( other, nextafter( x, -INFINITY ) );
	const bool is_least = mpq_cmp( other, sum ) < 0;
	mpq_clears( sum, other, NULL );
	return is_above && is_least;
}

// The sum of two radii, rounded up, by rational arithmetic.
static double reach_of( const figure *a, const figure *b ) {
	double x = a->radius + b->radius;
	if ( !is_sum_up( x, a->radius, b->radius ) )
		x = nextafter( x, INFINITY );
	assert_true( is_sum_up( x, a->radius, b->radius ) );
	return x;
}

// Is `distance` that of bodies whose meshes are `apart`?
static void check_distance( double distance, double apart, double reach ) {
	if ( apart <= reach )
		assert_true( distance == 0.0 );
	else
		assert_true( is_sum_up( distance, apart, -reach ) );
}

typedef struct room {
	figure figures[MOST];
	dbvh_pose poses[MOST];
	uint32_t bodies[MOST];
	double apart[MOST][MOST], reach[MOST][MOST];
	int count;
	dbvh_scene *scene;
} room;

static dbvh_pose some_pose( rng *r, bool grid ) {
	if ( grid )
		return exact_pose( r, 1.5 );
	const dbvh_pose pose = random_pose( r, 1.5 );
	const uint64_t how = rng_below( r, 4 );
	return how == 0 ? six_digits( pose ) : how == 1 ? sheared( r, pose, 1e-6 ) : pose;
}

static room make_room( rng *r, bool grid ) {
	room x = { .count = 2 + (int)rng_below( r, MOST - 1 ) };
	assert_int_equal( dbvh_scene_create( NULL, &x.scene, NULL ), DBVH_OK );
	for ( int i = 0; i < x.count; ++i ) {
		x.figures[i] = make_figure( r, (int)rng_below( r, SHAPES ), grid );
		x.poses[i] = some_pose( r, grid );
		const dbvh_body_options options = { .radius = x.figures[i].radius };
		assert_int_equal( dbvh_scene_add_body( x.scene, x.figures[i].tree, &x.poses[i], &options, &x.bodies[i], NULL ),
		                  DBVH_OK );
	}
	return x;
}

static void ask_oracle( room *x ) {
	for ( int i = 0; i < x->count; ++i ) {
		for ( int j = i + 1; j < x->count; ++j ) {
			x->apart[i][j] = mesh_distance( &x->figures[i], &x->poses[i], &x->figures[j], &x->poses[j] );
			x->reach[i][j] = reach_of( &x->figures[i], &x->figures[j] );
		}
	}
}

static void free_room( room *x ) {
	dbvh_scene_destroy( x->scene );
	for ( int i = 0; i < x->count; ++i )
		free_figure( &x->figures[i] );
}

static size_t asked[SHAPES][SHAPES], met[SHAPES][SHAPES], touched;

static void count_pair( const room *x, int i, int j ) {
	const int a = x->figures[i].kind, b = x->figures[j].kind, low = a < b ? a : b, high = a < b ? b : a;
	asked[low][high] += 1;
	met[low][high] += x->apart[i][j] <= x->reach[i][j];
	touched += x->apart[i][j] == x->reach[i][j] && x->reach[i][j] > 0.0;
}

static void check_collide( const room *x ) {
	dbvh_scene_collision found[MOST * MOST];
	dbvh_scene_result result;
	const dbvh_scene_query all = { .find = DBVH_FIND_ALL, .thread_count = 1 };
	assert_int_equal( dbvh_scene_collide( x->scene, &all, found, MOST * MOST, &result, NULL ), DBVH_OK );
	size_t at = 0;
	for ( int i = 0; i < x->count; ++i ) {
		for ( int j = i + 1; j < x->count; ++j ) {
			if ( x->apart[i][j] <= x->reach[i][j] )
				assert_true( at < result.written_count && found[at].a == x->bodies[i] &&
				             found[at++].b == x->bodies[j] );
		}
	}
	assert_int_equal( at, result.found_count );
}

// The points of a result are at its distance from each other, but for rounding: all lengths here are below 16.
static void check_points( const double a[3], const double b[3], double distance ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k )
		square += ( b[k] - a[k] ) * ( b[k] - a[k] );
	assert_true( fabs( sqrt( square ) - distance ) < 1e-4 ); // sheared poses stretch lengths by 1e-6
}

static void check_distances( const room *x, rng *r ) {
	dbvh_scene_distance_result nearest;
	const dbvh_scene_distance_query query = { .limit = rng_below( r, 2 ) == 0 ? some_length( r, true ) : 0.0,
	                                          .thread_count = 1 };
	assert_int_equal( dbvh_scene_distance( x->scene, &query, &nearest, NULL ), DBVH_OK );
	double least = INFINITY;
	for ( int i = 0; i < x->count; ++i ) {
		for ( int j = i + 1; j < x->count; ++j ) {
			dbvh_distance_result one;
			assert_int_equal( dbvh_scene_pair_distance( x->scene, x->bodies[i], x->bodies[j], NULL, &one, NULL ),
			                  DBVH_OK );
			check_distance( one.distance, x->apart[i][j], x->reach[i][j] );
			if ( one.distance > 0.0 )
				check_points( one.point_a, one.point_b, one.distance );
			least = fmin( least, one.distance );
			const dbvh_distance_query limited = { .limit = query.limit };
			dbvh_distance_result within;
			assert_int_equal( dbvh_scene_pair_distance( x->scene, x->bodies[i], x->bodies[j], &limited, &within, NULL ),
			                  DBVH_OK );
			assert_int_equal( within.found, query.limit == 0.0 || one.distance <= query.limit );
			assert_true( within.distance == ( within.found ? one.distance : 0.0 ) );
		}
	}
	assert_int_equal( nearest.found, query.limit == 0.0 || least <= query.limit );
	assert_true( !nearest.found || nearest.distance == least );
}

// Clashes by a rule with a clearance, or with a gap that counts as touching.
static void check_clashes( const room *x, rng *r, bool grid ) {
	const double length = some_length( r, grid );
	const bool is_gap = rng_below( r, 2 ) == 0;
	const dbvh_pair_rule rule = { .clearance = is_gap ? 0.0 : length, .touch_gap = is_gap ? length : 0.0 };
	assert_int_equal( dbvh_scene_set_default_rule( x->scene, &rule, NULL ), DBVH_OK );
	dbvh_clash found[MOST * MOST];
	dbvh_scene_result result;
	const dbvh_scene_query all = { .find = DBVH_FIND_ALL, .thread_count = 1 };
	assert_int_equal( dbvh_scene_clashes( x->scene, &all, found, MOST * MOST, &result, NULL ), DBVH_OK );
	size_t at = 0;
	for ( int i = 0; i < x->count; ++i ) {
		for ( int j = i + 1; j < x->count; ++j ) {
			dbvh_distance_result one;
			assert_int_equal( dbvh_scene_pair_distance( x->scene, x->bodies[i], x->bodies[j], NULL, &one, NULL ),
			                  DBVH_OK );
			const bool meets = x->apart[i][j] <= x->reach[i][j],
			           touches = is_gap && x->reach[i][j] > 0.0 && one.distance <= length,
			           is_near = !is_gap && one.distance < length;
			if ( !meets && !touches && !is_near )
				continue;
			assert_true( at < result.written_count && found[at].a == x->bodies[i] && found[at].b == x->bodies[j] );
			// Two meshes without topology have no gap that counts as touching.
			assert_int_equal( found[at].kind, meets     ? DBVH_CLASH_KIND_HARD
			                                  : touches ? DBVH_CLASH_KIND_TOUCH
			                                            : DBVH_CLASH_KIND_CLEARANCE );
			assert_true( found[at].distance == ( found[at].kind == DBVH_CLASH_KIND_CLEARANCE ? one.distance : 0.0 ) );
			at += 1;
		}
	}
	assert_int_equal( at, result.found_count );
}

// The body nearest to a point, by the rational distances of its triangles.
static void check_closest_point( const room *x, rng *r, bool grid ) {
	double point[3];
	for ( int k = 0; k < 3; ++k )
		point[k] = grid ? 2.0 * coarse( r ) : rng_range( r, -2.0, 2.0 );
	const dbvh_closest_point_query query = { .limit = rng_below( r, 2 ) == 0 ? some_length( r, true ) : 0.0 };
	dbvh_scene_closest_point_result nearest;
	assert_int_equal( dbvh_scene_closest_point( x->scene, point, &query, &nearest, NULL ), DBVH_OK );
	double least = INFINITY, apart_of_least = 0.0, radius_of_least = 0.0;
	for ( int i = 0; i < x->count; ++i ) {
		dbvh_closest_point_result alone;
		assert_int_equal( dbvh_closest_point( x->figures[i].tree, &x->poses[i], point, NULL, NULL, &alone, NULL ),
		                  DBVH_OK );
		const double radius = x->figures[i].radius;
		const double distance = alone.distance <= radius ? 0.0 : alone.distance - radius;
		if ( distance < least ) {
			least = distance;
			apart_of_least = alone.distance;
			radius_of_least = radius;
		}
	}
	const bool is_sure = query.limit == 0.0 || fabs( least - query.limit ) > 1e-12;
	if ( !is_sure )
		return;
	assert_int_equal( nearest.body != DBVH_NO_BODY, query.limit == 0.0 || least <= query.limit );
	if ( nearest.body == DBVH_NO_BODY )
		return;
	assert_true( fabs( nearest.closest.distance - least ) < 1e-12 );
	check_points( point, nearest.closest.point, nearest.closest.distance );
	if ( nearest.closest.distance == least )
		return;
	check_distance( nearest.closest.distance, apart_of_least, radius_of_least );
}

// The last body of the scene, moved by a batch to where it is anyhow, and elsewhere.
static void check_batch( room *x, rng *r, bool grid ) {
	const int last = x->count - 1;
	const dbvh_pose poses[2] = { x->poses[last], some_pose( r, grid ) };
	for ( int way = 0; way < 2; ++way ) {
		const dbvh_configurations_query query = { .find = DBVH_FIND_ALL,
		                                          .bodies = &x->bodies[last],
		                                          .body_count = 1,
		                                          .max_distance = way == 0 ? 0.0 : INFINITY,
		                                          .thread_count = 1 };
		dbvh_configuration_result results[2];
		assert_int_equal( dbvh_scene_collide_batch( x->scene, poses, 2, &query, results, NULL ), DBVH_OK );
		for ( int c = 0; c < 2; ++c ) {
			size_t meets = 0;
			double least = INFINITY;
			for ( int i = 0; i < last; ++i ) {
				const double apart = mesh_distance( &x->figures[i], &x->poses[i], &x->figures[last], &poses[c] );
				meets += apart <= x->reach[i][last];
				least = fmin( least, apart <= x->reach[i][last] ? 0.0 : apart - x->reach[i][last] );
			}
			assert_int_equal( results[c].pair_count, meets );
			if ( way == 1 ) // the difference is rounded to nearest here
				assert_true( results[c].has_distance &&
				             fabs( results[c].distance - least ) <= 0x1p-48 * ( 1.0 + least ) );
		}
	}
}

static size_t boxed[2];

// Has the mesh of a figure a corner in the box? Where the mesh does not meet the surface of the box, that tells whether
// it is inside. In doubles: *sure_out is false where a corner is so near to a plane of the box that rounding may
// decide.
static bool has_corner_in( const figure *f, const dbvh_pose *pose, const dbvh_aabb *box, bool *sure_out ) {
	for ( size_t i = 0; i < f->mesh.vertex_count; ++i ) {
		const double *p = f->mesh.positions + 3 * i;
		bool is_in = true;
		for ( int k = 0; k < 3; ++k ) {
			const double x = pose->rot[k][0] * p[0] + pose->rot[k][1] * p[1] + pose->rot[k][2] * p[2] + pose->pos[k];
			is_in = is_in && x >= box->min[k] && x <= box->max[k];
			*sure_out = *sure_out && fabs( x - box->min[k] ) > 1e-12 && fabs( x - box->max[k] ) > 1e-12;
		}
		if ( is_in )
			return true;
	}
	return false;
}

static void check_overlaps( const room *x, rng *r, bool grid ) {
	figure cube = { .kind = BOXES };
	dbvh_aabb box;
	memset( &cube.mesh, 0, sizeof cube.mesh );
	for ( int k = 0; k < 3; ++k ) {
		box.min[k] = grid ? coarse( r ) : rng_range( r, -2.0, 1.5 );
		box.max[k] = box.min[k] + ( grid ? 0.25 * (double)rng_below( r, 9 ) : rng_range( r, 0.0, 2.0 ) );
	}
	shape_add_box( &cube.mesh, 0.5, 0.5, 0.5, 1 );
	for ( size_t i = 0; i < cube.mesh.vertex_count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			cube.mesh.positions[3 * i + k] = cube.mesh.positions[3 * i + k] > 0.0 ? box.max[k] : box.min[k];
	uint32_t found[MOST];
	size_t count = 0, at = 0;
	assert_int_equal( dbvh_scene_overlap_aabb( x->scene, &box, found, MOST, &count, NULL ), DBVH_OK );
	const dbvh_pose here = dbvh_pose_identity();
	for ( int i = 0; i < x->count; ++i ) {
		const figure *f = &x->figures[i];
		bool sure = true;
		const bool is_inside = has_corner_in( f, &x->poses[i], &box, &sure );
		const bool meets = mesh_distance( f, &x->poses[i], &cube, &here ) <= f->radius || is_inside;
		boxed[meets] += 1;
		const bool is_listed = at < count && found[at] == x->bodies[i];
		// Coordinates of a grid are exact, and what rounding decides is within any radius.
		assert_true( is_listed == meets || !( grid || sure || f->radius > 0.0 ) );
		at += is_listed;
	}
	assert_int_equal( at, count );
	shape_free( &cube.mesh );
}

static void same_as_rational_distances( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_shapes", 320 );
	size_t pairs = 0, hits = 0;
	const size_t count = rounds( 50 );
	for ( size_t round = 0; round < count; ++round ) {
		const bool grid = round % 2 == 0;
		room x = make_room( &r, grid );
		ask_oracle( &x );
		for ( int i = 0; i < x.count; ++i ) {
			for ( int j = i + 1; j < x.count; ++j )
				count_pair( &x, i, j );
		}
		check_collide( &x );
		check_distances( &x, &r );
		check_closest_point( &x, &r, grid );
		check_batch( &x, &r, grid );
		check_clashes( &x, &r, grid );
		check_overlaps( &x, &r, grid );
		free_room( &x );
	}
	static const char *const names[SHAPES] = { "sphere", "capsule", "cloud", "rounded mesh", "mesh", "boxes" };
	for ( int i = 0; i < SHAPES; ++i ) {
		for ( int j = i; j < SHAPES; ++j ) {
			printf( "scene_shapes: %s, %s: %zu pairs, %zu collide\n", names[i], names[j], asked[i][j], met[i][j] );
			pairs += asked[i][j];
			hits += met[i][j];
		}
	}
	printf( "scene_shapes: %zu pairs, %zu collide, %zu at exactly the sum of their radii\n", pairs, hits, touched );
	printf( "scene_shapes: %zu bodies meet a box, %zu do not\n", boxed[1], boxed[0] );
	assert_outcomes( hits > 0 && hits < pairs && boxed[0] > 0 && boxed[1] > 0 );
}

// One element of a body at an exact pose, as a primitive.
static void element_of( const figure *f, const dbvh_pose *pose, size_t i, dbvh_triangle *out ) {
	for ( int c = 0; c < 3; ++c ) {
		const double *p = f->mesh.positions + 3 * (size_t)f->mesh.indices[3 * i + (size_t)c];
		for ( int k = 0; k < 3; ++k )
			out->corner[c][k] = pose->rot[k][0] * p[0] + pose->rot[k][1] * p[1] + pose->rot[k][2] * p[2] + pose->pos[k];
	}
}

static bool do_elements_meet( const dbvh_triangle *a, int kind_a, double radius_a, const dbvh_triangle *b, int kind_b,
                              double radius_b ) {
	dbvh_capsule of_a = { .radius = radius_a }, of_b = { .radius = radius_b };
	memcpy( of_a.from, a->corner[0], sizeof of_a.from );
	memcpy( of_a.to, a->corner[1], sizeof of_a.to );
	memcpy( of_b.from, b->corner[0], sizeof of_b.from );
	memcpy( of_b.to, b->corner[1], sizeof of_b.to );
	bool meet = false;
	if ( kind_a < ROUNDED && kind_b < ROUNDED ) {
		assert_int_equal( dbvh_capsule_capsule_intersect( &of_a, &of_b, &meet ), DBVH_OK );
	} else if ( kind_a < ROUNDED ) {
		of_a.radius += radius_b; // exact: both are multiples of 1/8
		assert_int_equal( dbvh_capsule_triangle_intersect( &of_a, b, &meet ), DBVH_OK );
	} else {
		of_b.radius += radius_a;
		assert_int_equal( dbvh_capsule_triangle_intersect( &of_b, a, &meet ), DBVH_OK );
	}
	return meet;
}

// Spheres, capsules and clouds against each other and against meshes, on a grid: the primitives decide without a tree,
// without poses, and with exact arithmetic of their own.
static void same_as_primitives( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_shapes: primitives", 321 );
	size_t pairs = 0, hits = 0, cells[ROUNDED][SHAPES] = { { 0 } };
	for ( size_t round = 0; round < rounds( 1500 ); ++round ) {
		const int kinds[2] = { (int)rng_below( &r, ROUNDED ), (int)rng_below( &r, SHAPES ) };
		const bool is_swapped = rng_below( &r, 2 ) == 0;
		room x = { .count = 2 };
		assert_int_equal( dbvh_scene_create( NULL, &x.scene, NULL ), DBVH_OK );
		for ( int i = 0; i < 2; ++i ) {
			x.figures[i] = make_figure( &r, kinds[is_swapped ? 1 - i : i], true );
			x.poses[i] = exact_pose( &r, 2.0 );
			const dbvh_body_options options = { .radius = x.figures[i].radius };
			assert_int_equal(
			    dbvh_scene_add_body( x.scene, x.figures[i].tree, &x.poses[i], &options, &x.bodies[i], NULL ), DBVH_OK );
		}
		const figure *a = &x.figures[0], *b = &x.figures[1];
		bool meet = false;
		for ( size_t i = 0; i < a->mesh.triangle_count && !meet; ++i ) {
			for ( size_t j = 0; j < b->mesh.triangle_count && !meet; ++j ) {
				dbvh_triangle of_a, of_b;
				element_of( a, &x.poses[0], i, &of_a );
				element_of( b, &x.poses[1], j, &of_b );
				meet = do_elements_meet( &of_a, a->kind, a->radius, &of_b, b->kind, b->radius );
			}
		}
		dbvh_scene_result result;
		assert_int_equal( dbvh_scene_collide( x.scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
		assert_int_equal( result.found_count, meet );
		pairs += 1;
		hits += meet;
		cells[kinds[0]][kinds[1]] += 1;
		free_room( &x );
	}
	size_t least = SIZE_MAX;
	for ( int i = 0; i < ROUNDED * SHAPES; ++i )
		least = cells[i / SHAPES][i % SHAPES] < least ? cells[i / SHAPES][i % SHAPES] : least;
	printf( "scene_shapes: primitives: %zu pairs, %zu collide, at least %zu of each two kinds\n", pairs, hits, least );
	assert_outcomes( hits > 0 && hits < pairs );
}

static dbvh_tree *make_point( void ) {
	shape mesh = { 0 };
	shape_vertex( &mesh, 0.0, 0.0, 0.0 );
	shape_triangle( &mesh, 0, 0, 0 );
	const dbvh_mesh_view view = shape_view( &mesh );
	dbvh_tree *point;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &point, NULL ), DBVH_OK );
	shape_free( &mesh );
	return point;
}

static dbvh_scene *two_spheres( const dbvh_tree *point, const dbvh_pose poses[2], const double radii[2],
                                uint32_t bodies[2] ) {
	dbvh_scene *scene;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( int i = 0; i < 2; ++i ) {
		const dbvh_body_options options = { .radius = radii[i] };
		assert_int_equal( dbvh_scene_add_body( scene, point, &poses[i], &options, &bodies[i], NULL ), DBVH_OK );
	}
	return scene;
}

// Spheres as far apart as the sum of their radii, and next to it by a few units in the last place.
static void to_the_last_bit( void **state ) {
	(void)state;
	static const double radii[][2] = { { 0.1, 0.2 }, { 0.1, 0.7 }, { 1.0 / 3.0, 1e-9 }, { 0.5, 0.25 }, { 1e9, 0.1 } };
	dbvh_tree *point = make_point();
	size_t rounded = 0;
	for ( size_t i = 0; i < sizeof radii / sizeof radii[0]; ++i ) {
		const figure of_a = { .radius = radii[i][0] }, of_b = { .radius = radii[i][1] };
		const double reach = reach_of( &of_a, &of_b );
		rounded += !is_sum_up( reach, 0.0, radii[i][0] + radii[i][1] );
		for ( int step = -3; step <= 3; ++step ) {
			double apart = reach;
			for ( int k = 0; k < abs( step ); ++k )
				apart = nextafter( apart, step < 0 ? 0.0 : INFINITY );
			dbvh_pose poses[2] = { dbvh_pose_identity(), dbvh_pose_identity() };
			poses[1].pos[i % 3] = apart;
			uint32_t bodies[2];
			dbvh_scene *scene = two_spheres( point, poses, radii[i], bodies );
			dbvh_scene_result result;
			dbvh_distance_result distance;
			assert_int_equal( dbvh_scene_collide( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
			assert_int_equal( result.found_count, step <= 0 );
			assert_int_equal( dbvh_scene_pair_distance( scene, bodies[0], bodies[1], NULL, &distance, NULL ), DBVH_OK );
			check_distance( distance.distance, apart, reach );
			dbvh_scene_destroy( scene );
		}
	}
	dbvh_tree_destroy( point );
	assert_true( rounded > 0 ); // some sums are rounded up where the sum of doubles is rounded down
}

// Spheres whose poses stretch lengths: they meet in the frame of one, a little farther apart than the sum of their
// radii in that of the scene, where their boxes lie.
static void stretched_radii( void **state ) {
	(void)state;
	dbvh_tree *point = make_point();
	size_t meets = 0, meets_one = 0;
	for ( int way = 0; way < 15; ++way ) {
		const int axis = way % 3;
		const double radii[2] = { way < 6 ? 1000.0 : 2000.0, way < 6 ? 1000.0 : 0.0 };
		dbvh_pose poses[2] = { dbvh_pose_identity(), dbvh_pose_identity() };
		poses[0].pos[( axis + 1 ) % 3] = way < 12 && way / 3 % 2 == 0 ? 0.0 : 0.125;
		poses[1].pos[( axis + 1 ) % 3] = poses[0].pos[( axis + 1 ) % 3];
		poses[0].rot[axis][axis] = way < 6 ? 1.0 + 4e-7 : 1.0;
		poses[1].rot[axis][axis] = 1.0 + 4e-7;
		// Lengths are measured in the frame of the lower pose (dbvhi_pose_relate()): of the moved one from here on.
		for ( int k = 0; k < 2 && way >= 12; ++k )
			poses[1].rot[k][k] *= -1.0;
		poses[1].pos[axis] = 2000.0 * ( 1.0 + 3e-7 );
		dbvhi_relative_pose relative;
		assert_int_equal( dbvhi_pose_relate( &poses[0], &poses[1], &relative ), DBVH_OK );
		const double point_at[9] = { 0.0 };
		const double apart = oracle_triangles_distance( point_at, point_at, &relative.frame_from_moved );
		uint32_t bodies[2];
		dbvh_scene *scene = two_spheres( point, poses, radii, bodies );
		dbvh_scene_result result;
		dbvh_configuration_result moved;
		assert_int_equal( dbvh_scene_collide( scene, NULL, NULL, 0, &result, NULL ), DBVH_OK );
		assert_int_equal( result.found_count, apart <= 2000.0 );
		assert_int_equal( dbvh_scene_collide_batch( scene, poses, 1, NULL, &moved, NULL ), DBVH_OK );
		assert_int_equal( moved.verdict, apart <= 2000.0 );
		// Before the scene has seen the pose that stretches.
		dbvh_scene_destroy( scene );
		const dbvh_pose before[2] = { poses[0], dbvh_pose_identity() };
		scene = two_spheres( point, before, radii, bodies );
		const dbvh_configurations_query query = { .bodies = &bodies[1], .body_count = 1 };
		assert_int_equal( dbvh_scene_collide_batch( scene, &poses[1], 1, &query, &moved, NULL ), DBVH_OK );
		assert_int_equal( moved.verdict, apart <= 2000.0 );
		meets += apart <= 2000.0;
		meets_one += way >= 6 && apart <= 2000.0;
		dbvh_scene_destroy( scene );
	}
	dbvh_tree_destroy( point );
	assert_true( meets > meets_one && meets_one > 0 );
}

// Queries without radii refuse scenes that have some, and answer again when these are gone.
static void other_queries_refuse( void **state ) {
	(void)state;
	shape mesh = { 0 };
	shape_add_box( &mesh, 0.5, 0.5, 0.5, 1 );
	const dbvh_mesh_view view = shape_view( &mesh );
	dbvh_tree_options topology = dbvh_tree_options_default();
	topology.topology = true;
	dbvh_tree *cube;
	assert_int_equal( dbvh_tree_build( &view, &topology, NULL, &cube, NULL ), DBVH_OK );
	dbvh_scene *scene;
	uint32_t a, b, c;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	dbvh_body_options options = { .radius = 0.5 };
	assert_int_equal( dbvh_scene_add_body( scene, cube, NULL, NULL, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, cube, NULL, NULL, &b, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, cube, NULL, &options, &c, NULL ), DBVH_OK );
	for ( int way = 0; way < 3; ++way ) {
		options.radius = way == 0 ? -1.0 : way == 1 ? INFINITY : NAN;
		uint32_t none;
		assert_int_equal( dbvh_scene_add_body( scene, cube, NULL, &options, &none, NULL ), DBVH_INVALID_ARGUMENT );
	}
	const dbvh_ray ray = { { 0, 0, 0 }, { 1, 0, 0 } };
	const dbvh_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
	const dbvh_pose pose = dbvh_pose_identity();
	dbvh_contacts *contacts;
	assert_int_equal( dbvh_contacts_create( NULL, &contacts, NULL ), DBVH_OK );
	dbvh_scene *copy;
	assert_int_equal( dbvh_scene_clone( scene, NULL, &copy, NULL ), DBVH_OK );
	dbvh_scene_destroy( scene );
	scene = copy;
	for ( int way = 0; way < 2; ++way ) {
		const dbvh_status expected = way == 0 ? DBVH_INVALID_ARGUMENT : DBVH_OK;
		dbvh_scene_result result;
		dbvh_scene_hit hit;
		dbvh_relate_result relation;
		dbvh_edge_result edge;
		size_t count;
		dbvh_error error;
		const dbvh_pose poses[6] = { pose, pose, pose, pose, pose, pose };
		assert_int_equal( dbvh_scene_overlaps( scene, NULL, NULL, 0, &result, &error ), expected );
		assert_true( way == 1 || strstr( error.text, "radii" ) != NULL );
		assert_int_equal( dbvh_scene_raycast( scene, &ray, &hit, NULL ), expected );
		assert_int_equal( dbvh_scene_overlap_aabb( scene, &box, NULL, 0, &count, NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_motion_batch( scene, poses, 2, NULL, &edge, NULL ), expected );
		assert_int_equal( dbvh_scene_relate( scene, a, c, NULL, &relation, NULL ), DBVH_INVALID_ARGUMENT );
		assert_int_equal( dbvh_scene_contacts( scene, a, c, NULL, contacts, NULL ), DBVH_INVALID_ARGUMENT );
		assert_int_equal( dbvh_scene_contacts( scene, a, b, NULL, contacts, NULL ), DBVH_OK );
		if ( way == 0 )
			assert_int_equal( dbvh_scene_remove_body( scene, c, NULL ), DBVH_OK );
	}
	dbvh_contacts_destroy( contacts );
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( cube );
	shape_free( &mesh );
}

// A sphere within a box that does not reach its surface.
static void within_a_box( void **state ) {
	(void)state;
	shape point;
	memset( &point, 0, sizeof point );
	const uint32_t at = shape_vertex( &point, 0, 0, 0 );
	shape_triangle( &point, at, at, at );
	const dbvh_mesh_view view = shape_view( &point );
	dbvh_tree *tree;
	dbvh_scene *scene;
	const dbvh_body_options options = { .radius = 0.25 };
	uint32_t body, found = DBVH_NO_BODY;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, tree, NULL, &options, &body, NULL ), DBVH_OK );
	// Beside it, at the radius, the double beyond that, and around it.
	const double low[] = { 0.25, nextafter( 0.25, 1.0 ), -1.0 };
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_aabb box = { { low[i], -1, -1 }, { 1, 1, 1 } };
		size_t count;
		assert_int_equal( dbvh_scene_overlap_aabb( scene, &box, &found, 1, &count, NULL ), DBVH_OK );
		assert_int_equal( count, i != 1 );
	}
	assert_int_equal( found, body );
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( tree );
	shape_free( &point );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( same_as_rational_distances ),
	    cmocka_unit_test( same_as_primitives ),
	    cmocka_unit_test( to_the_last_bit ),
	    cmocka_unit_test( stretched_radii ),
	    cmocka_unit_test( other_queries_refuse ),
	    cmocka_unit_test( within_a_box ),
	};
	return test_main( argc, argv, tests );
}
