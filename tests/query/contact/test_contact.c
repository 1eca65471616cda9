// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts against the oracle, and against what their header promises.

#include "contact_oracle.h"
#include "dualbvh/isa.h"
#include "math/pose.h"
#include "support/data.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

#define PI 3.14159265358979323846

typedef struct stage {
	const char *what;
	const shape *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	bool embedded; // neither mesh touches itself but along its edges, and no triangle is degenerate
} stage;

typedef struct seen {
	size_t scenes, meeting, apart, generic, contacts, points, segments, polygons, polylines, closed, open, boundary,
	    isolated, clusters, directed, clear_polygons;
	double worst_length;
} seen;

static bool has_point( const dbvh_contacts_view *v, uint32_t contact, uint32_t point ) {
	for ( uint32_t k = 0; k < v->contacts[contact].corner_count; ++k ) {
		if ( v->corners[v->contacts[contact].first_corner + k] == point )
			return true;
	}
	return false;
}

static void normal_in( const shape *s, uint32_t triangle, const dbvh_pose *pose, double out[3] ) {
	double p[3][3];
	for ( int i = 0; i < 3; ++i ) {
		const double *x = s->positions + 3 * (size_t)s->indices[3 * (size_t)triangle + (size_t)i];
		for ( int k = 0; k < 3; ++k ) {
			p[i][k] = x[k];
			if ( pose != NULL )
				p[i][k] = pose->rot[k][0] * x[0] + pose->rot[k][1] * x[1] + pose->rot[k][2] * x[2] + pose->pos[k];
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out[k] = ( p[1][i] - p[0][i] ) * ( p[2][j] - p[0][j] ) - ( p[1][j] - p[0][j] ) * ( p[2][i] - p[0][i] );
	}
}

// Do the numbers of a view fit together?
static void check_view( const stage *t, const dbvh_contacts_view *v ) {
	size_t corner = 0, next_cluster = 0, next_point = 0;
	for ( uint32_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		// Clusters and points are numbered as contacts first name them.
		assert_true( c->cluster <= next_cluster );
		next_cluster += c->cluster == next_cluster;
		assert_true( i == 0 || c[-1].pair.a < c->pair.a || ( c[-1].pair.a == c->pair.a && c[-1].pair.b < c->pair.b ) );
		assert_int_equal( c->first_corner, corner );
		corner += c->corner_count;
		assert_true( c->kind == DBVH_CONTACT_KIND_POINT     ? c->corner_count == 1
		             : c->kind == DBVH_CONTACT_KIND_SEGMENT ? c->corner_count == 2
		                                                    : c->corner_count >= 3 && c->corner_count <= 6 );
		for ( uint32_t k = 0; k < c->corner_count; ++k ) {
			const uint32_t *named = v->corners + c->first_corner;
			assert_int_equal( v->points[named[k]].cluster, c->cluster );
			assert_true( named[k] <= next_point );
			next_point += named[k] == next_point;
			for ( uint32_t l = 0; l < k; ++l )
				assert_int_not_equal( named[k], named[l] );
		}
	}
	assert_int_equal( v->corner_count, corner );
	assert_int_equal( v->cluster_count, next_cluster );
	assert_int_equal( v->point_count, next_point );
	uint32_t *ends = calloc( v->point_count + 1, sizeof *ends );
	assert_non_null( ends );
	size_t entries = 0;
	uint32_t before = 0; // the lowest contact of the polyline before
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const dbvh_polyline *line = &v->polylines[i];
		entries += line->point_count;
		uint32_t lowest = UINT32_MAX;
		for ( size_t k = 0; k < line->point_count; ++k )
			lowest = v->path[line->first + k].contact < lowest ? v->path[line->first + k].contact : lowest;
		assert_true( i == 0 || line[-1].cluster < line->cluster ||
		             ( line[-1].cluster == line->cluster && before <= lowest ) );
		before = lowest;
		assert_false( line->kind == DBVH_POLYLINE_KIND_BOUNDARY && line->directed );
		double length = 0.0;
		for ( size_t k = 0; k < line->point_count; ++k ) {
			const dbvh_path_entry *e = &v->path[line->first + k];
			assert_int_equal( v->points[e->point].cluster, line->cluster );
			if ( k + 1 == line->point_count && !line->closed ) {
				assert_int_equal( e->contact, UINT32_MAX );
				continue;
			}
			const uint32_t to = v->path[k + 1 < line->point_count ? line->first + k + 1 : line->first].point;
			assert_true( has_point( v, e->contact, e->point ) && has_point( v, e->contact, to ) );
			ends[e->point] += 1;
			ends[to] += 1;
			double sq = 0.0;
			for ( int d = 0; d < 3; ++d ) {
				const double x = v->points[to].position[d] - v->points[e->point].position[d];
				sq += x * x;
			}
			length += sqrt( sq );
		}
		// Squares of lengths around 2^-900 underflow here.
		if ( line->length > 1e-100 && line->length < 1e100 )
			assert_true( fabs( length - line->length ) <= 1e-9 * length );
		if ( !line->closed ) {
			assert_int_not_equal( v->points[v->path[line->first].point].steps, 2 );
			assert_int_not_equal( v->points[v->path[line->first + line->point_count - 1].point].steps, 2 );
		}
	}
	assert_int_equal( entries, v->path_count );
	size_t contacts = 0, points = 0, polylines = 0;
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		const dbvh_cluster *c = &v->clusters[i];
		assert_int_equal( c->first_polyline, polylines );
		contacts += c->contact_count;
		points += c->point_count;
		polylines += c->polyline_count;
		assert_true( c->triangle_count_a >= 1 && c->triangle_count_b >= 1 );
		assert_true( c->triangle_count_a * c->triangle_count_b >= c->contact_count );
	}
	assert_int_equal( contacts, v->contact_count );
	assert_int_equal( points, v->point_count );
	assert_int_equal( polylines, v->polyline_count );
	for ( size_t i = 0; i < v->point_count; ++i ) {
		const dbvh_contact_point *p = &v->points[i];
		assert_int_equal( p->steps, ends[i] );
		for ( int k = 0; k < 3; ++k ) {
			assert_true( v->clusters[p->cluster].bounds.min[k] <= p->position[k] );
			assert_true( v->clusters[p->cluster].bounds.max[k] >= p->position[k] );
		}
		assert_true( p->a.triangle < t->a->triangle_count && p->b.triangle < t->b->triangle_count );
		if ( p->a.kind == DBVH_FEATURE_KIND_VERTEX ) {
			const double *x = t->a->positions + 3 * (size_t)t->a->indices[3 * (size_t)p->a.triangle + p->a.index];
			for ( int k = 0; k < 3; ++k )
				assert_true( x[k] == p->position[k] );
		}
	}
	free( ends );
}

