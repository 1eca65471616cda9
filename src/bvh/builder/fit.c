// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/builder/fit.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

// MOMENT_SAMPLE: in larger nodes, axes are chosen by the moments of about so many evenly spread triangles, and by the
// extreme points of SAMPLE ones. The chosen axes are then measured on all points.
#define MOMENT_SAMPLE 256
#define SAMPLE DBVHI_FIT_SAMPLE

// Sums the moments of the corners, for a surface without area.
static void point_moments( const dbvhi_part *part, dbvhi_vec origin, dbvhi_moments *moments ) {
	DBVHI_ASSERT( part->count > 0 );
	memset( moments, 0, sizeof *moments );
	moments->area = 3.0 * (double)part->count;
	for ( size_t i = 0; i < 3 * part->count; ++i ) {
		const dbvhi_vec p = dbvhi_sub( dbvhi_part_corner( part, i / 3, (int)( i % 3 ) ), origin );
		for ( int k = 0; k < 3; ++k ) {
			moments->first[k] += p.v[k];
			moments->second[k] += p.v[k] * p.v[k];
			moments->second[3 + k] += p.v[k] * p.v[( k + 1 ) % 3];
		}
	}
}

// Sums the moments of the surface of every step-th triangle.
static dbvhi_moments moments_of( const dbvhi_part *part, size_t step, dbvhi_vec origin ) {
	DBVHI_ASSERT( step >= 1 );
	dbvhi_moments moments = { 0 };
	for ( size_t i = 0; i < part->count; i += step ) {
		dbvhi_vec corners[3];
		for ( int corner = 0; corner < 3; ++corner )
			corners[corner] = dbvhi_sub( dbvhi_part_corner( part, i, corner ), origin );
		dbvhi_moments_add( &moments, corners );
	}
	if ( !( moments.area > 0.0 ) )
		point_moments( part, origin, &moments );
	return moments;
}

// Returns axes along the longest edge of a triangle and its normal: the smallest box around a triangle is flush with
// it.
static dbvhi_mat triangle_axes( const dbvhi_part *part ) {
	dbvhi_vec longest = { { 0 } }, other = { { 0 } };
	double longest_sq = -1.0;
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec p = dbvhi_part_corner( part, 0, i );
		const dbvhi_vec edge = dbvhi_sub( dbvhi_part_corner( part, 0, ( i + 1 ) % 3 ), p );
		const double length_sq = dbvhi_dot( edge, edge );
		if ( length_sq > longest_sq ) {
			longest_sq = length_sq;
			longest = edge;
			other = dbvhi_sub( dbvhi_part_corner( part, 0, ( i + 2 ) % 3 ), p );
		}
	}
	return dbvhi_frame_from( longest, other );
}

// Permutes columns, and reverses one if the axes would become left-handed.
static dbvhi_mat reorder( const dbvhi_mat *m, const int order[3] ) {
	const double sign = ( order[1] + 3 - order[0] ) % 3 != 1 ? -1.0 : 1.0;
	dbvhi_mat out;
	for ( int r = 0; r < 3; ++r ) {
		for ( int k = 0; k < 3; ++k )
			out.m[r][k] = ( k == 2 ? sign : 1.0 ) * m->m[r][order[k]];
	}
	return out;
}

static int largest_of( const double values[3] ) {
	const int first = values[1] > values[0] ? 1 : 0;
	return values[2] > values[first] ? 2 : first;
}

// Orders columns as RAPID does: it exchanges the column of the largest eigenvalue and the first one; numbered from the
// last column, as here, that is this order.
static dbvhi_mat numbered_as_by_rapid( const dbvhi_mat *axes, int largest ) {
	int order[3] = { 2, 1, 0 };
	order[2 - largest] = 0;
	order[2] = largest;
	return reorder( axes, order );
}

// Samples a corner of about SAMPLE triangles.
static size_t sample_points( const dbvhi_part *part, double ( *out )[SAMPLE] ) {
	const size_t step = ( part->count + SAMPLE - 1 ) / SAMPLE;
	size_t count = 0;
	for ( size_t i = 0; i < part->count; i += step, ++count ) {
		const dbvhi_vec p = dbvhi_part_corner( part, i, (int)( count % 3 ) );
		for ( int k = 0; k < 3; ++k )
			out[k][count] = p.v[k];
	}
	return count;
}

static size_t extremal_of_sample( const dbvhi_mat *axes, const dbvhi_part *part, dbvhi_fit_sample *sample,
                                  double ( *few )[DBVHI_EXTREMAL_POINTS] ) {
	const dbvhi_point_set points = { sample->x[0], sample->x[1], sample->x[2], sample_points( part, sample->x ) };
	return dbvhi_extremal_points( axes, points, few );
}

