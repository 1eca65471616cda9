// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Growing: from the first triangle that has no cluster, over its neighbours, theirs, and so on until there are enough.
// What comes out too small joins a neighbour. Clusters are put together in the same way, until none has a neighbour.

#include "query/overlap/clusters.h"

#include "base/assert.h"
#include "base/inline.h"
#include "query/overlap/solid_sides.h"

#include <math.h>
#include <string.h>

#define U 0x1p-53
// Meshes of fewer triangles are visited triangle by triangle.
#define FEWEST 2048

void dbvhi_clusters_free( dbvhi_clusters *c, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, c->clusters, c->capacity, sizeof *c->clusters );
	dbvhi_free( allocator, c->parent, c->parent_capacity, sizeof *c->parent );
	dbvhi_free( allocator, c->cluster_of, c->cluster_of_capacity, sizeof *c->cluster_of );
	dbvhi_free( allocator, c->members, c->member_capacity, sizeof *c->members );
	dbvhi_free( allocator, c->sides, c->side_capacity, sizeof *c->sides );
	memset( c, 0, sizeof *c );
}

// ------------------------------------------------------------------------------------------------
// Sums
//
// Let q = |a| |b| and r = `radius`, of one triangle or summed. Components of n are at most q, and so is their sum; v is
// at most r q, a row of s at most 3 r q, a component of f at most 3 r^2 q. Differences of doubles are off by u of
// themselves, a component of n by 6 u q, v by 12 u r q (measure.c), an entry of s by 3 r 6 u q and 6 u 3 r q, one of f
// by 3 r 12 u r q and 6 u 3 r^2 q. Adding up a count of triangles in any order adds so many u of the sum of sizes.

enum { ENOUGH = 32, FEW = 8, MERGED = 4 };