// Directed polylines run along n_A x n_B, and corners of polygons go round n_A.
static void check_directions( const stage *t, const dbvh_contacts_view *v, seen *s ) {
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_pose b_in_a =
	    dbvh_pose_relative( t->pose_a != NULL ? t->pose_a : &identity, t->pose_b != NULL ? t->pose_b : &identity );
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const dbvh_polyline *line = &v->polylines[i];
		const size_t steps = line->closed ? line->point_count : line->point_count - 1;
		for ( size_t k = 0; line->directed && k < steps; ++k ) {
			const dbvh_path_entry *e = &v->path[line->first + k];
			const uint32_t to = v->path[k + 1 < line->point_count ? line->first + k + 1 : line->first].point;
			double na[3], nb[3], dot = 0.0, size = 0.0;
			normal_in( t->a, v->contacts[e->contact].pair.a, NULL, na );
			normal_in( t->b, v->contacts[e->contact].pair.b, &b_in_a, nb );
			for ( int d = 0; d < 3; ++d ) {
				const double x = v->points[to].position[d] - v->points[e->point].position[d];
				const double cross = na[( d + 1 ) % 3] * nb[( d + 2 ) % 3] - na[( d + 2 ) % 3] * nb[( d + 1 ) % 3];
				dot += x * cross;
				size += fabs( x ) * ( fabs( na[( d + 1 ) % 3] * nb[( d + 2 ) % 3] ) +
				                      fabs( na[( d + 2 ) % 3] * nb[( d + 1 ) % 3] ) );
			}
			assert_true( dot >= -1e-9 * size );
		}
		s->directed += line->directed;
	}
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		if ( c->kind != DBVH_CONTACT_KIND_POLYGON )
			continue;
		double n[3], sum[3] = { 0, 0, 0 }, dot = 0.0;
		normal_in( t->a, c->pair.a, NULL, n );
		const double *o = v->points[v->corners[c->first_corner]].position;
		for ( uint32_t k = 1; k + 1 < c->corner_count; ++k ) {
			const double *p = v->points[v->corners[c->first_corner + k]].position;
			const double *q = v->points[v->corners[c->first_corner + k + 1]].position;
			double fan = 0.0;
			for ( int d = 0; d < 3; ++d ) {
				const int x = ( d + 1 ) % 3, y = ( d + 2 ) % 3;
				const double part = ( p[x] - o[x] ) * ( q[y] - o[y] ) - ( p[y] - o[y] ) * ( q[x] - o[x] );
				fan += part * n[d];
				sum[d] += part;
			}
			assert_true( fan > -1e-12 ); // convex, in order
		}
		for ( int d = 0; d < 3; ++d )
			dot += sum[d] * n[d];
		// A sliver may have lost its area to the rounding of its corners.
		assert_true( dot > -1e-12 );
		s->clear_polygons += dot > 1e-6;
	}
}

static void check_oracle( const stage *t, const dbvh_contacts_view *v, seen *s ) {
	dbvhi_relative_pose relative;
	assert_int_equal( dbvhi_pose_relate( t->pose_a, t->pose_b, &relative ), DBVH_OK );
	const dbvh_mesh_view a = shape_view( t->a ), b = shape_view( t->b );
	oracle_contacts *o = oracle_contacts_find( &a, &b, &relative.frame_from_moved, relative.a_moves );
	assert_int_equal( v->contact_count, o->contact_count );
	// For each point the number of the oracle's point that it is.
	uint32_t *same = malloc( ( v->point_count + 1 ) * sizeof *same );
	assert_non_null( same );
	memset( same, 0xff, ( v->point_count + 1 ) * sizeof *same );
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		const oracle_contact *truth = &o->contacts[i];
		assert_int_equal( c->pair.a, truth->pair.a );
		assert_int_equal( c->pair.b, truth->pair.b );
		if ( t->embedded )
			assert_int_equal( c->corner_count, truth->count );
		uint32_t met = 0;
		for ( uint32_t k = 0; k < c->corner_count; ++k ) {
			const uint32_t point = v->corners[c->first_corner + k];
			bool found = false;
			// Two exact points may round to the same: first those not met yet.
			for ( int attempt = 0; attempt < ( t->embedded ? 1 : 2 ) * truth->count && !found; ++attempt ) {
				const int j = attempt % truth->count;
				if ( same[point] != UINT32_MAX && same[point] != truth->points[j] )
					continue;
				if ( attempt < truth->count && ( met & 1U << j ) != 0 )
					continue;
				if ( oracle_is_nearest( o, truth->points[j], v->points[point].position ) ) {
					same[point] = truth->points[j];
					met |= 1U << j;
					found = true;
				}
			}
			if ( !found )
				fail_msg( "%s: contact %zu (%u, %u): corner %u is no corner", t->what, i, c->pair.a, c->pair.b, k );
		}
		// Every end is met, though a degenerate triangle's may be met twice.
		assert_int_equal( met, ( 1U << truth->count ) - 1 );
	}
	free( same );
	s->generic += o->generic && v->contact_count > 0;
	if ( t->embedded ) {
		size_t closed = 0, steps = 0;
		double length = 0.0, area = 0.0;
		for ( size_t i = 0; i < v->polyline_count; ++i ) {
			closed += v->polylines[i].closed;
			steps += v->polylines[i].point_count - !v->polylines[i].closed;
		}
		for ( size_t i = 0; i < v->cluster_count; ++i ) {
			length += v->clusters[i].length;
			area += v->clusters[i].area;
		}
		assert_int_equal( v->point_count, o->point_count );
		assert_int_equal( steps, o->step_count );
		assert_int_equal( v->polyline_count, o->polyline_count );
		assert_int_equal( closed, o->closed_count );
		assert_int_equal( v->cluster_count, o->cluster_count );
		const double off = o->length > 0.0 ? fabs( length - o->length ) / o->length : length;
		s->worst_length = fmax( s->worst_length, off );
		assert_true( off < 1e-11 );
		assert_true( fabs( area - o->area ) <= 1e-11 * o->area );
		if ( o->generic )
			assert_int_equal( closed, v->polyline_count );
	}
	oracle_contacts_free( o );
}

