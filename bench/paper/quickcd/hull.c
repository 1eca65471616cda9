// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact signs: a point in the plane of a facet is not above it. So
// the surface stays that of a convex polytope, with faces cut into triangles, and nothing is merged or nudged.

__extension__ typedef __int128 int128;

#define NONE UINT32_MAX

typedef struct facet {
	uint32_t v[3];    // anticlockwise from outside
	uint32_t next[3]; // the facet beyond the edge from v[i] to v[i + 1]
	int64_t normal[3];
	uint32_t above;    // the first of a list of points above it, the highest of them first
	double above_most; // its height
	uint32_t mark;     // the round in which it was seen, and found visible
	bool dead;
} facet;

typedef struct builder {
	const quickcd_point *points;
	uint32_t *link; // next pointers of the lists of points
	facet *facets;
	size_t facet_count, facet_capacity;
	uint32_t *pending; // facets that may have points above
	size_t pending_count, pending_capacity;
	uint32_t *visible;
	size_t visible_count, visible_capacity;
	uint32_t *rim; // pairs: a visible facet, and the edge beyond which none is
	size_t rim_count, rim_capacity;
	bool failed;
} builder;

static bool grow( void **memory, size_t *capacity, size_t needed, size_t size ) {
	if ( needed <= *capacity )
		return true;
	const size_t more = needed < 16 ? 32 : 2 * needed;
	void *bigger = realloc( *memory, more * size );
	if ( bigger == NULL )
		return false;
	*memory = bigger;
	*capacity = more;
	return true;
}

static void normal_of( const quickcd_point *a, const quickcd_point *b, const quickcd_point *c, int64_t out[3] ) {
	int64_t u[3], v[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = (int64_t)b->x[k] - a->x[k];
		v[k] = (int64_t)c->x[k] - a->x[k];
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3];
}

// How far q is above the plane through p, times the length of the normal; its sign is exact. Differences are below
// 2^26, entries of the normal below 2^53: both are doubles, and their products and sums below are off by 2^-53 each.
static double height( const int64_t normal[3], const quickcd_point *p, const quickcd_point *q ) {
	double sum = 0.0, most = 0.0;
	int64_t d[3];
	for ( int k = 0; k < 3; ++k ) {
		d[k] = (int64_t)q->x[k] - p->x[k];
		const double product = (double)normal[k] * (double)d[k];
		sum += product;
		most += fabs( product );
	}
	if ( fabs( sum ) > 0x1p-50 * most )
		return sum;
	const int128 exact = (int128)normal[0] * d[0] + (int128)normal[1] * d[1] + (int128)normal[2] * d[2];
	return (double)exact;
}

static double facet_height( const builder *b, const facet *f, uint32_t q ) {
	return height( f->normal, &b->points[f->v[0]], &b->points[q] );
}

static uint32_t add_facet( builder *b, uint32_t v0, uint32_t v1, uint32_t v2 ) {
	if ( !grow( (void **)&b->facets, &b->facet_capacity, b->facet_count + 1, sizeof *b->facets ) ||
	     !grow( (void **)&b->pending, &b->pending_capacity, b->pending_count + 1, sizeof *b->pending ) ) {
		b->failed = true;
		return NONE;
	}
	facet *f = &b->facets[b->facet_count];
	*f = ( facet ){ .v = { v0, v1, v2 }, .next = { NONE, NONE, NONE }, .above = NONE };
	normal_of( &b->points[v0], &b->points[v1], &b->points[v2], f->normal );
	b->pending[b->pending_count++] = (uint32_t)b->facet_count;
	return (uint32_t)b->facet_count++;
}

// Puts a point on the list of the first of these facets that it is above; drops it where there is none.
static void file_point( builder *b, uint32_t q, uint32_t first, uint32_t end ) {
	for ( uint32_t i = first; i < end; ++i ) {
		facet *f = &b->facets[i];
		const double h = facet_height( b, f, q );
		if ( !( h > 0.0 ) )
			continue;
		if ( f->above == NONE || h > f->above_most ) {
			b->link[q] = f->above;
			f->above = q;
			f->above_most = h;
		} else {
			b->link[q] = b->link[f->above];
			b->link[f->above] = q;
		}
		return;
	}
}

