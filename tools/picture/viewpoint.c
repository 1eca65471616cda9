// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/viewpoint.h"

#include "picture/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 10, MOST_POINTS = 12 };

const double viewpoint_default[3] = { 2.0, -2.0, 1.55 };

typedef struct looking {
	const picture *p;
	const picture_clash *clash;
	const dbvh_tree *trees[2];
	dbvh_pose poses[2];
	double points[MOST_POINTS][3]; // points of contact
	size_t point_count;
	dbvh_workspace *workspace;
} looking;

// The parts of a clash that are seen from a direction, each from 0 to 1.
typedef struct sight {
	double bodies[2]; // share of the picture that each fills
	double contact;   // share of the points that nothing hides
} sight;

static double length_of( const double v[3] ) {
	return sqrt( v[0] * v[0] + v[1] * v[1] + v[2] * v[2] );
}

static void add_point( looking *l, const double x[3] ) {
	if ( l->point_count < MOST_POINTS )
		memcpy( l->points[l->point_count++], x, sizeof l->points[0] );
}

// Points of the contact, evenly taken from its lines and regions; the ends of the shortest way; or the clash's point.
static void find_points( looking *l ) {
	const picture *p = l->p;
	const picture_clash *c = l->clash;
	size_t total = 0, at = 0, next = 0;
	for ( size_t i = 0; i < c->line_count; ++i )
		total += p->lines[c->first_line + i].count;
	for ( size_t i = 0; i < c->region_count; ++i )
		total += p->regions[c->first_region + i].count;
	const size_t step = total / MOST_POINTS + 1;
	for ( size_t i = 0; i < c->line_count + c->region_count; ++i ) {
		const bool is_line = i < c->line_count;
		const picture_line *line = &p->lines[c->first_line + ( is_line ? i : 0 )];
		const picture_region *region = &p->regions[c->first_region + ( is_line ? 0 : i - c->line_count )];
		const size_t first = is_line ? line->first : region->first, count = is_line ? line->count : region->count;
		for ( size_t k = 0; k < count; ++k, ++at )
			if ( at == next ) {
				add_point( l, p->points[first + k] );
				next += step;
			}
	}
	for ( int i = 0; i < 2 && l->point_count == 0 && c->has_witness; ++i )
		add_point( l, c->witness[i] );
	if ( l->point_count == 0 )
		add_point( l, c->point );
}

// The nearest hit of a ray on body `which`, as a multiple of the direction; infinite where there is none.
static double hit_at( const looking *l, int which, const double from[3], const double direction[3] ) {
	const dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST };
	dbvh_raycast_result result;
	dbvh_ray ray;
	memcpy( ray.from, from, sizeof ray.from );
	memcpy( ray.direction, direction, sizeof ray.direction );
	if ( dbvh_raycast( l->trees[which], &l->poses[which], &ray, &query, l->workspace, &result, NULL ) != DBVH_OK ||
	     !result.intersects )
		return INFINITY;
	return result.first.t;
}

// Does anything of the two bodies stand between a point of contact and the eye? A little way from the point is left
// out, where the surfaces are that meet there.
static bool is_hidden( const looking *l, const double point[3], const double eye[3] ) {
	const double part = 0.01;
	double from[3], to[3];
	for ( int k = 0; k < 3; ++k ) {
		to[k] = eye[k] - point[k];
		from[k] = point[k] + part * to[k];
	}
	return hit_at( l, 0, from, to ) < 1.0 || hit_at( l, 1, from, to ) < 1.0;
}