static uint64_t mix( uint64_t h, uint64_t x ) {
	h = ( h ^ x ) * UINT64_C( 0x9e3779b97f4a7c15 );
	return h ^ ( h >> 31 );
}

static uint64_t mix_feature( uint64_t h, dbvh_feature f ) {
	return mix( mix( mix( h, f.triangle ), f.kind ), f.index );
}

static uint64_t mix_double( uint64_t h, double x ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	return mix( h, bits );
}

// Everything in a view, in order.
static uint64_t digest( const dbvh_contacts_view *v ) {
	uint64_t h = 1;
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		h = mix( mix( mix( mix( h, c->pair.a ), c->pair.b ), c->kind ), c->cluster );
		for ( uint32_t k = 0; k < c->corner_count; ++k )
			h = mix( h, v->corners[c->first_corner + k] );
	}
	for ( size_t i = 0; i < v->point_count; ++i ) {
		h = mix_feature( mix_feature( h, v->points[i].a ), v->points[i].b );
		h = mix( mix( h, v->points[i].steps ), v->points[i].cluster );
		for ( int k = 0; k < 3; ++k )
			h = mix_double( h, v->points[i].position[k] );
	}
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const dbvh_polyline *l = &v->polylines[i];
		h = mix_double( mix( mix( mix( h, l->first ), l->point_count ), l->kind ), l->length );
		h = mix( mix( mix( h, l->cluster ), l->closed ), l->directed );
	}
	for ( size_t i = 0; i < v->path_count; ++i )
		h = mix( mix( h, v->path[i].point ), v->path[i].contact );
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		const dbvh_cluster *c = &v->clusters[i];
		h = mix_double( mix_double( h, c->length ), c->area );
		h = mix( mix( mix( h, c->triangle_count_a ), c->triangle_count_b ), c->point_count );
	}
	return h;
}

// A hash of everything that swapping the meshes must not change, with A's and B's parts in their own places; a sum over
// points, so that the order does not matter.
static uint64_t unordered( const dbvh_contacts_view *v, bool swapped, bool with_positions ) {
	uint64_t sum = mix( mix( mix( 7, v->contact_count ), v->polyline_count ), v->cluster_count );
	for ( size_t i = 0; i < v->point_count; ++i ) {
		const dbvh_contact_point *p = &v->points[i];
		uint64_t h = mix_feature( mix_feature( 1, swapped ? p->b : p->a ), swapped ? p->a : p->b );
		h = mix( h, p->steps );
		for ( int k = 0; with_positions && k < 3; ++k )
			h = mix_double( h, p->position[k] );
		sum += h;
	}
	for ( size_t i = 0; i < v->polyline_count; ++i )
		sum += mix( mix( mix( mix( 3, v->polylines[i].point_count ), v->polylines[i].closed ), v->polylines[i].kind ),
		            v->polylines[i].directed );
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		const dbvh_cluster *c = &v->clusters[i];
		sum += mix( mix( mix( 5, c->contact_count ), swapped ? c->triangle_count_b : c->triangle_count_a ),
		            swapped ? c->triangle_count_a : c->triangle_count_b );
	}
	return sum;
}

