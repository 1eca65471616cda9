// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/overlap/line_tree.h"

#include "base/assert.h"
#include "base/sort.h"

#include <math.h>

// Nodes on the way down: halves of up to 2^32 lines.
#define STACK 40

typedef struct line_range {
	size_t node, first, count;
} line_range;

bool dbvhi_line_tree_require( dbvhi_line_tree *t, const dbvh_allocator *allocator, size_t count ) {
	return dbvhi_grow_array( allocator, &t->lines, &t->line_capacity, count, sizeof *t->lines ) &&
	       dbvhi_grow_array( allocator, &t->octagons, &t->octagon_capacity, count, sizeof *t->octagons ) &&
	       dbvhi_grow_array( allocator, &t->nodes, &t->node_capacity, 2 * count, sizeof *t->nodes ) &&
	       dbvhi_grow_array( allocator, &t->order, &t->order_capacity, count, sizeof *t->order );
}

void dbvhi_line_tree_free( dbvhi_line_tree *t, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, t->lines, t->line_capacity, sizeof *t->lines );
	dbvhi_free( allocator, t->octagons, t->octagon_capacity, sizeof *t->octagons );
	dbvhi_free( allocator, t->nodes, t->node_capacity, sizeof *t->nodes );
	dbvhi_free( allocator, t->order, t->order_capacity, sizeof *t->order );
}

// ------------------------------------------------------------------------------------------------
// Octagons

static double along( const double axis[3], const double x[3] ) {
	return axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
}

static void scale_to_unit( double x[3] ) {
	const double length = sqrt( along( x, x ) );
	for ( int k = 0; k < 3; ++k )
		x[k] = length > 0.0 ? x[k] / length : 0.0;
}

// Set `axis` to two unit vectors at right angles in the plane of a triangle, nearly. No answer depends on them.
static void set_frame( const double corner[3][3], double axis[2][3] ) {
	double side[3];
	for ( int k = 0; k < 3; ++k ) {
		axis[0][k] = corner[1][k] - corner[0][k];
		side[k] = corner[2][k] - corner[0][k];
	}
	scale_to_unit( axis[0] );
	const double part = along( axis[0], side );
	for ( int k = 0; k < 3; ++k )
		axis[1][k] = side[k] - part * axis[0][k];
	scale_to_unit( axis[1] );
}

// Halve the angle of a unit vector, by square roots alone, which are the same on every machine.
static void halve_angle( double way[2] ) {
	const double c = way[0], s = way[1];
	way[0] = sqrt( fmax( 0.5 + 0.5 * c, 0.0 ) );
	way[1] = copysign( sqrt( fmax( 0.5 - 0.5 * c, 0.0 ) ), s );
}

// Find the direction in the frame along which axes run: a mean of those of the lines, weighed by their length. Angles
// are multiplied by four, so that directions at right angles count alike.
static void find_mean_way( const dbvhi_line_tree *t, double frame[2][3], double way_out[2] ) {
	double sum[2] = { 0.0, 0.0 };
	for ( size_t i = 0; i < t->count; ++i ) {
		double way[3];
		for ( int k = 0; k < 3; ++k )
			way[k] = t->lines[i].end[1][k] - t->lines[i].end[0][k];
		double x = along( frame[0], way ), y = along( frame[1], way );
		const double length = sqrt( x * x + y * y );
		if ( !( length > 0.0 ) )
			continue;
		x /= length;
		y /= length;
		const double c = x * x - y * y, s = 2.0 * x * y;
		sum[0] += length * ( c * c - s * s );
		sum[1] += length * 2.0 * c * s;
	}
	const double length = sqrt( sum[0] * sum[0] + sum[1] * sum[1] );
	way_out[0] = length > 0.0 ? sum[0] / length : 1.0;
	way_out[1] = length > 0.0 ? sum[1] / length : 0.0;
	halve_angle( way_out );
	halve_angle( way_out );
}

static void set_axes( dbvhi_line_tree *t, const double corner[3][3] ) {
	const double diagonal = 0.70710678118654752;
	double frame[2][3], way[2];
	set_frame( corner, frame );
	find_mean_way( t, frame, way );
	for ( int k = 0; k < 3; ++k ) {
		t->axis[0][k] = way[0] * frame[0][k] + way[1] * frame[1][k];
		t->axis[1][k] = way[0] * frame[1][k] - way[1] * frame[0][k];
		t->axis[2][k] = diagonal * ( t->axis[0][k] + t->axis[1][k] );
		t->axis[3][k] = diagonal * ( t->axis[0][k] - t->axis[1][k] );
	}
}

// An octagon that holds a line, wherever it is within its error: the components of an axis sum up to less than 1.75,
// and a product of three terms rounds by less than 2^-50 of these.
static dbvhi_octagon octagon_of( const dbvhi_line_tree *t, const dbvhi_tree_line *line ) {
	dbvhi_octagon out;
	double size = 0.0;
	for ( int k = 0; k < 6; ++k )
		size += fabs( line->end[k / 3][k % 3] );
	const double margin = 1.75 * line->error + 0x1p-48 * size;
	for ( int i = 0; i < DBVHI_LINE_AXES; ++i ) {
		const double from = along( t->axis[i], line->end[0] ), to = along( t->axis[i], line->end[1] );
		out.low[i] = ( from < to ? from : to ) - margin;
		out.high[i] = ( from < to ? to : from ) + margin;
	}
	return out;
}

