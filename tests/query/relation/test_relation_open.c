// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Open, doubled and overlapping bodies: relations of random scenes against what whole cells, squares and points of a
// grid say, by the letter of relation.h. Boxes of whole coordinates, some without all of their faces; no ray, no sign.

#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Scenes

#define N 4 // cells a side
#define PARTS 4

// A box; of an open one some faces are missing. Face 2 k is the lower one across axis k, 2 k + 1 the upper one.
typedef struct part {
	int low[3], high[3];
	unsigned faces;              // a bit each
	bool inwards, twice, turned; // turned: cut along the other diagonals
	unsigned over;               // triangles that are turned over, less than half of them
} part;

typedef struct body {
	part parts[PARTS];
	int count;
	dbvh_fill_rule fill;
} body;

static part random_part( rng *r ) {
	part p = { .faces = 0x3f };
	for ( int k = 0; k < 3; ++k ) {
		do {
			p.low[k] = (int)rng_below( r, N + 1 );
			p.high[k] = (int)rng_below( r, N + 1 );
		} while ( p.low[k] >= p.high[k] );
	}
	if ( rng_below( r, 3 ) == 0 )
		p.faces &= (unsigned)rng_u64( r );
	// Two opposite faces would be two components.
	if ( p.faces == 0 || p.faces == 0x03 || p.faces == 0x0c || p.faces == 0x30 )
		p.faces = 1u << rng_below( r, 6 );
	p.inwards = rng_below( r, 4 ) == 0;
	p.twice = rng_below( r, 8 ) == 0;
	p.turned = rng_below( r, 2 ) == 0;
	for ( int k = rng_below( r, 4 ) == 0 ? 5 : 0; k > 0; --k )
		p.over |= 1u << rng_below( r, 12 );
	return p;
}

static body random_body( rng *r ) {
	body b = { .count = 1 + (int)rng_below( r, PARTS ) };
	for ( int i = 0; i < b.count; ++i ) {
		b.parts[i] = random_part( r );
		if ( i > 0 && rng_below( r, 6 ) == 0 ) { // the same, as it is or turned
			const bool twice = b.parts[i].twice, inwards = b.parts[i].inwards;
			b.parts[i] = b.parts[i - 1];
			b.parts[i].twice = twice;
			b.parts[i].inwards = inwards;
		}
	}
	b.fill = rng_below( r, 3 ) == 0 ? DBVH_FILL_RULE_EVEN_ODD : DBVH_FILL_RULE_NONZERO;
	return b;
}

// A triangle of a mesh to be: its square and which half, so that they can be shuffled.
typedef struct corner_triple {
	double p[9];
} corner_triple;

// The two triangles of a face.
static void add_face( corner_triple *out, size_t *count, const part *p, int face ) {
	const int axis = face / 2, x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	double q[4][3];
	for ( int i = 0; i < 4; ++i ) {
		q[i][axis] = face % 2 == 0 ? p->low[axis] : p->high[axis];
		q[i][x] = i == 1 || i == 2 ? p->high[x] : p->low[x];
		q[i][y] = i >= 2 ? p->high[y] : p->low[y];
	}
	static const int cut[2][6] = { { 0, 1, 2, 0, 2, 3 }, { 0, 1, 3, 1, 2, 3 } };
	const bool flip = ( face % 2 == 0 ) != p->inwards;
	for ( int t = 0; t < 2; ++t ) {
		for ( int c = 0; c < 3; ++c ) {
			const int k = cut[p->turned][3 * t + ( flip ? 2 - c : c )];
			memcpy( out[*count].p + 3 * c, q[k], sizeof q[k] );
		}
		*count += 1;
	}
}

#define TRIPLES ( PARTS * 2 * 12 )

static void shuffle( corner_triple *t, size_t count, rng *r ) {
	for ( size_t i = count; i > 1; --i ) {
		const size_t k = rng_below( r, i );
		const corner_triple other = t[k];
		t[k] = t[i - 1];
		t[i - 1] = other;
	}
}

// A mesh with its triangles in any order, so that its components are, and each beginning with any corner.
static shape shape_of( const body *b, rng *r ) {
	corner_triple list[TRIPLES];
	size_t count = 0;
	for ( int i = 0; i < b->count; ++i ) {
		for ( int copy = 0; copy <= ( b->parts[i].twice ? 1 : 0 ); ++copy ) {
			const size_t begin = count;
			for ( int face = 0; face < 6; ++face ) {
				if ( ( b->parts[i].faces >> face & 1 ) != 0 )
					add_face( list, &count, &b->parts[i], face );
			}
			for ( size_t t = begin; t < count; ++t ) {
				for ( int k = 0; k < 3 && ( b->parts[i].over >> ( t - begin ) & 1 ) != 0; ++k ) {
					const double x = list[t].p[k];
					list[t].p[k] = list[t].p[3 + k];
					list[t].p[3 + k] = x;
				}
			}
		}
	}
	shuffle( list, count, r );
	shape s = { 0 };
	for ( size_t i = 0; i < count; ++i ) {
		const size_t turn = rng_below( r, 3 );
		uint32_t v[3];
		for ( size_t c = 0; c < 3; ++c ) {
			const double *p = list[i].p + 3 * ( ( c + turn ) % 3 );
			v[c] = shape_vertex( &s, p[0], p[1], p[2] );
		}
		shape_triangle( &s, v[0], v[1], v[2] );
	}
	return s;
}

// ------------------------------------------------------------------------------------------------
// The components by the header's rules: parts that share an edge are one

// Edges of a part's triangles, as pairs of points; a point is a number.
typedef struct edge {
	int p, q;
	int part;
	bool up;
} edge;

static int number_of( const double *p ) {
	return (int)p[0] + 8 * ( (int)p[1] + 8 * (int)p[2] );
}

