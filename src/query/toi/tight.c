// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes of packed nodes in doubles, measured when guesses of them promise to discard a pair, and kept in a cache.
//
// The packed form stores axes to 15 bits and rounds extents up to a part in 32,700 of the radius. That is too coarse to
// know that a plate is flat which slides along another at a gap of 1e-9. So each axis is replaced by a normal or an
// edge of a triangle of the node that is almost parallel to it, and extents are those of the triangles below the node.
// Nodes of the reference tree are tight as they are stored.

#include "base/assert.h"
#include "bvh/any_node.h"
#include "bvh/packed_volume.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

// A stored axis is off by less than this, as a sine.
#define SNAP 0x1p-12
// Nodes on the longest way down a packed tree.
#define MOST_DEPTH 128

typedef struct leaves {
	const dbvh_tree *tree;
	int32_t stack[( DBVHI_WIDTH - 1 ) * MOST_DEPTH + DBVHI_WIDTH]; // nodes, and ~ leaves
	uint32_t count;
} leaves;

static void begin_leaves( const dbvh_tree *tree, uint32_t node, leaves *l ) {
	DBVHI_ASSERT( node > 0 && tree->packed->depth <= MOST_DEPTH );
	l->tree = tree;
	l->stack[0] = dbvhi_packed_boxes_of( tree->packed )[node - 1].child;
	l->count = 1;
}

// Get the next leaf below a node: its triangles, `first` to `end`, in leaf order. False if there is none.
static bool next_leaf( leaves *l, uint32_t *first, uint32_t *end ) {
	const dbvhi_packed *packed = l->tree->packed;
	while ( l->count > 0 ) {
		const int32_t at = l->stack[--l->count];
		if ( at < 0 ) {
			const uint32_t leaf = dbvhi_packed_leaves_of( packed )[~at].first_and_count;
			*first = leaf >> 2;
			*end = *first + ( leaf & 3 ) + 1;
			return true;
		}
		const dbvhi_packed_spheres *spheres = &dbvhi_packed_spheres_of( packed )[at];
		for ( size_t i = 0; i < DBVHI_WIDTH && spheres->radius[i] != DBVHI_NO_CHILD; ++i )
			l->stack[l->count++] = dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)at + i].child;
	}
	return false;
}

// Load the corners of a triangle, or of its fragment, relative to the centre of the packed form, in the unit of that.
static void load( const dbvh_tree *tree, uint32_t place, dbvhi_vec out[3] ) {
	double room[9], fragment[9];
	const double *corners = fragment;
	if ( dbvhi_tree_is_divided( tree, place ) )
		dbvhi_tree_fragment( tree, place, fragment );
	else
		corners = dbvhi_tree_triangle( tree, place, room );
	double scaled[9];
	for ( int k = 0; dbvhi_packed_is_scaled( tree->packed ) && k < 9; ++k )
		scaled[k] = dbvhi_times_power( dbvhi_packed_down( tree->packed ), corners[k] );
	if ( dbvhi_packed_is_scaled( tree->packed ) )
		corners = scaled;
	for ( int c = 0; c < 3; ++c )
		for ( int k = 0; k < 3; ++k )
			out[c].v[k] = corners[3 * c + k] - tree->packed->centre[k];
}

// For each stored axis, the longest normal that is almost parallel to it or, if there is none, the longest edge.
typedef struct directions {
	dbvhi_vec best[3];
	double square[3]; // squared length; 0: there is none
	bool is_normal[3];
} directions;

static void offer( directions *d, const dbvhi_mat *stored, dbvhi_vec x, bool is_normal ) {
	const double square = dbvhi_dot( x, x );
	for ( int k = 0; k < 3; ++k ) {
		const double along = x.v[0] * stored->m[0][k] + x.v[1] * stored->m[1][k] + x.v[2] * stored->m[2][k];
		const bool is_better = is_normal == d->is_normal[k] ? square > d->square[k] : is_normal;
		if ( !is_better || !( square - along * along <= SNAP * SNAP * square ) )
			continue;
		d->best[k] = along < 0.0 ? dbvhi_scale( -1.0, x ) : x;
		d->square[k] = square;
		d->is_normal[k] = is_normal;
	}
}