static void join_octagons( dbvhi_octagon *all, const dbvhi_octagon *one ) {
	for ( int i = 0; i < DBVHI_LINE_AXES; ++i ) {
		all->low[i] = one->low[i] < all->low[i] ? one->low[i] : all->low[i];
		all->high[i] = one->high[i] > all->high[i] ? one->high[i] : all->high[i];
	}
}

static bool are_apart( const dbvhi_octagon *a, const dbvhi_octagon *b ) {
	bool apart = false;
	for ( int i = 0; i < DBVHI_LINE_AXES; ++i )
		apart = apart || a->low[i] > b->high[i] || b->low[i] > a->high[i];
	return apart;
}

// ------------------------------------------------------------------------------------------------
// The tree

static dbvhi_octagon octagon_of_range( dbvhi_line_tree *t, size_t first, size_t count ) {
	dbvhi_octagon all = t->octagons[(uint32_t)t->order[first]];
	for ( size_t i = 1; i < count; ++i )
		join_octagons( &all, &t->octagons[(uint32_t)t->order[first + i]] );
	t->tests += count;
	return all;
}

// Order the lines of a range by their middles along an axis.
static void sort_range( dbvhi_line_tree *t, const line_range *r, int axis ) {
	const dbvhi_octagon *all = &t->nodes[r->node];
	const double low = all->low[axis], scale = 0x1p31 / ( all->high[axis] - low + 0x1p-20 );
	for ( size_t i = r->first; i < r->first + r->count; ++i ) {
		const uint32_t line = (uint32_t)t->order[i];
		const double middle = 0.5 * t->octagons[line].low[axis] + 0.5 * t->octagons[line].high[axis];
		t->order[i] = (uint64_t)( scale * ( middle - low ) ) << 32 | line;
	}
	dbvhi_sort_u64( t->order + r->first, r->count );
}

// The half circumference, as it were, of both halves of a range: the less, the fewer of the others each of them meets.
static double cost_of_halves( dbvhi_line_tree *t, const line_range *r ) {
	double cost = 0.0;
	for ( int half = 0; half < 2; ++half ) {
		const size_t left = r->count / 2, count = half == 0 ? left : r->count - left;
		const dbvhi_octagon all = octagon_of_range( t, r->first + ( half == 0 ? 0 : left ), count );
		for ( int i = 0; i < DBVHI_LINE_AXES; ++i )
			cost += all.high[i] - all.low[i];
	}
	return cost;
}

static void halve_range( dbvhi_line_tree *t, const line_range *r ) {
	int best = 0;
	double least = INFINITY;
	for ( int axis = 0; axis < DBVHI_LINE_AXES; ++axis ) {
		sort_range( t, r, axis );
		const double cost = cost_of_halves( t, r );
		best = cost < least ? axis : best;
		least = cost < least ? cost : least;
	}
	if ( best != DBVHI_LINE_AXES - 1 )
		sort_range( t, r, best );
}

static line_range half_of( const line_range *r, int half ) {
	const size_t left = r->count / 2;
	return half == 0 ? ( line_range ){ r->node + 1, r->first, left }
	                 : ( line_range ){ r->node + 2 * left, r->first + left, r->count - left };
}

void dbvhi_line_tree_build( dbvhi_line_tree *t, const double corner[3][3] ) {
	DBVHI_ASSERT( t->count > 0 && t->count <= t->line_capacity );
	set_axes( t, corner );
	for ( size_t i = 0; i < t->count; ++i ) {
		t->octagons[i] = octagon_of( t, &t->lines[i] );
		t->order[i] = i;
	}
	line_range stack[STACK];
	int top = 0;
	stack[top++] = ( line_range ){ 0, 0, t->count };
	while ( top > 0 ) {
		const line_range r = stack[--top];
		t->nodes[r.node] = octagon_of_range( t, r.first, r.count );
		if ( r.count == 1 )
			continue;
		halve_range( t, &r );
		for ( int half = 1; half >= 0; --half )
			stack[top++] = half_of( &r, half );
		DBVHI_ASSERT( top <= STACK );
	}
}

size_t dbvhi_line_tree_find( dbvhi_line_tree *t, size_t index, uint32_t *found ) {
	const dbvhi_octagon *wanted = &t->octagons[index];
	size_t count = 0;
	line_range stack[STACK];
	int top = 0;
	stack[top++] = ( line_range ){ 0, 0, t->count };
	while ( top > 0 ) {
		const line_range r = stack[--top];
		t->tests += 1;
		if ( are_apart( &t->nodes[r.node], wanted ) )
			continue;
		if ( r.count == 1 ) {
			found[count++] = t->lines[(uint32_t)t->order[r.first]].number;
			continue;
		}
		for ( int half = 1; half >= 0; --half )
			stack[top++] = half_of( &r, half );
		DBVHI_ASSERT( top <= STACK );
	}
	return count;
}