static void check_stage( const stage *t, dbvh_contacts *contacts, seen *s ) {
	dbvh_tree *a = tree_with_topology( t->a ), *b = tree_with_topology( t->b );
	assert_int_equal( dbvh_contacts_find( a, t->pose_a, b, t->pose_b, NULL, contacts, NULL ), DBVH_OK );
	const dbvh_contacts_view v = dbvh_contacts_get( contacts );
	s->scenes += 1;
	s->meeting += v.contact_count > 0;
	s->apart += v.contact_count == 0;
	s->contacts += v.contact_count;
	s->points += v.point_count;
	s->polylines += v.polyline_count;
	s->clusters += v.cluster_count;
	for ( size_t i = 0; i < v.contact_count; ++i ) {
		s->segments += v.contacts[i].kind == DBVH_CONTACT_KIND_SEGMENT;
		s->polygons += v.contacts[i].kind == DBVH_CONTACT_KIND_POLYGON;
	}
	for ( size_t i = 0; i < v.point_count; ++i )
		s->isolated += v.points[i].steps == 0;
	for ( size_t i = 0; i < v.polyline_count; ++i ) {
		s->closed += v.polylines[i].closed;
		s->open += !v.polylines[i].closed;
		s->boundary += v.polylines[i].kind == DBVH_POLYLINE_KIND_BOUNDARY;
	}
	check_view( t, &v );
	if ( t->embedded )
		check_directions( t, &v, s );
	check_oracle( t, &v, s );

	const bool one_frame = t->pose_a == NULL && t->pose_b == NULL;
	const uint64_t straight = unordered( &v, false, one_frame );
	assert_int_equal( dbvh_contacts_find( b, t->pose_b, a, t->pose_a, NULL, contacts, NULL ), DBVH_OK );
	const dbvh_contacts_view w = dbvh_contacts_get( contacts );
	check_view( &( stage ){ t->what, t->b, t->a, t->pose_b, t->pose_a, t->embedded }, &w );
	if ( t->embedded || one_frame )
		assert_true( straight == unordered( &w, true, one_frame ) );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

static void print_seen( const char *what, const seen *s ) {
	printf(
	    "%s: %zu scenes (%zu meeting, %zu in general position), %zu contacts (%zu segments, %zu polygons), %zu points "
	    "(%zu isolated), %zu polylines (%zu closed, %zu open, %zu boundaries, %zu directed), %zu clusters, length off "
	    "by %.1e at worst\n",
	    what, s->scenes, s->meeting, s->generic, s->contacts, s->segments, s->polygons, s->points, s->isolated,
	    s->polylines, s->closed, s->open, s->boundary, s->directed, s->clusters, s->worst_length );
}

// ------------------------------------------------------------------------------------------------
// Families

// A closed body of a random kind, about as large as 1.
static void add_body( shape *s, rng *r ) {
	switch ( rng_below( r, 4 ) ) {
	case 0:
		shape_add_sphere( s, rng_range( r, 0.5, 1.0 ), 5 + (uint32_t)rng_below( r, 12 ),
		                  4 + (uint32_t)rng_below( r, 8 ) );
		break;
	case 1:
		shape_add_box( s, rng_range( r, 0.3, 1.0 ), rng_range( r, 0.3, 1.0 ), rng_range( r, 0.3, 1.0 ),
		               1 + (uint32_t)rng_below( r, 4 ) );
		break;
	case 2:
		shape_add_torus( s, 0.8, rng_range( r, 0.15, 0.4 ), 6 + (uint32_t)rng_below( r, 14 ),
		                 4 + (uint32_t)rng_below( r, 8 ) );
		break;
	default: {
		const double c[3] = { 0, 0, 0 }, h[3] = { 0.7, 0.5, 0.9 };
		const uint32_t cells[3] = { 3, 4, 2 };
		shape_add_cushion( s, c, h, cells, rng_unit( r ) );
		break;
	}
	}
}

static void test_general_position( void **state ) {
	(void)state;
	rng r = rng_announce( "general position", 20261121 );
	dbvh_contacts *contacts = new_contacts();
	seen s = { 0 };
	const size_t count = rounds( 240 );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		add_body( &a, &r );
		add_body( &b, &r );
		const dbvh_pose pose_a = random_pose( &r, 0.8 ), pose_b = random_pose( &r, 0.8 );
		const stage t = { "general position", &a, &b, i % 3 == 0 ? NULL : &pose_a, i % 3 == 1 ? NULL : &pose_b, true };
		check_stage( &t, contacts, &s );
		shape_free( &a );
		shape_free( &b );
	}
	print_seen( "general position", &s );
	// A random pose puts nothing on anything, so everything is a closed curve.
	assert_true( s.generic == s.meeting && s.open == 0 && s.polygons == 0 && s.directed == s.polylines );
	// A few may all intersect: the sanitizers are given a tenth.
	assert_outcomes( s.meeting > count / 2 && ( s.apart > 0 || count < 100 ) && s.polylines > s.meeting );
	dbvh_contacts_destroy( contacts );
}

// Boxes on a grid: shared faces, edges and vertices, aligned overlap, one inside the other, the same.
static void test_boxes_on_a_grid( void **state ) {
	(void)state;
	rng r = rng_announce( "boxes on a grid", 4 );
	dbvh_contacts *contacts = new_contacts();
	seen s = { 0 };
	const size_t count = rounds( 400 );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		shape_add_box( &a, (double)( 1 + rng_below( &r, 2 ) ), 1.0, (double)( 1 + rng_below( &r, 2 ) ),
		               1 + (uint32_t)rng_below( &r, 2 ) );
		shape_add_box( &b, 1.0, (double)( 1 + rng_below( &r, 2 ) ), 1.0, 1 + (uint32_t)rng_below( &r, 3 ) );
		// Moved by whole and half sides, or turned by quarters.
		dbvh_pose pose = exact_pose( &r, 0.0 );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = 0.5 * ( (double)rng_below( &r, 13 ) - 6.0 );
		const dbvh_pose other = exact_pose( &r, 1.0 );
		const stage t = { "boxes on a grid", &a, &b, i % 4 == 3 ? &other : NULL, &pose, true };
		check_stage( &t, contacts, &s );
		shape_free( &a );
		shape_free( &b );
	}
	print_seen( "boxes on a grid", &s );
	assert_outcomes( 2 * s.clear_polygons > s.polygons );
	assert_outcomes( s.apart > 0 && s.polygons > 0 && s.boundary > 0 && s.isolated > 0 && s.open > 0 && s.closed > 0 );
	dbvh_contacts_destroy( contacts );
}

