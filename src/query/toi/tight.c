// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes of packed nodes in doubles, measured as they are met.
//
// The packed form stores axes to 15 bits and rounds extents up to a part in 32,700 of the radius. That is too coarse to
// know that a plate is flat which slides along another at a gap of 1e-9. So each axis is replaced by a normal or an
// edge of a triangle of the node that is almost parallel to it, and extents are those of the triangles below the node.
// Nodes of the reference tree are tight as they are stored.

#include "base/assert.h"
#include "bvh/any_node.h"
#include "bvh/packed/volume.h"
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

// Load the corners of a triangle, or of its fragment, relative to the centre of the packed form, in the unit of
// that.
static void load( const dbvh_tree *tree, uint32_t place, dbvhi_vec out[3] ) {
	const dbvhi_power down = dbvhi_packed_down( tree->packed );
	double corners[9];
	dbvhi_tree_fragment( tree, place, corners );
	for ( int c = 0; c < 3; ++c )
		for ( int k = 0; k < 3; ++k )
			out[c].v[k] = dbvhi_times_power( down, corners[3 * c + k] ) - tree->packed->centre[k];
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
	double far; // bounds the sum of the coordinates of a corner
} extents;

static void extend( extents *e, const dbvhi_mat *axes, const dbvhi_vec p[3] ) {
	for ( int c = 0; c < 3; ++c ) {
		e->far = fmax( e->far, fabs( p[c].v[0] ) + fabs( p[c].v[1] ) + fabs( p[c].v[2] ) );
		const dbvhi_vec x = dbvhi_mat_apply_transposed( axes, p[c] );
		for ( int k = 0; k < 3; ++k ) {
			e->low[k] = x.v[k] < e->low[k] ? x.v[k] : e->low[k];
			e->high[k] = x.v[k] > e->high[k] ? x.v[k] : e->high[k];
		}
	}
}

// Set the box of a node; its sphere stays. Rounding of a corner less the centre, of its projection, of the middle and
// of its place is below 32 u of `far` together.
static void set_box( dbvhi_node *node, const dbvhi_mat *axes, const extents *e, const dbvh_tree *tree ) {
	const dbvhi_power up = dbvhi_packed_up( tree->packed );
	const double lost = dbvhi_packed_is_scaled( tree->packed ) ? DBVHI_VOLUME_LOSS : 0.0;
	dbvhi_vec middle;
	for ( int k = 0; k < 3; ++k ) {
		const double half = 0.5 * ( e->high[k] - e->low[k] ) + 32.0 * 0x1p-53 * e->far;
		middle.v[k] = 0.5 * ( e->low[k] + e->high[k] );
		node->half.v[k] = dbvhi_times_power( up, half ) + 2.0 * tree->fragment_error + lost;
	}
	node->rot = *axes;
	const dbvhi_vec place = dbvhi_mat_apply( axes, middle );
	for ( int k = 0; k < 3; ++k )
		node->pos.v[k] = dbvhi_times_power( up, place.v[k] );
	node->sphere_inside = dbvhi_mat_apply_transposed( axes, dbvhi_sub( node->sphere_outside, node->pos ) );
}

// The number of leaves that are sampled below a node, some more than once.
#define SAMPLE 16

typedef struct sample {
	const dbvhi_packed *packed;
	int32_t root;
	uint32_t taken;
} sample;

static void begin_sample( const dbvh_tree *tree, uint32_t node, sample *s ) {
	DBVHI_ASSERT( node > 0 );
	*s = ( sample ){ tree->packed, dbvhi_packed_boxes_of( tree->packed )[node - 1].child, 0 };
}

// Get the next leaf of a sample. The digits of its number say which child is taken at each level. False at the end.
static bool next_of_sample( sample *s, uint32_t *first, uint32_t *end ) {
	if ( s->taken == SAMPLE )
		return false;
	uint32_t digits = s->taken++;
	int32_t at = s->root;
	while ( at >= 0 ) {
		const dbvhi_packed_spheres *spheres = &dbvhi_packed_spheres_of( s->packed )[at];
		uint32_t count = DBVHI_WIDTH;
		while ( spheres->radius[count - 1] == DBVHI_NO_CHILD )
			count -= 1;
		at = dbvhi_packed_boxes_of( s->packed )[DBVHI_WIDTH * (size_t)at + digits % count].child;
		digits /= count;
	}
	const uint32_t leaf = dbvhi_packed_leaves_of( s->packed )[~at].first_and_count;
	*first = leaf >> 2;
	*end = *first + ( leaf & 3 ) + 1;
	return true;
}

// The axes of a node, from a sample of its triangles: a flat node has the same normal in all of them.
static dbvhi_mat find_axes( const dbvh_tree *tree, uint32_t node, const dbvhi_mat *stored ) {
	sample s;
	dbvhi_vec p[3];
	directions d;
	memset( &d, 0, sizeof d );
	uint32_t first, end;
	for ( begin_sample( tree, node, &s ); next_of_sample( &s, &first, &end ); ) {
		for ( ; first < end; ++first ) {
			load( tree, first, p );
			offer_triangle( &d, stored, p );
		}
	}
	return axes_of( &d, stored );
}

bool dbvhi_toi_node( dbvhi_toi_search *s, const dbvh_tree *tree, uint32_t node, dbvhi_node *out ) {
	const dbvhi_node *stored = dbvhi_any_node( tree, node, out );
	if ( stored != out )
		*out = *stored;
	// note: the root is stored in doubles, its box aligned with faces by the build.
	if ( dbvhi_tree_has_reference( tree ) || node == 0 )
		return true;
	leaves l;
	sample some;
	dbvhi_vec p[3];
	uint32_t first, end;
	dbvhi_toi_charge( s, DBVHI_TOI_NODES_WORK );
	const dbvhi_mat axes = find_axes( tree, node, &out->rot );
	extents e = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 0.0 };
	begin_leaves( tree, node, &l );
	begin_sample( tree, node, &some );
	while ( s->guesses ? next_of_sample( &some, &first, &end ) : next_leaf( &l, &first, &end ) ) {
		dbvhi_toi_charge( s, DBVHI_TOI_TIGHT_WORK * ( end - first ) );
		if ( s->is_over )
			return false;
		for ( ; first < end; ++first ) {
			load( tree, first, p );
			extend( &e, &axes, p );
		}
	}
	set_box( out, &axes, &e, tree );
	return true;
}
