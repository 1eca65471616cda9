// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How much stack each public function takes, on hostile inputs: exact decisions about numbers from one end of the range
// to the other, touching and degenerate triangles, deep trees. Each runs on a painted stack of its own, on every
// instruction set. The table below names every function that the headers declare; the test says which one it lacks.

#define _GNU_SOURCE

#include "dualbvh/dualbvh.h"
#include "primitive/shapes.h"
#include "support/line.h"
#include "support/public_names.h"
#include "support/scene.h"
#include "support/unit.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#if defined( __clang__ )
#define LIMIT ( 60 * 1024 ) // clang shares less of a frame among blocks
#else
#define LIMIT ( 56 * 1024 )
#endif
#define STACK ( (size_t)512 << 10 )

#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ ) || !defined( NDEBUG )
#define MEASURED 0 // sanitizers and unoptimised code take more, and are not limited
#else
#define MEASURED 1
#endif

typedef struct pair {
	dbvh_tree *a, *b;
	shape mesh;
} pair;

enum { PAIRS = 7, ARRAY = 9, ROOM = 64 };

typedef struct scene {
	rng r;
	maker m;
	pair pairs[PAIRS];
	shape large;
	const pair *at;
	dbvh_pose pose_a, pose_b;
	const dbvh_pose *pa, *pb;
	dbvh_workspace *workspace;
	dbvh_contacts *contacts;
	dbvh_overlap *overlap;
	double point[3], triangle_a[9], triangle_b[9], numbers[16];
	// Primitives, and columns of them
	dbvh_sphere sphere, sphere_2;
	dbvh_aabb aabb, aabb_2;
	dbvh_box box, box_2;
	dbvh_obb obb, obb_2;
	dbvh_capsule capsule, capsule_2;
	dbvh_triangle triangle;
	dbvh_plane plane;
	dbvh_segment segment;
	dbvh_ray ray;
	dbvh_ellipsoid ellipsoid, ellipsoid_2;
	double by[2][3], column[2][3][ARRAY];
	const double *by_array[2][3];
	dbvh_sphere_array sphere_array, sphere_2_array;
	dbvh_aabb_array aabb_array, aabb_2_array;
	dbvh_obb_array obb_array, obb_2_array;
	dbvh_capsule_array capsule_array, capsule_2_array;
	dbvh_triangle_array triangle_array;
	dbvh_plane_array plane_array;
	dbvh_segment_array segment_array;
	dbvh_ray_array ray_array;
	double columns[32][ARRAY];
	size_t done;
} scene;

// ------------------------------------------------------------------------------------------------
// Inputs

// A number whose square, or a sum of many, overflows, underflows or does neither; with all bits of the fraction, or
// with none.
static double hostile( rng *r ) {
	const double m = rng_below( r, 2 ) == 0 ? 1.0 : 1.0 + rng_unit( r );
	const double x = ldexp( m, (int)rng_below( r, 3 ) == 0 ? (int)rng_below( r, 2090 ) - 1074
	                                                       : ( rng_below( r, 2 ) == 0 ? 1000 : -1070 ) );
	return rng_below( r, 2 ) == 0 ? x : -x;
}

static dbvh_pose hostile_pose( rng *r ) {
	dbvh_pose p = dbvh_pose_identity();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			const double tiny = ldexp( 1.0 + rng_unit( r ), -(int)rng_below( r, 1030 ) - 30 );
			p.rot[i][j] = i == j ? 1.0 : rng_below( r, 3 ) == 0 ? tiny : rng_below( r, 2 ) == 0 ? 0x1p-1074 : -tiny;
		}
		p.pos[i] = rng_below( r, 2 ) == 0 ? hostile( r ) : 0.0;
	}
	return p;
}

// A tetrahedron, or several with common corners.
static void add_hostile( shape *s, rng *r, int count ) {
	double corner[5][3];
	for ( int i = 0; i < 15; ++i )
		corner[i / 3][i % 3] = hostile( r );
	for ( int k = 0; k < count; ++k ) {
		uint32_t v[4];
		for ( int i = 0; i < 4; ++i ) {
			const double *p = corner[( i + k ) % 5];
			v[i] = shape_vertex( s, p[0], p[1], p[2] );
		}
		shape_triangle( s, v[0], v[1], v[2] );
		shape_triangle( s, v[0], v[3], v[1] );
		shape_triangle( s, v[1], v[3], v[2] );
		shape_triangle( s, v[2], v[3], v[0] );
	}
}

static void make_pair( scene *s, int kind ) {
	pair *p = &s->pairs[kind];
	p->mesh = ( shape ){ 0 };
	switch ( kind ) {
	case 0:
		shape_add_torus( &p->mesh, 1.0, 0.4, 12, 8 );
		break;
	case 1:
		shape_add_box( &p->mesh, 1.0, 1.0, 1.0, 2 );
		break;
	case 2:
		add_soup( &p->mesh, &s->r, 24, 1.0, 0.3, true );
		break;
	case 3:
	case 4:
		add_hostile( &p->mesh, &s->r, kind - 2 );
		break;
	case 5: // deep
		for ( int k = -8; k < 8; ++k ) {
			const double x = ldexp( 1.0, 120 * k );
			shape_triangle( &p->mesh, shape_vertex( &p->mesh, x, 0.0, 0.0 ), shape_vertex( &p->mesh, 0.0, x, 0.0 ),
			                shape_vertex( &p->mesh, 0.0, 0.0, x ) );
		}
		break;
	default: // the same again and again
		for ( int k = 0; k < 2; ++k )
			shape_add_box( &p->mesh, 1.0, 1.0, 1.0, 1 );
	}
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = 1;
	options.ellipsoids = kind % 2 == 0 ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE;
	const dbvh_mesh_view view = shape_view( &p->mesh );
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &p->a, NULL ), DBVH_OK );
	options.leaf_size = kind == 2 ? 1 : options.leaf_size;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &p->b, NULL ), DBVH_OK );
}

static void columns_of( scene *s, const double **out, int count, const void *row, int *next ) {
	double x[16];
	memcpy( x, row, (size_t)count * sizeof x[0] );
	for ( int i = 0; i < count; ++i, ++*next ) {
		for ( int k = 0; k < ARRAY; ++k )
			s->columns[*next % 32][k] = x[i];
		out[i] = s->columns[*next % 32];
	}
}