// Tetrahedra with corners on a small grid: every kind of coincidence.
static void test_tetrahedra_on_a_grid( void **state ) {
	(void)state;
	rng r = rng_announce( "tetrahedra on a grid", 5 );
	dbvh_contacts *contacts = new_contacts();
	seen s = { 0 };
	const size_t count = rounds( 3000 );
	for ( size_t i = 0; i < count; ++i ) {
		shape two[2] = { { 0 }, { 0 } };
		for ( int side = 0; side < 2; ++side ) {
			double p[4][3], det;
			do {
				for ( int k = 0; k < 12; ++k )
					p[k / 3][k % 3] = (double)rng_below( &r, 4 );
				double u[3][3];
				for ( int k = 0; k < 9; ++k )
					u[k / 3][k % 3] = p[1 + k / 3][k % 3] - p[0][k % 3];
				det = u[0][0] * ( u[1][1] * u[2][2] - u[1][2] * u[2][1] ) -
				      u[0][1] * ( u[1][0] * u[2][2] - u[1][2] * u[2][0] ) +
				      u[0][2] * ( u[1][0] * u[2][1] - u[1][1] * u[2][0] );
			} while ( det == 0.0 );
			for ( int k = 0; k < 4; ++k )
				shape_vertex( &two[side], p[k][0], p[k][1], p[k][2] );
			const uint32_t x = det > 0.0 ? 2 : 1, y = 3 - x;
			shape_triangle( &two[side], 0, x, y );
			shape_triangle( &two[side], 0, y, 3 );
			shape_triangle( &two[side], y, x, 3 );
			shape_triangle( &two[side], x, 0, 3 );
		}
		const dbvh_pose pose = exact_pose( &r, 1.0 ), other = exact_pose( &r, 1.0 );
		const stage t = { "tetrahedra", &two[0], &two[1], i % 3 == 2 ? &other : NULL, i % 3 >= 1 ? &pose : NULL, true };
		check_stage( &t, contacts, &s );
		shape_free( &two[0] );
		shape_free( &two[1] );
	}
	print_seen( "tetrahedra on a grid", &s );
	assert_outcomes( s.apart > 0 && s.generic > 0 && s.polygons > 0 && s.isolated > 0 && s.open > 0 );
	dbvh_contacts_destroy( contacts );
}

// Unrelated triangles, degenerate ones among them: what each pair shares, exactly.
static void test_soup( void **state ) {
	(void)state;
	rng r = rng_announce( "soup", 6 );
	dbvh_contacts *contacts = new_contacts();
	seen s = { 0 };
	const size_t count = rounds( 300 );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		const bool grid = i % 2 == 0;
		add_soup( &a, &r, 12, 0.8, 0.4, grid );
		add_soup( &b, &r, 12, 0.8, 0.4, grid );
		const dbvh_pose pose = grid ? exact_pose( &r, 0.5 ) : random_pose( &r, 0.5 );
		const dbvh_pose other = grid ? exact_pose( &r, 0.5 ) : sheared( &r, random_pose( &r, 0.5 ), 1.8e-6 );
		const int exponent = i % 5 == 4 ? ( i % 2 == 0 ? 400 : -900 ) : 0;
		shape scaled_a = scaled_copy( &a, exponent ), scaled_b = scaled_copy( &b, exponent );
		dbvh_pose scaled = pose;
		for ( int k = 0; k < 3; ++k )
			scaled.pos[k] = ldexp( pose.pos[k], exponent );
		const stage t = {
		    "soup", &scaled_a, &scaled_b, i % 3 == 2 && exponent == 0 ? &other : NULL, i % 3 == 0 ? NULL : &scaled,
		    false };
		check_stage( &t, contacts, &s );
		shape_free( &a );
		shape_free( &b );
		shape_free( &scaled_a );
		shape_free( &scaled_b );
	}
	print_seen( "soup", &s );
	assert_outcomes( s.meeting > 0 && s.isolated > 0 && s.segments > 0 );
	dbvh_contacts_destroy( contacts );
}

// Triangles in one plane, and a few across it.
static void test_flat( void **state ) {
	(void)state;
	rng r = rng_announce( "flat", 10 );
	dbvh_contacts *contacts = new_contacts();
	seen s = { 0 };
	const size_t count = rounds( 300 );
	size_t corners[7] = { 0 };
	for ( size_t i = 0; i < count; ++i ) {
		shape two[2] = { { 0 }, { 0 } };
		for ( int side = 0; side < 2; ++side ) {
			for ( size_t k = 0; k < 6; ++k ) {
				uint32_t v[3];
				for ( int corner = 0; corner < 3; ++corner ) {
					const double x = coarse( &r ), y = coarse( &r );
					// The plane z = x - y / 2 but for a few corners.
					v[corner] = shape_vertex( &two[side], x, y,
					                          x - 0.5 * y + ( rng_below( &r, 9 ) == 0 ? coarse( &r ) : 0.0 ) );
				}
				shape_triangle( &two[side], v[0], v[1], v[2] );
			}
		}
		// The same pose for both, or one that keeps the plane.
		const dbvh_pose pose = exact_pose( &r, 1.0 );
		dbvh_pose slide = dbvh_pose_identity();
		slide.pos[0] = slide.pos[2] = 0.125;
		const stage t = {
		    "flat", &two[0], &two[1], i % 3 == 0 ? NULL : i % 3 == 1 ? &pose : &slide, i % 3 == 1 ? &pose : NULL,
		    false };
		check_stage( &t, contacts, &s );
		dbvh_tree *a = tree_with_topology( &two[0] ), *b = tree_with_topology( &two[1] );
		assert_int_equal( dbvh_contacts_find( a, t.pose_a, b, t.pose_b, NULL, contacts, NULL ), DBVH_OK );
		const dbvh_contacts_view v = dbvh_contacts_get( contacts );
		check_directions( &t, &v, &s );
		for ( size_t k = 0; k < v.contact_count; ++k )
			corners[v.contacts[k].corner_count] += 1;
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		shape_free( &two[0] );
		shape_free( &two[1] );
	}
	print_seen( "flat", &s );
	printf( "contacts by corners: %zu %zu %zu %zu %zu %zu\n", corners[1], corners[2], corners[3], corners[4],
	        corners[5], corners[6] );
	for ( int k = 1; k <= 6; ++k )
		assert_true( corners[k] > 0 );
	dbvh_contacts_destroy( contacts );
}

