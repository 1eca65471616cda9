// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Posed meshes against spheres, boxes, ellipsoids, capsules and planes: every triangle against rational arithmetic that
// works differently (boxes by clipping, ellipsoids in the space where they are balls). DUALBVH_TEST_SCALE multiplies
// the number of scenes.

#include "dualbvh/shape.h"
#include "support/oracle.h"
#include "support/oracle_distance.h"
#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 20261121;

// ------------------------------------------------------------------------------------------------
// The truth

typedef struct truth {
	rational_triangle t;
	mpq_t points[32][3], more[32][3], height[32], axis[3][3], normal[3], centre[3], half, reach, part, other;
	int count;
} truth;

static void truth_init( truth *o ) {
	rational_triangle_init( &o->t );
	for ( int i = 0; i < 32; ++i ) {
		mpq_init( o->height[i] );
		for ( int k = 0; k < 3; ++k )
			mpq_inits( o->points[i][k], o->more[i][k], NULL );
	}
	for ( int i = 0; i < 3; ++i ) {
		mpq_inits( o->normal[i], o->centre[i], NULL );
		for ( int k = 0; k < 3; ++k )
			mpq_init( o->axis[i][k] );
	}
	mpq_inits( o->half, o->reach, o->part, o->other, NULL );
}

static void truth_clear( truth *o ) {
	rational_triangle_clear( &o->t );
	for ( int i = 0; i < 32; ++i ) {
		mpq_clear( o->height[i] );
		for ( int k = 0; k < 3; ++k )
			mpq_clears( o->points[i][k], o->more[i][k], NULL );
	}
	for ( int i = 0; i < 3; ++i ) {
		mpq_clears( o->normal[i], o->centre[i], NULL );
		for ( int k = 0; k < 3; ++k )
			mpq_clear( o->axis[i][k] );
	}
	mpq_clears( o->half, o->reach, o->part, o->other, NULL );
}

static void dot( truth *o, mpq_t out, mpq_t a[3], mpq_t b[3] ) {
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_mul( o->part, a[k], b[k] );
		mpq_add( out, out, o->part );
	}
}

static void cross( truth *o, mpq_t out[3], mpq_t a[3], mpq_t b[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		mpq_mul( o->part, a[i1], b[i2] );
		mpq_mul( o->other, a[i2], b[i1] );
		mpq_sub( out[i], o->part, o->other );
	}
}

// Keeps what of the polygon lies where sign * normal . x <= reach.
static void clip( truth *o, int sign ) {
	int kept = 0;
	for ( int i = 0; i < o->count; ++i ) {
		dot( o, o->height[i], o->normal, o->points[i] );
		if ( sign < 0 )
			mpq_neg( o->height[i], o->height[i] );
		mpq_sub( o->height[i], o->height[i], o->reach );
	}
	for ( int i = 0; i < o->count; ++i ) {
		const int j = ( i + 1 ) % o->count, here = mpq_sgn( o->height[i] ), there = mpq_sgn( o->height[j] );
		if ( here <= 0 ) {
			for ( int k = 0; k < 3; ++k )
				mpq_set( o->more[kept][k], o->points[i][k] );
			kept += 1;
		}
		if ( here * there < 0 ) {
			// x_i + (x_j - x_i) h_i / (h_i - h_j)
			mpq_sub( o->other, o->height[i], o->height[j] );
			mpq_div( o->other, o->height[i], o->other );
			for ( int k = 0; k < 3; ++k ) {
				mpq_sub( o->part, o->points[j][k], o->points[i][k] );
				mpq_mul( o->part, o->part, o->other );
				mpq_add( o->more[kept][k], o->points[i][k], o->part );
			}
			kept += 1;
		}
	}
	for ( int i = 0; i < kept; ++i )
		for ( int k = 0; k < 3; ++k )
			mpq_set( o->points[i][k], o->more[i][k] );
	o->count = kept;
}