#define COLUMNS( name, width )                                                                                         \
	do {                                                                                                               \
		int next = 0;                                                                                                  \
		columns_of( s, (const double **)(void *)&s->name##_array, width, &s->name, &next );                            \
		s->name##_array.count = ARRAY;                                                                                 \
	} while ( 0 )

static void next_shapes( scene *s ) {
	maker_start( &s->m, rng_u64( &s->r ), rng_u64( &s->r ) );
	maker *const m = &s->m;
	s->sphere = make_sphere( m );
	s->sphere_2 = make_sphere( m );
	s->aabb = make_aabb( m );
	s->aabb_2 = make_aabb( m );
	s->box = make_box( m );
	s->box_2 = make_box( m );
	s->obb = make_obb( m );
	s->obb_2 = make_obb( m );
	s->capsule = make_capsule( m );
	s->capsule_2 = make_capsule( m );
	s->triangle = make_triangle( m );
	s->plane = make_plane( m );
	s->segment = make_segment( m );
	s->ray = make_ray( m );
	for ( int k = 0; k < 2; ++k )
		point( m, s->by[k] );
	point( m, s->point );
	if ( rng_below( &s->r, 3 ) == 0 ) { // coordinates anywhere in the range of doubles
		double *const all[] = { s->sphere.centre,      s->capsule.from, s->capsule.to,         s->capsule_2.from,
		                        s->capsule_2.to,       s->segment.from, s->segment.to,         s->obb.centre,
		                        s->obb_2.centre,       s->point,        s->triangle.corner[0], s->triangle.corner[1],
		                        s->triangle.corner[2], s->by[0] };
		for ( size_t i = 0; i < sizeof all / sizeof all[0]; ++i ) {
			for ( int k = 0; k < 3; ++k )
				all[i][k] = ldexp( hostile( &s->r ), -20 );
		}
	}
	for ( int k = 0; k < 6; ++k ) {
		for ( int i = 0; i < ARRAY; ++i )
			s->column[k / 3][k % 3][i] = s->by[k / 3][k % 3];
		s->by_array[k / 3][k % 3] = s->column[k / 3][k % 3];
	}
	const dbvh_ellipsoid round = {
	    .centre = { 0.1, 0.2, 0.3 }, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .half = { 1.0, 0.5, 0.25 } };
	s->ellipsoid = s->ellipsoid_2 = round;
	s->ellipsoid_2.centre[0] += rng_range( &s->r, -2.0, 2.0 );
}

static void next_scene( scene *s, size_t i ) {
	s->at = &s->pairs[i % PAIRS];
	s->pose_a = i % 3 == 0 ? random_pose( &s->r, 1.0 ) : dbvh_pose_identity();
	s->pose_b = dbvh_pose_identity();
	switch ( i / PAIRS % 4 ) {
	case 0:
		s->pose_b = random_pose( &s->r, 1.5 );
		break;
	case 1:
		s->pose_b.pos[rng_below( &s->r, 3 )] = 1.0;
		break;
	case 2:
		s->pose_b = hostile_pose( &s->r );
		break;
	default:
		break;
	}
	s->pa = i % 2 == 0 ? NULL : &s->pose_a;
	s->pb = i % 5 == 0 ? NULL : &s->pose_b;
	next_shapes( s );
	double x[5][3];
	for ( int k = 0; k < 15; ++k )
		x[k / 3][k % 3] = i % 2 == 0 ? hostile( &s->r ) : (double)rng_below( &s->r, 3 );
	for ( int k = 0; k < 9; ++k ) {
		s->triangle_a[k] = x[k / 3][k % 3];
		s->triangle_b[k] = x[2 + k / 3 - ( i % 7 == 0 )][k % 3];
	}
	if ( i % 3 != 0 ) { // on the mesh, or nearly
		const uint64_t v = rng_below( &s->r, s->at->mesh.vertex_count );
		memcpy( s->point, s->at->mesh.positions + 3 * v, sizeof s->point );
	}
}

// ------------------------------------------------------------------------------------------------
// The functions

#define DOOR( name ) static void call_##name( scene *s )
#define PAIR( name, a, b, type )                                                                                       \
	DOOR( name ) {                                                                                                     \
		type out;                                                                                                      \
		s->done += dbvh_##name( &s->a, &s->b, &out ) == DBVH_OK;                                                       \
	}
#define BATCH( name, a, b, type )                                                                                      \
	DOOR( name ) {                                                                                                     \
		type out[ARRAY];                                                                                               \
		COLUMNS( a, (int)( sizeof s->a / sizeof( double ) ) );                                                         \
		int next = 16;                                                                                                 \
		columns_of( s, (const double **)(void *)&s->b##_array, (int)( sizeof s->b / sizeof( double ) ), &s->b,         \
		            &next );                                                                                           \
		s->b##_array.count = ARRAY;                                                                                    \
		s->done += dbvh_##name( &s->a##_array, &s->b##_array, out, NULL ) == DBVH_OK;                                  \
	}
#define SWEEP( name, a, b )                                                                                            \
	DOOR( name ) {                                                                                                     \
		dbvh_shape_cast_result out;                                                                                    \
		s->done += dbvh_##name( &s->a, s->by[0], &s->b, s->by[1], &out ) == DBVH_OK;                                   \
	}
#define SWEEP_BATCH( name, a, b )                                                                                      \
	DOOR( name ) {                                                                                                     \
		dbvh_shape_cast_result out[ARRAY];                                                                             \
		COLUMNS( a, (int)( sizeof s->a / sizeof( double ) ) );                                                         \
		int next = 16;                                                                                                 \
		columns_of( s, (const double **)(void *)&s->b##_array, (int)( sizeof s->b / sizeof( double ) ), &s->b,         \
		            &next );                                                                                           \
		s->b##_array.count = ARRAY;                                                                                    \
		s->done += dbvh_##name( &s->a##_array, s->by_array[0], &s->b##_array, s->by_array[1], out, NULL ) == DBVH_OK;  \
	}

#define PAIRS_OF( X )                                                                                                  \
	X( sphere_sphere_intersect, sphere, sphere_2, bool )                                                               \
	X( sphere_sphere_signed_distance, sphere, sphere_2, dbvh_signed_distance )                                         \
	X( sphere_aabb_intersect, sphere, aabb, bool )                                                                     \
	X( sphere_aabb_signed_distance, sphere, aabb, dbvh_signed_distance )                                               \
	X( sphere_obb_intersect, sphere, obb, bool )                                                                       \
	X( sphere_obb_signed_distance, sphere, obb, dbvh_signed_distance )                                                 \
	X( sphere_capsule_intersect, sphere, capsule, bool )                                                               \
	X( sphere_capsule_signed_distance, sphere, capsule, dbvh_signed_distance )                                         \
	X( sphere_triangle_intersect, sphere, triangle, bool )                                                             \
	X( sphere_triangle_signed_distance, sphere, triangle, dbvh_signed_distance )                                       \
	X( aabb_aabb_intersect, aabb, aabb_2, bool )                                                                       \
	X( aabb_aabb_signed_distance, aabb, aabb_2, dbvh_signed_distance )                                                 \
	X( box_box_intersect, box, box_2, bool )                                                                           \
	X( obb_obb_intersect, obb, obb_2, bool )                                                                           \
	X( obb_obb_signed_distance, obb, obb_2, dbvh_signed_distance )                                                     \
	X( aabb_obb_intersect, aabb, obb, bool )                                                                           \
	X( aabb_obb_signed_distance, aabb, obb, dbvh_signed_distance )                                                     \
	X( capsule_capsule_intersect, capsule, capsule_2, bool )                                                           \
	X( capsule_capsule_signed_distance, capsule, capsule_2, dbvh_signed_distance )                                     \
	X( capsule_triangle_intersect, capsule, triangle, bool )                                                           \
	X( capsule_triangle_distance, capsule, triangle, double )                                                          \
	X( capsule_triangle_signed_distance, capsule, triangle, dbvh_signed_distance )                                     \
	X( capsule_aabb_intersect, capsule, aabb, bool )                                                                   \
	X( capsule_aabb_distance, capsule, aabb, double )                                                                  \
	X( capsule_aabb_signed_distance, capsule, aabb, dbvh_signed_distance )                                             \
	X( capsule_obb_intersect, capsule, obb, bool )                                                                     \
	X( capsule_obb_distance, capsule, obb, double )                                                                    \
	X( capsule_obb_signed_distance, capsule, obb, dbvh_signed_distance )                                               \
	X( triangle_aabb_intersect, triangle, aabb, bool )                                                                 \
	X( triangle_obb_intersect, triangle, obb, bool )                                                                   \
	X( triangle_aabb_distance, triangle, aabb, double )                                                                \
	X( triangle_obb_distance, triangle, obb, double )                                                                  \
	X( point_plane_distance, point[0], plane, dbvh_plane_distance )                                                    \
	X( sphere_plane_distance, sphere, plane, dbvh_plane_distance )                                                     \
	X( aabb_plane_distance, aabb, plane, dbvh_plane_distance )                                                         \
	X( obb_plane_distance, obb, plane, dbvh_plane_distance )                                                           \
	X( capsule_plane_distance, capsule, plane, dbvh_plane_distance )                                                   \
	X( triangle_plane_distance, triangle, plane, dbvh_plane_distance )                                                 \
	X( sphere_plane_side, sphere, plane, int )                                                                         \
	X( aabb_plane_side, aabb, plane, int )                                                                             \
	X( sphere_plane_signed_distance, sphere, plane, dbvh_signed_distance )                                             \
	X( segment_sphere_hit, segment, sphere, dbvh_hit_interval )                                                        \
	X( ray_sphere_hit, ray, sphere, dbvh_hit_interval )                                                                \
	X( segment_aabb_hit, segment, aabb, dbvh_hit_interval )                                                            \
	X( ray_aabb_hit, ray, aabb, dbvh_hit_interval )                                                                    \
	X( segment_obb_hit, segment, obb, dbvh_hit_interval )                                                              \
	X( ray_obb_hit, ray, obb, dbvh_hit_interval )                                                                      \
	X( segment_plane_hit, segment, plane, dbvh_hit_interval )                                                          \
	X( ray_plane_hit, ray, plane, dbvh_hit_interval )                                                                  \
	X( segment_triangle_hit, segment, triangle, dbvh_hit )                                                             \
	X( ray_triangle_hit, ray, triangle, dbvh_hit )                                                                     \
	X( segment_sphere_intersect, segment, sphere, bool )                                                               \
	X( segment_aabb_intersect, segment, aabb, bool )                                                                   \
	X( segment_obb_intersect, segment, obb, bool )                                                                     \
	X( segment_triangle_intersect, segment, triangle, bool )                                                           \
	X( ellipsoid_ellipsoid_intersect, ellipsoid, ellipsoid_2, bool )

#define BATCHES_OF( X )                                                                                                \
	X( sphere_sphere_intersect_batch, sphere, sphere_2, uint8_t )                                                      \
	X( sphere_aabb_intersect_batch, sphere, aabb, uint8_t )                                                            \
	X( aabb_aabb_intersect_batch, aabb, aabb_2, uint8_t )                                                              \
	X( obb_obb_intersect_batch, obb, obb_2, uint8_t )                                                                  \
	X( sphere_triangle_intersect_batch, sphere, triangle, uint8_t )                                                    \
	X( capsule_capsule_intersect_batch, capsule, capsule_2, uint8_t )                                                  \
	X( segment_sphere_intersect_batch, segment, sphere, uint8_t )                                                      \
	X( segment_aabb_intersect_batch, segment, aabb, uint8_t )                                                          \
	X( capsule_obb_intersect_batch, capsule, obb, uint8_t )                                                            \
	X( sphere_plane_side_batch, sphere, plane, int8_t )                                                                \
	X( aabb_plane_side_batch, aabb, plane, int8_t )                                                                    \
	X( sphere_sphere_distance_batch, sphere, sphere_2, double )                                                        \
	X( sphere_aabb_distance_batch, sphere, aabb, double )                                                              \
	X( sphere_triangle_distance_batch, sphere, triangle, double )                                                      \
	X( capsule_capsule_distance_batch, capsule, capsule_2, double )                                                    \
	X( ray_sphere_hit_batch, ray, sphere, dbvh_hit_interval )                                                          \
	X( segment_sphere_hit_batch, segment, sphere, dbvh_hit_interval )                                                  \
	X( ray_aabb_hit_batch, ray, aabb, dbvh_hit_interval )                                                              \
	X( segment_aabb_hit_batch, segment, aabb, dbvh_hit_interval )                                                      \
	X( ray_triangle_hit_batch, ray, triangle, dbvh_hit )                                                               \
	X( segment_triangle_hit_batch, segment, triangle, dbvh_hit )

#define SWEEPS_OF( X )                                                                                                 \
	X( sphere_sphere_cast, sphere, sphere_2 )                                                                          \
	X( aabb_aabb_cast, aabb, aabb_2 )                                                                                  \
	X( sphere_aabb_cast, sphere, aabb )                                                                                \
	X( sphere_triangle_cast, sphere, triangle )

#define SWEEP_BATCHES_OF( X )                                                                                          \
	X( sphere_sphere_cast_batch, sphere, sphere_2 )                                                                    \
	X( aabb_aabb_cast_batch, aabb, aabb_2 )                                                                            \
	X( sphere_triangle_cast_batch, sphere, triangle )

#define CAST_CONTACT( name, a, b )                                                                                     \
	DOOR( name##_contact ) {                                                                                           \
		dbvh_shape_cast_contact out;                                                                                   \
		s->done += dbvh_##name##_contact( &s->a, s->by[0], &s->b, s->by[1], 0.5, &out ) == DBVH_OK;                    \
	}

PAIRS_OF( PAIR )
BATCHES_OF( BATCH )
SWEEPS_OF( SWEEP )
SWEEP_BATCHES_OF( SWEEP_BATCH )
SWEEPS_OF( CAST_CONTACT )

DOOR( sphere_plane_cast_contact ) {
	dbvh_shape_cast_contact out;
	s->done += dbvh_sphere_plane_cast_contact( &s->sphere, s->by[0], &s->plane, 0.5, &out ) == DBVH_OK;
}

DOOR( plane_from_point ) {
	dbvh_plane out;
	s->done += dbvh_plane_from_point( s->sphere.centre, s->plane.normal, &out ) == DBVH_OK;
}

DOOR( plane_from_points ) {
	dbvh_plane out;
	const dbvh_triangle *t = &s->triangle;
	s->done += dbvh_plane_from_points( t->corner[0], t->corner[1], t->corner[2], &out ) == DBVH_OK;
}

DOOR( sphere_plane_cast ) {
	dbvh_shape_cast_result out;
	s->done += dbvh_sphere_plane_cast( &s->sphere, s->by[0], &s->plane, &out ) == DBVH_OK;
}

DOOR( sphere_plane_cast_batch ) {
	dbvh_shape_cast_result out[ARRAY];
	COLUMNS( sphere, 4 );
	int next = 16;
	columns_of( s, (const double **)(void *)&s->plane_array, 4, &s->plane, &next );
	s->plane_array.count = ARRAY;
	s->done += dbvh_sphere_plane_cast_batch( &s->sphere_array, s->by_array[0], &s->plane_array, out, NULL ) == DBVH_OK;
}

#define TO_AABB( shape )                                                                                               \
	DOOR( shape##_to_aabb ) {                                                                                          \
		dbvh_aabb out;                                                                                                 \
		s->done += dbvh_##shape##_to_aabb( &s->shape, &out ) == DBVH_OK;                                               \
	}
TO_AABB( box )
TO_AABB( obb )
TO_AABB( sphere )
TO_AABB( capsule )

static bool may_move( const scene *s ) {
	return s->at < &s->pairs[3]; // others take long
}

#include "stack_poses.h"

DOOR( contacts_create ) {
	dbvh_contacts *c = NULL;
	s->done += dbvh_contacts_create( NULL, &c, NULL ) == DBVH_OK;
	dbvh_contacts_destroy( c );
}
#define call_contacts_destroy call_contacts_create
DOOR( contacts_find ) {
	s->done += dbvh_contacts_find( s->at->a, s->pa, s->at->b, s->pb, NULL, s->contacts, NULL ) == DBVH_OK;
}
DOOR( contacts_get ) {
	s->done += dbvh_contacts_get( s->contacts ).point_count < SIZE_MAX;
}
DOOR( overlap_extents ) {
	static const double ways[2][3] = { { 0, 0, 1 }, { 1, 0x1p-600, 0.5 } };
	dbvh_extent out[2];
	bool common;
	s->done += dbvh_overlap_extents( s->at->a, s->pa, s->at->b, s->pb, (const double *)ways, 2, NULL, s->contacts, out,
	                                 &common, NULL ) == DBVH_OK;
}
#include "stack_of_overlaps.inl"

static dbvh_policy some_policy( scene *s ) {
	return (dbvh_policy)rng_below( &s->r, 6 );
}

DOOR( collide ) {
	static dbvh_pair pairs[ROOM];
	const dbvh_collide_query q = { .find = rng_below( &s->r, 3 ) == 0 ? DBVH_FIND_ANY : DBVH_FIND_ALL,
	                               .policy = some_policy( s ),
	                               .pairs = pairs,
	                               .pair_capacity = ROOM };
	dbvh_collide_result out;
	dbvh_workspace *workspace = rng_below( &s->r, 2 ) == 0 ? NULL : s->workspace;
	s->done += dbvh_collide( s->at->a, s->pa, s->at->b, s->pb, &q, workspace, &out, NULL ) == DBVH_OK;
}
DOOR( collide_batch ) {
	dbvh_collide_result out[2];
	const dbvh_pose poses[2] = { s->pose_b, s->pose_a };
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	s->done += dbvh_collide_batch( s->at->a, s->pa, s->at->b, poses, 2, NULL, &o, out, NULL ) == DBVH_OK;
}
DOOR( collide_cached ) {
	static dbvh_cache cache;
	const dbvh_collide_query q = { .policy = some_policy( s ) };
	dbvh_collide_result out;
	s->done += dbvh_collide_cached( s->at->a, s->pa, s->at->b, s->pb, &q, &cache, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( distance ) {
	dbvh_distance_result out;
	const dbvh_distance_query q = { .policy = some_policy( s ) };
	s->done += dbvh_distance( s->at->a, s->pa, s->at->b, s->pb, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( check_clearance ) {
	dbvh_clearance_result out;
	const dbvh_clearance_query q = {
	    .max_distance = s->sphere.radius, .find = DBVH_FIND_ALL, .policy = some_policy( s ) };
	s->done += dbvh_check_clearance( s->at->a, s->pa, s->at->b, s->pb, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( distance_batch ) {
	dbvh_distance_result out[2];
	const dbvh_pose poses[2] = { s->pose_b, s->pose_a };
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	s->done += dbvh_distance_batch( s->at->a, s->pa, s->at->b, poses, 2, NULL, &o, out, NULL ) == DBVH_OK;
}
DOOR( check_clearance_batch ) {
	dbvh_clearance_result out[2];
	const dbvh_pose poses[2] = { s->pose_b, s->pose_a };
	const dbvh_clearance_query q = { .max_distance = s->sphere.radius };
	const dbvh_batch_options o = { .thread_count = 1, .workspace = s->workspace };
	s->done += dbvh_check_clearance_batch( s->at->a, s->pa, s->at->b, poses, 2, &q, &o, out, NULL ) == DBVH_OK;
}
DOOR( triangles_distance ) {
	dbvh_triangles_distance_result out;
	s->done += dbvh_triangles_distance( (const dbvh_triangle *)s->triangle_a, (const dbvh_triangle *)s->triangle_b,
	                                    s->pb, &out, NULL ) == DBVH_OK;
}
DOOR( triangles_intersect ) {
	bool out;
	s->done += dbvh_triangles_intersect( (const dbvh_triangle *)( s->triangle_a ),
	                                     (const dbvh_triangle *)( s->triangle_b ), s->pb, &out, NULL ) == DBVH_OK;
}
DOOR( triangles_self_intersect ) {
	bool out;
	s->done += dbvh_triangles_self_intersect( (const dbvh_triangle *)( s->triangle_a ),
	                                          (const dbvh_triangle *)( s->triangle_b ), &out, NULL ) == DBVH_OK;
}
DOOR( self_collide ) {
	dbvh_collide_result out;
	const dbvh_collide_query q = { .find = DBVH_FIND_ALL, .policy = some_policy( s ) };
	s->done += dbvh_self_collide( s->at->a, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
#include "stack_of_relations.inl"
static test_line some_line( scene *s ) {
	test_line line = { .is_ray = false };
	const shape *m = &s->at->mesh;
	memcpy( line.from, s->point, sizeof line.from );
	memcpy( line.to, m->positions + 3 * rng_below( &s->r, m->vertex_count ), sizeof line.to );
	for ( int k = 0; k < 3 && rng_below( &s->r, 2 ) == 0; ++k )
		line.from[k] = hostile( &s->r );
	return line;
}
static void cast_one( scene *s, bool is_ray ) {
	static dbvh_ray_hit hits[ROOM];
	dbvh_raycast_result out;
	test_line line = some_line( s );
	line.is_ray = is_ray;
	const dbvh_raycast_query q = { .find = (dbvh_find)rng_below( &s->r, 3 ), .hits = hits, .hit_capacity = ROOM };
	s->done += line_cast( s->at->a, s->pb, &line, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( raycast ) {
	cast_one( s, true );
}
DOOR( segment_cast ) {
	cast_one( s, false );
}
static void cast_two( scene *s, bool rays ) {
	dbvh_raycast_result out[2];
	test_line lines[2] = { some_line( s ), some_line( s ) };
	lines[0].is_ray = lines[1].is_ray = rays;
	const dbvh_batch_options o = { .thread_count = 1 };
	s->done += line_cast_batch( s->at->a, s->pb, lines, 2, NULL, &o, out, NULL ) == DBVH_OK;
}
DOOR( raycast_batch ) {
	cast_two( s, true );
}
DOOR( segment_cast_batch ) {
	cast_two( s, false );
}
DOOR( closest_point ) {
	dbvh_closest_point_result out;
	s->done += dbvh_closest_point( s->at->a, s->pb, s->point, NULL, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( closest_point_batch ) {
	dbvh_closest_point_result out;
	const dbvh_batch_options o = { .thread_count = 1 };
	s->done += dbvh_closest_point_batch( s->at->a, s->pb, s->point, 1, NULL, &o, &out, NULL ) == DBVH_OK;
}
DOOR( collide_shape ) {
	dbvh_collide_shape_result out;
	dbvh_shape body = { .kind = (dbvh_shape_kind)rng_below( &s->r, 7 ) };
	switch ( body.kind ) {
	case DBVH_SHAPE_KIND_SPHERE:
		body.as.sphere = s->sphere;
		break;
	case DBVH_SHAPE_KIND_AABB:
		body.as.aabb = s->aabb;
		break;
	case DBVH_SHAPE_KIND_BOX:
		body.as.box = s->box;
		break;
	case DBVH_SHAPE_KIND_OBB:
		body.as.obb = s->obb;
		break;
	case DBVH_SHAPE_KIND_CAPSULE:
		body.as.capsule = s->capsule;
		break;
	case DBVH_SHAPE_KIND_PLANE:
	case DBVH_SHAPE_KIND_HALF_SPACE:
		body.as.plane = s->plane;
		break;
	default:
		body.as.ellipsoid = s->ellipsoid;
		for ( int k = 0; k < 3; ++k ) {
			body.as.ellipsoid.centre[k] = s->point[k];
			body.as.ellipsoid.half[k] = fabs( hostile( &s->r ) );
		}
	}
	const dbvh_collide_shape_query q = { .find = DBVH_FIND_ALL };
	s->done += dbvh_collide_shape( s->at->a, s->pb, &body, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( motion_translation ) {
	const dbvh_motion m = dbvh_motion_translation( s->pb, s->point );
	s->done += m.angle == 0.0;
}
DOOR( motion_between ) {
	dbvh_motion m;
	const dbvh_pose to = random_pose( &s->r, 1.0 ), from = random_pose( &s->r, 1.0 );
	s->done += dbvh_motion_between( &from, &to, s->by[0], &m, NULL ) == DBVH_OK;
}
static dbvh_motion some_motion( scene *s ) {
	const dbvh_pose to = random_pose( &s->r, 1.0 ), from = random_pose( &s->r, 3.0 );
	static const double centre[3];
	dbvh_motion m = { .from = from };
	dbvh_motion_between( &from, &to, centre, &m, NULL );
	return m;
}
DOOR( motion_pose ) {
	const dbvh_motion m = some_motion( s );
	const dbvh_pose p = dbvh_motion_pose( &m, 0.25 );
	s->done += p.rot[0][0] <= 2.0;
}
DOOR( time_of_impact ) {
	dbvh_toi_result out;
	const dbvh_motion m = some_motion( s );
	const dbvh_toi_query q = { .tolerance = 0.01, .policy = some_policy( s ) };
	s->done +=
	    !may_move( s ) || dbvh_time_of_impact( s->at->a, NULL, s->at->b, &m, &q, s->workspace, &out, NULL ) == DBVH_OK;
}
DOOR( time_of_impact_batch ) {
	dbvh_toi_result out;
	const dbvh_motion m = some_motion( s );
	const dbvh_toi_query q = { .tolerance = 0.01 };
	const dbvh_batch_options o = { .thread_count = 1 };
	s->done +=
	    !may_move( s ) || dbvh_time_of_impact_batch( s->at->a, NULL, s->at->b, &m, 1, &q, &o, &out, NULL ) == DBVH_OK;
}
DOOR( workspace_create ) {
	dbvh_workspace *w = NULL;
	s->done += dbvh_workspace_create( NULL, &w, NULL ) == DBVH_OK;
	dbvh_workspace_destroy( w );
}
#define call_workspace_destroy call_workspace_create
DOOR( workspace_reserve ) {
	s->done += dbvh_workspace_reserve( s->workspace, s->at->a, s->at->b, 100, NULL ) == DBVH_OK;
}
DOOR( workspace_reserve_threads ) {
	s->done += dbvh_workspace_reserve_threads( s->workspace, s->at->a, s->at->b, 100, 2, NULL ) == DBVH_OK;
}
// Functions that return the defaults, all zero. clang-format would move the list at each run.
// clang-format off
#define DEFAULTS( name ) \
	DOOR( name##_default ) { const dbvh_##name d = dbvh_##name##_default(); s->done += ( (const char *)&d )[0] == 0; }
#define OPTIONS( X ) X( tree_options ) X( budget ) X( batch_options ) X( collide_query ) X( clearance_query ) \
	X( distance_query ) X( raycast_query ) X( closest_point_query ) X( collide_shape_query ) X( relate_query ) \
	X( toi_query ) X( contacts_query ) X( penetration_query ) X( local_depth_query ) X( overlap_query )
OPTIONS( DEFAULTS )
DEFAULTS( cache )
// clang-format on

DOOR( tree_build ) {
	dbvh_tree *t = NULL;
	dbvh_tree_options o = dbvh_tree_options_default();
	o.box_fit = rng_below( &s->r, 2 ) == 0 ? DBVH_BOX_FIT_BEST : DBVH_BOX_FIT_COVARIANCE;
	o.split = rng_below( &s->r, 2 ) == 0 ? DBVH_SPLIT_COST : DBVH_SPLIT_MEAN;
	o.ellipsoids = rng_below( &s->r, 8 ) == 0 ? (dbvh_ellipsoids)rng_below( &s->r, 3 ) : DBVH_ELLIPSOIDS_NONE;
	o.topology = rng_below( &s->r, 2 ) == 0;
	o.thread_count = 1;
	const dbvh_mesh_view view = shape_view( rng_below( &s->r, 4 ) == 0 ? &s->large : &s->at->mesh );
	s->done += dbvh_tree_build( &view, &o, NULL, &t, NULL ) == DBVH_OK;
	dbvh_tree_destroy( t );
}
#define call_tree_destroy call_tree_build
DOOR( tree_refit ) {
	dbvh_tree *t = NULL;
	dbvh_tree_options o = dbvh_tree_options_default();
	o.thread_count = 1;
	const dbvh_mesh_view view = shape_view( rng_below( &s->r, 4 ) == 0 ? &s->large : &s->at->mesh );
	if ( dbvh_tree_build( &view, &o, NULL, &t, NULL ) == DBVH_OK )
		s->done += dbvh_tree_refit( t, &view, NULL ) == DBVH_OK;
	dbvh_tree_destroy( t );
}
#include "stack_tree_files.inl"
DOOR( tree_validate ) {
	s->done += dbvh_tree_validate( s->at->a, NULL ) == DBVH_OK;
}
DOOR( tree_open_loops ) {
	double points[8][3];
	size_t loops, count;
	s->done +=
	    dbvh_tree_open_loops( s->at->a, DBVH_ALL_COMPONENTS, NULL, 0, points, 8, &loops, &count, NULL ) == DBVH_OK;
}
DOOR( tree_get_nodes ) {
	dbvh_tree_node nodes[7];
	size_t count = 0;
	s->done += dbvh_tree_get_nodes( s->at->a, nodes, 7, NULL, 0, &count, NULL ) == DBVH_OK;
}
DOOR( tree_get_stats ) {
	s->done += dbvh_tree_get_stats( s->at->a ).node_count > 0;
}

DOOR( mesh_view_check ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_error e;
	s->done += dbvh_mesh_view_check( &view, &e ) == DBVH_OK;
}
DOOR( mesh_create ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_mesh *m = NULL;
	s->done += dbvh_mesh_create( &view, NULL, &m, NULL ) == DBVH_OK;
	if ( m != NULL )
		s->done += dbvh_mesh_get_view( m ).triangle_count > 0;
	dbvh_mesh_destroy( m );
}
DOOR( mesh_create_hull ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_mesh *m = NULL;
	s->done += dbvh_mesh_create_hull( &view, NULL, &m, NULL ) == DBVH_OK;
	dbvh_mesh_destroy( m );
}
DOOR( mesh_create_boxes ) {
	const dbvh_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
	dbvh_mesh *m = NULL;
	s->done += dbvh_mesh_create_boxes( &box, 1, NULL, &m, NULL ) == DBVH_OK;
	dbvh_mesh_destroy( m );
}
DOOR( mesh_create_height_field ) {
	const double heights[4] = { 0 };
	const dbvh_height_field field = { .heights = heights, .column_count = 2, .row_count = 2, .step = { 1, 1 } };
	dbvh_mesh *m = NULL;
	s->done += dbvh_mesh_create_height_field( &field, NULL, &m, NULL ) == DBVH_OK;
	dbvh_mesh_destroy( m );
}
#define call_mesh_get_view call_mesh_create
#define call_mesh_get_faces call_mesh_parse
#define call_mesh_get_skipped_faces call_mesh_parse_with
#define call_mesh_read_options_default call_mesh_parse_with
#define call_mesh_destroy call_mesh_create
DOOR( mesh_audit ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_mesh_audit_result out;
	s->done += dbvh_mesh_audit( &view, NULL, &out, NULL, 0, NULL ) == DBVH_OK;
}
DOOR( mesh_label_components ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	uint32_t *labels = malloc( view.triangle_count * sizeof *labels );
	s->done +=
	    labels != NULL && dbvh_mesh_label_components( &view, NULL, labels, NULL, NULL ) == DBVH_OK && labels[0] == 0;
	free( labels );
}
DOOR( mesh_parse ) {
	static const char *const texts[] = {
	    "v 0 0 0\nv 1e-308 2.2250738585072011e-308 0\nv 0 1 0.1234567890123456789012345678901234567890\nf 1 2 3\nf 1/1 "
	    "2 3\n",
	    "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
	    ( "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\nelement "
	      "face 1\n"
	      "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n" ),
	    "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
	    "0\nendloop\nendfacet\nendsolid\n" };
	const char *text = texts[rng_below( &s->r, 4 )];
	dbvh_mesh *m = NULL;
	dbvh_error e;
	s->done += dbvh_mesh_parse( text, strlen( text ), DBVH_MESH_FORMAT_AUTO, NULL, &m, &e ) == DBVH_OK;
	s->done += dbvh_mesh_get_faces( m ).polygon_count <= 1;
	dbvh_mesh_destroy( m );
}
DOOR( mesh_save ) {
	static const char *const names[] = { "test_stack.obj", "test_stack.off", "test_stack.ply", "test_stack.stl" };
	const char *name = names[rng_below( &s->r, 4 )];
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_error e;
	s->done += dbvh_mesh_save( &view, name, DBVH_MESH_FORMAT_AUTO, &e ) == DBVH_OK;
	dbvh_mesh *m = NULL;
	s->done += dbvh_mesh_load( name, DBVH_MESH_FORMAT_AUTO, NULL, &m, &e ) == DBVH_OK;
	dbvh_mesh_destroy( m );
	remove( name );
}
#define call_mesh_load call_mesh_save
#define call_mesh_format_ending call_mesh_save
#include "stack_captures.h"
#include "stack_ellipsoids.h"
#include "stack_faces.h"

DOOR( ellipsoid_aabb_intersect ) {
	bool out;
	const dbvh_aabb box = { { 0.7, -0.5, -0.5 }, { 1.7, 0.5, 0.5 } };
	s->done += dbvh_ellipsoid_aabb_intersect( &s->ellipsoid, &box, &out ) == DBVH_OK;
}
DOOR( ellipsoid_obb_cast ) {
	dbvh_shape_cast_result out;
	const double by[3] = { 1.0, 0.25, 0.0 };
	s->obb.centre[0] = 2.5;
	s->obb.centre[1] = s->obb.centre[2] = 0.0;
	for ( int k = 0; k < 3; ++k )
		s->obb.half[k] = 0.5;
	s->done += dbvh_ellipsoid_obb_cast( &s->ellipsoid, by, &s->obb, NULL, &out ) == DBVH_OK;
}
DOOR( ellipsoid_sphere_intersect ) {
	bool out;
	s->done += dbvh_ellipsoid_sphere_intersect( &s->ellipsoid, &s->sphere, &out ) == DBVH_OK;
}
DOOR( ellipsoid_obb_intersect_batch ) {
	dbvh_obb_pack *pack = NULL;
	dbvh_obb boxes[20];
	uint8_t out[20];
	for ( int i = 0; i < 20; ++i ) {
		boxes[i] = s->obb;
		for ( int k = 0; k < 3; ++k ) {
			boxes[i].centre[k] = rng_range( &s->r, -1.0, 1.0 );
			boxes[i].half[k] = 0.3;
		}
	}
	s->done += dbvh_obb_pack_create( boxes, 20, NULL, &pack, NULL ) == DBVH_OK;
	if ( pack != NULL )
		s->done += dbvh_ellipsoid_obb_intersect_batch( &s->ellipsoid, pack, out, NULL ) == DBVH_OK;
	dbvh_obb_pack_destroy( pack );
}
#include "stack_scenes.h"

#define call_obb_pack_create call_ellipsoid_obb_intersect_batch
#define call_obb_pack_destroy call_ellipsoid_obb_intersect_batch

typedef struct door {
	const char *name;
	void ( *call )( scene *s );
	size_t water, done;
} door;

#define ENTRY( name, ... ) { "dbvh_" #name, call_##name, 0, 0 },
#define CONTACT_ENTRY( name, ... ) { "dbvh_" #name "_contact", call_##name##_contact, 0, 0 },
static door doors[] = {
    // clang-format off
	PAIRS_OF( ENTRY ) BATCHES_OF( ENTRY ) SWEEPS_OF( ENTRY ) SWEEP_BATCHES_OF( ENTRY )
	ENTRY( sphere_plane_cast ) ENTRY( sphere_plane_cast_batch )
	SWEEPS_OF( CONTACT_ENTRY ) ENTRY( sphere_plane_cast_contact ) ENTRY( plane_from_point ) ENTRY( plane_from_points )
	ENTRY( ellipsoid_aabb_intersect ) ENTRY( ellipsoid_obb_cast )
	ENTRY( box_to_aabb ) ENTRY( obb_to_aabb ) ENTRY( sphere_to_aabb ) ENTRY( capsule_to_aabb )
	ENTRY( version ) ENTRY( status_name ) ENTRY( status_text ) ENTRY( relation_name ) ENTRY( isa_name )
	ENTRY( isa_select ) ENTRY( pose_identity ) ENTRY( pose_from_rows ) ENTRY( pose_from_row_major )
	ENTRY( pose_from_column_major ) ENTRY( pose_from_column_major_float ) ENTRY( pose_to_column_major_float ) ENTRY( pose_from_quaternion )
	ENTRY( pose_check ) ENTRY( pose_diagnose ) ENTRY( pose_orthonormalise ) ENTRY( pose_relative )
	ENTRY( contacts_create ) ENTRY( contacts_destroy ) ENTRY( contacts_find ) ENTRY( contacts_get )
	ENTRY( overlap_extents ) ENTRY( separating_translation )
	ENTRY( penetration_depth ) ENTRY( penetration_depth_batch ) ENTRY( penetration_along ) ENTRY( penetration_query_default )
	ENTRY( local_depth ) ENTRY( local_depth_batch ) ENTRY( local_depth_query_default ) ENTRY( depth_proof_name ) ENTRY( fit_verdict_name )
	ENTRY( overlap_create ) ENTRY( overlap_destroy ) ENTRY( overlap_find ) ENTRY( local_depth_components ) ENTRY( overlap_get ) ENTRY( overlap_batch )
	ENTRY( overlap_kind_name ) ENTRY( overlap_reason_name ) ENTRY( overlap_query_default )
	ENTRY( collide ) ENTRY( collide_cached ) ENTRY( cache_default ) ENTRY( collide_batch ) ENTRY( distance ) ENTRY( check_clearance ) ENTRY( triangles_distance )
	ENTRY( distance_batch ) ENTRY( check_clearance_batch ) ENTRY( relate_batch )
	ENTRY( triangles_intersect ) ENTRY( triangles_self_intersect ) ENTRY( self_collide ) ENTRY( locate_point ) ENTRY( relate )
	ENTRY( raycast ) ENTRY( segment_cast ) ENTRY( raycast_batch ) ENTRY( segment_cast_batch ) ENTRY( closest_point ) ENTRY( closest_point_batch ) ENTRY( collide_shape )
	ENTRY( motion_translation ) ENTRY( motion_between ) ENTRY( motion_pose ) ENTRY( time_of_impact )
	ENTRY( time_of_impact_batch )
	ENTRY( workspace_create ) ENTRY( workspace_destroy ) ENTRY( workspace_reserve ) ENTRY( workspace_reserve_threads )
	ENTRY( tree_options_default ) ENTRY( budget_default ) ENTRY( batch_options_default ) ENTRY( collide_query_default ) ENTRY( clearance_query_default ) ENTRY( distance_query_default )
	ENTRY( raycast_query_default ) ENTRY( closest_point_query_default ) ENTRY( collide_shape_query_default ) ENTRY( relate_query_default ) ENTRY( toi_query_default ) ENTRY( contacts_query_default )
	ENTRY( tree_build ) ENTRY( tree_refit ) ENTRY( tree_destroy ) ENTRY( tree_validate ) ENTRY( tree_open_loops )
	ENTRY( tree_get_stats ) ENTRY( tree_get_nodes ) ENTRY( tree_load_options_default ) ENTRY( is_tree_file ) ENTRY( tree_get_options ) ENTRY( tree_key )
	ENTRY( tree_save ) ENTRY( tree_load ) ENTRY( tree_map ) ENTRY( tree_write ) ENTRY( tree_parse ) ENTRY( tree_borrow )
	ENTRY( tree_get_mesh ) ENTRY( tree_build_cached )
	ENTRY( mesh_create_hull ) ENTRY( mesh_create_boxes ) ENTRY( mesh_create_height_field )
	ENTRY( mesh_view_check ) ENTRY( mesh_create ) ENTRY( mesh_get_view ) ENTRY( mesh_get_faces ) ENTRY( mesh_destroy ) ENTRY( mesh_audit )
	ENTRY( mesh_label_components )
	ENTRY( mesh_parse ) ENTRY( mesh_save ) ENTRY( mesh_load ) ENTRY( mesh_format_ending )
	ENTRY( mesh_parse_with ) ENTRY( mesh_load_with ) ENTRY( mesh_read_options_default ) ENTRY( mesh_get_skipped_faces )
	ENTRY( capture_save ) ENTRY( capture_load ) ENTRY( capture_parse ) ENTRY( capture_destroy ) ENTRY( capture_call_name )
	ENTRY( scene_create ) ENTRY( scene_destroy ) ENTRY( scene_clone ) ENTRY( body_options_default ) ENTRY( scene_add_body )
	ENTRY( scene_remove_body ) ENTRY( scene_set_pose ) ENTRY( scene_set_poses ) ENTRY( scene_get_body )
	ENTRY( scene_body_count ) ENTRY( scene_next_body ) ENTRY( pair_rule_default ) ENTRY( scene_set_default_rule )
	ENTRY( scene_set_body_rule ) ENTRY( scene_set_pair_rule ) ENTRY( scene_get_rule ) ENTRY( scene_query_default )
	ENTRY( scene_pairs ) ENTRY( scene_collide ) ENTRY( clash_kind_name ) ENTRY( scene_distance_query_default )
	ENTRY( configurations_query_default ) ENTRY( scene_raycast ) ENTRY( scene_overlap_aabb ) ENTRY( scene_clashes )
	ENTRY( scene_distance ) ENTRY( scene_closest_point ) ENTRY( scene_collide_batch ) ENTRY( scene_overlaps )
	ENTRY( motions_query_default ) ENTRY( scene_motion_batch )
	ENTRY( scene_relate ) ENTRY( scene_pair_distance ) ENTRY( scene_contacts ) ENTRY( scene_set_budget )
	ENTRY( joint_default ) ENTRY( robot_create ) ENTRY( robot_destroy ) ENTRY( robot_add_link ) ENTRY( robot_link_count )
	ENTRY( robot_get_link ) ENTRY( robot_follow ) ENTRY( robot_get_followed ) ENTRY( robot_width ) ENTRY( robot_column )
	ENTRY( robot_attach ) ENTRY( robot_detach ) ENTRY( robot_body_count ) ENTRY( robot_get_body ) ENTRY( robot_place )
	ENTRY( robot_distances_query_default ) ENTRY( robot_distance_batch )
	ENTRY( robot_between ) ENTRY( robot_collide_batch ) ENTRY( robot_edges_query_default ) ENTRY( robot_edge_batch )
	ENTRY( sine_cosine ) ENTRY( pose_from_rpy )
	ENTRY( verdict_name ) ENTRY( location_name ) ENTRY( toi_verdict_name )
	ENTRY( sphere_fit ) ENTRY( obb_fit ) ENTRY( ellipsoid_transform ) ENTRY( ellipsoid_point_intersect )
	ENTRY( ellipsoid_segment_intersect ) ENTRY( ellipsoid_polyhedron_intersect )
	ENTRY( ellipsoid_fit ) ENTRY( ellipsoid_repair ) ENTRY( obb_repair ) ENTRY( ellipsoid_margin )
	ENTRY( ellipsoid_obb_intersect ) ENTRY( ellipsoid_sphere_intersect ) ENTRY( ellipsoid_obb_intersect_batch )
	ENTRY( obb_pack_create ) ENTRY( obb_pack_destroy )
    // clang-format on
};

// ------------------------------------------------------------------------------------------------
// Measuring

typedef struct job {
	scene *s;
	door *d;
	unsigned char *stack;
	size_t rounds, water;
} job;

static void *measure( void *argument ) {
	job *j = argument;
	volatile unsigned char here = 0;
	const size_t top = (size_t)( (const volatile unsigned char *)&here - j->stack ) - 512;
	volatile unsigned char *const paint = j->stack; // not through memset: that would have a frame of its own
	for ( size_t k = 0; k < top; ++k )
		paint[k] = 0xa5;
	for ( size_t i = 0; i < j->rounds; ++i ) {
		next_scene( j->s, i );
		j->d->call( j->s );
	}
	size_t low = 0;
	while ( low < top && paint[low] == 0xa5 )
		++low;
	j->water = top + 512 - low;
	return NULL;
}

static void run( scene *s, door *d, size_t count ) {
	static unsigned char *stack;
	if ( stack == NULL )
		stack = mmap( NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 );
	assert_true( stack != MAP_FAILED );
	job j = { .s = s, .d = d, .stack = stack, .rounds = count };
	pthread_attr_t attributes;
	pthread_t thread;
	assert_int_equal( pthread_attr_init( &attributes ), 0 );
	assert_int_equal( pthread_attr_setstack( &attributes, stack, STACK ), 0 );
	s->done = 0;
	assert_int_equal( pthread_create( &thread, &attributes, measure, &j ), 0 );
	assert_int_equal( pthread_join( thread, NULL ), 0 );
	pthread_attr_destroy( &attributes );
	d->water = j.water > d->water ? j.water : d->water;
	d->done += s->done;
}

static void stack_of_every_function( void **state ) {
	(void)state;
	if ( !MEASURED )
		skip();
	static const char *const isas[] = { "avx512", "avx2", "baseline", "scalar" };
	static scene s;
	s.r = rng_announce( "stack", 1 );
	for ( int i = 0; i < PAIRS; ++i )
		make_pair( &s, i );
	shape_add_torus( &s.large, 1.0, 0.4, 60, 30 );
	assert_int_equal( dbvh_workspace_create( NULL, &s.workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_contacts_create( NULL, &s.contacts, NULL ), DBVH_OK );
	assert_int_equal( dbvh_overlap_create( NULL, &s.overlap, NULL ), DBVH_OK );
	for ( size_t k = 0; k < sizeof isas / sizeof isas[0]; ++k ) {
		if ( dbvh_isa_select( isas[k], NULL ) != DBVH_OK )
			continue;
		for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i )
			run( &s, &doors[i], rounds( k == 0 ? 28 : 7 ) );
	}
	dbvh_isa_select( NULL, NULL );
	size_t most = 0, above = 0;
	for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i ) {
		printf( "%7zu bytes: %s%s\n", doors[i].water, doors[i].name, doors[i].done == 0 ? " (never succeeds)" : "" );
		most = doors[i].water > most ? doors[i].water : most;
		above += doors[i].water > LIMIT;
		assert_true( doors[i].done > 0 );
	}
	printf( "stack: at most %zu bytes, %zu of %zu functions above %d\n", most, above, sizeof doors / sizeof doors[0],
	        LIMIT );
	assert_int_equal( above, 0 );
	shape_free( &s.large );
	dbvh_contacts_destroy( s.contacts );
	dbvh_overlap_destroy( s.overlap );
	dbvh_workspace_destroy( s.workspace );
	for ( int i = 0; i < PAIRS; ++i ) {
		dbvh_tree_destroy( s.pairs[i].a );
		dbvh_tree_destroy( s.pairs[i].b );
		shape_free( &s.pairs[i].mesh );
	}
}

static bool is_in_table( const char *name, size_t length ) {
	for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i )
		if ( strlen( doors[i].name ) == length && strncmp( doors[i].name, name, length ) == 0 )
			return true;
	return false;
}

static void table_is_complete( void **state ) {
	(void)state;
	assert_int_equal( public_names_missing( DUALBVH_HEADERS, is_in_table ), 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( table_is_complete ),
	    cmocka_unit_test( stack_of_every_function ),
	};
	return test_main( argc, argv, tests );
}
