// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries about two primitives, and batches of them.

#include "run.h"

typedef struct primitives {
	dbvh_sphere sphere[2];
	dbvh_aabb aabb[2];
	dbvh_obb obb[2];
	dbvh_capsule capsule[2];
	dbvh_plane plane;
	dbvh_triangle triangle[2];
	dbvh_segment segment;
	dbvh_ray ray;
} primitives;

static void make( run *r, primitives *p, bool on_grid ) {
	const int64_t parts = on_grid ? 4 : 967;
	dbvh_shape shapes[INPUT_SHAPES];
	for ( int i = 0; i < 2; ++i ) {
		input_shapes( &r->rng, on_grid, shapes );
		p->sphere[i] = shapes[DBVH_SHAPE_KIND_SPHERE].as.sphere;
		p->aabb[i] = shapes[DBVH_SHAPE_KIND_AABB].as.aabb;
		p->obb[i] = shapes[DBVH_SHAPE_KIND_OBB].as.obb;
		p->capsule[i] = shapes[DBVH_SHAPE_KIND_CAPSULE].as.capsule;
		for ( int c = 0; c < 3; ++c )
			input_point( &r->rng, 1, parts, p->triangle[i].corner[c] );
	}
	p->plane = shapes[DBVH_SHAPE_KIND_PLANE].as.plane;
	input_point( &r->rng, 2, parts, p->segment.from );
	input_point( &r->rng, 2, parts, p->segment.to );
	input_point( &r->rng, 2, parts, p->ray.from );
	input_point( &r->rng, 2, parts, p->ray.direction );
}

static void ask_verdicts( run *r, const primitives *p ) {
	bool yes;
#define VERDICT( function, a, b ) ASK( r, function( a, b, &yes ) ), put_verdict( r, yes )
	VERDICT( dbvh_sphere_sphere_intersect, &p->sphere[0], &p->sphere[1] );
	VERDICT( dbvh_sphere_aabb_intersect, &p->sphere[0], &p->aabb[0] );
	VERDICT( dbvh_sphere_obb_intersect, &p->sphere[0], &p->obb[0] );
	VERDICT( dbvh_sphere_capsule_intersect, &p->sphere[0], &p->capsule[0] );
	VERDICT( dbvh_sphere_triangle_intersect, &p->sphere[0], &p->triangle[0] );
	VERDICT( dbvh_aabb_aabb_intersect, &p->aabb[0], &p->aabb[1] );
	VERDICT( dbvh_aabb_obb_intersect, &p->aabb[0], &p->obb[0] );
	VERDICT( dbvh_obb_obb_intersect, &p->obb[0], &p->obb[1] );
	VERDICT( dbvh_capsule_capsule_intersect, &p->capsule[0], &p->capsule[1] );
	VERDICT( dbvh_capsule_triangle_intersect, &p->capsule[0], &p->triangle[0] );
	VERDICT( dbvh_capsule_aabb_intersect, &p->capsule[0], &p->aabb[0] );
	VERDICT( dbvh_capsule_obb_intersect, &p->capsule[0], &p->obb[0] );
	VERDICT( dbvh_triangle_aabb_intersect, &p->triangle[0], &p->aabb[0] );
	VERDICT( dbvh_triangle_obb_intersect, &p->triangle[0], &p->obb[0] );
	VERDICT( dbvh_segment_sphere_intersect, &p->segment, &p->sphere[0] );
	VERDICT( dbvh_segment_triangle_intersect, &p->segment, &p->triangle[0] );
#undef VERDICT
	ASK( r, dbvh_triangles_intersect( &p->triangle[0], &p->triangle[1], NULL, &yes, NULL ) );
	put_verdict( r, yes );
}