static size_t edges_of( const part *p, int number, edge *out ) {
	corner_triple list[12];
	size_t triangles = 0, count = 0;
	for ( int face = 0; face < 6; ++face ) {
		if ( ( p->faces >> face & 1 ) != 0 )
			add_face( list, &triangles, p, face );
	}
	for ( size_t i = 0; i < triangles; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const int from = number_of( list[i].p + 3 * k ), to = number_of( list[i].p + 3 * ( ( k + 1 ) % 3 ) );
			out[count++] = ( edge ){ from < to ? from : to, from < to ? to : from, number, from < to };
		}
	}
	return count;
}

static bool same_surface( const part *a, const part *b ) {
	return memcmp( a->low, b->low, sizeof a->low ) == 0 && memcmp( a->high, b->high, sizeof a->high ) == 0 &&
	       a->faces == b->faces && a->turned == b->turned;
}

// Components of a body as the header defines them: the component of each part; for each component whether it is closed,
// whether every triangle is there more than once, and whether copies are both ways round.
typedef struct components {
	int of[PARTS];
	bool closed[PARTS], copies[PARTS], both_ways[PARTS], dropped[PARTS]; // dropped: the part is a copy of a lower one
	bool balanced[PARTS];
	bool uncertain; // a component that this oracle does not judge
} components;

static components components_of( const body *b ) {
	components out = { .uncertain = false };
	edge list[PARTS * 36];
	size_t count = 0;
	for ( int i = 0; i < b->count; ++i ) {
		out.of[i] = i;
		count += edges_of( &b->parts[i], i, list + count );
	}
	for ( bool changed = true; changed; ) {
		changed = false;
		for ( size_t i = 0; i < count; ++i ) {
			for ( size_t j = 0; j < count; ++j ) {
				int *one = &out.of[list[i].part], *two = &out.of[list[j].part];
				if ( list[i].p == list[j].p && list[i].q == list[j].q && *one < *two ) {
					*two = *one;
					changed = true;
				}
			}
		}
	}
	for ( int c = 0; c < b->count; ++c ) {
		// Copies: every part is there twice, by itself or as another. Parts that share some faces but not all would be
		// a case of their own.
		out.copies[c] = true;
		for ( int i = 0; i < b->count; ++i ) {
			if ( out.of[i] != c )
				continue;
			bool again = b->parts[i].twice;
			for ( int j = 0; j < b->count; ++j ) {
				if ( j == i || out.of[j] != c )
					continue;
				if ( same_surface( &b->parts[i], &b->parts[j] ) ) {
					again = true;
					out.dropped[i] = out.dropped[i] || j < i;
					out.both_ways[c] = out.both_ways[c] || b->parts[i].inwards != b->parts[j].inwards;
				} else {
					// Do they share a triangle without being the same?
					corner_triple t[2][12];
					size_t n[2] = { 0, 0 };
					for ( int k = 0; k < 2; ++k ) {
						for ( int face = 0; face < 6; ++face ) {
							if ( ( b->parts[k == 0 ? i : j].faces >> face & 1 ) != 0 )
								add_face( t[k], &n[k], &b->parts[k == 0 ? i : j], face );
						}
					}
					for ( size_t x = 0; x < n[0]; ++x ) {
						for ( size_t y = 0; y < n[1]; ++y ) {
							int shared = 0;
							for ( int k = 0; k < 9; ++k )
								shared +=
								    number_of( t[0][x].p + 3 * ( k / 3 ) ) == number_of( t[1][y].p + 3 * ( k % 3 ) );
							out.uncertain = out.uncertain || shared == 3;
						}
					}
				}
			}
			out.copies[c] = out.copies[c] && again;
		}
		out.both_ways[c] = out.both_ways[c] && out.copies[c];
		// Even and balanced edges, copies aside.
		out.closed[c] = out.balanced[c] = true;
		for ( size_t i = 0; i < count; ++i ) {
			if ( out.of[list[i].part] != c )
				continue;
			int up = 0, down = 0;
			for ( size_t j = 0; j < count; ++j ) {
				const int p = list[j].part;
				if ( out.of[p] != c || list[j].p != list[i].p || list[j].q != list[i].q ||
				     ( out.copies[c] && out.dropped[p] ) )
					continue;
				*( list[j].up ? &up : &down ) += out.copies[c] || !b->parts[p].twice ? 1 : 2;
			}
			out.closed[c] = out.closed[c] && ( up + down ) % 2 == 0;
			out.balanced[c] = out.balanced[c] && up == down;
		}
		// A few triangles turned over do not matter for a component that is a single box.
		for ( int i = 0; i < b->count && out.closed[c]; ++i ) {
			bool alone = !b->parts[i].twice;
			for ( int j = 0; j < b->count; ++j )
				alone = alone && ( j == i || out.of[j] != out.of[i] );
			out.uncertain = out.uncertain || ( out.of[i] == c && b->parts[i].over != 0 && !alone );
		}
		// Boxes that lack faces and close by others, or that are there twice beside one that is not.
		if ( out.closed[c] && !out.balanced[c] )
			out.uncertain = true;
	}
	return out;
}

// ------------------------------------------------------------------------------------------------
// The grid

typedef struct grid {
	bool inside[N + 2][N + 2][N + 2]; // cell (x, y, z) from (x - 1, ...) to (x, ...)
	bool other[N + 2][N + 2][N + 2];  // by the other rule
	// Squares across each axis, lower corner (x, y, z): how many sheets have it, and whether any surface does.
	int sheet[3][N + 1][N + 1][N + 1];
	bool surface[3][N + 1][N + 1][N + 1];
	bool vertex[N + 1][N + 1][N + 1]; // corners on the surface
	bool has_sheets;
	int lower[3], upper[3]; // box of the sheets
} grid;

// A square of a face.
static bool on_face( const part *p, int axis, const int at[3] ) {
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	if ( at[x] < p->low[x] || at[x] >= p->high[x] || at[y] < p->low[y] || at[y] >= p->high[y] )
		return false;
	return ( at[axis] == p->low[axis] && ( p->faces >> ( 2 * axis ) & 1 ) != 0 ) ||
	       ( at[axis] == p->high[axis] && ( p->faces >> ( 2 * axis + 1 ) & 1 ) != 0 );
}