static void add_corners( dbvhi_sums *s, const double p[3], const double q[3], const double r[3], const double c[3],
                         double sign ) {
	double a[3], b[3], x[3], sum[3], n[3], na = 0.0, nb = 0.0, v = 0.0, square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		a[k] = q[k] - p[k];
		b[k] = r[k] - p[k];
		x[k] = p[k] - c[k];
		sum[k] = x[k] + ( q[k] - c[k] ) + ( r[k] - c[k] );
		na += fabs( a[k] );
		nb += fabs( b[k] );
		s->radius = dbvhi_larger(
		    s->radius, dbvhi_larger( fabs( x[k] ), dbvhi_larger( fabs( q[k] - c[k] ), fabs( r[k] - c[k] ) ) ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		const int i = k == 2 ? 0 : k + 1, j = i == 2 ? 0 : i + 1;
		n[k] = sign * ( a[i] * b[j] - a[j] * b[i] );
		v += x[k] * n[k];
		square += n[k] * n[k];
		s->flux += fabs( n[k] );
	}
	for ( int k = 0; k < 3; ++k ) {
		s->n[k] += n[k];
		s->f[k] += v * sum[k];
		for ( int j = 0; j < 3; ++j )
			s->s[k][j] += sum[k] * n[j];
	}
	s->v += v;
	s->area += 0.5 * sqrt( square );
	s->square += na * nb;
}

// Set the errors of sums over triangles of which nothing is lost but by rounding.
static void close_sums( dbvhi_sums *s, double count ) {
	const double least = 0x1p-900; // what underflow may lose
	s->radius *= 1.0 + 0x1p-50;
	s->square *= 1.0 + 0x1p-40;
	s->flux *= 1.0 + 0x1p-40;
	// Roundings within terms are by q, those of adding up by the sizes of terms.
	const double q = 8.0 * U * s->square, sum = count * U * s->flux, r = s->radius;
	s->error_n = q + sum + least;
	s->error_v = r * ( 2.0 * q + sum ) + least;
	s->error_s = r * ( 6.0 * q + 3.0 * sum ) + least;
	s->error_f = r * r * ( 8.0 * q + 3.0 * sum ) + least;
	// A component of n is off by 6 u q, of which half is area.
	s->error_area = q + sum + 0x1p-450;
}

static double size3( const double x[3] ) {
	return fabs( x[0] ) + fabs( x[1] ) + fabs( x[2] );
}

static double max3( const double x[3] ) {
	return dbvhi_larger( dbvhi_larger( fabs( x[0] ), fabs( x[1] ) ), fabs( x[2] ) );
}

static double size9( const double x[3][3] ) {
	return size3( x[0] ) + size3( x[1] ) + size3( x[2] );
}

// With p - c replaced by p - c + d: v becomes v + d n, an entry of s gets 3 d n, and f becomes f + 3 d v + s d + 3 d (d
// n). Errors of the old sums go through the same products; d is off by `off`; and a sum of products is off by at most 8
// u of the sum of their sizes. All sizes are 1-norms.
void dbvhi_sums_shift( dbvhi_sums *s, const double d[3], double off ) {
	const double size_d = size3( d ), size_n = size3( s->n ) + 3.0 * s->error_n,
	             size_s = size9( s->s ) + 9.0 * s->error_s, size_v = fabs( s->v ) + s->error_v;
	const double along = d[0] * s->n[0] + d[1] * s->n[1] + d[2] * s->n[2];
	s->error_f += 3.0 * size_d * ( s->error_v + size_d * s->error_n ) + size_d * s->error_s +
	              8.0 * U * ( 3.0 * size_d * ( size_v + size_d * size_n ) + size_d * size_s + size3( s->f ) ) +
	              off * ( 3.0 * size_v + size_s + 12.0 * ( size_d + off ) * size_n );
	s->error_s += 3.0 * size_d * s->error_n + 8.0 * U * ( 3.0 * size_d * size_n + size_s ) + 3.0 * off * size_n;
	s->error_v += size_d * s->error_n + 8.0 * U * size_d * size_n + 2.0 * U * size_v + off * size_n;
	for ( int k = 0; k < 3; ++k ) {
		s->f[k] +=
		    3.0 * d[k] * s->v + ( s->s[k][0] * d[0] + s->s[k][1] * d[1] + s->s[k][2] * d[2] ) + 3.0 * d[k] * along;
		for ( int j = 0; j < 3; ++j )
			s->s[k][j] += 3.0 * d[k] * s->n[j];
	}
	s->v += along;
	s->radius = ( s->radius + max3( d ) + off ) * ( 1.0 + 0x1p-40 );
}

// A sum of two is rounded once more.
void dbvhi_sums_add( dbvhi_sums *s, const dbvhi_sums *t ) {
	for ( int k = 0; k < 3; ++k ) {
		s->n[k] += t->n[k];
		s->f[k] += t->f[k];
		for ( int j = 0; j < 3; ++j )
			s->s[k][j] += t->s[k][j];
	}
	s->v += t->v;
	s->area += t->area;
	s->radius = dbvhi_larger( s->radius, t->radius );
	s->flux = ( s->flux + t->flux ) * ( 1.0 + 0x1p-50 );
	s->error_n += t->error_n + 2.0 * U * size3( s->n );
	s->error_v += t->error_v + 2.0 * U * fabs( s->v );
	s->error_s += t->error_s + 2.0 * U * size9( s->s );
	s->error_f += t->error_f + 2.0 * U * size3( s->f );
	s->error_area += t->error_area + 2.0 * U * s->area;
}

// ------------------------------------------------------------------------------------------------
// Linear maps

// Squares of the singular values of the map are within g of 1, where g is the largest sum of a row of |R^T R - 1|, and
// those of the map of normals are products of two of them.
double dbvhi_turn_deviation( const double rot[3][3] ) {
	double most = 0.0;
	bool identity = true;
	for ( int i = 0; i < 9; ++i )
		identity = identity && rot[i / 3][i % 3] == ( i % 4 == 0 ? 1.0 : 0.0 );
	if ( identity )
		return 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double row = 0.0;
		for ( int j = 0; j < 3; ++j )
			row +=
			    fabs( rot[0][i] * rot[0][j] + rot[1][i] * rot[1][j] + rot[2][i] * rot[2][j] - ( i == j ? 1.0 : 0.0 ) );
		most = dbvhi_larger( most, row );
	}
	const double deviation = most + 32.0 * U;
	return deviation < 0x1p-44 ? deviation : INFINITY;
}

