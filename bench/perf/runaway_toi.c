// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes that slide along each other with next to no gap: what a time of impact costs as triangles become more
// and gaps smaller. None of it may run away. All of these are clear by construction.

#include "common/experiment.h"
#include "common/stats.h"
#include "shapes/shapes.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct slide {
	shape a, b;
	dbvh_motion motion_a, motion_b;
} slide;

static const double up[3] = { 0.0, 0.0, 1.0 };

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void turn( dbvh_motion *motion, const double axis[3], double angle ) {
	memcpy( motion->axis, axis, sizeof motion->axis );
	motion->angle = angle;
}

static void quad( shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	shape_triangle( s, a, b, c );
	shape_triangle( s, a, c, d );
}

// [-1, 1]^2 at a height, cells * cells squares.
static void add_plate( shape *s, uint32_t cells, double z ) {
	const uint32_t first = (uint32_t)s->vertex_count, row = cells + 1;
	for ( uint32_t i = 0; i <= cells; ++i )
		for ( uint32_t j = 0; j <= cells; ++j )
			shape_vertex( s, 2.0 * i / cells - 1.0, 2.0 * j / cells - 1.0, z );
	for ( uint32_t i = 0; i < cells; ++i )
		for ( uint32_t j = 0; j < cells; ++j ) {
			const uint32_t at = first + i * row + j;
			quad( s, at, at + row, at + row + 1, at + 1 );
		}
}

// Turn everything into a frame of no special directions. B begins with no turn.
static void lay_aslant( slide *s ) {
	const double axis[3] = { 1.0, 2.0, -0.5 }, at[3] = { 0.3, -0.2, 0.7 };
	const dbvh_pose pose = shape_pose( axis, 40.0, at );
	double *const vectors[4] = { s->motion_b.from.pos, s->motion_b.centre, s->motion_b.axis, s->motion_b.shift };
	for ( int v = 0; v < 4; ++v ) {
		double turned[3];
		for ( int i = 0; i < 3; ++i ) {
			turned[i] = v < 2 ? pose.pos[i] : 0.0;
			for ( int j = 0; j < 3; ++j )
				turned[i] += pose.rot[i][j] * vectors[v][j];
		}
		memcpy( vectors[v], turned, sizeof turned );
	}
	s->motion_a.from = pose;
	memcpy( s->motion_b.from.rot, pose.rot, sizeof pose.rot );
}

static void make_plates( slide *s, uint32_t k, double gap ) {
	add_plate( &s->a, 10 * k, 0.0 );
	add_plate( &s->b, 10 * k, gap );
	turn( &s->motion_b, up, 1.0 );
}

static void make_plates_aslant( slide *s, uint32_t k, double gap ) {
	make_plates( s, k, gap );
	lay_aslant( s );
}

static void make_stack( slide *s, uint32_t k, double gap ) {
	shape_add_box( &s->a, 1.0, 1.0, 0.5, 4 * k );
	shape_add_box( &s->b, 1.0, 1.0, 0.5, 4 * k );
	s->motion_b.from.pos[2] = 1.0 + gap;
	s->motion_b.shift[0] = 1.3;
	s->motion_b.shift[1] = 0.4;
}

static void make_stack_aslant( slide *s, uint32_t k, double gap ) {
	make_stack( s, k, gap );
	lay_aslant( s );
}

// A box that slides along the inner corner of two.
static void make_corner( slide *s, uint32_t k, double gap ) {
	shape_add_box( &s->a, 2.0, 0.5, 1.0, 3 * k );
	const size_t first = s->a.vertex_count;
	shape_add_box( &s->a, 2.0, 1.0, 0.5, 3 * k );
	for ( size_t i = first; i < s->a.vertex_count; ++i ) {
		s->a.positions[3 * i + 1] += 2.0;
		s->a.positions[3 * i + 2] -= 1.75;
	}
	shape_add_box( &s->b, 0.5, 0.5, 0.5, 3 * k );
	s->motion_b.from.pos[0] = -1.0;
	s->motion_b.from.pos[1] = 1.0 + gap;
	s->motion_b.from.pos[2] = -0.75 + gap;
	s->motion_b.shift[0] = 2.0;
	lay_aslant( s );
}