// How often a ray from the middle of cell `at` along +x crosses a part: signed, and not.
static void cross_part( const part *p, const int at[3], int *winding, int *crossed ) {
	for ( int x = at[0]; x <= N; ++x ) {
		const int square[3] = { x, at[1] - 1, at[2] - 1 };
		for ( int side = 0; side < 2; ++side ) {
			const part one = { .low = { p->low[0], p->low[1], p->low[2] },
			                   .high = { p->high[0], p->high[1], p->high[2] },
			                   .faces = p->faces & ( 1u << side ) };
			if ( square[1] < 0 || square[2] < 0 || !on_face( &one, 0, square ) )
				continue;
			*winding += ( side == 1 ) != p->inwards ? 1 : -1;
			*crossed += 1;
		}
	}
}

static void widen( grid *g, const part *p ) {
	// The box of the faces that the part has, not of the whole part.
	for ( int face = 0; face < 6; ++face ) {
		if ( ( p->faces >> face & 1 ) == 0 )
			continue;
		for ( int k = 0; k < 3; ++k ) {
			const int low = face == 2 * k + 1 ? p->high[k] : p->low[k], high = face == 2 * k ? p->low[k] : p->high[k];
			if ( !g->has_sheets || low < g->lower[k] )
				g->lower[k] = low;
			if ( !g->has_sheets || high > g->upper[k] )
				g->upper[k] = high;
		}
		g->has_sheets = true;
	}
}

static void fill_grid( grid *g, const body *b, const components *c ) {
	memset( g, 0, sizeof *g );
	int at[3];
	for ( at[0] = 0; at[0] < N + 2; ++at[0] ) {
		for ( at[1] = 0; at[1] < N + 2; ++at[1] ) {
			for ( at[2] = 0; at[2] < N + 2; ++at[2] ) {
				int winding = 0, stored = 0, parity = 0;
				for ( int i = 0; i < b->count; ++i ) {
					int w = 0, n = 0;
					if ( !c->closed[c->of[i]] )
						continue;
					cross_part( &b->parts[i], at, &w, &n );
					stored += b->parts[i].twice ? 2 * n : n;
					if ( c->copies[c->of[i]] && c->dropped[i] )
						continue;
					if ( c->both_ways[c->of[i]] )
						parity += n;
					else
						winding += b->parts[i].twice && !c->copies[c->of[i]] ? 2 * w : w;
				}
				const bool nonzero = winding != 0 || parity % 2 != 0, odd = stored % 2 != 0;
				g->inside[at[0]][at[1]][at[2]] = b->fill == DBVH_FILL_RULE_NONZERO ? nonzero : odd;
				g->other[at[0]][at[1]][at[2]] = b->fill == DBVH_FILL_RULE_NONZERO ? odd : nonzero;
			}
		}
	}
	for ( int i = 0; i < b->count; ++i ) {
		const part *p = &b->parts[i];
		const bool sheet = !c->closed[c->of[i]];
		const int times = !sheet || ( c->copies[c->of[i]] && c->dropped[i] ) ? 0
		                  : p->twice && !c->copies[c->of[i]]                 ? 2
		                                                                     : 1;
		if ( sheet )
			widen( g, p );
		for ( int axis = 0; axis < 3; ++axis ) {
			const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
			for ( at[0] = 0; at[0] <= N; ++at[0] ) {
				for ( at[1] = 0; at[1] <= N; ++at[1] ) {
					for ( at[2] = 0; at[2] <= N; ++at[2] ) {
						if ( !on_face( p, axis, at ) )
							continue;
						g->sheet[axis][at[0]][at[1]][at[2]] += times;
						g->surface[axis][at[0]][at[1]][at[2]] = true;
						for ( int k = 0; k < 4; ++k ) {
							int v[3] = { at[0], at[1], at[2] };
							v[x] += k % 2;
							v[y] += k / 2;
							g->vertex[v[0]][v[1]][v[2]] = true;
						}
					}
				}
			}
		}
	}
}

static int sheets_at( const grid *g, int axis, const int at[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( at[k] < 0 || at[k] > N )
			return 0;
	}
	return g->sheet[axis][at[0]][at[1]][at[2]];
}

// About a vertex, in a small cube of eight octants, an axis' direction d (2 axis + sign): the four quarter squares that
// end at it.
static int quarter( const grid *g, const int v[3], int axis, int sx, int sy ) {
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	int at[3] = { v[0], v[1], v[2] };
	at[x] += sx == 0 ? -1 : 0;
	at[y] += sy == 0 ? -1 : 0;
	return sheets_at( g, axis, at );
}

// Do sheets of one part what is about the vertex, or about the edge from it along an axis, and has the other sheets on
// both sides? Octants are numbered by bits; an edge is the half of them in its direction.
static bool cross_about( const grid *g, const grid *h, const int v[3], int edge_axis ) {
	// The number of meeting quarter squares must be even about every direction.
	bool any = false;
	for ( int axis = 0; axis < 3; ++axis ) {
		for ( int sign = 0; sign < 2; ++sign ) {
			if ( edge_axis >= 0 && ( axis != edge_axis || sign == 0 ) )
				continue;
			int sum = 0;
			const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
			for ( int s = 0; s < 2; ++s ) {
				sum += quarter( g, v, y, sign, s ); // squares across y: their x is `axis`, their y is x
				sum += quarter( g, v, x, s, sign ); // squares across x: their x is y, their y is `axis`
			}
			any = any || sum > 0;
			if ( sum % 2 != 0 )
				return false;
		}
	}
	if ( !any )
		return false;
	int side[8];
	memset( side, -1, sizeof side );
	const int start = edge_axis >= 0 ? 1 << edge_axis : 0;
	side[start] = 0;
	for ( int round = 0; round < 8; ++round ) {
		for ( int o = 0; o < 8; ++o ) {
			for ( int axis = 0; axis < 3 && side[o] >= 0; ++axis ) {
				if ( axis == edge_axis )
					continue;
				const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
				side[o ^ 1 << axis] = side[o] ^ ( quarter( g, v, axis, o >> x & 1, o >> y & 1 ) & 1 );
			}
		}
	}
	unsigned seen = 0;
	for ( int o = 0; o < 8; ++o ) {
		for ( int axis = 0; axis < 3 && side[o] >= 0; ++axis ) {
			const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
			if ( axis == edge_axis )
				continue;
			if ( quarter( h, v, axis, o >> x & 1, o >> y & 1 ) > 0 &&
			     quarter( g, v, axis, o >> x & 1, o >> y & 1 ) == 0 )
				seen |= 1u << side[o];
		}
	}
	return seen == 3;
}