static void change_unit( dbvhi_sums *s, double factor ) {
	const double square = factor * factor, cube = square * factor, fourth = square * square, least = 0x1p-900;
	for ( int i = 0; i < 3; ++i ) {
		s->n[i] *= square;
		s->f[i] *= fourth;
		for ( int j = 0; j < 3; ++j )
			s->s[i][j] *= cube;
	}
	s->v *= cube;
	s->area *= square;
	s->radius *= factor;
	s->flux *= square;
	s->error_n = square * s->error_n + least;
	s->error_v = cube * s->error_v + least;
	s->error_s = cube * s->error_s + least;
	s->error_f = fourth * s->error_f + least;
	s->error_area = square * s->error_area + least;
}

// Entries of R and of its matrix C of cofactors are at most 1.001, sums of a row of sizes at most 1.8; C is off by 4 u,
// det R by 16 u. A 1-norm grows by at most 1.8. Normals become C n; v grows by det R, s becomes R s C^T, f becomes det
// R R f. At most 10 roundings and 20 u of factors meet in a term.
void dbvhi_sums_turn( dbvhi_sums *s, const double rot[3][3], double factor ) {
	const double deviation = dbvhi_turn_deviation( rot );
	if ( deviation == 0.0 ) {
		change_unit( s, factor );
		return;
	}
	const double square = factor * factor, cube = square * factor, fourth = square * square, least = 0x1p-900;
	dbvhi_sums t = *s;
	double cofactor[3][3], det = 0.0;
	DBVHI_ASSERT( deviation < 0x1p-40 );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3, j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			cofactor[i][j] = rot[i1][j1] * rot[i2][j2] - rot[i1][j2] * rot[i2][j1];
		}
	}
	for ( int j = 0; j < 3; ++j )
		det += rot[0][j] * cofactor[0][j];
	for ( int i = 0; i < 3; ++i ) {
		s->n[i] = s->f[i] = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			s->n[i] += square * cofactor[i][j] * t.n[j];
			s->f[i] += fourth * det * ( rot[i][j] * t.f[j] );
			s->s[i][j] = 0.0;
		}
		for ( int j = 0; j < 3; ++j ) {
			for ( int k = 0; k < 3; ++k ) {
				double row = 0.0;
				for ( int l = 0; l < 3; ++l )
					row += t.s[k][l] * cofactor[j][l];
				s->s[i][j] += cube * rot[i][k] * row;
			}
		}
	}
	s->v = cube * det * t.v;
	s->error_n = square * ( 2.0 * t.error_n + 32.0 * U * size3( t.n ) ) + least;
	s->error_v = cube * ( 1.1 * t.error_v + 32.0 * U * fabs( t.v ) ) + least;
	s->error_s = cube * ( 4.0 * t.error_s + 32.0 * U * size9( t.s ) ) + least;
	s->error_f = fourth * ( 2.0 * t.error_f + 32.0 * U * size3( t.f ) ) + least;
	s->area = square * t.area;
	s->error_area = square * ( 1.1 * t.error_area + ( deviation + 8.0 * U ) * t.area ) + least;
	s->radius = 1.8 * factor * t.radius;
	s->flux = 1.8 * square * t.flux;
}

// ------------------------------------------------------------------------------------------------
// Growing