// Rectangles along x under rectangles along y.
static void make_combs( slide *s, uint32_t k, double gap ) {
	const uint32_t n = 75 * k;
	for ( uint32_t i = 0; i < n; ++i ) {
		const double at = 2.0 * i / n - 1.0;
		for ( int which = 0; which < 2; ++which ) {
			shape *const to = which == 0 ? &s->a : &s->b;
			const double low = which == 0 ? -2.0 : gap, high = which == 0 ? 0.0 : 2.0 + gap;
			uint32_t v[4];
			for ( int c = 0; c < 4; ++c ) {
				const double along = c == 0 || c == 3 ? -1.0 : 1.0, z = c < 2 ? low : high;
				v[c] = which == 0 ? shape_vertex( to, along, at, z ) : shape_vertex( to, at, along, z );
			}
			quad( to, v[0], v[1], v[2], v[3] );
		}
	}
	turn( &s->motion_b, up, 1.0 );
}

// Teeth between teeth, along which they slide.
static void make_rails( slide *s, uint32_t k, double gap ) {
	const uint32_t n = 75 * k;
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( int which = 0; which < 2; ++which ) {
			shape *const to = which == 0 ? &s->a : &s->b;
			const double y = 2.0 * i / n - 1.0 + ( which == 0 ? 0.0 : gap );
			const uint32_t first = shape_vertex( to, -1.0, y, 0.0 );
			shape_vertex( to, 1.0, y, 0.0 );
			shape_vertex( to, 1.0, y, 1.0 );
			shape_vertex( to, -1.0, y, 1.0 );
			quad( to, first, first + 1, first + 2, first + 3 );
		}
	}
	s->motion_b.shift[0] = 0.7;
	s->motion_b.shift[2] = 0.3;
}

// The mantle of a prism about z, in rings.
static void add_mantle( shape *s, double radius, uint32_t sides, uint32_t rings, double low, double high ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t r = 0; r <= rings; ++r )
		for ( uint32_t i = 0; i < sides; ++i ) {
			double c, d;
			shape_turn( i, sides, &c, &d );
			shape_vertex( s, radius * c, radius * d, low + ( high - low ) * r / rings );
		}
	for ( uint32_t r = 0; r < rings; ++r )
		for ( uint32_t i = 0; i < sides; ++i ) {
			const uint32_t at = first + r * sides + i, next = first + r * sides + ( i + 1 ) % sides;
			quad( s, at, next, next + sides, at + sides );
		}
}

static const double half_turn = 3.14159265358979323846;

// The radius of the corners of a prism whose flats are 1 away from the axis.
static double corners_about( uint32_t sides ) {
	return 1.0 / cos( half_turn / sides );
}

static void make_shaft( slide *s, uint32_t k, double gap ) {
	const uint32_t sides = 32 * k;
	add_mantle( &s->a, corners_about( sides ), sides, 6 * k, -1.0, 1.0 );
	add_mantle( &s->b, 1.0 - gap, sides, 6 * k, -1.2, 1.2 );
	turn( &s->motion_b, up, 1.0 );
}

static void make_bore( slide *s, uint32_t k, double gap ) {
	make_shaft( s, k, gap );
	const shape keep = s->a;
	s->a = s->b;
	s->b = keep;
	lay_aslant( s );
}

// A pin of two diameters in a hole of two.
static void make_pin( slide *s, uint32_t k, double gap ) {
	const uint32_t sides = 24 * k;
	const double out = corners_about( sides );
	add_mantle( &s->a, out, sides, 4 * k, -1.0, 0.0 );
	add_mantle( &s->a, 1.5 * out, sides, 4 * k, 0.5, 1.0 );
	add_mantle( &s->b, 1.0 - gap, sides, 4 * k, -1.2, 0.0 );
	add_mantle( &s->b, 1.5 * ( 1.0 - gap ), sides, 4 * k, 0.5, 1.0 );
	turn( &s->motion_b, up, 1.0 );
	s->motion_b.shift[2] = 0.01;
	lay_aslant( s );
}

