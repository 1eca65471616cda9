// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The penetration depth of convex bodies F and M is the least distance of a face of their Minkowski difference F - M
// from the origin. Each face is parallel to a face of F, to one of M, or to an edge of each whose arcs on the Gauss map
// of F and of -M cross. Any other direction has a width that is no less, so that too many candidates do no harm.
//
// Errors. Candidates are sorted out in doubles, by bounds. What is left is measured in pairs of doubles (dd.h): a
// coordinate of a moved corner is off by less than 2^-98 of S, the size of both meshes, and an edge by twice that. A
// normal, the product of two edges of length up to S, is off by 2^-95 S^2, and so by an angle of 2^-95 S^2 / |n|.
// Turning the direction by an angle e changes the width by at most 4 S e, since every point of both is within 2 S.
//
// Edges that are almost parallel, and triangles almost without an area, have normals that even pairs of doubles do not
// tell. Such a face of the difference is a sliver, w = |n| / (the longer edge) wide, and another face is within w of
// each of its points: leaving the face out makes the least width too large by at most w. The sum of all w left out is
// taken from the lower end.

#include "query/depth/convex.h"

#include "base/alloc.h"
#include "exact/number/dd.h"
#include "exact/orient.h"

#include <math.h>
#include <string.h>

#define MOST_SIDE_TESTS ( (size_t)1 << 24 ) // triangles times points of a mesh whose convexity is tested
#define MOST_EDGE_PAIRS ( (size_t)1 << 25 )

typedef struct vec_dd {
	dbvhi_dd v[3];
} vec_dd;

typedef struct edge {
	uint32_t from, to; // points
	double along[3];   // rounded
	// Outward, of length 1, of the triangles on both sides; negated for the moved mesh. Zero where rounding may have
	// turned it.
	double normal[2][3];
} edge;

typedef struct face {
	uint32_t corner[3];
} face;

typedef struct hull {
	const dbvhi_topology *topology;
	size_t point_count, edge_count, face_count;
	double *at;    // points placed, rounded
	vec_dd *exact; // and in pairs of doubles
	edge *edges;
	face *faces; // one triangle of each plane may be there several times
} hull;

typedef struct search {
	hull h[2]; // fixed, moved
	double size;
	double best;     // the least width found, as an upper bound
	double lower;    // a lower bound of all widths measured
	double left_out; // how much faces that were left out may be nearer than others
	double way[3];
} search;

// ------------------------------------------------------------------------------------------------
// Convexity

// The side of point d of a triangle's plane: exact.
static int side_of( const double corners[9], const double d[3] ) {
	double p[3], q[3], r[3], det = 0.0, size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		p[k] = corners[k] - d[k];
		q[k] = corners[3 + k] - d[k];
		r[k] = corners[6 + k] - d[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		const double one = q[i] * r[j], two = q[j] * r[i];
		det += p[k] * ( one - two );
		size += fabs( p[k] ) * ( fabs( one ) + fabs( two ) );
	}
	// note: Shewchuk (1997) derives 7 u of that sum, u = 2^-53; near the denormal numbers only the exact sign is sure.
	if ( fabs( det ) > 0x1p-49 * size && size > 0x1p-900 && size < 0x1p1000 )
		return det > 0.0 ? 1 : -1;
	const double copies[9] = { d[0], d[1], d[2], d[0], d[1], d[2], d[0], d[1], d[2] };
	const dbvh_pose identity = dbvh_pose_identity();
	dbvhi_points points;
	dbvhi_points_init( &points, corners, copies, copies, &identity, 0.0 );
	return dbvhi_points_orient3d( &points, 0, 1, 2, 3 );
}

// True if the plane of every triangle has all points on one side. Charges its work.
static bool has_supporting_planes( const dbvhi_solid *solid ) {
	const dbvh_tree *tree = solid->placed.tree;
	const dbvhi_topology *t = tree->topology;
	if ( t->has_sheets || tree->twins != NULL || t->component_count != 1 || t->triangle_count < 4 ||
	     t->point_count > MOST_SIDE_TESTS / t->triangle_count )
		return false;
	for ( size_t i = 0; i < t->triangle_count; ++i ) {
		if ( t->degenerate[i] )
			return false;
		const double *corners = tree->corners + 9 * (size_t)tree->leaf[i];
		int side = 0;
		for ( size_t k = 0; k < t->point_count; ++k ) {
			const int s = side_of( corners, t->position + 3 * k );
			if ( s != 0 && side == -s )
				return false;
			side = s != 0 ? s : side;
		}
		if ( !dbvhi_meter_charge( solid->meter, 1 + t->point_count / 16 ) )
			return false;
	}
	return true;
}