typedef struct growing {
	dbvhi_clusters *c;
	const dbvhi_topology *topology;
	const int8_t *side;
	const uint32_t *across;
	const dbvh_allocator *allocator;
	double scale;
	uint32_t level;
	uint32_t first, end; // clusters of the level below; triangles in level 0
	uint32_t begin;      // the first cluster of the level
	uint32_t *parent;    // by what is put together, counted from `first`: its cluster, or DBVHI_NO_CLUSTER
	uint32_t *queue;
} growing;

// What is put together in this level and holds a triangle.
static uint32_t item_of( const growing *g, uint32_t triangle ) {
	if ( g->level == 0 )
		return triangle;
	uint32_t at = g->c->cluster_of[triangle];
	while ( at < g->first )
		at = g->c->parent[at];
	return at;
}

static size_t side_count_of( const growing *g, uint32_t item ) {
	return g->level == 0 ? 3 : g->c->clusters[item].side_count;
}

static uint32_t side_of( const growing *g, uint32_t item, size_t i ) {
	return g->level == 0 ? 3 * item + (uint32_t)i : g->c->sides[g->c->clusters[item].first_side + i];
}

// The item beyond a side, or DBVHI_NO_CLUSTER.
static uint32_t neighbour( const growing *g, uint32_t item, size_t i ) {
	const uint32_t across = g->across[side_of( g, item, i )];
	return across == DBVHI_NO_SIDE ? DBVHI_NO_CLUSTER : item_of( g, across / 3 );
}

// Put items together from one on. Returns how many.
static uint32_t grow_from( growing *g, uint32_t item, uint32_t cluster ) {
	const uint32_t enough = g->level == 0 ? ENOUGH : MERGED;
	uint32_t count = 0;
	g->queue[count++] = item;
	g->parent[item - g->first] = cluster;
	for ( uint32_t at = 0; at < count && count < enough; ++at ) {
		const size_t sides = side_count_of( g, g->queue[at] );
		for ( size_t i = 0; i < sides && count < enough; ++i ) {
			const uint32_t next = neighbour( g, g->queue[at], i );
			if ( next == DBVHI_NO_CLUSTER || g->parent[next - g->first] != DBVHI_NO_CLUSTER )
				continue;
			g->parent[next - g->first] = cluster;
			g->queue[count++] = next;
		}
	}
	return count;
}

// A cluster beside the items in the queue, other than their own; DBVHI_NO_CLUSTER: none.
static uint32_t cluster_beside( const growing *g, uint32_t count, uint32_t cluster ) {
	for ( uint32_t at = 0; at < count; ++at ) {
		const size_t sides = side_count_of( g, g->queue[at] );
		for ( size_t i = 0; i < sides; ++i ) {
			const uint32_t next = neighbour( g, g->queue[at], i ),
			               found = next == DBVHI_NO_CLUSTER ? next : g->parent[next - g->first];
			if ( found != DBVHI_NO_CLUSTER && found != cluster )
				return found;
		}
	}
	return DBVHI_NO_CLUSTER;
}

// Give every item a cluster, but for clusters without neighbours. Returns the number of clusters.
static uint32_t assign( growing *g ) {
	const uint32_t few = g->level == 0 ? FEW : 2;
	uint32_t fresh = 0;
	for ( uint32_t i = g->first; i < g->end; ++i )
		g->parent[i - g->first] = DBVHI_NO_CLUSTER;
	for ( uint32_t i = g->first; i < g->end; ++i ) {
		if ( g->parent[i - g->first] != DBVHI_NO_CLUSTER ||
		     ( g->level == 0 && g->side[i] != DBVHI_SOLID_BELOW && g->side[i] != DBVHI_SOLID_ABOVE ) )
			continue;
		const uint32_t count = grow_from( g, i, fresh ),
		               beside = count < few ? cluster_beside( g, count, fresh ) : DBVHI_NO_CLUSTER;
		if ( beside != DBVHI_NO_CLUSTER ) {
			for ( uint32_t k = 0; k < count; ++k )
				g->parent[g->queue[k] - g->first] = beside;
		} else if ( g->level > 0 && count == 1 ) {
			g->parent[i - g->first] = DBVHI_NO_CLUSTER; // it is a whole of its own
		} else {
			fresh += 1;
		}
	}
	return fresh;
}

