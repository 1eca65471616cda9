// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Oriented boxes: against each other, spheres and triangles.

#include "exact/number/dd.h"
#include "primitive/filter.h"
#include "primitive/pair.h"
#include "primitive/signed_distance.h"

// ------------------------------------------------------------------------------------------------
// Two boxes

DBVHI_PRIMITIVE( obb_obb_intersect, obb, obb, bool ) {
	const int apart = dbvhi_obbs_filter( a, b );
	*out = ( apart == 2 ? dbvhi_obbs_separated( a, b ) : apart ) <= 0;
}

DBVHI_PRIMITIVE( triangle_obb_intersect, triangle, obb, bool ) {
	*out = dbvhi_triangle_obb_separated( a, b ) <= 0;
}

DBVHI_PRIMITIVE( triangle_aabb_intersect, triangle, aabb, bool ) {
	*out = dbvhi_triangle_aabb_separated( a, b ) <= 0;
}

// ------------------------------------------------------------------------------------------------
// A sphere

typedef struct pair {
	const dbvh_sphere *sphere;
	const dbvh_obb *obb;
} pair;

static int compare_centre_obb( const void *context, const dbvhi_sum *sum ) {
	const pair *p = context;
	return dbvhi_point_obb_compared( p->sphere->centre, p->obb, sum );
}

// Inside: a negative sum of distances, so that a depth counts from the nearest face.
static int compare_obb_depth( const void *context, const dbvhi_sum *sum ) {
	const pair *p = context;
	const dbvhi_sum under = { { -sum->term[0], -sum->term[1], -sum->term[2] }, sum->count };
	return -dbvhi_point_obb_depth_compared( p->sphere->centre, p->obb, &under );
}

DBVHI_PRIMITIVE( sphere_obb_intersect, sphere, obb, bool ) {
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*out = dbvhi_point_obb_compared( a->centre, b, &radius ) <= 0;
}

static dbvhi_dd dd_dot_doubles( const dbvhi_dd x[3], const double y[3] ) {
	dbvhi_dd sum = dbvhi_dd_mul( x[0], ( dbvhi_dd ){ y[0], 0.0 } );
	sum = dbvhi_dd_add( sum, dbvhi_dd_mul( x[1], ( dbvhi_dd ){ y[1], 0.0 } ) );
	return dbvhi_dd_add( sum, dbvhi_dd_mul( x[2], ( dbvhi_dd ){ y[2], 0.0 } ) );
}

// The nearest point of the box: one coordinate after the other, which converges at the rate of the axes' deviation from
// right angles, squared.
static void nearest_on_box( const dbvhi_exact_point3 *point, const dbvh_obb *obb, int exponent,
                            dbvhi_exact_point3 *out ) {
	dbvhi_dd w[3], t[3] = { { 0.0, 0.0 }, { 0.0, 0.0 }, { 0.0, 0.0 } };
	const dbvhi_exact_point3 centre = dbvhi_exact_point3_at( obb->centre, exponent );
	for ( int k = 0; k < 3; ++k )
		w[k] = dbvhi_dd_sub( point->x[k], centre.x[k] );
	for ( int round = 0; round < 16; ++round ) {
		bool moved = false;
		for ( int i = 0; i < 3; ++i ) {
			const double h = ldexp( obb->half[i], -exponent );
			dbvhi_dd unit[3];
			for ( int k = 0; k < 3; ++k )
				unit[k] = ( dbvhi_dd ){ obb->axis[i][k], 0.0 };
			const dbvhi_dd square = dd_dot_doubles( unit, obb->axis[i] );
			dbvhi_dd next = dbvhi_dd_add( t[i], dbvhi_dd_div( dd_dot_doubles( w, obb->axis[i] ), square ) );
			if ( next.hi >= h || next.hi <= -h )
				next = ( dbvhi_dd ){ next.hi > 0.0 ? h : -h, 0.0 };
			const dbvhi_dd step = dbvhi_dd_sub( next, t[i] );
			moved = moved || fabs( step.hi ) > 0x1p-98;
			for ( int k = 0; k < 3; ++k )
				w[k] = dbvhi_dd_sub( w[k], dbvhi_dd_mul( step, unit[k] ) );
			t[i] = next;
		}
		if ( !moved )
			break;
	}
	for ( int k = 0; k < 3; ++k ) {
		out->x[k] = centre.x[k];
		for ( int i = 0; i < 3; ++i )
			out->x[k] = dbvhi_dd_add( out->x[k], dbvhi_dd_mul( t[i], ( dbvhi_dd ){ obb->axis[i][k], 0.0 } ) );
	}
}