static void ask_measures( run *r, const primitives *p ) {
	double distance;
	dbvh_signed_distance depth;
#define MEASURE( function, a, b ) ASK( r, function( a, b, &distance ) ), put_doubles( r, &distance, 1 )
#define DEPTH( function, a, b )                                                                                        \
	ASK( r, function( a, b, &depth ) ), put_doubles( r, &depth.distance, 1 ), put_doubles( r, &depth.depth, 1 )
	MEASURE( dbvh_capsule_triangle_distance, &p->capsule[0], &p->triangle[0] );
	MEASURE( dbvh_capsule_aabb_distance, &p->capsule[0], &p->aabb[0] );
	MEASURE( dbvh_triangle_obb_distance, &p->triangle[0], &p->obb[0] );
	DEPTH( dbvh_sphere_sphere_signed_distance, &p->sphere[0], &p->sphere[1] );
	DEPTH( dbvh_sphere_obb_signed_distance, &p->sphere[0], &p->obb[0] );
	DEPTH( dbvh_aabb_aabb_signed_distance, &p->aabb[0], &p->aabb[1] );
	DEPTH( dbvh_obb_obb_signed_distance, &p->obb[0], &p->obb[1] );
	DEPTH( dbvh_capsule_capsule_signed_distance, &p->capsule[0], &p->capsule[1] );
#undef MEASURE
#undef DEPTH
	dbvh_triangles_distance_result measured;
	ASK( r, dbvh_triangles_distance( &p->triangle[0], &p->triangle[1], NULL, &measured, NULL ) );
	put_doubles( r, &measured.distance, 1 );
	dbvh_plane_distance side;
	ASK( r, dbvh_triangle_plane_distance( &p->triangle[0], &p->plane, &side ) );
	put( r, (uint64_t)side.side );
	put_doubles( r, &side.distance, 1 );
	dbvh_hit_interval interval;
	ASK( r, dbvh_ray_sphere_hit( &p->ray, &p->sphere[0], &interval ) );
	put_doubles( r, &interval.enter, 1 );
	put_doubles( r, &interval.exit, 1 );
	dbvh_hit hit;
	ASK( r, dbvh_segment_triangle_hit( &p->segment, &p->triangle[0], &hit ) );
	put_doubles( r, &hit.t, 1 );
}

static void ask_batch( run *r, bool on_grid ) {
	enum { COUNT = 16 };
	double columns[2][7][COUNT];
	uint8_t yes[COUNT];
	for ( int side = 0; side < 2; ++side ) {
		for ( int i = 0; i < COUNT; ++i ) {
			for ( int k = 0; k < 3; ++k ) {
				columns[side][k][i] = input_number( &r->rng, 1, on_grid ? 4 : 953 );
				columns[side][3 + k][i] = columns[side][k][i] + (double)input_between( &r->rng, 0, 4 ) / 8.0;
			}
			columns[side][6][i] = (double)input_between( &r->rng, 0, 8 ) / 16.0;
		}
	}
	const dbvh_sphere_array spheres = { { columns[0][0], columns[0][1], columns[0][2] }, columns[0][6], COUNT };
	const dbvh_sphere_array others = { { columns[1][0], columns[1][1], columns[1][2] }, columns[1][6], COUNT };
	const dbvh_aabb_array boxes = {
	    { columns[1][0], columns[1][1], columns[1][2] }, { columns[1][3], columns[1][4], columns[1][5] }, COUNT };
	const dbvh_capsule_array capsules = { { columns[0][0], columns[0][1], columns[0][2] },
	                                      { columns[0][3], columns[0][4], columns[0][5] },
	                                      columns[0][6],
	                                      COUNT };
	const dbvh_capsule_array rods = { { columns[1][0], columns[1][1], columns[1][2] },
	                                  { columns[1][3], columns[1][4], columns[1][5] },
	                                  columns[1][6],
	                                  COUNT };
#define BATCH( function, a, b )                                                                                        \
	ASK( r, function( a, b, yes, NULL ) );                                                                             \
	for ( int i = 0; i < COUNT; ++i )                                                                                  \
		put_verdict( r, yes[i] != 0 );                                                                                 \
	r->result->queries[r->kind] += COUNT - 1
	BATCH( dbvh_sphere_sphere_intersect_batch, &spheres, &others );
	BATCH( dbvh_sphere_aabb_intersect_batch, &spheres, &boxes );
	BATCH( dbvh_capsule_capsule_intersect_batch, &capsules, &rods );
#undef BATCH
}

void ask_primitives( run *r ) {
	primitives p;
	const bool on_grid = input_between( &r->rng, 0, 1 ) == 0;
	run_kind( r, ANSWERS_PRIMITIVES );
	make( r, &p, on_grid );
	ask_verdicts( r, &p );
	ask_measures( r, &p );
	ask_batch( r, on_grid );
}