static bool aabb_meets( truth *o, const double min[3], const double max[3] ) {
	o->count = 3;
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k )
			mpq_set( o->points[i][k], o->t.p[i][k] );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mpq_set_ui( o->normal[k], i == k, 1 );
		mpq_set_d( o->reach, max[i] );
		clip( o, 1 );
		mpq_set_d( o->reach, min[i] );
		mpq_neg( o->reach, o->reach );
		clip( o, -1 );
	}
	return o->count > 0;
}

static void seen_from( truth *o, const double centre[3], const double axis[3][3] ) {
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k ) {
			mpq_set_d( o->part, centre[k] );
			mpq_sub( o->points[i][k], o->t.p[i][k], o->part );
			mpq_set_d( o->axis[i][k], axis[i][k] );
		}
	o->count = 3;
}

static bool obb_meets( truth *o, const double centre[3], const double axis[3][3], const double half[3] ) {
	seen_from( o, centre, axis );
	for ( int i = 0; i < 3; ++i ) {
		cross( o, o->normal, o->axis[( i + 1 ) % 3], o->axis[( i + 2 ) % 3] );
		dot( o, o->reach, o->normal, o->axis[i] );
		mpq_set_d( o->part, half[i] );
		mpq_mul( o->reach, o->reach, o->part );
		mpq_abs( o->reach, o->reach );
		clip( o, 1 );
		clip( o, -1 );
	}
	return o->count > 0;
}

static bool ellipsoid_meets( truth *o, const dbvh_ellipsoid *e ) {
	seen_from( o, e->centre, e->axis );
	for ( int i = 0; i < 3; ++i ) {
		// Cramer: coordinate i of each corner, over half[i].
		cross( o, o->normal, o->axis[( i + 1 ) % 3], o->axis[( i + 2 ) % 3] );
		dot( o, o->reach, o->normal, o->axis[i] );
		mpq_set_d( o->half, e->half[i] );
		mpq_mul( o->reach, o->reach, o->half );
		for ( int c = 0; c < 3; ++c ) {
			dot( o, o->t.p[c][i], o->normal, o->points[c] );
			mpq_div( o->t.p[c][i], o->t.p[c][i], o->reach );
		}
	}
	const double origin[3] = { 0, 0, 0 };
	rational_distance_squared( &o->t, origin, o->reach );
	return mpq_cmp_ui( o->reach, 1, 1 ) <= 0;
}

static bool plane_meets( truth *o, const dbvh_plane *p, bool is_half_space ) {
	bool above = true, below = true;
	for ( int c = 0; c < 3; ++c ) {
		for ( int k = 0; k < 3; ++k )
			mpq_set_d( o->normal[k], p->normal[k] );
		dot( o, o->reach, o->normal, o->t.p[c] );
		mpq_set_d( o->half, p->offset );
		const int side = mpq_cmp( o->reach, o->half );
		above = above && side > 0;
		below = below && side < 0;
	}
	return !above && ( is_half_space || !below );
}