static bool sheets_cross( const grid *a, const grid *b ) {
	int v[3];
	for ( v[0] = 0; v[0] <= N; ++v[0] ) {
		for ( v[1] = 0; v[1] <= N; ++v[1] ) {
			for ( v[2] = 0; v[2] <= N; ++v[2] ) {
				for ( int axis = -1; axis < 3; ++axis ) {
					if ( cross_about( a, b, v, axis ) || cross_about( b, a, v, axis ) )
						return true;
				}
			}
		}
	}
	return false;
}

typedef struct facts {
	bool meet, both, only_a, only_b;
} facts;

typedef bool cells[N + 2][N + 2][N + 2];

// Classify each square of a sheet of `own` by the two cells of `other` at its sides: both are inside, or neither is and
// it is on no surface of `other`.
static void look_at_sheets( const grid *own, const grid *other, const cells inside, bool *both, bool *only ) {
	int at[3];
	for ( int axis = 0; axis < 3; ++axis ) {
		for ( at[0] = 0; at[0] <= N; ++at[0] ) {
			for ( at[1] = 0; at[1] <= N; ++at[1] ) {
				for ( at[2] = 0; at[2] <= N; ++at[2] ) {
					if ( sheets_at( own, axis, at ) == 0 )
						continue;
					int low[3] = { at[0] + 1, at[1] + 1, at[2] + 1 };
					const bool above = inside[low[0]][low[1]][low[2]];
					low[axis] -= 1;
					const bool below = inside[low[0]][low[1]][low[2]];
					if ( above && below )
						*both = true;
					else if ( !above && !below && !other->surface[axis][at[0]][at[1]][at[2]] )
						*only = true;
				}
			}
		}
	}
}

static facts facts_of( const grid *a, const cells in_a, const grid *b, const cells in_b ) {
	facts f = { .both = sheets_cross( a, b ) };
	for ( int x = 0; x < N + 2; ++x ) {
		for ( int y = 0; y < N + 2; ++y ) {
			for ( int z = 0; z < N + 2; ++z ) {
				f.both = f.both || ( in_a[x][y][z] && in_b[x][y][z] );
				f.only_a = f.only_a || ( in_a[x][y][z] && !in_b[x][y][z] );
				f.only_b = f.only_b || ( in_b[x][y][z] && !in_a[x][y][z] );
				f.meet = f.meet || ( x <= N && y <= N && z <= N && a->vertex[x][y][z] && b->vertex[x][y][z] );
			}
		}
	}
	look_at_sheets( a, b, in_b, &f.both, &f.only_a );
	look_at_sheets( b, a, in_a, &f.both, &f.only_b );
	return f;
}

static dbvh_relation by_table( const facts *f ) {
	if ( !f->both )
		return f->meet ? DBVH_RELATION_TOUCHING : DBVH_RELATION_DISJOINT;
	if ( f->only_a )
		return f->only_b ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_B_IN_A;
	return f->only_b ? DBVH_RELATION_A_IN_B : DBVH_RELATION_EQUAL;
}

// Is a component of `b` in doubt, by sheets of the other?
static bool is_doubtful( const body *b, const components *c, int component, const grid *other, const cells in_other,
                         bool nothing_common ) {
	if ( !other->has_sheets )
		return false;
	bool intersects = false, inside = false;
	for ( int k = 0; k < 3; ++k ) {
		if ( other->lower[k] == other->upper[k] )
			return false;
	}
	for ( int i = 0; i < b->count; ++i ) {
		const part *p = &b->parts[i];
		if ( c->of[i] != component )
			continue;
		grid own = { .has_sheets = false };
		widen( &own, p );
		for ( int k = 0; k < 3; ++k ) {
			if ( own.lower[k] < other->lower[k] || own.upper[k] > other->upper[k] )
				return false;
		}
		int at[3];
		for ( int axis = 0; axis < 3; ++axis ) {
			for ( at[0] = 0; at[0] <= N; ++at[0] ) {
				for ( at[1] = 0; at[1] <= N; ++at[1] ) {
					for ( at[2] = 0; at[2] <= N; ++at[2] ) {
						if ( !on_face( p, axis, at ) )
							continue;
						inside =
						    in_other[at[0] + 1][at[1] + 1][at[2] + 1]; // the same everywhere if it intersects nothing
						for ( int k = 0; k < 4; ++k ) {
							int v[3] = { at[0], at[1], at[2] };
							v[( axis + 1 ) % 3] += k % 2;
							v[( axis + 2 ) % 3] += k / 2;
							intersects = intersects || other->vertex[v[0]][v[1]][v[2]];
						}
					}
				}
			}
		}
	}
	return nothing_common || ( !intersects && !inside );
}

typedef struct truth {
	dbvh_relation relation, surfaces;
	dbvh_undecided undecided;
} truth;

static truth truth_about( const body *a, const components *ca, const grid *ga, const cells in_a, const body *b,
                          const components *cb, const grid *gb, const cells in_b ) {
	const facts f = facts_of( ga, in_a, gb, in_b );
	truth t = { .surfaces = by_table( &f ) };
	t.relation = t.surfaces;
	unsigned open = 0;
	for ( int c = 0; c < a->count; ++c )
		open |= ca->of[c] == c && is_doubtful( a, ca, c, gb, in_b, !f.both ) ? DBVH_UNDECIDED_B_OPEN : 0u;
	for ( int c = 0; c < b->count; ++c )
		open |= cb->of[c] == c && is_doubtful( b, cb, c, ga, in_a, !f.both ) ? DBVH_UNDECIDED_A_OPEN : 0u;
	if ( t.surfaces != DBVH_RELATION_OVERLAPPING && open != 0 ) {
		t.relation = DBVH_RELATION_UNDECIDABLE;
		t.undecided = (dbvh_undecided)open;
	}
	return t;
}