// Put the members of each cluster one after the other.
static void list_members( growing *g, uint32_t fresh ) {
	dbvhi_clusters *c = g->c;
	dbvhi_cluster *const own = c->clusters + g->begin;
	for ( uint32_t i = g->first; i < g->end; ++i ) {
		const uint32_t p = g->parent[i - g->first];
		if ( p != DBVHI_NO_CLUSTER )
			own[p].count += 1;
	}
	for ( uint32_t i = 0; i < fresh; ++i ) {
		own[i].first = (uint32_t)c->member_count;
		c->member_count += own[i].count;
		own[i].count = 0;
	}
	for ( uint32_t i = g->first; i < g->end; ++i ) {
		const uint32_t p = g->parent[i - g->first];
		if ( p != DBVHI_NO_CLUSTER ) {
			c->members[own[p].first + own[p].count++] = i;
			if ( g->level == 0 )
				c->cluster_of[i] = g->begin + p;
			else
				c->parent[i] = g->begin + p;
		}
	}
}

// List the sides of a cluster beyond which another one begins, or nothing, or what has no cluster.
static bool list_sides( growing *g, uint32_t at ) {
	dbvhi_clusters *c = g->c;
	dbvhi_cluster *own = &c->clusters[at];
	own->first_side = (uint32_t)c->side_count;
	for ( uint32_t i = 0; i < own->count; ++i ) {
		const uint32_t item = c->members[own->first + i];
		const size_t sides = side_count_of( g, item );
		if ( !dbvhi_grow_array( g->allocator, &c->sides, &c->side_capacity, c->side_count + sides, sizeof *c->sides ) )
			return false;
		for ( size_t k = 0; k < sides; ++k ) {
			const uint32_t next = neighbour( g, item, k );
			if ( next != DBVHI_NO_CLUSTER && g->parent[next - g->first] == at - g->begin )
				continue;
			c->sides[c->side_count++] = side_of( g, item, k );
		}
	}
	own->side_count = (uint32_t)c->side_count - own->first_side;
	return true;
}

static void corners_of( const growing *g, uint32_t triangle, const double *out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = g->topology->position + 3 * (size_t)g->topology->corner[3 * (size_t)triangle + (size_t)i];
}

static void find_box( const growing *g, dbvhi_cluster *own ) {
	for ( int k = 0; k < 3; ++k ) {
		own->low[k] = INFINITY;
		own->high[k] = -INFINITY;
	}
	for ( uint32_t i = 0; i < own->count; ++i ) {
		const uint32_t item = g->c->members[own->first + i];
		const double *corner[3];
		if ( g->level == 0 ) {
			corners_of( g, item, corner );
		} else {
			corner[0] = g->c->clusters[item].low;
			corner[1] = corner[2] = g->c->clusters[item].high;
		}
		for ( int k = 0; k < 9; ++k ) {
			own->low[k % 3] = dbvhi_smaller( own->low[k % 3], corner[k / 3][k % 3] );
			own->high[k % 3] = dbvhi_larger( own->high[k % 3], corner[k / 3][k % 3] );
		}
	}
	for ( int k = 0; k < 3; ++k )
		own->centre[k] = 0.5 * ( g->scale * own->low[k] + g->scale * own->high[k] );
}