// How near to the origin the planes of the triangles come.
static double inner_radius( const shape *s ) {
	double least = INFINITY;
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		const double *p = s->positions + 3 * (size_t)s->indices[3 * i],
		             *q = s->positions + 3 * (size_t)s->indices[3 * i + 1],
		             *r = s->positions + 3 * (size_t)s->indices[3 * i + 2];
		double n[3], square = 0.0, along = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			n[j] = ( q[j1] - p[j1] ) * ( r[j2] - p[j2] ) - ( q[j2] - p[j2] ) * ( r[j1] - p[j1] );
			square += n[j] * n[j];
			along += n[j] * p[j];
		}
		least = fmin( least, fabs( along ) / sqrt( square ) );
	}
	return least;
}

static void make_ball( slide *s, uint32_t k, double gap ) {
	shape_add_sphere( &s->a, 1.0, 20 * k, 10 * k );
	shape_add_sphere( &s->b, inner_radius( &s->a ) - gap, 20 * k, 10 * k );
	const double axis[3] = { 1.0, 0.3, 0.2 };
	turn( &s->motion_b, axis, 1.0 );
}

static void make_gears( slide *s, uint32_t k, double gap ) {
	shape_gear gear = shape_gear_default();
	gear.flank_segments = 3 * k;
	gear.backlash = gap;
	shape_add_gear( &s->a, &gear );
	shape_add_gear( &s->b, &gear );
	const double pitch = gear.module * gear.teeth;
	// A tooth towards a space, the middle of both.
	s->motion_a.from = shape_pose( up, 180.0 / gear.teeth, ( const double[3] ){ 0.0, 0.0, 0.0 } );
	s->motion_b.from.pos[0] = s->motion_b.centre[0] = pitch;
	turn( &s->motion_a, up, 0.3 );
	turn( &s->motion_b, up, -0.3 );
}

// A winding surface about z, two turns of it.
static void add_thread( shape *s, uint32_t steps, uint32_t across, double lift ) {
	const uint32_t first = (uint32_t)s->vertex_count, row = across + 1;
	for ( uint32_t i = 0; i <= steps; ++i ) {
		const double angle = 4.0 * half_turn * i / steps;
		for ( uint32_t j = 0; j <= across; ++j ) {
			const double radius = 1.0 + 0.5 * j / across;
			shape_vertex( s, radius * cos( angle ), radius * sin( angle ), 0.4 * i / steps + lift );
		}
	}
	for ( uint32_t i = 0; i < steps; ++i )
		for ( uint32_t j = 0; j < across; ++j ) {
			const uint32_t at = first + i * row + j;
			quad( s, at, at + row, at + row + 1, at + 1 );
		}
}

static void make_screw( slide *s, uint32_t k, double gap ) {
	const uint32_t steps = 64 * k;
	// Strips of two triangles rise and fall about the surface by what a step turns.
	const double rough = 0.4 / steps * 0.6;
	add_thread( &s->a, steps, 4 * k, 0.0 );
	add_thread( &s->b, steps, 4 * k, rough + gap );
	turn( &s->motion_b, up, 1.0 );
	s->motion_b.shift[2] = 0.4 / ( 4.0 * half_turn );
}

static const struct {
	const char *name;
	void ( *make )( slide *s, uint32_t k, double gap );
} families[] = {
    { "plate over plate", make_plates },   { "the same, aslant", make_plates_aslant },
    { "combs crossed", make_combs },       { "rails", make_rails },
    { "stacked boxes", make_stack },       { "the same, aslant", make_stack_aslant },
    { "box along a corner", make_corner }, { "shaft in a bore", make_shaft },
    { "bore about a shaft", make_bore },   { "stepped pin", make_pin },
    { "ball in a socket", make_ball },     { "gears", make_gears },
    { "thread in a thread", make_screw },
};

static const char *const verdict_names[] = { "clear", "CONTACT", "close" };

// Cases that take longer than this, in seconds, are not tried with more triangles.
#define PATIENCE 4.0