// ------------------------------------------------------------------------------------------------
// The comparison

static void print_body( const char *name, const body *b ) {
	printf( "%s, %s:\n", name, b->fill == DBVH_FILL_RULE_NONZERO ? "nonzero" : "even-odd" );
	for ( int i = 0; i < b->count; ++i ) {
		const part *p = &b->parts[i];
		printf( "  (%d, %d, %d) to (%d, %d, %d), faces %02x, over %03x%s%s%s\n", p->low[0], p->low[1], p->low[2],
		        p->high[0], p->high[1], p->high[2], p->faces, p->over, p->inwards ? ", inwards" : "",
		        p->twice ? ", twice" : "", p->turned ? ", turned" : "" );
	}
}

static dbvh_tree *tree_by( const shape *s, dbvh_fill_rule fill ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	return tree_of( s, &options );
}

// Everything moved by the same whole numbers, so that no pose is the identity, and the mesh of B by a quarter turn of
// its own, which its pose takes back.
static dbvh_pose turned_back( rng *r, shape *s ) {
	dbvh_pose pose = exact_pose( r, 1.0 );
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		double x[3], *at = s->positions + 3 * i;
		for ( int k = 0; k < 3; ++k )
			x[k] = at[k] - pose.pos[k];
		for ( int k = 0; k < 3; ++k )
			at[k] = pose.rot[0][k] * x[0] + pose.rot[1][k] * x[1] + pose.rot[2][k] * x[2];
	}
	return pose;
}

static bool agrees( const dbvh_relate_result *r, const truth *t, const truth *other_a, const truth *other_b ) {
	return r->relation == t->relation && r->surface_relation == t->surfaces && r->undecided == t->undecided &&
	       r->ambiguous_a == ( other_a->relation != t->relation ) &&
	       r->ambiguous_b == ( other_b->relation != t->relation );
}

static void test_random_scenes( void **state ) {
	(void)state;
	rng r = rng_announce( "solids", 77 );
	const size_t count = rounds( 600 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 }, wrong = 0, left_out = 0, ambiguous = 0;
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < count; ) {
		const body a = random_body( &r );
		body b = random_body( &r );
		if ( rng_below( &r, 12 ) == 0 ) {
			b = a; // but for its rule, and one part that may be turned inside out or be there twice
			b.fill = rng_below( &r, 3 ) == 0 ? DBVH_FILL_RULE_EVEN_ODD : DBVH_FILL_RULE_NONZERO;
			b.parts[0].inwards = b.parts[0].inwards != ( rng_below( &r, 3 ) == 0 );
			b.parts[0].twice = b.parts[0].twice != ( rng_below( &r, 3 ) == 0 );
		}
		const components ca = components_of( &a ), cb = components_of( &b );
		if ( ca.uncertain || cb.uncertain ) {
			left_out += 1;
			continue;
		}
		i += 1;
		static grid ga, gb;
		fill_grid( &ga, &a, &ca );
		fill_grid( &gb, &b, &cb );
		const truth t = truth_about( &a, &ca, &ga, ga.inside, &b, &cb, &gb, gb.inside );
		const truth other_a = truth_about( &a, &ca, &ga, ga.other, &b, &cb, &gb, gb.inside );
		const truth other_b = truth_about( &a, &ca, &ga, ga.inside, &b, &cb, &gb, gb.other );
		shape sa = shape_of( &a, &r ), sb = shape_of( &b, &r );
		const dbvh_pose pose = rng_below( &r, 2 ) == 0 ? turned_back( &r, &sb ) : dbvh_pose_identity();
		dbvh_tree *ta = tree_by( &sa, a.fill ), *tb = tree_by( &sb, b.fill );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, workspace, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &pose, ta, NULL, NULL, workspace, &back, NULL ), DBVH_OK );
		static const dbvh_undecided swapped[] = { DBVH_UNDECIDED_NOT, DBVH_UNDECIDED_B_OPEN, DBVH_UNDECIDED_A_OPEN,
		                                          DBVH_UNDECIDED_BOTH_OPEN };
		const truth t_back = { swapped_relation( t.relation ), swapped_relation( t.surfaces ), swapped[t.undecided] };
		const truth back_a = { .relation = swapped_relation( other_b.relation ) };
		const truth back_b = { .relation = swapped_relation( other_a.relation ) };
		seen[t.relation] += 1;
		ambiguous += there.ambiguous_a || there.ambiguous_b;
		if ( !agrees( &there, &t, &other_a, &other_b ) || !agrees( &back, &t_back, &back_a, &back_b ) ) {
			wrong += 1;
			if ( wrong <= 4 ) {
				printf( "scene %zu: %s (by surfaces %s, reason %d, ambiguous %d %d), back %s; should be %s (%s, %d, %d "
				        "%d)\n",
				        i, dbvh_relation_name( there.relation ), dbvh_relation_name( there.surface_relation ),
				        (int)there.undecided, there.ambiguous_a, there.ambiguous_b, dbvh_relation_name( back.relation ),
				        dbvh_relation_name( t.relation ), dbvh_relation_name( t.surfaces ), (int)t.undecided,
				        other_a.relation != t.relation, other_b.relation != t.relation );
				print_body( "a", &a );
				print_body( "b", &b );
			}
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &sa );
		shape_free( &sb );
	}
	dbvh_workspace_destroy( workspace );
	for ( int k = 0; k <= DBVH_RELATION_UNDECIDABLE; ++k ) {
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
		assert_outcomes( seen[k] > 0 || count < 500 );
	}
	printf( "%zu scenes, %zu where the rule matters, %zu wrong; %zu not judged\n", count, ambiguous, wrong, left_out );
	assert_int_equal( wrong, 0 );
	assert_outcomes( ambiguous > 0 || count < 500 );
}

// ------------------------------------------------------------------------------------------------
// Cases

static part box( int x0, int y0, int z0, int x1, int y1, int z1, unsigned faces ) {
	return ( part ){ .low = { x0, y0, z0 }, .high = { x1, y1, z1 }, .faces = faces };
}