static void sum_up( const growing *g, dbvhi_cluster *own ) {
	dbvhi_sums sums = { .v = 0.0 };
	for ( uint32_t i = 0; i < own->count; ++i ) {
		const uint32_t item = g->c->members[own->first + i];
		if ( g->level == 0 ) {
			const double *corner[3];
			double p[3][3];
			corners_of( g, item, corner );
			for ( int k = 0; k < 9; ++k )
				p[k / 3][k % 3] = g->scale * corner[k / 3][k % 3];
			add_corners( &sums, p[0], p[1], p[2], own->centre, g->side[item] );
			continue;
		}
		dbvhi_sums part = g->c->clusters[item].sums;
		double d[3], off = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			d[k] = g->c->clusters[item].centre[k] - own->centre[k];
			off = dbvhi_larger( off, 2.0 * U * fabs( d[k] ) );
		}
		dbvhi_sums_shift( &part, d, off );
		dbvhi_sums_add( &sums, &part );
	}
	if ( g->level == 0 )
		close_sums( &sums, (double)own->count );
	own->sums = sums;
}

// Make the clusters of a level. *made_out: how many.
static bool make_level( growing *g, uint32_t *made_out ) {
	dbvhi_clusters *c = g->c;
	g->begin = (uint32_t)c->count;
	const uint32_t fresh = assign( g ), items = g->end - g->first;
	*made_out = fresh;
	if ( !dbvhi_grow_array( g->allocator, &c->clusters, &c->capacity, c->count + fresh + 1, sizeof *c->clusters ) ||
	     !dbvhi_grow_array( g->allocator, &c->parent, &c->parent_capacity, c->count + fresh + 1, sizeof *c->parent ) ||
	     !dbvhi_grow_array( g->allocator, &c->members, &c->member_capacity, c->member_count + items + 1,
	                        sizeof *c->members ) )
		return false;
	memset( c->parent + c->count, 0xff, fresh * sizeof *c->parent );
	for ( uint32_t i = 0; i < fresh; ++i )
		c->clusters[g->begin + i] = ( dbvhi_cluster ){ .level = g->level };
	list_members( g, fresh );
	c->count += fresh;
	for ( uint32_t i = g->begin; i < c->count; ++i ) {
		if ( !list_sides( g, i ) )
			return false;
		find_box( g, &c->clusters[i] );
		sum_up( g, &c->clusters[i] );
	}
	return true;
}

static bool make_levels( growing *g ) {
	uint32_t made = 0;
	do {
		if ( !make_level( g, &made ) )
			return false;
		// note: the clusters of the last level are what is put together next; those left alone stay out.
		g->first = g->begin;
		g->end = (uint32_t)g->c->count;
		g->level += 1;
	} while ( made > 1 );
	return true;
}

bool dbvhi_clusters_build( dbvhi_clusters *c, const dbvh_tree *tree, const int8_t *side, const uint32_t *across,
                           const dbvh_allocator *allocator ) {
	const dbvhi_topology *t = tree->topology;
	const size_t n = t->triangle_count;
	c->count = c->member_count = c->side_count = 0;
	if ( n < FEWEST )
		return true;
	int exponent = 0;
	frexp( dbvhi_tree_root( tree )->radius, &exponent );
	c->exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
	// note: so far away that numbers could overflow, a body has rounded corners anyway.
	if ( !( ldexp( tree->largest, -c->exponent ) < 0x1p100 ) )
		return true;
	growing g = { .c = c,
	              .topology = t,
	              .side = side,
	              .across = across,
	              .allocator = allocator,
	              .scale = ldexp( 1.0, -c->exponent ),
	              .end = (uint32_t)n };
	if ( !dbvhi_grow_array( allocator, &c->cluster_of, &c->cluster_of_capacity, n, sizeof *c->cluster_of ) )
		return false;
	memset( c->cluster_of, 0xff, n * sizeof *c->cluster_of );
	g.parent = dbvhi_alloc( allocator, n, sizeof *g.parent );
	g.queue = dbvhi_alloc( allocator, n, sizeof *g.queue );
	const bool good = g.parent != NULL && g.queue != NULL && make_levels( &g );
	dbvhi_free( allocator, g.parent, n, sizeof *g.parent );
	dbvhi_free( allocator, g.queue, n, sizeof *g.queue );
	return good;
}