// ------------------------------------------------------------------------------------------------

// Two spheres of radius 1 whose centres are d apart meet in a circle of radius sqrt( 1 - d^2 / 4 ).
static void test_circles( void **state ) {
	(void)state;
	dbvh_contacts *contacts = new_contacts();
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 160, 80 );
	dbvh_tree *tree = tree_with_topology( &s );
	for ( int i = 1; i <= 6; ++i ) {
		const double d = 0.3 * i, direction[3] = { 0.6, 0.48, 0.64 };
		dbvh_pose pose = shape_pose( direction, 20.0 * i + 7.0, ( double[3] ){ 0.6 * d, 0.48 * d, 0.64 * d } );
		assert_int_equal( dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL ), DBVH_OK );
		const dbvh_contacts_view v = dbvh_contacts_get( contacts );
		const double expected = 2.0 * PI * sqrt( 1.0 - d * d / 4.0 );
		assert_int_equal( v.cluster_count, 1 );
		assert_int_equal( v.polyline_count, 1 );
		assert_true( v.polylines[0].closed && v.polylines[0].directed );
		printf( "distance %.1f: length %.6f, circle %.6f\n", d, v.clusters[0].length, expected );
		assert_true( fabs( v.clusters[0].length - expected ) < 4e-3 * expected );
		// Anticlockwise round what is inside the other sphere, seen from outside: the vector area points to B.
		double area[3] = { 0, 0, 0 }, dot = 0.0;
		for ( size_t k = 0; k < v.path_count; ++k ) {
			const double *p = v.points[v.path[k].point].position;
			const double *q = v.points[v.path[k + 1 < v.path_count ? k + 1 : 0].point].position;
			for ( int x = 0; x < 3; ++x )
				area[x] += 0.5 * ( p[( x + 1 ) % 3] * q[( x + 2 ) % 3] - p[( x + 2 ) % 3] * q[( x + 1 ) % 3] );
		}
		for ( int x = 0; x < 3; ++x )
			dot += area[x] * pose.pos[x];
		assert_true( dot > 0.0 );
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
	dbvh_contacts_destroy( contacts );
}

// The trap cases of PEERS, 2 x 2 x 2 boxes: what there is to say about each.
static void test_named_boxes( void **state ) {
	(void)state;
	static const struct {
		const char *what;
		double at[3];
		double length, area;
		size_t clusters, isolated;
	} cases[] = {
	    { "share a face", { 2, 0, 0 }, 8, 4, 1, 0 },  { "share half a face", { 2, 1, 0 }, 6, 2, 1, 0 },
	    { "share an edge", { 2, 2, 0 }, 2, 0, 1, 0 }, { "share a vertex", { 2, 2, 2 }, 0, 0, 1, 1 },
	    { "the same", { 0, 0, 0 }, 0, 24, 1, 0 },     { "a gap", { 2.0 + 0x1p-30, 0, 0 }, 0, 0, 0, 0 },
	    { "offset", { 1.5, 1.5, 1.5 }, 3, 0, 1, 0 },  { "half inside", { 1, 0.25, 0.25 }, 9, 0, 1, 0 },
	};
	dbvh_contacts *contacts = new_contacts();
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *tree = tree_with_topology( &s );
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		memcpy( pose.pos, cases[i].at, sizeof pose.pos );
		assert_int_equal( dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL ), DBVH_OK );
		const dbvh_contacts_view v = dbvh_contacts_get( contacts );
		double length = 0.0, area = 0.0;
		size_t isolated = 0;
		for ( size_t k = 0; k < v.cluster_count; ++k ) {
			length += v.clusters[k].length;
			area += v.clusters[k].area;
		}
		for ( size_t k = 0; k < v.point_count; ++k )
			isolated += v.points[k].steps == 0;
		if ( v.cluster_count != cases[i].clusters || fabs( length - cases[i].length ) > 1e-12 ||
		     fabs( area - cases[i].area ) > 1e-12 || ( cases[i].area == 0 && isolated != cases[i].isolated ) )
			fail_msg( "%s: %zu clusters, length %g, area %g, %zu isolated", cases[i].what, v.cluster_count, length,
			          area, isolated );
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
	dbvh_contacts_destroy( contacts );
}