static void offer_triangle( directions *d, const dbvhi_mat *stored, const dbvhi_vec p[3] ) {
	const dbvhi_vec e0 = dbvhi_sub( p[1], p[0] ), e1 = dbvhi_sub( p[2], p[1] ), e2 = dbvhi_sub( p[0], p[2] );
	offer( d, stored, dbvhi_cross( e0, e1 ), true );
	offer( d, stored, e0, false );
	offer( d, stored, e1, false );
	offer( d, stored, e2, false );
}

// The preference among directions: a normal, which keeps a flat box flat, before an edge, before the stored axis.
static int rank_of( const directions *d, int k ) {
	return d->square[k] > 0.0 ? 1 + d->is_normal[k] : 0;
}

static dbvhi_vec unit_of( dbvhi_vec x ) {
	return dbvhi_scale( 1.0 / dbvhi_length( x ), x );
}

// Right-handed axes of length 1: the preferred one as it is, the next one made perpendicular to it.
static dbvhi_mat axes_of( const directions *d, const dbvhi_mat *stored ) {
	int first = 0;
	for ( int k = 1; k < 3; ++k )
		first = rank_of( d, k ) > rank_of( d, first ) ? k : first;
	int second = ( first + 1 ) % 3, third = ( first + 2 ) % 3;
	if ( rank_of( d, third ) > rank_of( d, second ) ) {
		second = third;
		third = ( first + 1 ) % 3;
	}
	dbvhi_vec axis[3];
	axis[first] = unit_of( rank_of( d, first ) > 0 ? d->best[first] : dbvhi_mat_column( stored, first ) );
	const dbvhi_vec next = unit_of( rank_of( d, second ) > 0 ? d->best[second] : dbvhi_mat_column( stored, second ) );
	axis[second] = unit_of( dbvhi_sub( next, dbvhi_scale( dbvhi_dot( next, axis[first] ), axis[first] ) ) );
	axis[third] = second == ( first + 1 ) % 3 ? dbvhi_cross( axis[first], axis[second] )
	                                          : dbvhi_cross( axis[second], axis[first] );
	dbvhi_mat out;
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k )
			out.m[i][k] = axis[k].v[i];
	return out;
}

typedef struct extents {
	double low[3], high[3];
} extents;

static double least( double a, double b ) {
	return a < b ? a : b;
}

static double most( double a, double b ) {
	return a > b ? a : b;
}

static void extend( extents *e, const dbvhi_mat *axes, const dbvhi_vec p[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec axis = dbvhi_mat_column( axes, k );
		const double x = dbvhi_dot( axis, p[0] ), y = dbvhi_dot( axis, p[1] ), z = dbvhi_dot( axis, p[2] );
		e->low[k] = least( e->low[k], least( x, least( y, z ) ) );
		e->high[k] = most( e->high[k], most( x, most( y, z ) ) );
	}
}

// Set the box of a node; its sphere stays. `far` bounds the sum of the coordinates of its corners, which are in the
// sphere: rounding of a corner less the centre, of its projection, of the middle and of its place is below 32 u of that
// together.
static void set_box( dbvhi_node *node, const dbvhi_mat *axes, const extents *e, double fragment_error ) {
	const double far = dbvhi_norm1( node->sphere_outside ) + 2.0 * node->radius;
	dbvhi_vec middle;
	for ( int k = 0; k < 3; ++k ) {
		middle.v[k] = 0.5 * ( e->low[k] + e->high[k] );
		node->half.v[k] = 0.5 * ( e->high[k] - e->low[k] ) + 32.0 * 0x1p-53 * far + 2.0 * fragment_error;
	}
	node->rot = *axes;
	node->pos = dbvhi_mat_apply( axes, middle );
	node->sphere_inside = dbvhi_mat_apply_transposed( axes, dbvhi_sub( node->sphere_outside, node->pos ) );
}

// A few triangles of a node, from leaves in different branches: the most leaves, and the triangles of these.
#define SAMPLED_LEAVES 4
#define SAMPLED ( SAMPLED_LEAVES * DBVHI_WIDTH )

typedef struct sample {
	dbvhi_vec triangle[SAMPLED][3];
	uint32_t count;
} sample;