static part inverted( part p ) {
	p.inwards = true;
	return p;
}

static part doubled( part p ) {
	p.twice = true;
	return p;
}

// Relates two bodies both ways round, with their triangles in several orders.
static void expect( const char *what, const body *a, const body *b, dbvh_relation relation, dbvh_relation surfaces,
                    dbvh_undecided undecided, bool ambiguous_a, bool ambiguous_b ) {
	rng r = { 1 };
	for ( int order = 0; order < 6; ++order ) {
		shape sa = shape_of( a, &r ), sb = shape_of( b, &r );
		dbvh_tree *ta = tree_by( &sa, a->fill ), *tb = tree_by( &sb, b->fill );
		dbvh_relate_result x, y;
		assert_int_equal( dbvh_relate( ta, NULL, tb, NULL, NULL, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, NULL, ta, NULL, NULL, NULL, &y, NULL ), DBVH_OK );
		if ( x.relation != relation || x.surface_relation != surfaces || x.undecided != undecided ||
		     x.ambiguous_a != ambiguous_a || x.ambiguous_b != ambiguous_b || x.fill_a != a->fill ||
		     x.fill_b != b->fill || y.relation != swapped_relation( relation ) || y.ambiguous_a != ambiguous_b )
			fail_msg( "%s: %s (%s, %d, %d %d) and back %s", what, dbvh_relation_name( x.relation ),
			          dbvh_relation_name( x.surface_relation ), (int)x.undecided, x.ambiguous_a, x.ambiguous_b,
			          dbvh_relation_name( y.relation ) );
		const dbvh_relate_query surfaces_alone = { .open_holds_nothing = true };
		assert_int_equal( dbvh_relate( ta, NULL, tb, NULL, &surfaces_alone, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( x.relation, surfaces );
		assert_int_equal( x.undecided, DBVH_UNDECIDED_NOT );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &sa );
		shape_free( &sb );
	}
}

#define CERTAIN( relation ) relation, relation, DBVH_UNDECIDED_NOT, false, false

static void test_doubts( void **state ) {
	(void)state;
	const body open_box = { .parts = { box( 0, 0, 0, 3, 3, 3, 0x1f ) }, .count = 1 };
	const body in_it = { .parts = { box( 1, 1, 1, 2, 2, 2, 0x3f ) }, .count = 1 };
	const body beside = { .parts = { box( 3, 3, 3, 4, 4, 4, 0x3f ) }, .count = 1 };
	const body both = { .parts = { in_it.parts[0], beside.parts[0] }, .count = 2 };
	const body on_floor = { .parts = { box( 1, 1, 0, 2, 2, 1, 0x3f ) }, .count = 1 };
	const body with_ball = { .parts = { open_box.parts[0], box( 1, 1, 2, 2, 2, 3, 0x3f ) }, .count = 2 };
	const body through = { .parts = { box( 2, 1, 1, 4, 2, 2, 0x3f ), in_it.parts[0] }, .count = 2 };
	const dbvh_relation apart = DBVH_RELATION_DISJOINT, touching = DBVH_RELATION_TOUCHING,
	                    unknown = DBVH_RELATION_UNDECIDABLE;
	const dbvh_undecided open = DBVH_UNDECIDED_A_OPEN;
	expect( "a cube in an open box", &open_box, &in_it, unknown, apart, open, false, false );
	expect( "a cube that touches it", &open_box, &beside, CERTAIN( touching ) );
	expect( "R3: both", &open_box, &both, unknown, touching, open, false, false );
	expect( "a cube on its floor", &open_box, &on_floor, unknown, touching, open, false, false );
	expect( "a cube that touches something else in it", &with_ball, &in_it, unknown, touching, open, false, false );
	expect( "a cube through its wall", &open_box, &through, CERTAIN( DBVH_RELATION_OVERLAPPING ) );
	// A sheet without a volume holds nothing, whatever lies in its plane.
	const body floor = { .parts = { box( 0, 0, 0, 4, 4, 1, 0x10 ) }, .count = 1 };
	const body tile = { .parts = { box( 1, 1, 0, 2, 2, 1, 0x10 ) }, .count = 1 };
	expect( "a tile on a floor", &floor, &tile, CERTAIN( touching ) );
}

static shape shape_from( const double ( *points )[3], size_t count, const uint32_t *corners, size_t triangles ) {
	shape s = { 0 };
	for ( size_t i = 0; i < count; ++i )
		shape_vertex( &s, points[i][0], points[i][1], points[i][2] );
	for ( size_t i = 0; i < triangles; ++i )
		shape_triangle( &s, corners[3 * i], corners[3 * i + 1], corners[3 * i + 2] );
	return s;
}

static void expect_shapes( const shape *a, const shape *b, dbvh_relation relation ) {
	dbvh_tree *ta = tree_with_topology( a ), *tb = tree_with_topology( b );
	dbvh_relate_result there, back;
	assert_int_equal( dbvh_relate( ta, NULL, tb, NULL, NULL, NULL, &there, NULL ), DBVH_OK );
	assert_int_equal( dbvh_relate( tb, NULL, ta, NULL, NULL, NULL, &back, NULL ), DBVH_OK );
	assert_int_equal( there.relation, relation );
	assert_int_equal( back.relation, swapped_relation( relation ) );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
}

static void test_sheets_that_cross( void **state ) {
	(void)state;
	static const double a[3][3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } };
	static const double b[3][3] = { { 1, 1, -2 }, { 1, 1, 2 }, { 3, 3, 2 } };
	static const uint32_t one[3] = { 0, 1, 2 };
	shape sa = shape_from( a, 3, one, 1 ), sb = shape_from( b, 3, one, 1 );
	expect_shapes( &sa, &sb, DBVH_RELATION_OVERLAPPING ); // R1
	shape_free( &sa );
	shape_free( &sb );
	// A small cube in a big one whose mesh has a loose triangle through it (R2); then the loose triangle as a mesh's
	// own.
	const double loose[3][3] = { { 3, 3, 1 }, { 3, 3, 5 }, { 3, 5, 3 } };
	shape small = { 0 }, big = { 0 };
	add_block( &small, ( double[3] ){ 2, 2, 2 }, ( double[3] ){ 4, 4, 4 }, false, false );
	for ( int k = 0; k < 3; ++k )
		shape_vertex( &big, loose[k][0], loose[k][1], loose[k][2] );
	add_block( &big, ( double[3] ){ 0, 0, 0 }, ( double[3] ){ 8, 8, 8 }, false, false );
	shape bare = { 0 };
	add_block( &bare, ( double[3] ){ 0, 0, 0 }, ( double[3] ){ 8, 8, 8 }, false, false );
	shape_triangle( &big, 0, 1, 2 );
	expect_shapes( &small, &big, DBVH_RELATION_A_IN_B );
	expect_shapes( &bare, &big, DBVH_RELATION_EQUAL ); // the loose triangle is inside anyhow
	shape_free( &small );
	shape_free( &big );
	shape_free( &bare );
	// Two folds about the same segment: wings by turns, and all of one to one side of the other.
	static const double fold[4][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { -1, 0, 0 } };
	static const double across[4][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, -1, 0 } };
	static const double beside[4][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0.5, 1, 0 }, { -0.5, 1, 0 } };
	static const uint32_t wings[6] = { 0, 1, 2, 1, 0, 3 };
	shape f = shape_from( fold, 4, wings, 2 ), g = shape_from( across, 4, wings, 2 ),
	      h = shape_from( beside, 4, wings, 2 );
	expect_shapes( &f, &g, DBVH_RELATION_OVERLAPPING );
	expect_shapes( &f, &h, DBVH_RELATION_TOUCHING );
	expect_shapes( &f, &f, DBVH_RELATION_TOUCHING );
	shape_free( &f );
	shape_free( &g );
	shape_free( &h );
}