// A closed mesh with a needle in it: the curve goes through the needle and stays closed.
static void test_needle_in_a_curve( void **state ) {
	(void)state;
	shape a = { 0 }, b = { 0 };
	// A box whose upper face has an edge from 1 to 2 with a point in the middle that only one side uses.
	shape_add_box( &a, 1, 1, 1, 1 );
	// Splits every triangle's first side by a needle: (p, q, r) becomes (p, m, r), (m, q, r) and the needle (p, q, m).
	shape split = { 0 };
	for ( size_t i = 0; i < a.vertex_count; ++i )
		shape_vertex( &split, a.positions[3 * i], a.positions[3 * i + 1], a.positions[3 * i + 2] );
	for ( size_t i = 0; i < a.triangle_count; ++i ) {
		const uint32_t *t = a.indices + 3 * i;
		const double *p = a.positions + 3 * (size_t)t[0], *q = a.positions + 3 * (size_t)t[1];
		// Near p, so that triangles with sides in common have points of their own.
		const double f = 0.25 + 0.0625 * (double)( i % 4 );
		const uint32_t m =
		    shape_vertex( &split, p[0] + f * ( q[0] - p[0] ), p[1] + f * ( q[1] - p[1] ), p[2] + f * ( q[2] - p[2] ) );
		shape_triangle( &split, t[0], m, t[2] );
		shape_triangle( &split, m, t[1], t[2] );
		shape_triangle( &split, t[0], t[1], m );
	}
	shape_add_box( &b, 0.9, 3, 3, 3 );
	dbvh_tree *tree_a = tree_with_topology( &split ), *tree_b = tree_with_topology( &b );
	dbvh_contacts *contacts = new_contacts();
	rng r = rng_announce( "needles", 7 );
	size_t zero = 0;
	for ( size_t i = 0; i < rounds( 100 ); ++i ) {
		const dbvh_pose pose = random_pose( &r, 0.3 );
		const bool swap = i % 2 == 1;
		assert_int_equal(
		    dbvh_contacts_find( swap ? tree_b : tree_a, NULL, swap ? tree_a : tree_b, &pose, NULL, contacts, NULL ),
		    DBVH_OK );
		const dbvh_contacts_view v = dbvh_contacts_get( contacts );
		assert_true( v.polyline_count > 0 );
		for ( size_t k = 0; k < v.polyline_count; ++k )
			assert_true( v.polylines[k].closed );
		for ( size_t k = 0; k < v.contact_count; ++k ) {
			const uint32_t *c = v.corners + v.contacts[k].first_corner;
			zero += v.contacts[k].kind == DBVH_CONTACT_KIND_SEGMENT &&
			        memcmp( v.points[c[0]].position, v.points[c[1]].position, 3 * sizeof( double ) ) == 0;
		}
	}
	printf( "segments of length 0: %zu\n", zero );
	assert_outcomes( zero > 0 );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	shape_free( &a );
	shape_free( &b );
	shape_free( &split );
}

// Every kernel and number of threads gives the same bytes.
static void test_same_everywhere( void **state ) {
	(void)state;
	static const char *const isas[] = { "avx512", "avx2", "neon", "baseline", "scalar" };
	shape a = { 0 }, b = { 0 };
	shape_add_torus( &a, 1.0, 0.4, 96, 48 );
	shape_add_torus( &b, 1.0, 0.3, 80, 40 );
	dbvh_tree *tree_a = tree_with_topology( &a ), *tree_b = tree_with_topology( &b );
	dbvh_contacts *contacts = new_contacts();
	rng r = rng_announce( "same everywhere", 8 );
	size_t loops = 0, tried = 0;
	for ( size_t i = 0; i < 6; ++i ) {
		const dbvh_pose pose = i == 0 ? dbvh_pose_identity() : random_pose( &r, 0.4 );
		uint64_t first = 0;
		for ( size_t k = 0; k < sizeof isas / sizeof isas[0]; ++k ) {
			if ( dbvh_isa_select( isas[k], NULL ) != DBVH_OK )
				continue;
			for ( uint32_t threads = 1; threads <= 4; threads += 3 ) {
				assert_int_equal( dbvh_contacts_find( tree_a, NULL, tree_b, &pose,
				                                      &( dbvh_contacts_query ){ .thread_count = threads }, contacts,
				                                      NULL ),
				                  DBVH_OK );
				const dbvh_contacts_view v = dbvh_contacts_get( contacts );
				const uint64_t now = digest( &v );
				assert_true( first == 0 || now == first );
				first = now;
				loops += v.polyline_count;
				tried += 1;
			}
		}
	}
	dbvh_isa_select( NULL, NULL );
	printf( "%zu runs, %zu polylines\n", tried, loops );
	assert_outcomes( tried >= 12 && loops > 0 );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	shape_free( &a );
	shape_free( &b );
}