// The surface of a closed mesh with supporting planes lies on the boundary of the hull of its points, so the mean of
// its points is inside the solid exactly if all of the hull is.
static bool is_convex( const dbvhi_solid *solid ) {
	if ( !has_supporting_planes( solid ) )
		return false;
	const dbvhi_topology *t = solid->placed.tree->topology;
	double mean[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < t->point_count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mean[k] += t->position[3 * i + (size_t)k] / (double)t->point_count;
	}
	dbvhi_solid own = *solid;
	const dbvh_pose identity = dbvh_pose_identity();
	own.rays = dbvhi_place( solid->placed.tree, &identity, false );
	return dbvhi_solid_holds( &own, mean, NULL );
}

// ------------------------------------------------------------------------------------------------
// Points, edges and faces of a convex mesh

static dbvhi_dd dd_of( double x ) {
	return ( dbvhi_dd ){ x, 0.0 };
}

static vec_dd place_dd( const double p[3], const dbvh_pose *pose ) {
	vec_dd out;
	for ( int i = 0; i < 3; ++i ) {
		if ( pose == NULL ) {
			out.v[i] = dd_of( p[i] );
			continue;
		}
		dbvhi_dd sum = dbvhi_dd_product( pose->rot[i][0], p[0] );
		sum = dbvhi_dd_add( sum, dbvhi_dd_product( pose->rot[i][1], p[1] ) );
		sum = dbvhi_dd_add( sum, dbvhi_dd_product( pose->rot[i][2], p[2] ) );
		out.v[i] = dbvhi_dd_add( sum, dd_of( pose->pos[i] ) );
	}
	return out;
}

static vec_dd sub_dd( const vec_dd *a, const vec_dd *b ) {
	vec_dd out;
	for ( int k = 0; k < 3; ++k )
		out.v[k] = dbvhi_dd_sub( a->v[k], b->v[k] );
	return out;
}

static vec_dd cross_dd( const vec_dd *a, const vec_dd *b ) {
	vec_dd out;
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out.v[k] = dbvhi_dd_sub( dbvhi_dd_mul( a->v[i], b->v[j] ), dbvhi_dd_mul( a->v[j], b->v[i] ) );
	}
	return out;
}

static dbvhi_dd dot_dd( const vec_dd *a, const vec_dd *b ) {
	dbvhi_dd sum = dbvhi_dd_mul( a->v[0], b->v[0] );
	sum = dbvhi_dd_add( sum, dbvhi_dd_mul( a->v[1], b->v[1] ) );
	return dbvhi_dd_add( sum, dbvhi_dd_mul( a->v[2], b->v[2] ) );
}

// The unit normal of a triangle, rounded, pointing away from `inside`; its factor for the moved mesh is -1.
static void unit_normal( const hull *h, uint32_t triangle, const double inside[3], double factor, double out[3] ) {
	const uint32_t *c = h->topology->corner + 3 * (size_t)triangle;
	const double *a = h->at + 3 * (size_t)c[0], *b = h->at + 3 * (size_t)c[1], *d = h->at + 3 * (size_t)c[2];
	double ab[3], ac[3], in[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = b[k] - a[k];
		ac[k] = d[k] - a[k];
		in[k] = inside[k] - a[k];
	}
	dbvhi_cross3( ab, ac, out );
	const double length = dbvhi_length3( out ), size = dbvhi_length3( ab ) + dbvhi_length3( ac );
	// note: coordinates are off by u S, and so the product by some 4 u S size.
	const bool is_sure = length > 0x1p-28 * size * ( size + dbvhi_length3( a ) + dbvhi_length3( inside ) );
	const double turn = is_sure ? ( dbvhi_dot3( out, in ) > 0.0 ? -factor : factor ) / length : 0.0;
	for ( int k = 0; k < 3; ++k )
		out[k] *= turn;
}

// True if the triangles of an edge lie in one plane: then it is none of the convex body.
static bool is_flat( const dbvh_tree *tree, const dbvhi_topology *t, const uint32_t sides[2] ) {
	const double *corners = tree->corners + 9 * (size_t)tree->leaf[sides[0] / 3];
	const uint32_t beyond = dbvhi_topology_end( t, dbvhi_topology_next( sides[1] ) );
	return side_of( corners, t->position + 3 * (size_t)beyond ) == 0;
}