// A box and the same inside out are walls about nothing: a sheet in a body and on walls has no point outside.
static void test_sheets_on_walls_that_cancel( void **state ) {
	(void)state;
	const part walls = box( 1, 0, 1, 4, 2, 3, 0x3f );
	const body walled = { .parts = { box( 0, 0, 0, 2, 2, 2, 0x3f ), walls, inverted( walls ) }, .count = 3 };
	const body on_wall = { .parts = { box( 1, 1, 1, 3, 2, 2, 0x10 ) }, .count = 1 };
	const body beyond = { .parts = { box( 1, 1, 1, 3, 3, 2, 0x10 ) }, .count = 1 };
	expect( "a sheet on a wall", &walled, &on_wall, CERTAIN( DBVH_RELATION_B_IN_A ) );
	expect( "one that is larger", &walled, &beyond, CERTAIN( DBVH_RELATION_OVERLAPPING ) );
}

static void test_overlapping_bodies( void **state ) {
	(void)state;
	const part outer = box( 0, 0, 0, 4, 4, 4, 0x3f ), inner = box( 1, 1, 1, 3, 3, 3, 0x3f );
	const body ball = { .parts = { box( 2, 2, 2, 3, 3, 3, 0x3f ) }, .count = 1 };
	body b = { .parts = { doubled( outer ) }, .count = 1 };
	const dbvh_relation apart = DBVH_RELATION_DISJOINT, in = DBVH_RELATION_A_IN_B;
	const dbvh_undecided no = DBVH_UNDECIDED_NOT;
	expect( "in a cube that is there twice", &ball, &b, in, in, no, false, true );
	b.fill = DBVH_FILL_RULE_EVEN_ODD;
	expect( "the same, even-odd", &ball, &b, apart, apart, no, false, true );
	b = ( body ){ .parts = { outer, inverted( outer ) }, .count = 2 };
	expect( "in a cube with both sides of its faces", &ball, &b, in, in, no, false, true );
	b = ( body ){ .parts = { outer, inverted( inner ) }, .count = 2 };
	expect( "in a cavity, touching", &ball, &b, CERTAIN( DBVH_RELATION_TOUCHING ) );
	b = ( body ){ .parts = { inverted( outer ), inner }, .count = 2 };
	expect( "the same inside out", &ball, &b, CERTAIN( DBVH_RELATION_TOUCHING ) );
	b = ( body ){ .parts = { outer, inner }, .count = 2 };
	expect( "in a cube in a cube", &ball, &b, in, in, no, false, true );
	b = ( body ){ .parts = { inverted( outer ) }, .count = 1 };
	expect( "in a cube inside out", &ball, &b, CERTAIN( in ) );
	b = ( body ){ .parts = { box( 0, 0, 0, 3, 4, 4, 0x3f ), box( 1, 1, 1, 4, 4, 4, 0x3f ) }, .count = 2 };
	expect( "in what two cubes have in common", &ball, &b, in, in, no, false, true );
	// Two bodies with a wall between them, which is none for what is inside.
	b = ( body ){ .parts = { box( 0, 0, 0, 2, 4, 4, 0x3f ), box( 2, 0, 0, 4, 4, 4, 0x3f ) }, .count = 2 };
	const body across = { .parts = { box( 1, 1, 1, 3, 3, 3, 0x3f ) }, .count = 1 };
	const body on_wall = { .parts = { box( 2, 1, 1, 3, 3, 3, 0x01 ) }, .count = 1 };
	const body whole = { .parts = { outer }, .count = 1 };
	expect( "across a wall", &across, &b, CERTAIN( in ) );
	expect( "a sheet on a wall", &on_wall, &b, CERTAIN( in ) );
	expect( "two halves and the whole", &whole, &b, CERTAIN( DBVH_RELATION_EQUAL ) );
	// A sheet that is there twice is a sheet.
	const body twice = { .parts = { doubled( box( 2, 1, 1, 3, 3, 3, 0x01 ) ) }, .count = 1 };
	expect( "a sheet twice in a cube", &twice, &whole, CERTAIN( in ) );
}

