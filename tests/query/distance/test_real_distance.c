// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// test_real_distance [POSES]: distances of real meshes, about POSES of them, against all pairs of triangles. Every pair
// whose boxes are near enough is measured by a simple function in doubles that shares nothing with the library, and
// what comes within 1e-9 of the answer, or below it, in rational arithmetic. Meshes that are not there are replaced by
// generated ones. Prints a table; the exit status is 1 if anything differs.

#include "dualbvh/distance.h"
#include "support/clearance.h"
#include "support/command_line.h"
#include "support/data.h"
#include "support/oracle.h"
#include "support/oracle_distance.h"
#include "support/scene.h"

#include <string.h>

typedef struct vec {
	double x, y, z;
} vec;

static vec at( const double *p ) {
	return ( vec ){ p[0], p[1], p[2] };
}

static vec sub( vec a, vec b ) {
	return ( vec ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static vec along( vec a, double t, vec d ) {
	return ( vec ){ a.x + t * d.x, a.y + t * d.y, a.z + t * d.z };
}

static double dot( vec a, vec b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross( vec a, vec b ) {
	return ( vec ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double clamp( double t ) {
	return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

// ------------------------------------------------------------------------------------------------
// Two triangles. All distances are squared here.

// From a point to a segment.
static double point_segment( vec p, vec a, vec d ) {
	const double length = dot( d, d );
	const double t = length > 0.0 ? clamp( dot( sub( p, a ), d ) / length ) : 0.0;
	const vec gap = sub( p, along( a, t, d ) );
	return dot( gap, gap );
}

// Between two segments: the nearest points of the lines where they lie inside both, else an end of one of them.
static double segment_segment( vec p, vec d, vec q, vec e ) {
	const vec w = sub( p, q );
	const double dd = dot( d, d ), ee = dot( e, e ), de = dot( d, e ), dw = dot( d, w ), ew = dot( e, w );
	const double determinant = dd * ee - de * de;
	double best = INFINITY;
	if ( determinant > 1e-14 * dd * ee ) {
		const double s = ( de * ew - ee * dw ) / determinant, t = ( dd * ew - de * dw ) / determinant;
		if ( s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0 ) {
			const vec gap = sub( along( p, s, d ), along( q, t, e ) );
			return dot( gap, gap );
		}
	}
	best = fmin( best, point_segment( p, q, e ) );
	best = fmin( best, point_segment( along( p, 1.0, d ), q, e ) );
	best = fmin( best, point_segment( q, p, d ) );
	return fmin( best, point_segment( along( q, 1.0, e ), p, d ) );
}

// From a point to the inside of a triangle; INFINITY where the foot of the perpendicular falls outside of it.
static double point_inside( vec p, const vec t[3], vec normal ) {
	const double length = dot( normal, normal );
	if ( !( length > 0.0 ) )
		return INFINITY;
	for ( int i = 0; i < 3; ++i )
		if ( dot( cross( sub( t[( i + 1 ) % 3], t[i] ), sub( p, t[i] ) ), normal ) < 0.0 )
			return INFINITY;
	const double height = dot( sub( p, t[0] ), normal );
	return height * height / length;
}

// Does a segment run through a triangle?
static bool pierces( vec p, vec q, const vec t[3], vec normal ) {
	const double hp = dot( sub( p, t[0] ), normal ), hq = dot( sub( q, t[0] ), normal );
	if ( ( hp > 0.0 ) == ( hq > 0.0 ) )
		return false;
	const vec x = along( p, hp / ( hp - hq ), sub( q, p ) );
	return point_inside( x, t, normal ) < INFINITY;
}

static double triangles_squared( const vec a[3], const vec b[3] ) {
	const vec na = cross( sub( a[1], a[0] ), sub( a[2], a[0] ) ), nb = cross( sub( b[1], b[0] ), sub( b[2], b[0] ) );
	double best = INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		if ( pierces( a[i], a[( i + 1 ) % 3], b, nb ) || pierces( b[i], b[( i + 1 ) % 3], a, na ) )
			return 0.0;
		best = fmin( best, point_inside( a[i], b, nb ) );
		best = fmin( best, point_inside( b[i], a, na ) );
		for ( int j = 0; j < 3; ++j )
			best = fmin( best,
			             segment_segment( a[i], sub( a[( i + 1 ) % 3], a[i] ), b[j], sub( b[( j + 1 ) % 3], b[j] ) ) );
	}
	return best;
}

// ------------------------------------------------------------------------------------------------
// Meshes

typedef struct model {
	dbvh_mesh *mesh; // read from a file; NULL for a generated one
	shape made;
	double *copy; // its vertices, scaled
	dbvh_mesh_view view;
	dbvh_tree *tree;
	dbvh_tree_stats stats;
} model;

static void *must( void *memory ) {
	if ( memory == NULL ) {
		fprintf( stderr, "the test has no memory\n" );
		exit( EXIT_FAILURE );
	}
	return memory;
}

static void make_statue( shape *s ) {
	shape_add_statue( s );
}

static void make_hand( shape *s ) {
	shape_add_hand( s );
}

static void make_cabin( shape *s ) {
	shape_add_cabin( s );
}

static void make_torus( shape *s ) {
	shape_add_torus( s, 1.0, 0.35, 60, 40 );
}

static void load( model *m, const char *file, void ( *make )( shape * ), double radius ) {
	*m = ( model ){ 0 };
	m->mesh = data_mesh( file );
	if ( m->mesh != NULL ) {
		m->view = dbvh_mesh_get_view( m->mesh );
	} else {
		make( &m->made );
		m->view = shape_view( &m->made );
	}
	const size_t count = 3 * m->view.vertex_count;
	m->copy = must( malloc( count * sizeof( double ) ) );
	memcpy( m->copy, m->view.positions, count * sizeof( double ) );
	m->view.positions = m->copy;
	for ( int pass = 0; pass < 2; ++pass ) {
		dbvh_tree_destroy( m->tree );
		m->tree = NULL;
		if ( dbvh_tree_build( &m->view, &keeps_reference, NULL, &m->tree, NULL ) != DBVH_OK ) {
			fprintf( stderr, "no tree of %s\n", file );
			exit( EXIT_FAILURE );
		}
		m->stats = dbvh_tree_get_stats( m->tree );
		for ( size_t i = 0; i < count && pass == 0; ++i )
			m->copy[i] *= radius / m->stats.sphere.radius;
	}
}

static void unload( model *m ) {
	dbvh_tree_destroy( m->tree );
	dbvh_mesh_destroy( m->mesh );
	shape_free( &m->made );
	free( m->copy );
}

typedef struct box {
	double low[3], high[3];
} box;

static void corners_of( const dbvh_mesh_view *view, size_t index, const dbvh_pose *pose, vec out[3], box *bounds ) {
	double given[9], placed[9];
	oracle_triangle( view, index, given );
	*bounds = ( box ){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			double x = given[3 * i + k];
			if ( pose != NULL )
				x = pose->rot[k][0] * given[3 * i] + pose->rot[k][1] * given[3 * i + 1] +
				    pose->rot[k][2] * given[3 * i + 2] + pose->pos[k];
			placed[3 * i + k] = x;
			bounds->low[k] = fmin( bounds->low[k], x );
			bounds->high[k] = fmax( bounds->high[k], x );
		}
		out[i] = at( placed + 3 * i );
	}
}

static bool nearer_than( const box *a, const box *b, double reach ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( a->low[k] - b->high[k] > reach || b->low[k] - a->high[k] > reach )
			return false;
	}
	return true;
}

typedef struct count {
	size_t poses, meeting, measured, exact, differences;
} count;

static void differ( count *c, const char *what, double expected, double got, const dbvh_pose *pose ) {
	if ( c->differences++ > 4 )
		return;
	printf( "DIFFERENCE: %s: %.17g, %.17g\n", what, expected, got );
	print_pose( "pose", pose );
}

static void compare( count *c, const model *a, const model *b, const dbvh_pose *pose, dbvh_workspace *workspace ) {
	dbvh_distance_result x, y;
	const dbvh_distance_query reference = { .policy = DBVH_POLICY_RAPID };
	dbvh_collide_result w;
	if ( dbvh_distance( a->tree, NULL, b->tree, pose, NULL, workspace, &x, NULL ) != DBVH_OK ||
	     dbvh_distance( a->tree, NULL, b->tree, pose, &reference, workspace, &y, NULL ) != DBVH_OK ) {
		differ( c, "a query failed", 0.0, 0.0, pose );
		return;
	}
	c->poses += 1;
	c->meeting += x.distance == 0.0;
	if ( y.distance != x.distance || ( x.distance > 0.0 && memcmp( &x.pair, &y.pair, sizeof x.pair ) != 0 ) )
		differ( c, "the two trees", y.distance, x.distance, pose );
	double ta[9], tb[9];
	oracle_triangle( &a->view, x.pair.a, ta );
	oracle_triangle( &b->view, x.pair.b, tb );
	if ( oracle_triangles_distance( ta, tb, pose ) != x.distance )
		differ( c, "the pair that is named", oracle_triangles_distance( ta, tb, pose ), x.distance, pose );
	if ( check_clearance( a->tree, NULL, b->tree, pose, x.distance, NULL, workspace, &w, NULL ) != DBVH_OK ||
	     w.verdict != DBVH_INTERSECTING )
		differ( c, "within the distance", x.distance, 0.0, pose );
	if ( x.distance == 0.0 )
		return;
	if ( check_clearance( a->tree, NULL, b->tree, pose, nextafter( x.distance, 0.0 ), NULL, workspace, &w, NULL ) !=
	         DBVH_OK ||
	     w.verdict != DBVH_DISJOINT )
		differ( c, "within less", x.distance, 0.0, pose );

	const size_t na = a->view.triangle_count, nb = b->view.triangle_count;
	vec( *pa )[3] = must( malloc( na * sizeof *pa ) ), ( *pb )[3] = must( malloc( nb * sizeof *pb ) );
	box *ba = must( malloc( na * sizeof *ba ) ), *bb = must( malloc( nb * sizeof *bb ) );
	for ( size_t i = 0; i < na; ++i )
		corners_of( &a->view, i, NULL, pa[i], &ba[i] );
	for ( size_t i = 0; i < nb; ++i )
		corners_of( &b->view, i, pose, pb[i], &bb[i] );
	const double reach = x.distance * ( 1.0 + 1e-9 );
	for ( size_t i = 0; i < na; ++i ) {
		for ( size_t j = 0; j < nb; ++j ) {
			if ( !nearer_than( &ba[i], &bb[j], reach ) )
				continue;
			c->measured += 1;
			if ( sqrt( triangles_squared( pa[i], pb[j] ) ) > reach )
				continue;
			c->exact += 1;
			oracle_triangle( &a->view, i, ta );
			oracle_triangle( &b->view, j, tb );
			const double truth = oracle_triangles_distance( ta, tb, pose );
			if ( truth < x.distance )
				differ( c, "a nearer pair", truth, x.distance, pose );
			if ( truth == x.distance && ( i < x.pair.a || ( i == x.pair.a && j < x.pair.b ) ) )
				differ( c, "a lower pair", truth, x.distance, pose );
		}
	}
	free( pa );
	free( pb );
	free( ba );
	free( bb );
}

int main( int argc, char **argv ) {
	static const struct {
		const char *name, *file_a, *file_b;
		void ( *make_a )( shape * ), ( *make_b )( shape * );
		double radius_b;
	} pairings[] = {
	    { "Buddha, Buddha", "stanford/happy_vrip_res4.ply", "stanford/happy_vrip_res4.ply", make_statue, make_statue,
	      1.0 },
	    { "horse, rocker-arm", "classics/horse.ply", "classics/rocker-arm.obj", make_torus, make_torus, 1.0 },
	    { "UR10 forearm, upper arm", "robot/ur10/forearm.stl", "robot/ur10/upperarm.stl", make_hand, make_torus, 1.0 },
	    { "cabin (737), hand", "airplane/b738_interior.obj", "hands/fg_pilot_hand_R_488.obj", make_cabin, make_hand,
	      0.01 },
	    { "teapot, Suzanne", "classics/teapot.obj", "classics/suzanne.obj", make_torus, make_hand, 0.7 },
	};
	const size_t kinds = sizeof pairings / sizeof pairings[0];
	const test_command_line line = test_command_line_read( argc, argv, ( test_usage ){ .operands = "[POSES]" },
	                                                       &pairings[0].name, kinds, sizeof pairings[0] );
	const size_t poses = test_operand( &line, 0, 50 );
	rng r = rng_announce( "real distances", 20261122 );
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		return EXIT_FAILURE;
	size_t differences = 0;
	for ( size_t p = 0; p < kinds; ++p ) {
		if ( !test_is_chosen( pairings[p].name ) )
			continue;
		model a, b;
		load( &a, pairings[p].file_a, pairings[p].make_a, 1.0 );
		load( &b, pairings[p].file_b, pairings[p].make_b, pairings[p].radius_b );
		count c = { 0 };
		for ( size_t i = 0; i < ( poses + kinds - 1 ) / kinds; ++i ) {
			// From outside up to contact, by the distance itself: at gaps from a tenth to 1e-6 of the size.
			dbvh_pose pose = random_pose( &r, 0.0 );
			double direction[3];
			random_direction( &r, direction );
			const double gap = pairings[p].radius_b * pow( 10.0, rng_range( &r, -6.0, -1.0 ) );
			double reach = rng_below( &r, 8 ) == 0 ? 0.2 : 1.0 + pairings[p].radius_b + gap;
			for ( int step = 0; step < 60; ++step ) {
				for ( int k = 0; k < 3; ++k ) {
					double turned = 0.0;
					for ( int j = 0; j < 3; ++j )
						turned += pose.rot[k][j] * b.stats.sphere.centre[j];
					pose.pos[k] = a.stats.sphere.centre[k] + reach * direction[k] - turned;
				}
				dbvh_distance_result x;
				if ( dbvh_distance( a.tree, NULL, b.tree, &pose, NULL, workspace, &x, NULL ) != DBVH_OK ||
				     x.distance <= 1.5 * gap || reach < 0.0 )
					break;
				reach -= x.distance - gap;
			}
			compare( &c, &a, &b, &pose, workspace );
		}
		printf( "%-26s %7zu x %7zu triangles %4zu poses %3zu meet %10zu pairs measured %5zu exactly %3zu differ\n",
		        pairings[p].name, a.view.triangle_count, b.view.triangle_count, c.poses, c.meeting, c.measured, c.exact,
		        c.differences );
		fflush( stdout );
		differences += c.differences;
		unload( &a );
		unload( &b );
	}
	dbvh_workspace_destroy( workspace );
	return differences == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