// note: branches on triangles, not points, so that the tree does not depend on whether equal corners share a vertex.
static void refine_axes( dbvhi_mat *axes, const dbvhi_part *part, dbvhi_fit_sample *sample ) {
	if ( 3 * part->count <= DBVHI_EXTREMAL_POINTS ) {
		dbvhi_axes_refine( axes, part->points );
		return;
	}
	double few[3][DBVHI_EXTREMAL_POINTS];
	const size_t count = part->count > SAMPLE ? extremal_of_sample( axes, part, sample, few )
	                                          : dbvhi_extremal_points( axes, part->points, few );
	dbvhi_axes_refine( axes, ( dbvhi_point_set ){ few[0], few[1], few[2], count } );
}

// Chooses the axes of the box, in any order except for RAPID's, and what splits need to know of the surface.
static dbvhi_mat choose_axes( const dbvhi_part *part, const dbvh_tree_options *options, dbvhi_fit_sample *sample,
                              dbvhi_fit *fit ) {
	const bool best = options->box_fit == DBVH_BOX_FIT_BEST, rapid = options->box_fit == DBVH_BOX_FIT_RAPID;
	const dbvhi_vec origin = dbvhi_part_corner( part, 0, 0 );
	if ( part->count == 1 && ( best || rapid ) ) {
		fit->mean = origin;
		fit->spread = ( dbvhi_vec ){ { 0, 0, 0 } };
		const dbvhi_mat axes = triangle_axes( part );
		return rapid ? numbered_as_by_rapid( &axes, 0 ) : axes;
	}
	const size_t step = best ? ( part->count + MOMENT_SAMPLE - 1 ) / MOMENT_SAMPLE : 1;
	const dbvhi_moments moments = moments_of( part, step, origin );
	dbvhi_vec mean;
	for ( int k = 0; k < 3; ++k )
		mean.v[k] = moments.first[k] / moments.area;
	double covariance[6];
	for ( int k = 0; k < 3; ++k ) {
		covariance[k] = moments.second[k] / moments.area - mean.v[k] * mean.v[k];
		covariance[3 + k] = moments.second[3 + k] / moments.area - mean.v[k] * mean.v[( k + 1 ) % 3];
	}
	fit->mean = dbvhi_add( origin, mean );
	// note: axes that are refined below need not be accurate.
	double values[3];
	dbvhi_mat axes = dbvhi_eigenvectors( covariance, best ? 0x1p-10 : 0x1p-50, values );
	const int largest = largest_of( values );
	fit->spread = ( dbvhi_vec ){ { axes.m[0][largest], axes.m[1][largest], axes.m[2][largest] } };
	if ( rapid )
		return numbered_as_by_rapid( &axes, largest );
	if ( best )
		refine_axes( &axes, part, sample );
	else
		axes = dbvhi_box_along( &axes, part->points ).axes;
	return axes;
}

// Projects every point on each axis, relative to the first point: a mesh far from the origin loses no precision.
static void project( dbvhi_point_set points, const dbvhi_mat *axes, double *const along[3], double low[3],
                     double high[3] ) {
	DBVHI_ASSERT( points.count > 0 );
	const double ox = points.x[0], oy = points.y[0], oz = points.z[0];
	for ( int k = 0; k < 3; ++k ) {
		const double ax = axes->m[0][k], ay = axes->m[1][k], az = axes->m[2][k];
		double *out = along[k], least = 0.0, most = 0.0;
		for ( size_t i = 0; i < points.count; ++i )
			out[i] = ax * ( points.x[i] - ox ) + ay * ( points.y[i] - oy ) + az * ( points.z[i] - oz );
		for ( size_t i = 0; i < points.count; ++i ) {
			least = out[i] < least ? out[i] : least;
			most = out[i] > most ? out[i] : most;
		}
		low[k] = least;
		high[k] = most;
	}
}

// Orders axes by ascending extents; extents that are equal up to rounding stay in place.
static void order_axes( const double low[3], const double high[3], int order[3] ) {
	for ( int k = 0; k < 3; ++k )
		order[k] = k;
	for ( int i = 0; i < 2; ++i ) {
		for ( int j = 0; j < 2 - i; ++j ) {
			const int p = order[j], q = order[j + 1];
			if ( high[q] - low[q] < ( 1.0 - 0x1p-40 ) * ( high[p] - low[p] ) ) {
				order[j] = q;
				order[j + 1] = p;
			}
		}
	}
}