// The face that is nearest to a point in the box: its unit normal, outwards, and how far it is, scaled.
static double nearest_face( const dbvhi_exact_point3 *point, const dbvh_obb *obb, int exponent, double normal_out[3] ) {
	const dbvhi_exact_point3 centre = dbvhi_exact_point3_at( obb->centre, exponent );
	dbvhi_dd w[3];
	for ( int k = 0; k < 3; ++k )
		w[k] = dbvhi_dd_sub( point->x[k], centre.x[k] );
	double least = INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		const double *a = obb->axis[( i + 1 ) % 3], *b = obb->axis[( i + 2 ) % 3];
		dbvhi_dd n[3], nn = { 0.0, 0.0 }, height = { 0.0, 0.0 };
		for ( int k = 0; k < 3; ++k ) {
			const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
			n[k] = dbvhi_dd_sub( dbvhi_dd_product( a[k1], b[k2] ), dbvhi_dd_product( a[k2], b[k1] ) );
			nn = dbvhi_dd_add( nn, dbvhi_dd_mul( n[k], n[k] ) );
			height = dbvhi_dd_add( height, dbvhi_dd_mul( n[k], w[k] ) );
		}
		dbvhi_dd reach =
		    dbvhi_dd_mul( dd_dot_doubles( n, obb->axis[i] ), ( dbvhi_dd ){ ldexp( obb->half[i], -exponent ), 0.0 } );
		if ( reach.hi < 0.0 )
			reach = dbvhi_dd_negate( reach );
		const double way = height.hi < 0.0 ? -1.0 : 1.0;
		const dbvhi_dd under = way < 0.0 ? dbvhi_dd_add( reach, height ) : dbvhi_dd_sub( reach, height );
		const double depth = under.hi / sqrt( nn.hi );
		if ( depth < least ) {
			least = depth;
			for ( int k = 0; k < 3; ++k )
				normal_out[k] = way * n[k].hi;
		}
	}
	dbvhi_unit( normal_out, normal_out );
	return least;
}

DBVHI_PRIMITIVE( sphere_obb_signed_distance, sphere, obb, dbvh_signed_distance ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->centre, b->half, &a->radius },
	                                     ( const int[] ){ 3, 3, 3, 1 }, 4 );
	const pair p = { a, b };
	dbvhi_near_points points;
	points.a = dbvhi_exact_point3_at( a->centre, exponent );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	double normal[3];
	const double under = nearest_face( &points.a, b, exponent, normal );
	for ( int k = 0; k < 3; ++k )
		points.fallback[k] = -normal[k];
	if ( compare_centre_obb( &p, &zero ) > 0 ) {
		nearest_on_box( &points.a, b, exponent, &points.b );
		dbvhi_gap_of( compare_centre_obb, &p, a->radius, 0.0, &points, exponent, out );
		return;
	}
	out->depth = dbvhi_depth_of( compare_obb_depth, &p, a->radius, ldexp( under, exponent ) + a->radius );
	for ( int k = 0; k < 3; ++k ) {
		out->normal[k] = -normal[k];
		out->point_a[k] = a->centre[k] - normal[k] * a->radius;
		out->point_b[k] = a->centre[k] + normal[k] * ldexp( under, exponent );
	}
}