static void test_refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_tree *with = tree_with_topology( &s ), *without = tree_of( &s, NULL );
	dbvh_contacts *contacts = new_contacts();
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 0.3;
	assert_int_equal( dbvh_contacts_find( with, NULL, with, &pose, NULL, contacts, NULL ), DBVH_OK );
	assert_true( dbvh_contacts_get( contacts ).contact_count > 0 );
	assert_int_equal( dbvh_contacts_find( with, NULL, without, &pose, NULL, contacts, NULL ), DBVH_NO_TOPOLOGY );
	assert_int_equal( dbvh_contacts_get( contacts ).contact_count, 0 );
	assert_int_equal( dbvh_contacts_find( without, NULL, with, &pose, NULL, contacts, NULL ), DBVH_NO_TOPOLOGY );
	assert_int_equal( dbvh_contacts_find( NULL, NULL, with, &pose, NULL, contacts, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_contacts_find( with, NULL, NULL, &pose, NULL, contacts, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_contacts_find( with, NULL, with, &pose, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	pose.pos[0] = NAN;
	assert_int_equal( dbvh_contacts_find( with, NULL, with, &pose, NULL, contacts, NULL ), DBVH_NOT_FINITE );
	pose = dbvh_pose_identity();
	pose.rot[0][0] = -1.0;
	assert_int_equal( dbvh_contacts_find( with, &pose, with, NULL, NULL, contacts, NULL ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_contacts_create( NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	ledger books = { 0 };
	dbvh_allocator half = ledger_allocator( &books );
	half.free = NULL;
	dbvh_contacts *none = contacts;
	dbvh_error error;
	assert_int_equal( dbvh_contacts_create( &half, &none, &error ), DBVH_INVALID_ARGUMENT );
	assert_true( none == NULL && error.text[0] != '\0' && books.calls == 0 );
	// A budget that is spent at once leaves nothing behind.
	const dbvh_budget little = { .max_work = 1 };
	const dbvh_contacts_query query = { .budget = &little };
	pose = dbvh_pose_identity();
	pose.pos[0] = 0.3;
	assert_int_equal( dbvh_contacts_find( with, NULL, with, &pose, &query, contacts, &error ), DBVH_BUDGET_SPENT );
	assert_int_equal( dbvh_contacts_get( contacts ).contact_count, 0 );
	assert_null( dbvh_contacts_get( NULL ).contacts );
	dbvh_contacts_destroy( NULL );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( with );
	dbvh_tree_destroy( without );
	shape_free( &s );
}

// Memory that runs out anywhere is reported and given back; what has grown is not asked for again.
static void test_memory( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 12 );
	dbvh_tree *tree = tree_with_topology( &s );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 1.0;
	uint64_t expected = 0;
	size_t failures = 0;
	for ( size_t fail_at = 1;; ++fail_at ) {
		ledger books = { .fail_at = fail_at };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_contacts *contacts = NULL;
		dbvh_status status = dbvh_contacts_create( &allocator, &contacts, NULL );
		if ( status == DBVH_OK ) {
			status = dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL );
			if ( status != DBVH_OK )
				assert_int_equal( dbvh_contacts_get( contacts ).contact_count, 0 );
			if ( status == DBVH_OK ) {
				const size_t calls = books.calls;
				for ( int again = 0; again < 2; ++again ) {
					assert_int_equal( dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL ), DBVH_OK );
					const dbvh_contacts_view v = dbvh_contacts_get( contacts );
					assert_true( expected == 0 || expected == digest( &v ) );
					expected = digest( &v );
				}
				assert_int_equal( books.calls, calls );
			} else {
				// The same object works once there is memory.
				books.fail_at = 0;
				assert_int_equal( dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL ), DBVH_OK );
			}
			dbvh_contacts_destroy( contacts );
		} else {
			assert_null( contacts );
		}
		assert_int_equal( books.live, 0 );
		assert_int_equal( books.mistakes, 0 );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		failures += 1;
	}
	printf( "%zu allocations failed one by one\n", failures );
	assert_true( failures > 15 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// Real bodies: closed manifolds in general position meet in closed curves, whatever they look like.
static void test_real( void **state ) {
	(void)state;
	static const char *const names[] = { "classics/spot.obj", "classics/rocker-arm.obj", "classics/horse.ply",
	                                     "stanford/happy_vrip_res4.ply", NULL };
	rng r = rng_announce( "real", 9 );
	dbvh_contacts *contacts = new_contacts();
	size_t closed_meshes = 0;
	for ( size_t i = 0; names[i] != NULL; ++i ) {
		dbvh_mesh *mesh = data_mesh( names[i] );
		if ( mesh == NULL )
			continue;
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		dbvh_mesh_audit_result audit;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
		const bool closed = audit.boundary_edge_count == 0 && audit.nonmanifold_edge_count == 0;
		closed_meshes += closed;
		dbvh_tree_options options = dbvh_tree_options_default();
		options.topology = true;
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
		const double size = stats.sphere.radius, *centre = stats.sphere.centre;
		for ( int k = 0; k < 3; ++k ) {
			// Turned about its centre.
			dbvh_pose pose = random_pose( &r, 0.05 * size );
			for ( int d = 0; d < 3; ++d ) {
				pose.pos[d] += centre[d];
				for ( int e = 0; e < 3; ++e )
					pose.pos[d] -= pose.rot[d][e] * centre[e];
			}
			if ( k == 0 ) { // a little beside itself: large counts
				pose = dbvh_pose_identity();
				for ( int d = 0; d < 3; ++d )
					pose.pos[d] = size * rng_range( &r, 0.002, 0.004 );
			}
			assert_int_equal( dbvh_contacts_find( tree, NULL, tree, &pose, NULL, contacts, NULL ), DBVH_OK );
			const dbvh_contacts_view v = dbvh_contacts_get( contacts );
			shape s = { 0 };
			for ( size_t p = 0; p < view.vertex_count; ++p ) {
				const double *x = (const double *)view.positions + 3 * p;
				shape_vertex( &s, x[0], x[1], x[2] );
			}
			for ( size_t p = 0; p < view.triangle_count; ++p ) {
				const uint32_t *x = (const uint32_t *)view.indices + 3 * p;
				shape_triangle( &s, x[0], x[1], x[2] );
			}
			seen seen_here = { 0 };
			const stage t = { names[i], &s, &s, NULL, &pose, true };
			check_view( &t, &v );
			check_directions( &t, &v, &seen_here );
			shape_free( &s );
			size_t open = 0;
			for ( size_t p = 0; p < v.polyline_count; ++p )
				open += !v.polylines[p].closed;
			printf( "%s: %zu contacts, %zu polylines (%zu open), %zu clusters\n", names[i], v.contact_count,
			        v.polyline_count, open, v.cluster_count );
			assert_true( v.contact_count > 100 );
			if ( closed && k > 0 )
				assert_int_equal( open, 0 );
		}
		dbvh_tree_destroy( tree );
		dbvh_mesh_destroy( mesh );
	}
	if ( closed_meshes == 0 )
		printf( "no real meshes here\n" );
	dbvh_contacts_destroy( contacts );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_named_boxes ),
	    cmocka_unit_test( test_circles ),
	    cmocka_unit_test( test_general_position ),
	    cmocka_unit_test( test_boxes_on_a_grid ),
	    cmocka_unit_test( test_tetrahedra_on_a_grid ),
	    cmocka_unit_test( test_soup ),
	    cmocka_unit_test( test_flat ),
	    cmocka_unit_test( test_needle_in_a_curve ),
	    cmocka_unit_test( test_same_everywhere ),
	    cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_memory ),
	    cmocka_unit_test( test_real ),
	};
	return test_main( argc, argv, tests );
}