// The leaf at the end of a way down from a packed node or ~ leaf: its number's digits say which child is taken at each
// level.
static int32_t leaf_below( const dbvhi_packed *packed, int32_t at, uint32_t number ) {
	while ( at >= 0 ) {
		const dbvhi_packed_spheres *spheres = &dbvhi_packed_spheres_of( packed )[at];
		uint32_t count = DBVHI_WIDTH;
		while ( spheres->radius[count - 1] == DBVHI_NO_CHILD )
			count -= 1;
		at = dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)at + number % count].child;
		number /= count;
	}
	return at;
}

static void take_sample( const dbvh_tree *tree, uint32_t node, sample *s ) {
	DBVHI_ASSERT( node > 0 );
	const int32_t root = dbvhi_packed_boxes_of( tree->packed )[node - 1].child;
	s->count = 0;
	for ( uint32_t k = 0; k < ( root < 0 ? 1 : SAMPLED_LEAVES ); ++k ) {
		const uint32_t leaf =
		    dbvhi_packed_leaves_of( tree->packed )[~leaf_below( tree->packed, root, k )].first_and_count;
		for ( uint32_t i = 0; i <= ( leaf & 3 ); ++i )
			load( tree, ( leaf >> 2 ) + i, s->triangle[s->count++] );
	}
}

// The axes of a node, from a sample of its triangles: a flat node has the same normal in all of them.
static dbvhi_mat find_axes( const sample *s, const dbvhi_mat *stored ) {
	directions d;
	memset( &d, 0, sizeof d );
	for ( uint32_t i = 0; i < s->count; ++i )
		offer_triangle( &d, stored, s->triangle[i] );
	return axes_of( &d, stored );
}

// Extend by all triangles below a node. False if the search is over first.
static bool extend_by_all( dbvhi_toi_search *s, const dbvh_tree *tree, uint32_t node, const dbvhi_mat *axes,
                           extents *e ) {
	leaves l;
	dbvhi_vec p[3];
	uint32_t first, end;
	for ( begin_leaves( tree, node, &l ); next_leaf( &l, &first, &end ); ) {
		dbvhi_toi_charge( s, DBVHI_TOI_TIGHT_WORK * ( end - first ) );
		if ( s->is_over )
			return false;
		for ( ; first < end; ++first ) {
			load( tree, first, p );
			extend( e, axes, p );
		}
	}
	return true;
}

// Measure a node: its axes by a sample; its extents by the same sample, as a guess, or by all triangles. False if the
// search is over first.
static bool measure_node( dbvhi_toi_search *s, const dbvh_tree *tree, uint32_t node, bool guess, dbvhi_node *out ) {
	dbvhi_any_node( tree, node, out );
	sample some;
	take_sample( tree, node, &some );
	dbvhi_toi_charge( s, DBVHI_TOI_SAMPLE_WORK * some.count );
	const dbvhi_mat axes = find_axes( &some, &out->rot );
	extents e = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	if ( !guess && !extend_by_all( s, tree, node, &axes, &e ) )
		return false;
	for ( uint32_t i = 0; i < some.count && guess; ++i )
		extend( &e, &axes, some.triangle[i] );
	if ( !dbvhi_packed_is_scaled( tree->packed ) ) {
		set_box( out, &axes, &e, tree->fragment_error );
		return true;
	}
	const dbvhi_power down = dbvhi_packed_down( tree->packed );
	dbvhi_node_scale( out, down, 0.0 );
	set_box( out, &axes, &e, dbvhi_times_power( down, tree->fragment_error ) );
	dbvhi_node_scale( out, dbvhi_packed_up( tree->packed ), DBVHI_VOLUME_LOSS );
	return true;
}

bool dbvhi_toi_node( dbvhi_toi_search *s, const dbvh_tree *tree, uint32_t node, bool guess, dbvhi_node *out ) {
	DBVHI_ASSERT( !dbvhi_tree_has_reference( tree ) && node > 0 );
	dbvhi_toi_kept *kept = &s->kept[tree == s->fixed ? 0 : 1][guess][node % DBVHI_TOI_KEPT];
	if ( kept->node != node || kept->round != s->round ) {
		kept->node = 0;
		if ( !measure_node( s, tree, node, guess, &kept->tight ) )
			return false;
		kept->node = node;
		kept->round = s->round;
	}
	*out = kept->tight;
	return true;
}