static bool hull_make( hull *h, const dbvhi_solid *solid, const dbvh_pose *pose, const dbvh_allocator *allocator ) {
	const dbvh_tree *tree = solid->placed.tree;
	const dbvhi_topology *t = tree->topology;
	*h = ( hull ){ .topology = t, .point_count = t->point_count, .face_count = t->triangle_count };
	h->at = dbvhi_alloc( allocator, t->point_count, 3 * sizeof( double ) );
	h->exact = dbvhi_alloc( allocator, t->point_count, sizeof *h->exact );
	h->edges = dbvhi_alloc( allocator, t->edge_count, sizeof *h->edges );
	h->faces = dbvhi_alloc( allocator, t->triangle_count, sizeof *h->faces );
	if ( h->at == NULL || h->exact == NULL || h->edges == NULL || h->faces == NULL )
		return false;
	double mean[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < t->point_count; ++i ) {
		h->exact[i] = place_dd( t->position + 3 * i, pose );
		for ( size_t k = 0; k < 3; ++k ) {
			h->at[3 * i + k] = h->exact[i].v[k].hi;
			mean[k] += h->at[3 * i + k] / (double)t->point_count;
		}
	}
	memcpy( h->faces, t->corner, t->triangle_count * sizeof *h->faces );
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		const uint32_t *sides = t->side + t->edge_begin[e];
		if ( t->edge_begin[e + 1] - t->edge_begin[e] == 2 && is_flat( tree, t, sides ) )
			continue;
		edge *out = &h->edges[h->edge_count++];
		out->from = dbvhi_topology_start( t, sides[0] );
		out->to = dbvhi_topology_end( t, sides[0] );
		for ( int k = 0; k < 3; ++k )
			out->along[k] = h->at[3 * (size_t)out->to + (size_t)k] - h->at[3 * (size_t)out->from + (size_t)k];
		for ( uint32_t i = 0; i < 2; ++i )
			unit_normal( h, sides[i] / 3, mean, pose != NULL ? -1.0 : 1.0, out->normal[i] );
	}
	return true;
}

static void hull_free( hull *h, const dbvh_allocator *allocator ) {
	if ( h->topology == NULL )
		return;
	dbvhi_free( allocator, h->at, h->topology->point_count, 3 * sizeof( double ) );
	dbvhi_free( allocator, h->exact, h->topology->point_count, sizeof *h->exact );
	dbvhi_free( allocator, h->edges, h->topology->edge_count, sizeof *h->edges );
	dbvhi_free( allocator, h->faces, h->topology->triangle_count, sizeof *h->faces );
}

// ------------------------------------------------------------------------------------------------
// Widths

// The farthest point of a hull along `n` times `sign`, measured in pairs of doubles: those that doubles cannot tell
// from the farthest are all measured.
static dbvhi_dd farthest( const hull *h, const vec_dd *n, double sign, double size ) {
	const double d[3] = { sign * n->v[0].hi, sign * n->v[1].hi, sign * n->v[2].hi };
	double most = -INFINITY;
	for ( size_t i = 0; i < h->point_count; ++i )
		most = fmax( most, dbvhi_dot3( d, h->at + 3 * i ) );
	const double from = most - 0x1p-48 * size * ( fabs( d[0] ) + fabs( d[1] ) + fabs( d[2] ) );
	dbvhi_dd best = dd_of( -INFINITY );
	for ( size_t i = 0; i < h->point_count; ++i ) {
		if ( dbvhi_dot3( d, h->at + 3 * i ) < from )
			continue;
		dbvhi_dd at = dot_dd( n, &h->exact[i] );
		at = sign < 0.0 ? dbvhi_dd_negate( at ) : at;
		if ( at.hi > best.hi || ( at.hi == best.hi && at.lo > best.lo ) )
			best = at;
	}
	return best;
}

static double length_dd( const vec_dd *p ) {
	return sqrt( fmax( dot_dd( p, p ).hi, 0.0 ) );
}

// Measure the widths along the product of two edges, both ways.
static void measure_product( search *s, const vec_dd *p, const vec_dd *q ) {
	const vec_dd n = cross_dd( p, q );
	const double rounded[3] = { n.v[0].hi, n.v[1].hi, n.v[2].hi };
	const double length = length_dd( &n ), longer = fmax( length_dd( p ), length_dd( q ) );
	const double off = 0x1p-95 * s->size * s->size, angle = off / length, sliver = ( length + off ) / longer;
	if ( !( 4.0 * s->size * angle < sliver ) ) {
		s->left_out += sliver;
		return;
	}
	for ( int way = 0; way < 2; ++way ) {
		const double sign = way == 0 ? 1.0 : -1.0;
		const dbvhi_dd wide =
		    dbvhi_dd_add( farthest( &s->h[0], &n, sign, s->size ), farthest( &s->h[1], &n, -sign, s->size ) );
		const double width = ( wide.hi + wide.lo ) / length;
		const double error = 0x1p-50 * fabs( width ) + 4.0 * s->size * angle;
		s->lower = fmin( s->lower, width - error );
		if ( width + error < s->best ) {
			s->best = width + error;
			for ( int k = 0; k < 3; ++k )
				s->way[k] = sign * rounded[k] / length;
		}
	}
}