static bool truly_meets( truth *o, const double corners[9], const dbvh_pose *pose, const dbvh_shape *x ) {
	rational_triangle_set( &o->t, corners, pose );
	switch ( x->kind ) {
	case DBVH_SHAPE_KIND_SPHERE: {
		const dbvh_sphere *s = &x->as.sphere;
		rational_distance_squared( &o->t, s->centre, o->reach );
		mpq_set_d( o->half, s->radius );
		mpq_mul( o->half, o->half, o->half );
		return mpq_cmp( o->reach, o->half ) <= 0;
	}
	case DBVH_SHAPE_KIND_CAPSULE: {
		const dbvh_capsule *c = &x->as.capsule;
		const double core[9] = { c->from[0], c->from[1], c->from[2], c->to[0], c->to[1],
		                         c->to[2],   c->to[0],   c->to[1],   c->to[2] };
		return oracle_triangles_distance( core, corners, pose ) <= c->radius;
	}
	case DBVH_SHAPE_KIND_AABB:
		return aabb_meets( o, x->as.aabb.min, x->as.aabb.max );
	case DBVH_SHAPE_KIND_BOX: {
		static const double unit[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
		return obb_meets( o, x->as.box.centre, unit, x->as.box.half );
	}
	case DBVH_SHAPE_KIND_OBB:
		return obb_meets( o, x->as.obb.centre, x->as.obb.axis, x->as.obb.half );
	case DBVH_SHAPE_KIND_ELLIPSOID:
		return ellipsoid_meets( o, &x->as.ellipsoid );
	default:
		return plane_meets( o, &x->as.plane, x->kind == DBVH_SHAPE_KIND_HALF_SPACE );
	}
}

// ------------------------------------------------------------------------------------------------
// Scenes

static double length( rng *r, bool grid, double scale ) {
	if ( rng_below( r, 8 ) == 0 )
		return 0.0;
	return scale * ( grid ? fabs( coarse( r ) ) : pow( 10.0, rng_range( r, -2.5, 0.2 ) ) );
}

static void place( rng *r, bool grid, double scale, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = scale * ( grid ? 2.0 * coarse( r ) : rng_range( r, -1.5, 1.5 ) );
}

static void set_axes( rng *r, bool grid, double axis[3][3] ) {
	dbvh_pose pose = grid ? exact_pose( r, 0.0 ) : random_pose( r, 0.0 );
	if ( rng_below( r, 6 ) == 0 )
		pose = sheared( r, pose, 4e-7 );
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k )
			axis[i][k] = pose.rot[k][i];
	if ( rng_below( r, 4 ) == 0 ) // the other hand
		for ( int k = 0; k < 3; ++k )
			axis[0][k] = 0.0 - axis[0][k];
}

static dbvh_shape random_shape( rng *r, dbvh_shape_kind kind, bool grid, double scale ) {
	dbvh_shape x = { .kind = kind };
	double at[3], half[3];
	place( r, grid, scale, at );
	for ( int k = 0; k < 3; ++k )
		half[k] = length( r, grid, scale );
	switch ( kind ) {
	case DBVH_SHAPE_KIND_SPHERE:
		memcpy( x.as.sphere.centre, at, sizeof at );
		x.as.sphere.radius = half[0];
		break;
	case DBVH_SHAPE_KIND_AABB:
		for ( int k = 0; k < 3; ++k ) {
			x.as.aabb.min[k] = at[k] - half[k];
			x.as.aabb.max[k] = at[k] + half[k];
		}
		break;
	case DBVH_SHAPE_KIND_BOX:
		memcpy( x.as.box.centre, at, sizeof at );
		memcpy( x.as.box.half, half, sizeof half );
		break;
	case DBVH_SHAPE_KIND_OBB:
		memcpy( x.as.obb.centre, at, sizeof at );
		memcpy( x.as.obb.half, half, sizeof half );
		set_axes( r, grid, x.as.obb.axis );
		break;
	case DBVH_SHAPE_KIND_ELLIPSOID:
		memcpy( x.as.ellipsoid.centre, at, sizeof at );
		for ( int k = 0; k < 3; ++k )
			x.as.ellipsoid.half[k] = half[k] > 0.0 ? half[k] : 0.125 * scale;
		set_axes( r, grid, x.as.ellipsoid.axis );
		break;
	case DBVH_SHAPE_KIND_CAPSULE:
		memcpy( x.as.capsule.from, at, sizeof at );
		memcpy( x.as.capsule.to, at, sizeof at );
		if ( rng_below( r, 8 ) != 0 )
			place( r, grid, scale, x.as.capsule.to );
		x.as.capsule.radius = half[0];
		break;
	default:
		place( r, grid, 1.0, x.as.plane.normal );
		x.as.plane.normal[0] += x.as.plane.normal[1] == 0.0 && x.as.plane.normal[2] == 0.0 ? 3.0 : 0.0;
		x.as.plane.offset = at[0];
		break;
	}
	return x;
}

