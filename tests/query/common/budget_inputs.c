// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "budget_inputs.h"

#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586

static void put( double *corners, size_t i, const double t[9] ) {
	memcpy( corners + 9 * i, t, 9 * sizeof *t );
}

// A cone around its tip, bent so that no plane has all of it on one side.
static void fan( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double a = TURN * (double)i / (double)n, b = i + 1 < n ? TURN * (double)( i + 1 ) / (double)n : 0.0;
		put( out, i,
		     ( double[9] ){ 0, 0, 1, cos( a ), sin( a ), 0.1 * sin( 7 * a ), cos( b ), sin( b ), 0.1 * sin( 7 * b ) } );
	}
}

// A disc cut from a point of its rim.
static void flat_fan( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double a = TURN * (double)i / (double)n, b = TURN * (double)( i + 1 ) / (double)n;
		put( out, i, ( double[9] ){ 1, 0, 0, cos( a ), sin( a ), 0, cos( b ), sin( b ), 0 } );
	}
}

// Slivers round one point that all but lie in a plane.
static void thin_fan( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double a = TURN * (double)i / (double)n, b = a + 0.1 / (double)n, z = 1e-9 * (double)i;
		put( out, i, ( double[9] ){ 0, 0, 0, cos( a ), sin( a ), z, cos( b ), sin( b ), z } );
	}
}

static void stack( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double z = 1e-12 * (double)i;
		put( out, i, ( double[9] ){ 0, 0, z, 1, 0, z, 0, 1, z } );
	}
}

// Teeth beside each other, a hundred thousand times as long as the gap between them.
static void comb( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double x = 1e-3 * (double)i;
		put( out, i, ( double[9] ){ x, 0, 0, x + 4e-4, 0, 0, x, 100, 0 } );
	}
}

static void coplanar( size_t n, double *out ) {
	rng r = { 7 };
	for ( size_t i = 0; i < n; ++i ) {
		const double x = rng_unit( &r ), y = rng_unit( &r );
		put( out, i, ( double[9] ){ x, y, 0, x + 1, y, 0, x, y + 1, 0 } );
	}
}

static void needles( size_t n, double *out ) {
	rng r = { 8 };
	for ( size_t i = 0; i < n; ++i ) {
		const double x = 0.01 * rng_unit( &r ), y = 0.01 * rng_unit( &r );
		const double u = x + 0.01 * rng_unit( &r ), v = y + 0.01 * rng_unit( &r );
		put( out, i, ( double[9] ){ x, y, -100, x + 1e-9, y, -100, u, v, 100 } );
	}
}

// Needles in all directions through one point.
static void star( size_t n, double *out ) {
	rng r = { 9 };
	for ( size_t i = 0; i < n; ++i ) {
		const double x = 200 * rng_unit( &r ) - 100, y = 200 * rng_unit( &r ) - 100, z = 200 * rng_unit( &r ) - 100;
		put( out, i, ( double[9] ){ -x, -y, -z, x, y, z, x + 1e-6, y, z } );
	}
}

static void plate( size_t n, double *out ) {
	const size_t side = (size_t)sqrt( (double)n / 2 );
	for ( size_t i = 0; i < n; ++i ) {
		const size_t cell = i / 2 < side * side ? i / 2 : 0;
		const double x = (double)( cell % side ) / (double)side, y = (double)( cell / side ) / (double)side;
		const double u = x + 1 / (double)side, v = y + 1 / (double)side;
		if ( i % 2 == 0 )
			put( out, i, ( double[9] ){ x, y, 0, u, y, 0, u, v, 0 } );
		else
			put( out, i, ( double[9] ){ x, y, 0, u, v, 0, x, v, 0 } );
	}
}

// Triangles in a row about the origin, from 2^-1000 to 2^1000: exact decisions of thousands of bits.
static void scales( size_t n, double *out ) {
	for ( size_t i = 0; i < n; ++i ) {
		const double s = ldexp( 1.0, (int)( 2000 * i / n ) - 1000 );
		put( out, i, ( double[9] ){ s, -s, -s / 3, -s, s / 3, s, s / 7, s, -s } );
	}
}

// All of one size and place, with corners of many digits: each pair meets, and no two in the same way.
static void soup( size_t n, double *out ) {
	rng r = { 10 };
	for ( size_t i = 0; i < 9 * n; ++i )
		out[i] = rng_unit( &r );
}

const budget_input budget_inputs[] = {
    { "fan", fan, 1e-9, { 1e-7, 1e-7, 1e-7 } },
    { "flat fan", flat_fan, 1e-9, { 0.37, 1e-7, 1e-6 } },
    { "flat fan on itself", flat_fan, 0.0, { 0, 0, 0 } },
    { "thin fan", thin_fan, 1e-9, { 1e-7, 1e-7, 1e-7 } },
    { "stack", stack, 1e-9, { 0.37, 1e-7, 1e-6 } },
    { "stack in itself", stack, 0.0, { 0, 0, 5e-13 } },
    { "comb", comb, 0.0, { 0, 0, 5e-7 } },
    { "coplanar", coplanar, 1e-9, { 0.37, 1e-7, 1e-6 } },
    { "coplanar on itself", coplanar, 0.0, { 0.1, 0, 0 } },
    { "needles", needles, 1e-9, { 1e-7, 1e-7, 1e-7 } },
    { "star", star, 1e-9, { 0.37, 1e-7, 1e-6 } },
    { "plate", plate, 1e-3, { 1e-3, 1e-3, 1e-9 } },
    { "plate on itself", plate, 0.0, { 1e-3, 1e-3, 0 } },
    { "every scale", scales, 1e-3, { 1e-300, 0, 0 } },
    { "soup", soup, 1e-9, { 1e-7, 1e-7, 1e-7 } },
};
const size_t budget_input_count = sizeof budget_inputs / sizeof budget_inputs[0];

dbvh_tree *budget_tree( const budget_input *input, size_t n ) {
	double *const corners = malloc( 9 * n * sizeof *corners );
	if ( corners == NULL )
		abort();
	input->make( n, corners );
	const dbvh_mesh_view view = { .positions = corners, .vertex_count = 3 * n, .index_type = DBVH_INDEX_TYPE_NONE };
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = 1;
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( &view, &options, NULL, &tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s: %s\n", input->name, error.text );
		abort();
	}
	free( corners );
	return tree;
}

dbvh_pose budget_pose( const budget_input *input ) {
	const double half = 0.5 * input->turn, s = sin( half ) / sqrt( 6.0 );
	const double quaternion[4] = { s, 2 * s, s, cos( half ) };
	return dbvh_pose_from_quaternion( quaternion, input->at );
}