// A lower bound in doubles of the width along the product of two edges whose arcs cross: the distance of the parallel
// planes through both. The product is off by 8 u |p| |q| and more if edges are small beside coordinates, which are off
// by u S.
static double width_below( const search *s, const edge *p, const edge *q ) {
	double n[3], between[3];
	dbvhi_cross3( p->along, q->along, n );
	const double length = dbvhi_length3( n );
	const double size_p = dbvhi_length3( p->along ), size_q = dbvhi_length3( q->along );
	const double off = 0x1p-48 * ( size_p * size_q + s->size * ( size_p + size_q ) );
	if ( !( length > 2.0 * off ) )
		return -INFINITY;
	for ( int k = 0; k < 3; ++k )
		between[k] = s->h[0].at[3 * (size_t)p->from + (size_t)k] - s->h[1].at[3 * (size_t)q->from + (size_t)k];
	return fabs( dbvhi_dot3( n, between ) ) / length - 4.0 * s->size * ( off / length + 0x1p-48 );
}

// True unless the arcs of two edges on the Gauss maps, or one and the opposite of the other, certainly do not cross.
// Normals are off by less than LAX; one that is zero excludes nothing.
#define LAX 0x1p-20
static bool may_cross( const edge *p, const edge *q ) {
	double pc[3], qc[3];
	dbvhi_cross3( p->normal[0], p->normal[1], pc );
	dbvhi_cross3( q->normal[0], q->normal[1], qc );
	const double c = dbvhi_dot3( q->normal[0], pc ), d = dbvhi_dot3( q->normal[1], pc );
	const double a = dbvhi_dot3( p->normal[0], qc ), b = dbvhi_dot3( p->normal[1], qc );
	return !( ( c > LAX && d > LAX ) || ( c < -LAX && d < -LAX ) || ( a > LAX && b > LAX ) ||
	          ( a < -LAX && b < -LAX ) );
}

static void measure_face( search *s, const hull *h, const face *f ) {
	const vec_dd p = sub_dd( &h->exact[f->corner[1]], &h->exact[f->corner[0]] );
	const vec_dd q = sub_dd( &h->exact[f->corner[2]], &h->exact[f->corner[0]] );
	measure_product( s, &p, &q );
}

static void measure_edges( search *s, const edge *p, const edge *q ) {
	const vec_dd u = sub_dd( &s->h[0].exact[p->to], &s->h[0].exact[p->from] );
	const vec_dd v = sub_dd( &s->h[1].exact[q->to], &s->h[1].exact[q->from] );
	measure_product( s, &u, &v );
}

// Measure faces, then pairs of edges that may be as near. False if the budget is spent.
static bool measure_all( search *s, dbvhi_meter *meter ) {
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		for ( size_t i = 0; i < s->h[mesh].face_count; ++i ) {
			measure_face( s, &s->h[mesh], &s->h[mesh].faces[i] );
			if ( !dbvhi_meter_charge( meter, 1 + ( s->h[0].point_count + s->h[1].point_count ) / 8 ) )
				return false;
		}
	}
	for ( size_t i = 0; i < s->h[0].edge_count; ++i ) {
		const edge *p = &s->h[0].edges[i];
		for ( size_t k = 0; k < s->h[1].edge_count; ++k ) {
			const edge *q = &s->h[1].edges[k];
			if ( may_cross( p, q ) && width_below( s, p, q ) <= s->best )
				measure_edges( s, p, q );
		}
		if ( !dbvhi_meter_charge( meter, 1 + s->h[1].edge_count / 4 ) )
			return false;
	}
	return true;
}