static void cross( const double a[3], const double b[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

// Looks at the clash from a direction of unit length, as camera.c does: 2.4 sizes are shown.
static sight look_from( const looking *l, const double direction[3] ) {
	const double half = 1.2 * l->clash->size, away = half / tan( 35.0 / 360.0 * 3.14159265358979 );
	const double above[3] = { 0.0, 0.0, 1.0 };
	double right[3], up[3], eye[3];
	sight s = { 0 };
	cross( above, direction, right );
	cross( direction, right, up );
	for ( int k = 0; k < 3; ++k )
		eye[k] = l->clash->point[k] + away * direction[k];
	for ( int i = 0; i < GRID * GRID; ++i ) {
		const double x = ( ( i % GRID + 0.5 ) / GRID * 2.0 - 1.0 ) * half / length_of( right );
		const double y = ( ( i / GRID + 0.5 ) / GRID * 2.0 - 1.0 ) * half / length_of( up );
		double ray[3];
		for ( int k = 0; k < 3; ++k )
			ray[k] = x * right[k] + y * up[k] - away * direction[k];
		const double a = hit_at( l, 0, eye, ray ), b = hit_at( l, 1, eye, ray );
		if ( a < INFINITY || b < INFINITY )
			s.bodies[b < a] += 1.0 / ( GRID * GRID );
	}
	for ( size_t i = 0; i < l->point_count; ++i )
		s.contact += is_hidden( l, l->points[i], eye ) ? 0.0 : 1.0 / (double)l->point_count;
	return s;
}

// A tenth of the picture is enough of a body, and a third of its points of a contact. A body that hides within the
// other one is never seen, and the contact decides.
static double score( const looking *l, const double direction[3] ) {
	const picture_clash *c = l->clash;
	const sight s = look_from( l, direction );
	const double a = fmin( 10.0 * s.bodies[0], 1.0 ), b = fmin( 10.0 * s.bodies[1], 1.0 );
	double value = ( 0.05 + a * b ) * ( 0.2 + fmin( 3.0 * s.contact, 1.0 ) );
	if ( c->has_witness && c->distance > 0.0 ) {
		double way[3], along = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			way[k] = c->witness[1][k] - c->witness[0][k];
			along += way[k] * direction[k];
		}
		value *= 1.2 - fabs( along ) / length_of( way );
	}
	return value;
}

// Direction 0 is the default; then all round, from a little below, a little above, and high above.
static void direction_of( int number, double out[3] ) {
	static const double heights[3] = { 1.0, 2.0, -0.6 };
	static const signed char around[16][2] = { { 2, -2 }, { 2, 2 },  { -2, -2 }, { -2, 2 },  { 2, -1 }, { 1, -2 },
	                                           { 2, 0 },  { 0, -2 }, { 2, 1 },   { -1, -2 }, { 1, 2 },  { -2, -1 },
	                                           { 0, 2 },  { -2, 0 }, { -1, 2 },  { -2, 1 } };
	memcpy( out, viewpoint_default, 3 * sizeof *out );
	if ( number > 0 ) {
		out[0] = (double)around[( number - 1 ) % 16][0];
		out[1] = (double)around[( number - 1 ) % 16][1];
		out[2] = heights[( number - 1 ) / 16];
	}
	const double length = length_of( out );
	for ( int k = 0; k < 3; ++k )
		out[k] /= length;
}

void viewpoint_choose( const picture *p, uint32_t clash, dbvh_workspace *workspace, double out[3] ) {
	const picture_clash *c = &p->clashes[clash];
	looking l = { .p = p, .clash = c, .workspace = workspace };
	double best = 0.0;
	direction_of( 0, out );
	for ( int i = 0; i < 2; ++i ) {
		const uint32_t body = i == 0 ? c->a : c->b;
		l.trees[i] = p->meshes[p->bodies[body].mesh].tree;
		l.poses[i] = picture_pose( p, body, c->frame );
	}
	if ( l.trees[0] == NULL || l.trees[1] == NULL || c->a == c->b || !( c->size > 0.0 ) )
		return;
	find_points( &l );
	// Another side has to be clearly better: people like to find things where they were.
	for ( int i = 0; i < 49 && !picture_is_over(); ++i ) {
		double direction[3];
		direction_of( i, direction );
		const double value = score( &l, direction );
		if ( i == 0 || value > 1.1 * best ) {
			best = value;
			memcpy( out, direction, sizeof direction );
		}
	}
}