static double one( const slide *s, dbvh_policy policy, size_t rounds, dbvh_toi_result *answer ) {
	const dbvh_mesh_view a = shape_view( &s->a ), b = shape_view( &s->b );
	dbvh_tree *tree_a, *tree_b;
	dbvh_workspace *workspace;
	must( dbvh_tree_build( &a, NULL, NULL, &tree_a, NULL ) );
	must( dbvh_tree_build( &b, NULL, NULL, &tree_b, NULL ) );
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	const dbvh_toi_query query = { .policy = policy };
	double least = INFINITY;
	for ( size_t round = 0; round < rounds && ( round == 0 || least < 0.2 ); ++round ) {
		const double begin = stats_now();
		must( dbvh_time_of_impact( tree_a, &s->motion_a, tree_b, &s->motion_b, &query, workspace, answer, NULL ) );
		least = fmin( least, stats_now() - begin );
	}
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	dbvh_workspace_destroy( workspace );
	return least;
}

// ------------------------------------------------------------------------------------------------
// Grazing

static dbvh_toi_verdict pass_by( const dbvh_tree *a, const dbvh_tree *b, const dbvh_motion *motion,
                                 const double away[3], double way, dbvh_workspace *workspace ) {
	dbvh_motion moved = *motion;
	for ( int k = 0; k < 3; ++k ) {
		moved.from.pos[k] += way * away[k];
		moved.centre[k] += way * away[k];
	}
	dbvh_toi_result answer;
	must( dbvh_time_of_impact( a, NULL, b, &moved, NULL, workspace, &answer, NULL ) );
	return answer.verdict;
}

// Motions past a mesh, pushed away from it until they only just miss it: how many are close, between what intersects
// and what does not, so far from each other?
static void graze( const char *name, const shape *shape_a, const shape *shape_b, double turns, size_t count ) {
	static const double widths[] = { 1e-6, 1e-9, 1e-11, 1e-12, 1e-13 };
	enum { WIDTHS = sizeof widths / sizeof widths[0] };
	const dbvh_mesh_view view_a = shape_view( shape_a ), view_b = shape_view( shape_b );
	dbvh_tree *a, *b;
	dbvh_workspace *workspace;
	must( dbvh_tree_build( &view_a, NULL, NULL, &a, NULL ) );
	must( dbvh_tree_build( &view_b, NULL, NULL, &b, NULL ) );
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	rng r = { 20261122 };
	size_t close[WIDTHS] = { 0 }, grazing = 0;
	while ( grazing < count ) {
		double q[4], at[3], shift[3], away[3] = { 0.0, 0.0, 0.0 };
		for ( int k = 0; k < 4; ++k )
			q[k] = rng_range( &r, -1.0, 1.0 );
		for ( int k = 0; k < 3; ++k ) {
			at[k] = rng_range( &r, -0.5, 0.5 );
			shift[k] = rng_range( &r, -0.2, 0.2 );
		}
		const int main_axis = (int)rng_below( &r, 3 );
		at[main_axis] = 2.5;
		shift[main_axis] = -5.0;
		away[( main_axis + 1 ) % 3] = 1.0;
		const dbvh_pose from = dbvh_pose_from_quaternion( q, at );
		dbvh_motion motion = dbvh_motion_translation( &from, shift );
		for ( int k = 0; k < 3; ++k )
			motion.axis[k] = rng_range( &r, -1.0, 1.0 );
		motion.angle = turns * rng_range( &r, -1.0, 1.0 );
		double low = 0.0, high = 4.0;
		if ( pass_by( a, b, &motion, away, low, workspace ) == DBVH_TOI_VERDICT_CLEAR )
			continue;
		grazing += 1;
		for ( int w = 0; w < WIDTHS; ++w ) {
			while ( high - low > widths[w] ) {
				const double middle = 0.5 * ( low + high );
				if ( pass_by( a, b, &motion, away, middle, workspace ) == DBVH_TOI_VERDICT_CLEAR )
					high = middle;
				else
					low = middle;
			}
			// Sometimes on the side that intersects, sometimes on the other.
			const double where = low + rng_range( &r, -1.0, 2.0 ) * ( high - low );
			close[w] += pass_by( a, b, &motion, away, where, workspace ) == DBVH_TOI_VERDICT_CLOSE;
		}
	}
	printf( "%-28s", name );
	for ( int w = 0; w < WIDTHS; ++w )
		printf( " %7.1f %%", 100.0 * (double)close[w] / (double)count );
	putchar( '\n' );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	dbvh_workspace_destroy( workspace );
}