// All facets that the apex is above: they hang together. Their rim is a closed ring of edges.
static void find_visible( builder *b, uint32_t start, uint32_t apex, uint32_t round ) {
	b->visible_count = b->rim_count = 0;
	if ( !grow( (void **)&b->visible, &b->visible_capacity, 1, sizeof *b->visible ) ) {
		b->failed = true;
		return;
	}
	b->visible[b->visible_count++] = start;
	b->facets[start].mark = round;
	for ( size_t i = 0; i < b->visible_count; ++i ) {
		const uint32_t at = b->visible[i];
		for ( uint32_t e = 0; e < 3; ++e ) {
			const uint32_t other = b->facets[at].next[e];
			if ( b->facets[other].mark == round )
				continue;
			if ( facet_height( b, &b->facets[other], apex ) > 0.0 ) {
				if ( !grow( (void **)&b->visible, &b->visible_capacity, b->visible_count + 1, sizeof *b->visible ) ) {
					b->failed = true;
					return;
				}
				b->facets[other].mark = round;
				b->visible[b->visible_count++] = other;
			} else {
				if ( !grow( (void **)&b->rim, &b->rim_capacity, b->rim_count + 2, sizeof *b->rim ) ) {
					b->failed = true;
					return;
				}
				b->rim[b->rim_count++] = at;
				b->rim[b->rim_count++] = e;
			}
		}
	}
}

static uint32_t edge_of( const facet *f, uint32_t from, uint32_t to ) {
	for ( uint32_t e = 0; e < 3; ++e )
		if ( f->v[e] == from && f->v[( e + 1 ) % 3] == to )
			return e;
	return 0; // not reached: the surface is closed
}

// Replaces the visible facets by a fan from the apex to their rim.
static void raise_apex( builder *b, uint32_t apex, uint32_t *fan_of_vertex ) {
	const uint32_t first = (uint32_t)b->facet_count;
	for ( size_t i = 0; i < b->rim_count; i += 2 ) {
		const facet *seen = &b->facets[b->rim[i]];
		const uint32_t e = b->rim[i + 1], from = seen->v[e], to = seen->v[( e + 1 ) % 3], beyond = seen->next[e];
		const uint32_t made = add_facet( b, from, to, apex );
		if ( b->failed )
			return;
		b->facets[made].next[0] = beyond;
		facet *far = &b->facets[beyond];
		far->next[edge_of( far, to, from )] = made;
		fan_of_vertex[from] = made;
	}
	const uint32_t end = (uint32_t)b->facet_count;
	for ( uint32_t i = first; i < end; ++i ) {
		// The edge from v[1] to the apex is shared with the facet whose rim edge begins at v[1].
		const uint32_t other = fan_of_vertex[b->facets[i].v[1]];
		b->facets[i].next[1] = other;
		b->facets[other].next[2] = i;
	}
	// A point above a facet that has gone and outside the new surface is above one of the new facets.
	for ( size_t i = 0; i < b->visible_count; ++i ) {
		facet *gone = &b->facets[b->visible[i]];
		gone->dead = true;
		uint32_t q = gone->above;
		while ( q != NONE ) {
			const uint32_t after = b->link[q];
			if ( q != apex )
				file_point( b, q, first, end );
			q = after;
		}
		gone->above = NONE;
	}
}

static double distance_sq( const quickcd_point *a, const quickcd_point *b ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double d = (double)a->x[k] - (double)b->x[k];
		sum += d * d;
	}
	return sum;
}

static int compare_points( const quickcd_point *a, const quickcd_point *b ) {
	for ( int k = 0; k < 3; ++k )
		if ( a->x[k] != b->x[k] )
			return a->x[k] < b->x[k] ? -1 : 1;
	return 0;
}

// ------------------------------------------------------------------------------------------------
// Flat sets

typedef struct flat_point {
	int32_t u, v;
	uint32_t index;
} flat_point;

static int compare_flat( const void *a, const void *b ) {
	const flat_point *p = a, *q = b;
	if ( p->u != q->u )
		return p->u < q->u ? -1 : 1;
	return ( p->v > q->v ) - ( p->v < q->v );
}

static bool turns_left( const flat_point *a, const flat_point *b, const flat_point *c ) {
	return ( (int64_t)b->u - a->u ) * ( (int64_t)c->v - a->v ) - ( (int64_t)b->v - a->v ) * ( (int64_t)c->u - a->u ) >
	       0;
}