static void add_something( shape *s, rng *r, bool grid ) {
	switch ( rng_below( r, 5 ) ) {
	case 0:
		shape_add_box( s, 0.125 * (double)( 1 + rng_below( r, 8 ) ), 0.125 * (double)( 1 + rng_below( r, 8 ) ),
		               0.125 * (double)( 1 + rng_below( r, 8 ) ), 1 );
		break;
	case 1:
		shape_add_sphere( s, 1.0, 5, 4 );
		break;
	case 2: // needles, segments and points
		add_soup( s, r, 1 + rng_below( r, 10 ), 0.5, 1.0, grid );
		break;
	case 3:
		add_grid( s, 2 );
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 30 ), pow( 10.0, rng_range( r, -2.0, 0.0 ) ), 0.2, grid );
		break;
	}
}

// Every number with an exponent of its own, as far as they go.
static void go_wild( rng *r, double *x, size_t count, bool positive ) {
	for ( size_t i = 0; i < count; ++i ) {
		x[i] = ldexp( rng_range( r, 0.5, 1.0 ), (int)rng_below( r, 2000 ) - 1050 );
		if ( !positive && rng_below( r, 2 ) == 0 )
			x[i] = 0.0 - x[i];
	}
}

static void make_wild( rng *r, dbvh_shape *x ) {
	switch ( x->kind ) {
	case DBVH_SHAPE_KIND_SPHERE:
		go_wild( r, x->as.sphere.centre, 3, false );
		go_wild( r, &x->as.sphere.radius, 1, true );
		break;
	case DBVH_SHAPE_KIND_AABB:
		go_wild( r, x->as.aabb.max, 3, true );
		for ( int k = 0; k < 3; ++k )
			x->as.aabb.min[k] = 0.0 - x->as.aabb.max[( k + 1 ) % 3];
		break;
	case DBVH_SHAPE_KIND_BOX:
		go_wild( r, x->as.box.centre, 3, false );
		go_wild( r, x->as.box.half, 3, true );
		break;
	case DBVH_SHAPE_KIND_OBB:
		go_wild( r, x->as.obb.centre, 3, false );
		go_wild( r, x->as.obb.half, 3, true );
		break;
	case DBVH_SHAPE_KIND_ELLIPSOID:
		go_wild( r, x->as.ellipsoid.centre, 3, false );
		go_wild( r, x->as.ellipsoid.half, 3, true );
		break;
	case DBVH_SHAPE_KIND_CAPSULE:
		go_wild( r, x->as.capsule.from, 3, false );
		go_wild( r, &x->as.capsule.radius, 1, true );
		break;
	default:
		go_wild( r, x->as.plane.normal, 3, false );
		go_wild( r, &x->as.plane.offset, 1, false );
		break;
	}
}

static const char *const names[] = { "sphere", "aabb", "box", "obb", "ellipsoid", "capsule", "plane", "half-space" };

enum { KINDS = DBVH_SHAPE_KIND_HALF_SPACE + 1 };

typedef struct count {
	uint64_t pairs, meeting, exact, wrong;
} count;