static void graze_all( size_t count ) {
	shape torus = { 0 }, box = { 0 }, hand = { 0 };
	shape_add_torus( &torus, 1.0, 0.35, 40, 24 );
	shape_add_box( &box, 0.4, 0.5, 0.6, 3 );
	shape_add_hand( &hand );
	for ( size_t i = 0; i < 3 * hand.vertex_count; ++i )
		hand.positions[i] *= 5.0;
	printf( "\nMotions that graze: by how much they are off, at most, and how many of %zu are close\n\n%-28s %9s %9s "
	        "%9s %9s %9s\n",
	        count, "", "1e-6", "1e-9", "1e-11", "1e-12", "1e-13" );
	graze( "box past torus", &torus, &box, 0.0, count );
	graze( "box past torus, turning", &torus, &box, 2.0, count );
	graze( "box past box", &box, &box, 0.0, count );
	graze( "box past box, turning", &box, &box, 2.0, count );
	graze( "hand past torus, turning", &torus, &hand, 2.0, count );
	shape_free( &torus );
	shape_free( &box );
	shape_free( &hand );
}

int bench_runaway_toi( const bench_options *options ) {
	static const double gaps[] = { 1e-3, 1e-6, 1e-9 };
	static const uint32_t factors[] = { 1, 2, 4 };
	const size_t rounds = options->rounds > 0 ? options->rounds : 3;
	printf(
	    "Meshes that slide along each other, sizes about 2: milliseconds a query, least of %zu rounds; how many\n"
	    "times as long as with a quarter of the triangles (n log n: 4.6 to 5); triangles compared, in one mesh's\n\n"
	    "%-20s %7s %10s %11s %7s %9s %s\n",
	    rounds, "meshes", "gap", "triangles", "ms", "growth", "compared", "verdict" );
	if ( options->csv != NULL )
		fputs( "meshes,gap,triangles,milliseconds,compared,verdict\n", options->csv );
	double longest = 0.0;
	for ( size_t f = 0; f < sizeof families / sizeof families[0]; ++f ) {
		for ( size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g ) {
			double before = 0.0;
			for ( size_t k = 0; k < sizeof factors / sizeof factors[0] && before < PATIENCE; ++k ) {
				slide s;
				memset( &s, 0, sizeof s );
				s.motion_a = s.motion_b = dbvh_motion_translation( NULL, NULL );
				families[f].make( &s, factors[k], gaps[g] );
				dbvh_toi_result answer;
				const double took = one( &s, DBVH_POLICY_DEFAULT, rounds, &answer );
				const size_t triangles = s.a.triangle_count + s.b.triangle_count;
				char growth[32] = "";
				if ( k > 0 )
					snprintf( growth, sizeof growth, "%.1f", took / before );
				printf( "%-20s %7.0e %10zu %11.3f %7s %9.2f %s\n", families[f].name, gaps[g], triangles, 1e3 * took,
				        growth, 2.0 * (double)answer.counters.triangle_tests / (double)triangles,
				        verdict_names[answer.verdict] );
				fflush( stdout );
				if ( options->csv != NULL )
					fprintf( options->csv, "\"%s\",%g,%zu,%.4f,%llu,%s\n", families[f].name, gaps[g], triangles,
					         1e3 * took, (unsigned long long)answer.counters.triangle_tests,
					         verdict_names[answer.verdict] );
				longest = fmax( longest, took );
				before = took;
				shape_free( &s.a );
				shape_free( &s.b );
			}
		}
	}
	graze_all( options->sample != SIZE_MAX && options->sample > 0 ? options->sample : 300 );
	printf( "\nThe longest query took %.3f seconds.\n", longest );
	return EXIT_SUCCESS;
}