dbvh_status dbvhi_convex_depth_find( const dbvhi_solid_pair *pair, dbvhi_convex_depth *out, bool *found_out ) {
	*found_out = false;
	const dbvhi_topology *t[2] = { pair->pair.fixed->topology, pair->pair.moved->topology };
	// note: products of four lengths and their errors must be ordinary numbers.
	if ( !( pair->size > 0x1p-200 && pair->size < 0x1p200 ) || t[0]->edge_count > MOST_EDGE_PAIRS / t[1]->edge_count ||
	     !is_convex( &pair->solid[0] ) || !is_convex( &pair->solid[1] ) )
		return DBVH_OK;
	const dbvh_allocator *allocator = &pair->workspace->allocator;
	search s = { .size = pair->size, .best = INFINITY, .lower = INFINITY };
	const bool made = hull_make( &s.h[0], &pair->solid[0], NULL, allocator ) &&
	                  hull_make( &s.h[1], &pair->solid[1], &pair->pair.pose, allocator );
	if ( made && measure_all( &s, pair->meter ) ) {
		// note: the sums of widths that are left out round up by less than the number of faces, times u.
		s.left_out *= 1.0 + 0x1p-20;
		out->depth = ( dbvh_interval ){ fmax( ( s.lower - s.left_out ) * ( 1.0 - 0x1p-51 ), 0.0 ), s.best };
		memcpy( out->direction, s.way, sizeof s.way );
		*found_out = isfinite( s.best );
	}
	for ( int mesh = 0; mesh < 2; ++mesh )
		hull_free( &s.h[mesh], allocator );
	return made ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

// ------------------------------------------------------------------------------------------------
// Solids that are almost convex
//
// Let no point be more than e above the plane of any triangle. Then a point of the surface is within e of the boundary
// of the hull H of all points, and the part of H that is deeper than e, which is convex, is inside the solid as a whole
// or not at all. With a ball of radius r about a point c in H, H shrunk towards c by the factor 1 - e / r is in that
// part: its points have moved by at most D e / r, D the diameter of H. So the widths of the solid's part are less than
// those of H by that much at most, and so is the depth.

// The most that any point is above the plane of a triangle, rounded up; INFINITY if that is more than `limit`.
static double bulge_of( const dbvhi_solid *solid, double limit ) {
	const dbvh_tree *tree = solid->placed.tree;
	const dbvhi_topology *t = tree->topology;
	const double error = 0x1p-48 * tree->largest;
	double most = 0.0, mean[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < t->point_count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mean[k] += t->position[3 * i + (size_t)k] / (double)t->point_count;
	}
	for ( size_t i = 0; i < t->triangle_count; ++i ) {
		const double *c = tree->corners + 9 * (size_t)tree->leaf[i];
		double ab[3], ac[3], in[3], n[3], above = -INFINITY;
		for ( int k = 0; k < 3; ++k ) {
			ab[k] = c[3 + k] - c[k];
			ac[k] = c[6 + k] - c[k];
			in[k] = mean[k] - c[k];
		}
		dbvhi_cross3( ab, ac, n );
		const double length = dbvhi_length3( n ), size = dbvhi_length3( ab ) * dbvhi_length3( ac );
		if ( t->degenerate[i] || !( length > 0x1p-40 * size ) )
			return INFINITY;
		const double turn = ( dbvhi_dot3( n, in ) > 0.0 ? -1.0 : 1.0 ) / length, base = turn * dbvhi_dot3( n, c );
		for ( size_t k = 0; k < t->point_count; ++k )
			above = fmax( above, turn * dbvhi_dot3( n, t->position + 3 * k ) - base );
		most = fmax( most, above + error + 0x1p-48 * size / length * tree->largest );
		if ( !dbvhi_meter_charge( solid->meter, 1 + t->point_count / 16 ) || !( most < limit ) )
			return INFINITY;
	}
	return most;
}

static double defect_of( const dbvhi_solid *solid, double size ) {
	const dbvh_tree *tree = solid->placed.tree;
	const dbvhi_topology *t = tree->topology;
	if ( t->has_sheets || tree->twins != NULL || t->point_count > MOST_SIDE_TESTS / t->triangle_count )
		return INFINITY;
	const double bulge = bulge_of( solid, 0x1p-10 * tree->largest );
	if ( !( bulge < INFINITY ) )
		return INFINITY;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	double centre[3];
	for ( int k = 0; k < 3; ++k )
		centre[k] = solid->placed.pose == NULL
		                ? stats.sphere.centre[k]
		                : dbvhi_dot3( solid->placed.pose->rot[k], stats.sphere.centre ) + solid->placed.pose->pos[k];
	const dbvhi_near near = dbvhi_solid_near( solid, centre, UINT32_MAX, INFINITY );
	if ( !( near.low > 4.0 * bulge ) || !dbvhi_solid_holds( solid, centre, &near ) )
		return INFINITY;
	// note: a pose may stretch lengths a little; twice the size of both is more than any diameter.
	return 4.0 * size * ( 1.0 + 0x1p-10 ) * bulge / near.low;
}

double dbvhi_convex_defect( const dbvhi_solid_pair *pair ) {
	const double fixed = defect_of( &pair->solid[0], pair->size );
	return isfinite( fixed ) ? fixed + defect_of( &pair->solid[1], pair->size ) : fixed;
}