// The polygon round points of one plane with this normal, by Andrew's chains. Returns the number of its corners.
static size_t flat_hull( const quickcd_point *points, size_t count, const int64_t normal[3], uint32_t *chosen ) {
	int axis = 0;
	for ( int k = 1; k < 3; ++k )
		if ( llabs( normal[k] ) > llabs( normal[axis] ) )
			axis = k;
	flat_point *sorted = malloc( count * sizeof *sorted ), *ring = malloc( 2 * count * sizeof *ring );
	size_t n = 0;
	if ( sorted != NULL && ring != NULL ) {
		for ( size_t i = 0; i < count; ++i )
			sorted[i] = ( flat_point ){ points[i].x[( axis + 1 ) % 3], points[i].x[( axis + 2 ) % 3], (uint32_t)i };
		qsort( sorted, count, sizeof *sorted, compare_flat );
		for ( size_t i = 0; i < count; ++i ) {
			while ( n >= 2 && !turns_left( &ring[n - 2], &ring[n - 1], &sorted[i] ) )
				n -= 1;
			ring[n++] = sorted[i];
		}
		const size_t lower = n + 1;
		for ( size_t i = count - 1; i-- > 0; ) {
			while ( n >= lower && !turns_left( &ring[n - 2], &ring[n - 1], &sorted[i] ) )
				n -= 1;
			ring[n++] = sorted[i];
		}
		n -= 1; // the first once more
		for ( size_t i = 0; i < n; ++i )
			chosen[i] = ring[i].index;
	}
	free( sorted );
	free( ring );
	return n;
}

// ------------------------------------------------------------------------------------------------

static bool reserve_hull( quickcd_hull *hull, size_t vertices, size_t neighbours ) {
	*hull = ( quickcd_hull ){ .vertex_count = (uint32_t)vertices };
	hull->vertices = malloc( 3 * vertices * sizeof *hull->vertices );
	hull->begin = calloc( vertices + 1, sizeof *hull->begin );
	hull->neighbour = malloc( ( neighbours > 0 ? neighbours : 1 ) * sizeof *hull->neighbour );
	if ( hull->vertices != NULL && hull->begin != NULL && hull->neighbour != NULL )
		return true;
	quickcd_hull_free( hull );
	return false;
}