static void one_scene( truth *o, rng *r, dbvh_workspace *workspace, count counts[7] ) {
	shape mesh = { 0 };
	const bool grid = rng_below( r, 2 ) == 0;
	add_something( &mesh, r, grid );
	static const int exponents[] = { 0, 0, 0, 0, 0, 1000, -1000, -300 };
	const int exponent = exponents[rng_below( r, 8 )];
	const double scale = ldexp( 1.0, exponent );
	scale_and_move( &mesh, 0, scale, 0, 0, 0 );
	dbvh_pose pose = grid ? exact_pose( r, 1.0 ) : random_pose( r, 1.0 );
	if ( rng_below( r, 6 ) == 0 )
		pose = sheared( r, pose, 1.8e-6 );
	if ( rng_below( r, 6 ) == 0 )
		pose = dbvh_pose_identity();
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] *= scale;
	const bool wild = rng_below( r, 12 ) == 0;
	if ( wild ) {
		go_wild( r, mesh.positions, 3 * mesh.vertex_count, false );
		go_wild( r, pose.pos, 3, false );
	}
	const dbvh_mesh_view view = shape_view( &mesh );
	const dbvh_tree_options options = random_options( r );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	uint32_t *expected = malloc( view.triangle_count * sizeof *expected ),
	         *got = malloc( view.triangle_count * sizeof *got );
	for ( int kind = 0; kind < KINDS; ++kind ) {
		dbvh_shape given = random_shape( r, (dbvh_shape_kind)kind, grid, scale );
		if ( wild )
			make_wild( r, &given );
		count *c = &counts[kind];
		size_t meeting = 0;
		for ( size_t i = 0; i < view.triangle_count; ++i ) {
			double corners[9];
			oracle_triangle( &view, i, corners );
			if ( truly_meets( o, corners, &pose, &given ) )
				expected[meeting++] = (uint32_t)i;
		}
		c->pairs += view.triangle_count;
		c->meeting += meeting;
		dbvh_collide_shape_result x;
		const dbvh_collide_shape_query all = {
		    .find = DBVH_FIND_ALL, .triangles = got, .triangle_capacity = view.triangle_count };
		assert_int_equal( dbvh_collide_shape( tree, &pose, &given, &all, workspace, &x, NULL ), DBVH_OK );
		c->exact += x.counters.exact_tests;
		bool wrong = x.intersects != ( meeting > 0 ) || x.triangle_count != meeting || x.triangle_written != meeting ||
		             memcmp( got, expected, meeting * sizeof *got ) != 0 || ( meeting > 0 && x.first != expected[0] );
		const size_t room = meeting / 2;
		const dbvh_collide_shape_query some = { .find = DBVH_FIND_ALL, .triangles = got, .triangle_capacity = room };
		assert_int_equal( dbvh_collide_shape( tree, &pose, &given, &some, workspace, &x, NULL ), DBVH_OK );
		wrong = wrong || x.triangle_count != meeting || x.triangle_written != room ||
		        memcmp( got, expected, room * sizeof *got ) != 0;
		assert_int_equal( dbvh_collide_shape( tree, &pose, &given, NULL, NULL, &x, NULL ), DBVH_OK );
		bool known = meeting == 0;
		for ( size_t i = 0; i < meeting; ++i )
			known = known || expected[i] == x.first;
		wrong = wrong || x.intersects != ( meeting > 0 ) || !known || x.triangle_count != ( meeting > 0 );
		c->wrong += wrong;
		if ( wrong && c->wrong < 4 )
			print_message( "%s: %zu meet, not %zu; exponent %d, grid %d\n", names[kind], meeting, x.triangle_count,
			               exponent, (int)grid );
	}
	free( expected );
	free( got );
	dbvh_tree_destroy( tree );
	shape_free( &mesh );
}

static void shapes_against_rationals( void **state ) {
	(void)state;
	rng r = rng_announce( "shapes", seed_default );
	truth o;
	truth_init( &o );
	count counts[KINDS] = { 0 };
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	const size_t scenes = rounds( 200 );
	for ( size_t i = 0; i < scenes; ++i )
		one_scene( &o, &r, workspace, counts );
	for ( int kind = 0; kind < KINDS; ++kind ) {
		const count *c = &counts[kind];
		print_message( "%-10s %8llu triangles, %8llu meet, %7llu exact, %llu wrong\n", names[kind],
		               (unsigned long long)c->pairs, (unsigned long long)c->meeting, (unsigned long long)c->exact,
		               (unsigned long long)c->wrong );
		assert_int_equal( c->wrong, 0 );
		if ( scenes >= 200 ) {
			assert_true( c->meeting > c->pairs / 100 &&
			             c->meeting < c->pairs / ( kind < DBVH_SHAPE_KIND_PLANE + 1 ? 2 : 1 ) );
			assert_true( c->exact > 0 );
		}
	}
	dbvh_workspace_destroy( workspace );
	truth_clear( &o );
}

