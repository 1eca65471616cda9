// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal for one number of slabs: HALF floats a side, STRIDE a node, NAME( x ) for what is defined here.

#define SIDE_PARTS ( ( HALF + PART_FLOATS - 1 ) / PART_FLOATS )
#define ALL_PARTS ( ( 2 * HALF + PART_FLOATS - 1 ) / PART_FLOATS )
#define LEFT( lanes, part ) ( (lanes)-PART_FLOATS * ( part ) )

// A slab of 2 HALF floats: highest values, negated lowest ones.
typedef struct NAME( slab ) {
	float_part part[ALL_PARTS];
} NAME( slab );

VECTOR_INLINE NAME( slab ) NAME( load )( const float *p ) {
	NAME( slab ) out;
	for ( int part = 0; part < ALL_PARTS; ++part )
		out.part[part] = part_load( p + PART_FLOATS * part, LEFT( 2 * HALF, part ) );
	return out;
}

// A node of the environment has lowest values, then negated highest ones. Without branches between the parts: which
// of them tells two DOPs apart is anyone's guess.
VECTOR_INLINE int NAME( apart )( const float *node, const NAME( slab ) * flying ) {
	int apart = 0;
	for ( int part = 0; part < ALL_PARTS; ++part )
		apart |= part_any_greater( part_load( node + PART_FLOATS * part, LEFT( 2 * HALF, part ) ), flying->part[part] );
	return apart;
}

VECTOR_INLINE quickcd_links NAME( links )( const float *node ) {
	quickcd_links out;
	memcpy( &out.first, node + ( STRIDE == 2 * HALF ? HALF - 1 : 2 * HALF ), sizeof out.first );
	memcpy( &out.count, node + ( STRIDE == 2 * HALF ? 2 * HALF - 1 : 2 * HALF + 1 ), sizeof out.count );
	return out;
}

static void NAME( reorient )( quickcd_run *run, uint32_t node, float *slab ) {
	const quickcd_tree *t = run->flying;
	const quickcd_shape shape = t->shapes[node];
	float_part high[SIDE_PARTS], low[SIDE_PARTS];
	if ( shape.hull != UINT32_MAX ) {
		float highest[QUICKCD_LANES] = { 0 }, lowest[QUICKCD_LANES] = { 0 };
		quickcd_climb( run, &t->hulls[shape.hull], highest, lowest );
		for ( int part = 0; part < SIDE_PARTS; ++part ) {
			high[part] = part_load( highest + PART_FLOATS * part, PART_FLOATS );
			low[part] = part_load( lowest + PART_FLOATS * part, PART_FLOATS );
		}
	} else {
		float_part x[SIDE_PARTS], y[SIDE_PARTS], z[SIDE_PARTS];
		for ( int part = 0; part < SIDE_PARTS; ++part ) {
			x[part] = part_load( run->direction[0] + PART_FLOATS * part, PART_FLOATS );
			y[part] = part_load( run->direction[1] + PART_FLOATS * part, PART_FLOATS );
			z[part] = part_load( run->direction[2] + PART_FLOATS * part, PART_FLOATS );
			low[part] = part_set( INFINITY_FLOAT );
			high[part] = part_set( -INFINITY_FLOAT );
		}
		const float *p = t->points + 3 * (size_t)shape.point, *end = p + 3 * (size_t)shape.point_count;
		run->counters.rotated_points += shape.point_count;
		for ( ; p != end; p += 3 )
			for ( int part = 0; part < SIDE_PARTS; ++part ) {
				const float_part along = part_fma( z[part], part_set( p[2] ),
				                                   part_fma( y[part], part_set( p[1] ), x[part] * part_set( p[0] ) ) );
				low[part] = part_min( low[part], along );
				high[part] = part_max( high[part], along );
			}
	}
	for ( int part = 0; part < SIDE_PARTS; ++part ) {
		const float_part up = part_load( run->raise[0] + PART_FLOATS * part, PART_FLOATS );
		const float_part down = part_load( run->raise[1] + PART_FLOATS * part, PART_FLOATS );
		part_store( slab + PART_FLOATS * part, high[part] + up, LEFT( HALF, part ) );
		part_store( slab + HALF + PART_FLOATS * part, down - low[part], LEFT( HALF, part ) );
	}
}

VECTOR_INLINE const float *NAME( slab_of )( quickcd_run *run, uint32_t node ) {
	quickcd_work *w = run->work;
	float *slab = w->slabs + 2 * HALF * (size_t)node;
	if ( w->stamps[node] != w->query ) {
		w->stamps[node] = w->query;
		run->counters.reorientations += 1;
		NAME( reorient )( run, node, slab );
	}
	return slab;
}