static void place_vertices( quickcd_hull *hull, const quickcd_point *points, const uint32_t *chosen ) {
	for ( size_t i = 0; i < hull->vertex_count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			hull->vertices[3 * i + k] = (float)points[chosen[i]].x[k] * 0x1p-24f;
}

static void find_seeds( quickcd_hull *hull ) {
	for ( int i = 0; i < QUICKCD_SEEDS; ++i ) {
		const double sign = i % 2 == 0 ? 1.0 : -1.0;
		const signed char *d = quickcd_all_directions[i / 2];
		const double along[3] = { sign * d[0], sign * d[1], sign * d[2] };
		uint64_t steps = 0;
		hull->seed[i] = quickcd_hull_climb( hull, along, i > 0 ? hull->seed[i - 1] : 0, &steps );
	}
}

// A segment or a polygon: each corner is next to the one before and the one after.
static bool make_ring( const quickcd_point *points, const uint32_t *chosen, size_t n, quickcd_hull *hull ) {
	if ( !reserve_hull( hull, n, 2 * n ) )
		return false;
	place_vertices( hull, points, chosen );
	for ( size_t i = 0; i < n; ++i ) {
		hull->begin[i] = (uint32_t)( 2 * i );
		hull->neighbour[2 * i] = (uint32_t)( ( i + 1 ) % n );
		hull->neighbour[2 * i + 1] = (uint32_t)( ( i + n - 1 ) % n );
	}
	hull->begin[n] = (uint32_t)( 2 * n );
	find_seeds( hull );
	return true;
}

// `number` is where the builder has noted each chosen point's place.
static bool make_edges( const builder *b, const uint32_t *chosen, const uint32_t *number, size_t n,
                        quickcd_hull *hull ) {
	size_t alive = 0;
	for ( size_t i = 0; i < b->facet_count; ++i )
		alive += !b->facets[i].dead;
	if ( !reserve_hull( hull, n, 3 * alive ) )
		return false;
	place_vertices( hull, b->points, chosen );
	for ( size_t i = 0; i < b->facet_count; ++i )
		for ( int e = 0; e < 3 && !b->facets[i].dead; ++e )
			hull->begin[number[b->facets[i].v[e]] + 1] += 1;
	for ( size_t i = 0; i < n; ++i )
		hull->begin[i + 1] += hull->begin[i];
	// Each edge has two facets, that run along it in opposite directions. begin[] serves as the place to write to and
	// is put back afterwards.
	for ( size_t i = 0; i < b->facet_count; ++i )
		for ( int e = 0; e < 3 && !b->facets[i].dead; ++e )
			hull->neighbour[hull->begin[number[b->facets[i].v[e]]]++] = number[b->facets[i].v[( e + 1 ) % 3]];
	for ( size_t i = n; i > 0; --i )
		hull->begin[i] = hull->begin[i - 1];
	hull->begin[0] = 0;
	find_seeds( hull );
	return true;
}

// The same once more for corners alone, in whose hull there can be no others.
static size_t hull_of_corners( const quickcd_point *points, uint32_t *chosen, size_t count, quickcd_hull *hull ) {
	if ( hull == NULL )
		return count;
	quickcd_point *own = malloc( count * sizeof *own );
	uint32_t *order = malloc( count * sizeof *order );
	size_t n = 0;
	if ( own != NULL && order != NULL ) {
		for ( size_t i = 0; i < count; ++i )
			own[i] = points[chosen[i]];
		n = quickcd_hull_make( own, count, order, hull );
		for ( size_t i = 0; i < n; ++i )
			order[i] = chosen[order[i]];
		memcpy( chosen, order, n * sizeof *chosen );
	}
	free( own );
	free( order );
	return n;
}

static bool same_plane( const builder *b, const facet *f, const facet *g ) {
	return facet_height( b, f, g->v[0] ) == 0.0 && facet_height( b, f, g->v[1] ) == 0.0 &&
	       facet_height( b, f, g->v[2] ) == 0.0;
}

// Leaves out points that later ones have put inside a face or an edge: from such a point no neighbour may be higher
// although others are. A true corner lies in at least three planes. `planes` has room for two facets a point.
static size_t keep_corners( const builder *b, const uint32_t *number, uint32_t *chosen, size_t n, uint32_t *planes ) {
	enum { FEW = 2 };
	for ( size_t i = 0; i < FEW * n; ++i )
		planes[i] = NONE;
	for ( uint32_t i = 0; i < b->facet_count; ++i )
		for ( int e = 0; e < 3 && !b->facets[i].dead; ++e ) {
			const uint32_t v = b->facets[i].v[e], at = number[v];
			if ( chosen[at] == NONE )
				continue; // known to be one
			uint32_t *seen = planes + FEW * (size_t)at;
			if ( seen[0] == NONE )
				seen[0] = i;
			else if ( same_plane( b, &b->facets[seen[0]], &b->facets[i] ) )
				continue;
			else if ( seen[1] == NONE )
				seen[1] = i;
			else if ( !same_plane( b, &b->facets[seen[1]], &b->facets[i] ) )
				chosen[at] = NONE;
		}
	size_t kept = 0;
	for ( uint32_t v = 0, found = 0; found < n; ++v )
		if ( number[v] != NONE ) {
			found += 1;
			if ( chosen[number[v]] == NONE )
				planes[kept++] = v; // `planes` is overwritten: entries up to v have been used
		}
	memcpy( chosen, planes, kept * sizeof *chosen );
	return kept;
}

static size_t solid_hull( builder *b, size_t count, const uint32_t corner[4], uint32_t *chosen, quickcd_hull *hull ) {
	uint32_t *scratch = malloc( count * sizeof *scratch );
	b->link = malloc( count * sizeof *b->link );
	size_t n = 0;
	if ( scratch == NULL || b->link == NULL )
		goto done;
	// The fourth corner is below the first facet; the other three meet it.
	static const int faces[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
	for ( int i = 0; i < 4; ++i )
		add_facet( b, corner[faces[i][0]], corner[faces[i][1]], corner[faces[i][2]] );
	if ( b->failed )
		goto done;
	for ( uint32_t i = 0; i < 4; ++i )
		for ( uint32_t e = 0; e < 3; ++e ) {
			const uint32_t from = b->facets[i].v[e], to = b->facets[i].v[( e + 1 ) % 3];
			for ( uint32_t j = 0; j < 4; ++j )
				for ( uint32_t back = 0; back < 3; ++back )
					if ( b->facets[j].v[back] == to && b->facets[j].v[( back + 1 ) % 3] == from )
						b->facets[i].next[e] = j;
		}
	for ( uint32_t q = 0; q < count; ++q )
		file_point( b, q, 0, 4 );
	for ( uint32_t round = 1; b->pending_count > 0 && !b->failed; ) {
		const uint32_t at = b->pending[--b->pending_count];
		if ( b->facets[at].dead || b->facets[at].above == NONE )
			continue;
		const uint32_t apex = b->facets[at].above;
		find_visible( b, at, apex, round++ );
		if ( !b->failed )
			raise_apex( b, apex, scratch );
	}
	if ( b->failed )
		goto done;
	for ( size_t i = 0; i < count; ++i )
		scratch[i] = NONE;
	for ( size_t i = 0; i < b->facet_count; ++i )
		for ( int e = 0; e < 3 && !b->facets[i].dead; ++e ) {
			const uint32_t v = b->facets[i].v[e];
			if ( scratch[v] == NONE ) {
				scratch[v] = (uint32_t)n;
				chosen[n++] = v;
			}
		}
	uint32_t *corners = malloc( n * sizeof *corners ), *planes = malloc( 2 * n * sizeof *planes );
	if ( corners != NULL && planes != NULL ) {
		memcpy( corners, chosen, n * sizeof *corners );
		const size_t kept = keep_corners( b, scratch, corners, n, planes );
		if ( kept < n ) {
			memcpy( chosen, corners, kept * sizeof *corners );
			n = hull_of_corners( b->points, chosen, kept, hull );
		} else if ( hull != NULL && !make_edges( b, chosen, scratch, n, hull ) ) {
			n = 0;
		}
	} else {
		n = 0;
	}
	free( corners );
	free( planes );
done:
	free( scratch );
	free( b->link );
	free( b->facets );
	free( b->pending );
	free( b->visible );
	free( b->rim );
	return n;
}

size_t quickcd_hull_make( const quickcd_point *points, size_t count, uint32_t *chosen, quickcd_hull *hull ) {
	// The first point in the order of coordinates is an end of whatever the set is.
	uint32_t corner[4] = { 0 };
	for ( uint32_t i = 1; i < count; ++i )
		if ( compare_points( &points[i], &points[corner[0]] ) < 0 )
			corner[0] = i;
	double most = 0.0;
	for ( uint32_t i = 0; i < count; ++i ) {
		const double d = distance_sq( &points[i], &points[corner[0]] );
		if ( d > most ) {
			most = d;
			corner[1] = i;
		}
	}
	chosen[0] = corner[0];
	if ( most == 0.0 )
		return hull == NULL || make_ring( points, chosen, 1, hull ) ? 1 : 0;
	int64_t normal[3] = { 0 };
	most = 0.0;
	for ( uint32_t i = 0; i < count; ++i ) {
		int64_t n[3];
		normal_of( &points[corner[0]], &points[corner[1]], &points[i], n );
		const double area = (double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2];
		if ( area > most ) {
			most = area;
			corner[2] = i;
			memcpy( normal, n, sizeof normal );
		}
	}
	if ( most == 0.0 ) {
		chosen[1] = corner[1];
		return hull == NULL || make_ring( points, chosen, 2, hull ) ? 2 : 0;
	}
	most = 0.0;
	for ( uint32_t i = 0; i < count; ++i ) {
		const double h = height( normal, &points[corner[0]], &points[i] );
		if ( fabs( h ) > fabs( most ) ) {
			most = h;
			corner[3] = i;
		}
	}
	if ( most == 0.0 ) {
		const size_t n = flat_hull( points, count, normal, chosen );
		return n > 0 && ( hull == NULL || make_ring( points, chosen, n, hull ) ) ? n : 0;
	}
	if ( most > 0.0 ) {
		const uint32_t t = corner[1];
		corner[1] = corner[2];
		corner[2] = t;
	}
	builder b = { .points = points };
	return solid_hull( &b, count, corner, chosen, hull );
}

void quickcd_hull_free( quickcd_hull *hull ) {
	free( hull->vertices );
	free( hull->begin );
	free( hull->neighbour );
	*hull = ( quickcd_hull ){ 0 };
}

size_t quickcd_hull_bytes( const quickcd_hull *hull ) {
	return 3 * hull->vertex_count * sizeof *hull->vertices + ( hull->vertex_count + (size_t)1 ) * sizeof *hull->begin +
	       hull->begin[hull->vertex_count] * sizeof *hull->neighbour;
}

uint32_t quickcd_hull_climb( const quickcd_hull *hull, const double direction[3], uint32_t from, uint64_t *steps ) {
	const double x = direction[0], y = direction[1], z = direction[2];
	uint32_t at = from;
	uint64_t looked_at = 1;
	const float *p = hull->vertices + 3 * (size_t)at;
	double value = x * (double)p[0] + y * (double)p[1] + z * (double)p[2];
	for ( ;; ) {
		uint32_t best = at;
		for ( uint32_t i = hull->begin[at]; i < hull->begin[at + 1]; ++i ) {
			const uint32_t other = hull->neighbour[i];
			const float *q = hull->vertices + 3 * (size_t)other;
			const double there = x * (double)q[0] + y * (double)q[1] + z * (double)q[2];
			if ( there > value ) {
				value = there;
				best = other;
			}
		}
		looked_at += hull->begin[at + 1] - hull->begin[at];
		if ( best == at )
			break;
		at = best;
	}
	*steps += looked_at;
	return at;
}