// A hollow box that six boxes make, which overlap along its edges, and a block whose surface runs inside its walls: of
// what the block has alone, the hollow, it only intersects walls inside walls.
static void test_hollow_of_panels( void **state ) {
	(void)state;
	shape panels = { 0 }, block = { 0 }, core = { 0 };
	for ( int k = 0; k < 3; ++k ) {
		for ( int side = 0; side < 2; ++side ) {
			double low[3] = { 0, 0, 0 }, high[3] = { 8, 8, 8 };
			*( side == 0 ? &high[k] : &low[k] ) = side == 0 ? 2 : 6;
			// The boxes are not flush with each other.
			for ( int j = 0; j < 3; ++j ) {
				low[j] -= j == k ? 0.0 : 0.125 * ( k + 1 );
				high[j] += j == k ? 0.0 : 0.125 * ( k + 1 );
			}
			add_block( &panels, low, high, false, false );
		}
	}
	add_block( &block, ( double[3] ){ 1, 1, 1 }, ( double[3] ){ 7, 7, 7 }, false, false );
	add_block( &core, ( double[3] ){ 3, 3, 3 }, ( double[3] ){ 5, 5, 5 }, false, false );
	expect_shapes( &panels, &block, DBVH_RELATION_OVERLAPPING );
	expect_shapes( &panels, &core, DBVH_RELATION_DISJOINT );
	shape_free( &panels );
	shape_free( &block );
	shape_free( &core );
}

static void test_open_loops( void **state ) {
	(void)state;
	rng r = { 3 };
	// A tube, a closed cube, and a box with a hole at one end.
	const body b = {
	    .parts = { box( 0, 0, 0, 1, 1, 1, 0x0f ), box( 2, 0, 0, 3, 1, 1, 0x3f ), box( 0, 2, 0, 2, 4, 4, 0x1f ) },
	    .count = 3 };
	const shape s = shape_of( &b, &r );
	dbvh_tree *tree = tree_with_topology( &s );
	dbvh_open_loop loops[8];
	double points[16][3];
	size_t loop_count, point_count;
	assert_int_equal(
	    dbvh_tree_open_loops( tree, DBVH_ALL_COMPONENTS, loops, 8, points, 16, &loop_count, &point_count, NULL ),
	    DBVH_OK );
	assert_int_equal( loop_count, 3 );
	assert_int_equal( point_count, 12 );
	size_t lids = 0, in_components = 0;
	for ( size_t i = 0; i < loop_count; ++i ) {
		assert_int_equal( loops[i].point_count, 4 );
		assert_int_equal( loops[i].first_point, 4 * i );
		assert_true( loops[i].bounds.min[2] == loops[i].bounds.max[2] );
		for ( size_t k = 0; k < 4; ++k ) {
			// Neighbours differ along one axis, and all lie in the bounds.
			int differ = 0;
			for ( int c = 0; c < 3; ++c ) {
				differ += points[4 * i + k][c] != points[4 * i + ( k + 1 ) % 4][c];
				assert_true( points[4 * i + k][c] >= loops[i].bounds.min[c] &&
				             points[4 * i + k][c] <= loops[i].bounds.max[c] );
			}
			assert_int_equal( differ, 1 );
		}
		const bool lid = loops[i].centre[2] == 4.0;
		lids += lid;
		if ( lid )
			assert_true( loops[i].centre[0] == 1.0 && loops[i].centre[1] == 3.0 );
	}
	assert_int_equal( lids, 1 );
	for ( size_t c = 0; c < 3; ++c ) {
		assert_int_equal( dbvh_tree_open_loops( tree, c, NULL, 0, NULL, 0, &loop_count, NULL, NULL ), DBVH_OK );
		in_components += loop_count;
	}
	assert_int_equal( in_components, 3 );
	assert_int_equal( dbvh_tree_open_loops( tree, 3, NULL, 0, NULL, 0, &loop_count, NULL, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_open_loops( NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_open_loops( tree, 0, NULL, 1, NULL, 0, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_tree *bare = tree_of( &s, NULL );
	assert_int_equal( dbvh_tree_open_loops( bare, 0, NULL, 0, NULL, 0, NULL, NULL, NULL ), DBVH_NO_TOPOLOGY );
	dbvh_tree_destroy( bare );
	dbvh_tree_destroy( tree );
	shape copy = s;
	shape_free( &copy );
}

static void test_points( void **state ) {
	(void)state;
	rng r = { 9 };
	const double p[3] = { 1.5, 1.5, 1.5 };
	const part outer = box( 0, 0, 0, 3, 3, 3, 0x3f );
	static const struct {
		bool twice, even_odd;
		dbvh_location location;
	} cases[] = { { false, false, DBVH_LOCATION_INSIDE },
	              { true, false, DBVH_LOCATION_INSIDE },
	              { false, true, DBVH_LOCATION_INSIDE },
	              { true, true, DBVH_LOCATION_OUTSIDE } };
	for ( size_t i = 0; i < 4; ++i ) {
		const body b = { .parts = { cases[i].twice ? doubled( outer ) : outer },
		                 .count = 1,
		                 .fill = cases[i].even_odd ? DBVH_FILL_RULE_EVEN_ODD : DBVH_FILL_RULE_NONZERO };
		shape s = shape_of( &b, &r );
		dbvh_tree *tree = tree_by( &s, b.fill );
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
		dbvh_location location;
		assert_int_equal( dbvh_locate_point( tree, NULL, p, &location, NULL ), DBVH_OK );
		assert_int_equal( location, cases[i].location );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	dbvh_tree_options options = dbvh_tree_options_default();
	options.fill = (dbvh_fill_rule)2;
	const body b = { .parts = { outer }, .count = 1 };
	shape s = shape_of( &b, &r );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *tree;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_INVALID_ARGUMENT );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_doubts ),
	    cmocka_unit_test( test_sheets_that_cross ),
	    cmocka_unit_test( test_overlapping_bodies ),
	    cmocka_unit_test( test_sheets_on_walls_that_cancel ),
	    cmocka_unit_test( test_open_loops ),
	    cmocka_unit_test( test_hollow_of_panels ),
	    cmocka_unit_test( test_points ),
	    cmocka_unit_test( test_random_scenes ),
	};
	return test_main( argc, argv, tests );
}