// Places a box along axes given in its parent's frame, ordered by extent if asked for.
static void place_box( dbvhi_node *node, dbvhi_fit *fit, dbvhi_point_set points, const dbvhi_frame *parent,
                       double limit, bool by_extent, double *const along[3] ) {
	double low[3], high[3];
	int order[3] = { 0, 1, 2 };
	const dbvhi_mat axes = dbvhi_mat_mul( &parent->axes, &node->rot );
	project( points, &axes, along, low, high );
	if ( by_extent )
		order_axes( low, high, order );
	node->rot = reorder( &node->rot, order );

	const dbvhi_vec first = { { points.x[0], points.y[0], points.z[0] } };
	const dbvhi_vec middle = { { 0.5 * ( low[0] + high[0] ), 0.5 * ( low[1] + high[1] ), 0.5 * ( low[2] + high[2] ) } };
	const dbvhi_vec centre = dbvhi_add( first, dbvhi_mat_apply( &axes, middle ) );
	node->pos = dbvhi_mat_apply_transposed( &parent->axes, dbvhi_sub( centre, parent->origin ) );
	for ( int k = 0; k < 3; ++k )
		node->pos.v[k] = fmax( fmin( node->pos.v[k], limit ), -limit );
	fit->frame = dbvhi_frame_step( parent, node );

	// The centre has been rounded, or clamped: extents are counted from its final position.
	const dbvhi_vec shift = dbvhi_mat_apply_transposed( &axes, dbvhi_sub( fit->frame.origin, first ) );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const int from = order[k];
		const double up = high[from] - shift.v[from], down = shift.v[from] - low[from];
		node->half.v[k] = up > down ? up : down;
		sum += node->half.v[k];
		fit->along[k] = along[from];
	}
	// No difference to the centre has a component above the sum, none to the first point one above twice that. Two such
	// projections and a later check of the box may each have that error.
	const double error = 6.0 * dbvhi_projection_error( sum );
	for ( int k = 0; k < 3; ++k )
		node->half.v[k] += error;
	for ( int k = 1; k < 3 && by_extent; ++k ) {
		if ( node->half.v[k] < node->half.v[k - 1] )
			node->half.v[k] = node->half.v[k - 1];
	}
}

static bool reaches_beyond( dbvhi_vec a, double limit ) {
	return fabs( a.v[0] ) > limit || fabs( a.v[1] ) > limit || fabs( a.v[2] ) > limit;
}

static void place_sphere( dbvhi_node *node, const dbvhi_fit *fit, dbvhi_point_set points, const dbvhi_frame *parent,
                          double limit, const dbvh_tree_options *options ) {
	const dbvhi_sphere sphere = options->sphere_fit == DBVH_NODE_SPHERE_BOX_CENTRE
	                                ? dbvhi_sphere_about( fit->frame.origin, points )
	                            : options->sphere_fit == DBVH_NODE_SPHERE_RITTER ? dbvhi_sphere_ritter( points )
	                                                                             : dbvhi_sphere_smallest( points );
	node->sphere_outside = dbvhi_mat_apply_transposed( &parent->axes, dbvhi_sub( sphere.centre, parent->origin ) );
	// The radius makes up for the rounding of the centre.
	dbvhi_vec centre = dbvhi_frame_point( parent, node->sphere_outside );
	node->sphere_inside = dbvhi_mat_apply_transposed( &fit->frame.axes, dbvhi_sub( centre, fit->frame.origin ) );
	if ( reaches_beyond( node->sphere_outside, limit ) || reaches_beyond( node->sphere_inside, limit ) ) {
		node->sphere_outside = node->pos;
		centre = fit->frame.origin;
		node->sphere_inside = ( dbvhi_vec ){ { 0, 0, 0 } };
	}
	const double moved = dbvhi_length( dbvhi_sub( centre, sphere.centre ) );
	node->radius = ( sphere.radius + moved ) * ( 1.0 + 16.0 * 0x1p-53 ) + 0x1p-530;
}

dbvhi_fit dbvhi_fit_node( dbvhi_node *node, const dbvhi_part *part, const dbvhi_frame *parent,
                          const dbvh_tree_options *options, double limit, double *const along[3],
                          dbvhi_fit_sample *sample ) {
	DBVHI_ASSERT( part->count > 0 && part->points.count > 0 );
	DBVHI_ASSERT( limit > 0.0 );
	dbvhi_fit fit;
	const dbvhi_mat axes = choose_axes( part, options, sample, &fit );
	// Orthonormalise again: the parent's axes are orthonormal only up to the rounding of all steps above, and an error
	// here would double at every level.
	const dbvhi_mat step = dbvhi_mat_mul_transposed( &parent->axes, &axes );
	node->rot = options->box_fit == DBVH_BOX_FIT_BEST
	                ? dbvhi_frame_again( &step )
	                : dbvhi_frame_from( ( dbvhi_vec ){ { step.m[0][0], step.m[1][0], step.m[2][0] } },
	                                    ( dbvhi_vec ){ { step.m[0][1], step.m[1][1], step.m[2][1] } } );
	place_box( node, &fit, part->points, parent, limit, options->box_fit != DBVH_BOX_FIT_RAPID, along );
	place_sphere( node, &fit, part->points, parent, limit, options );
	return fit;
}