// ------------------------------------------------------------------------------------------------
// Planes with normals of any length and meshes of any size, where products leave the range. Whole numbers times powers
// of two, so that the truth is a sum of small integers.

static void planes_of_any_length( void **state ) {
	(void)state;
	rng r = rng_announce( "shape: planes of any length", 7 );
	const size_t scenes = rounds( 3000 );
	size_t meeting = 0, listed = 0;
	for ( size_t i = 0; i < scenes; ++i ) {
		const int size = (int)rng_below( &r, 2000 ) - 1070, steep = (int)rng_below( &r, 2000 ) - 1070;
		if ( size + steep < -1074 || size + steep > 1010 )
			continue;
		int n[3], corner[4][9], offset = 0;
		for ( int k = 0; k < 3; ++k )
			n[k] = (int)rng_below( &r, 5 ) - 2;
		n[rng_below( &r, 3 )] = 1;
		shape s = { 0 };
		for ( int t = 0; t < 4; ++t ) {
			uint32_t v[3];
			for ( int c = 0; c < 3; ++c ) {
				int *x = corner[t] + 3 * c;
				for ( int k = 0; k < 3; ++k )
					x[k] = (int)rng_below( &r, 9 ) - 4;
				v[c] = shape_vertex( &s, ldexp( x[0], size ), ldexp( x[1], size ), ldexp( x[2], size ) );
			}
			shape_triangle( &s, v[0], v[1], v[2] );
		}
		for ( int k = 0; k < 3; ++k )
			offset += n[k] * corner[0][k];
		offset += (int)rng_below( &r, 5 ) - 2 + 10 * ( rng_below( &r, 4 ) == 0 );
		const bool is_half_space = rng_below( &r, 2 ) == 0;
		uint32_t expected = 0;
		for ( uint32_t t = 0; t < 4; ++t ) {
			int low = INT_MAX, high = INT_MIN;
			for ( int c = 0; c < 3; ++c ) {
				const int *x = corner[t] + 3 * c, height = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - offset;
				low = height < low ? height : low;
				high = height > high ? height : high;
			}
			expected |= (uint32_t)( low <= 0 && ( is_half_space || high >= 0 ) ) << t;
		}
		const dbvh_shape plane = { is_half_space ? DBVH_SHAPE_KIND_HALF_SPACE : DBVH_SHAPE_KIND_PLANE,
		                           .as.plane = { { ldexp( n[0], steep ), ldexp( n[1], steep ), ldexp( n[2], steep ) },
		                                         ldexp( offset, size + steep ) } };
		dbvh_tree *tree = tree_of( &s, NULL );
		uint32_t list[4], found = 0;
		const dbvh_collide_shape_query all = { .find = DBVH_FIND_ALL, .triangles = list, .triangle_capacity = 4 };
		dbvh_collide_shape_result result;
		assert_int_equal( dbvh_collide_shape( tree, NULL, &plane, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.intersects, expected != 0 );
		assert_int_equal( dbvh_collide_shape( tree, NULL, &plane, &all, NULL, &result, NULL ), DBVH_OK );
		for ( size_t t = 0; t < result.triangle_written; ++t )
			found |= 1u << list[t];
		assert_int_equal( found, expected );
		meeting += expected != 0;
		listed += result.triangle_count;
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "shape: %zu of %zu planes meet, %zu triangles\n", meeting, scenes, listed );
	assert_outcomes( scenes < 100 || ( meeting > scenes / 10 && meeting < scenes ) );
}

// ------------------------------------------------------------------------------------------------
// By hand

static void known_cases( void **state ) {
	(void)state;
	shape cube = { 0 };
	shape_add_box( &cube, 1, 1, 1, 1 );
	dbvh_tree *tree = tree_of( &cube, NULL );
	const struct {
		const char *what;
		dbvh_shape shape;
		bool intersects;
	} cases[] = {
	    { "a ball in the middle", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, 0.5 } }, false },
	    { "a ball that touches from within", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, 1 } }, true },
	    { "a ball around", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, 9 } }, true },
	    { "a ball that touches", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 3, 0, 0 }, 2 } }, true },
	    { "a ball at an edge", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 4, 5, 0 }, 5 } }, true },
	    { "a ball a little aside", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 4, 5, 0x1p-50 }, 5 } }, true },
	    { "a ball off a corner", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 4, 5, 1 + 0x1p-30 }, 5 } }, false },
	    { "a point on a face", { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 1, 0.3, 0.2 }, 0 } }, true },
	    { "a box within", { DBVH_SHAPE_KIND_BOX, .as.box = { { 0, 0, 0 }, { 0.5, 0.5, 0.5 } } }, false },
	    { "a flat box on a face", { DBVH_SHAPE_KIND_BOX, .as.box = { { 1, 0, 0 }, { 0, 0.5, 0.5 } } }, true },
	    { "a box at a corner", { DBVH_SHAPE_KIND_AABB, .as.aabb = { { 1, 1, 1 }, { 2, 2, 2 } } }, true },
	    { "a box off a corner", { DBVH_SHAPE_KIND_AABB, .as.aabb = { { 1, 1, 1 + 0x1p-52 }, { 2, 2, 2 } } }, false },
	    { "an ellipsoid that touches",
	      { DBVH_SHAPE_KIND_ELLIPSOID,
	        .as.ellipsoid = { { 4, 0.5, 0.25 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 3, 0.125, 0.5 } } },
	      true },
	    { "an ellipsoid that does not",
	      { DBVH_SHAPE_KIND_ELLIPSOID,
	        .as.ellipsoid = { { 4, 0.5, 0.25 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 3 - 0x1p-50, 9, 9 } } },
	      false },
	    { "a capsule through", { DBVH_SHAPE_KIND_CAPSULE, .as.capsule = { { -9, 0, 0 }, { 9, 0.1, 0 }, 0.1 } }, true },
	    { "a capsule along a face",
	      { DBVH_SHAPE_KIND_CAPSULE, .as.capsule = { { -9, 1.5, 0 }, { 9, 1.5, 0 }, 0.5 } },
	      true },
	    { "a capsule off a face",
	      { DBVH_SHAPE_KIND_CAPSULE, .as.capsule = { { -9, 1.5, 0 }, { 9, 1.5, 0 }, 0.49999999999999994 } },
	      false },
	    { "a plane on a face", { DBVH_SHAPE_KIND_PLANE, .as.plane = { { 0, 0, 3 }, 3 } }, true },
	    { "a plane above it", { DBVH_SHAPE_KIND_PLANE, .as.plane = { { 0, 0, 1 }, 1 + 0x1p-52 } }, false },
	    { "a half-space below a face", { DBVH_SHAPE_KIND_HALF_SPACE, .as.plane = { { 0, 0, 3 }, -3 } }, true },
	    { "a half-space below that", { DBVH_SHAPE_KIND_HALF_SPACE, .as.plane = { { 0, 0, 1 }, -1 - 0x1p-52 } }, false },
	    { "a half-space above it", { DBVH_SHAPE_KIND_HALF_SPACE, .as.plane = { { 0, 0, 1 }, 9 } }, true },
	    { "a plane at a corner", { DBVH_SHAPE_KIND_PLANE, .as.plane = { { 1, 1, 1 }, 3 } }, true },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		dbvh_collide_shape_result x;
		assert_int_equal( dbvh_collide_shape( tree, NULL, &cases[i].shape, NULL, NULL, &x, NULL ), DBVH_OK );
		if ( x.intersects != cases[i].intersects )
			print_message( "%s\n", cases[i].what );
		assert_int_equal( x.intersects, cases[i].intersects );
	}
	dbvh_tree_destroy( tree );
	shape_free( &cube );
}