// Descend the flying tree against one leaf of the environment, whose DOP intersects that of the flying root.
static int NAME( fly )( quickcd_run *run, const float *leaf, quickcd_links triangles, uint32_t *stack ) {
	const quickcd_links *links = run->flying->links;
	size_t top = 0;
	uint32_t at = 0;
	for ( ;; ) {
		if ( links[at].count != 0 ) {
			if ( quickcd_leaves( run, triangles, links[at] ) )
				return 1;
		} else {
			const uint32_t first = links[at].first;
			run->counters.volume_tests += 2;
			const NAME( slab ) one = NAME( load )( NAME( slab_of )( run, first ) );
			const NAME( slab ) two = NAME( load )( NAME( slab_of )( run, first + 1 ) );
			const int apart = NAME( apart )( leaf, &one );
			stack[top] = first + 1;
			top += !NAME( apart )( leaf, &two );
			if ( !apart ) {
				at = first;
				continue;
			}
		}
		if ( top == 0 )
			return 0;
		at = stack[--top];
	}
}

// Environment first: down to its leaves against the flying root.
static void NAME( traverse )( quickcd_run *run ) {
	uint64_t tests = 0;
	const float *nodes = run->environment->nodes;
	uint32_t *stack = run->work->stack, *other_stack = stack + run->environment->depth + 2;
	const NAME( slab ) root = NAME( load )( NAME( slab_of )( run, 0 ) );
	run->counters.volume_tests += 1;
	if ( NAME( apart )( nodes, &root ) )
		return;
	size_t top = 0;
	uint32_t at = 0;
	for ( ;; ) {
		const float *node = nodes + STRIDE * (size_t)at;
		const quickcd_links links = NAME( links )( node );
		if ( links.count != 0 ) {
			if ( NAME( fly )( run, node, links, other_stack ) )
				break;
		} else {
			const float *children = nodes + STRIDE * (size_t)links.first;
			tests += 2;
			const int apart = NAME( apart )( children, &root );
			stack[top] = links.first + 1;
			top += !NAME( apart )( children + STRIDE, &root );
			if ( !apart ) {
				at = links.first;
				continue;
			}
		}
		if ( top == 0 )
			break;
		at = stack[--top];
	}
	run->counters.volume_tests += tests;
}

// The larger of two nodes first.
static void NAME( traverse_larger )( quickcd_run *run ) {
	const quickcd_tree *e = run->environment, *f = run->flying;
	const float ratio = (float)run->ratio;
	uint32_t *stack = run->work->stack;
	uint32_t at[2] = { 0, 0 };
	size_t top = 0;
	uint64_t tests = 1;
	NAME( slab ) flying = NAME( load )( NAME( slab_of )( run, 0 ) );
	bool going = !NAME( apart )( e->nodes, &flying );
	while ( going ) {
		const quickcd_links links[2] = { e->links[at[0]], f->links[at[1]] };
		if ( links[0].count != 0 && links[1].count != 0 ) {
			if ( quickcd_leaves( run, links[0], links[1] ) )
				break;
		} else {
			const int side =
			    links[0].count != 0 || ( links[1].count == 0 && f->sizes[at[1]] * ratio > e->sizes[at[0]] );
			const uint32_t first = links[side].first;
			const float *node = e->nodes + STRIDE * (size_t)( side == 0 ? first : at[0] );
			int apart, other;
			tests += 2;
			flying = NAME( load )( NAME( slab_of )( run, side == 0 ? at[1] : first ) );
			apart = NAME( apart )( node, &flying );
			if ( side == 0 ) {
				other = NAME( apart )( node + STRIDE, &flying );
			} else {
				flying = NAME( load )( NAME( slab_of )( run, first + 1 ) );
				other = NAME( apart )( node, &flying );
			}
			stack[2 * top + (size_t)side] = first + 1;
			stack[2 * top + (size_t)( 1 - side )] = at[1 - side];
			top += !other;
			if ( !apart ) {
				at[side] = first;
				continue;
			}
		}
		going = top > 0;
		if ( going ) {
			top -= 1;
			at[0] = stack[2 * top];
			at[1] = stack[2 * top + 1];
		}
	}
	run->counters.volume_tests += tests;
}

#undef SIDE_PARTS
#undef ALL_PARTS
#undef LEFT