static void bad_arguments( void **state ) {
	(void)state;
	shape cube = { 0 };
	shape_add_box( &cube, 1, 1, 1, 1 );
	dbvh_tree *tree = tree_of( &cube, NULL );
	const struct {
		dbvh_shape shape;
		dbvh_status status;
	} cases[] = {
	    { { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { NAN, 0, 0 }, 1 } }, DBVH_NOT_FINITE },
	    { { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, INFINITY } }, DBVH_NOT_FINITE },
	    { { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, -1 } }, DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_AABB, .as.aabb = { { 0, 0, 0 }, { 1, -1, 1 } } }, DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_AABB, .as.aabb = { { 0, NAN, 0 }, { 1, 1, 1 } } }, DBVH_NOT_FINITE },
	    { { DBVH_SHAPE_KIND_BOX, .as.box = { { 0, 0, 0 }, { 1, -1, 1 } } }, DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_OBB, .as.obb = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, { 1, 1, 1 } } },
	      DBVH_NOT_RIGID },
	    { { DBVH_SHAPE_KIND_ELLIPSOID,
	        .as.ellipsoid = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 0, 1 } } },
	      DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_CAPSULE, .as.capsule = { { 0, 0, 0 }, { 0, NAN, 0 }, 1 } }, DBVH_NOT_FINITE },
	    { { DBVH_SHAPE_KIND_CAPSULE, .as.capsule = { { 0, 0, 0 }, { 0, 1, 0 }, -1 } }, DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_PLANE, .as.plane = { { 0, 0, 0 }, 1 } }, DBVH_INVALID_ARGUMENT },
	    { { DBVH_SHAPE_KIND_PLANE, .as.plane = { { 0, 1, 0 }, NAN } }, DBVH_NOT_FINITE },
	    { { .kind = (dbvh_shape_kind)99 }, DBVH_INVALID_ARGUMENT },
	};
	dbvh_collide_shape_result x;
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		memset( &x, 1, sizeof x );
		assert_int_equal( dbvh_collide_shape( tree, NULL, &cases[i].shape, NULL, NULL, &x, NULL ), cases[i].status );
		assert_true( !x.intersects && x.triangle_count == 0 );
	}
	const dbvh_shape good = { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, 2 } };
	const dbvh_collide_shape_query nowhere = { .find = DBVH_FIND_ALL, .triangles = NULL, .triangle_capacity = 3 };
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( dbvh_collide_shape( NULL, NULL, &good, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_collide_shape( tree, NULL, NULL, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_collide_shape( tree, NULL, &good, &nowhere, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_collide_shape( tree, NULL, &good, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	pose.pos[0] = NAN;
	assert_int_equal( dbvh_collide_shape( tree, &pose, &good, NULL, NULL, &x, NULL ), DBVH_NOT_FINITE );
	pose.pos[0] = 0.0;
	pose.rot[0][0] = 3.0;
	assert_int_equal( dbvh_collide_shape( tree, &pose, &good, NULL, NULL, &x, NULL ), DBVH_NOT_RIGID );
	// A workspace that was made ready is enough.
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	uint32_t triangles[12];
	const dbvh_collide_shape_query all = { .find = DBVH_FIND_ALL, .triangles = triangles, .triangle_capacity = 12 };
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 12, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	assert_int_equal( dbvh_collide_shape( tree, NULL, &good, &all, workspace, &x, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	assert_int_equal( x.triangle_written, 12 );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &cube );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( planes_of_any_length ),
	    cmocka_unit_test( known_cases ),
	    cmocka_unit_test( bad_arguments ),
	    cmocka_unit_test( shapes_against_rationals ),
	};
	return test_main( argc, argv, tests );
}
