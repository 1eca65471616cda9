// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "rows.h"

#include "common/path.h"
#include "common/poses.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

extern "C" {
#include "common/numbers.h"
#include "shapes/shapes.h"
#include "support/data.h"
}

namespace {

scene_mesh mesh_of( const char *label, const dbvh_mesh_view &view ) {
	scene_mesh mesh = {};
	const size_t coordinates = 3 * view.vertex_count, corners = 3 * view.triangle_count;
	mesh.positions = (double *)malloc( coordinates * sizeof( double ) );
	mesh.indices = (uint32_t *)malloc( corners * sizeof( uint32_t ) );
	if ( mesh.positions == nullptr || mesh.indices == nullptr )
		abort();
	memcpy( mesh.positions, view.positions, coordinates * sizeof( double ) );
	memcpy( mesh.indices, view.indices, corners * sizeof( uint32_t ) );
	mesh.view = view;
	mesh.view.positions = mesh.positions;
	mesh.view.indices = mesh.indices;
	snprintf( mesh.label, sizeof mesh.label, "%s, %zu triangles", label, view.triangle_count );
	return mesh;
}

scene_mesh mesh_of( const char *label, shape &s ) {
	const scene_mesh mesh = mesh_of( label, shape_view( &s ) );
	shape_free( &s );
	return mesh;
}

// A mesh from the folder of real meshes; without triangles if it is not there.
scene_mesh real_mesh( const char *name ) {
	dbvh_mesh *mesh = data_mesh( name );
	if ( mesh == nullptr )
		return {};
	const scene_mesh copy = mesh_of( name, dbvh_mesh_get_view( mesh ) );
	dbvh_mesh_destroy( mesh );
	return copy;
}

// ------------------------------------------------------------------------------------------------
// Poses

void random_turn( uint64_t *state, double rot[3][3] ) {
	double q[4], square = 0.0;
	do {
		square = 0.0;
		for ( double &x : q ) {
			x = 2.0 * next_number( state ) - 1.0;
			square += x * x;
		}
	} while ( square > 1.0 || square < 0.01 );
	const double s = 2.0 / square, w = q[0], x = q[1], y = q[2], z = q[3];
	const double turn[3][3] = {
	    { 1 - s * ( y * y + z * z ), s * ( x * y - w * z ), s * ( x * z + w * y ) },
	    { s * ( x * y + w * z ), 1 - s * ( x * x + z * z ), s * ( y * z - w * x ) },
	    { s * ( x * z - w * y ), s * ( y * z + w * x ), 1 - s * ( x * x + y * y ) },
	};
	memcpy( rot, turn, sizeof turn );
}

// Turned by anything, and moved so far in any direction; about the mesh's middle.
std::vector<dbvh_pose> random_poses( const scene_mesh &mesh, size_t count, double least, double most ) {
	std::vector<dbvh_pose> poses( count );
	double middle[3];
	for ( int k = 0; k < 3; ++k ) {
		double lower = HUGE_VAL, upper = -HUGE_VAL;
		for ( size_t i = 0; i < mesh.view.vertex_count; ++i ) {
			lower = std::min( lower, mesh.positions[3 * i + (size_t)k] );
			upper = std::max( upper, mesh.positions[3 * i + (size_t)k] );
		}
		middle[k] = 0.5 * ( lower + upper );
	}
	uint64_t state = 7;
	for ( dbvh_pose &p : poses ) {
		random_turn( &state, p.rot );
		double way[3], square = 0.0;
		do {
			square = 0.0;
			for ( double &x : way ) {
				x = 2.0 * next_number( &state ) - 1.0;
				square += x * x;
			}
		} while ( square > 1.0 || square < 0.01 );
		const double far = ( least + ( most - least ) * next_number( &state ) ) / std::sqrt( square );
		for ( int k = 0; k < 3; ++k )
			p.pos[k] =
			    middle[k] + far * way[k] - p.rot[k][0] * middle[0] - p.rot[k][1] * middle[1] - p.rot[k][2] * middle[2];
	}
	return poses;
}

// Rows at gaps in per cent of the diameter, and 1 % inwards.
double add_gap_rows( const scene_mesh &mesh, size_t sample, bool loose, const std::vector<int> &levels,
                     std::vector<Row> &rows ) {
	dbvh_tree *tree = scene_tree( &mesh.view, nullptr );
	poses_options options = {};
	options.sample = sample;
	options.loose = loose;
	pose_set set = poses_at_distances( tree, &options );
	dbvh_tree_destroy( tree );
	const auto poses_of = [&]( int row ) { return std::vector<dbvh_pose>( set.rows[row], set.rows[row] + set.count ); };
	for ( const int level : levels )
		rows.push_back( { std::to_string( level ) + " % of the diameter", poses_of( level ), false } );
	rows.push_back( { "hits, 1 % inwards", poses_of( POSES_HITS ), false } );
	rows.push_back( { "hits, 1 % inwards", poses_of( POSES_HITS ), true } );
	const double diameter = set.diameter;
	pose_set_free( &set );
	return diameter;
}

void take_mesh( scene_mesh mesh, size_t sample, bool loose, const std::vector<int> &levels, const TakeScene &take ) {
	std::vector<Row> rows;
	add_gap_rows( mesh, sample, loose, levels, rows );
	take( { mesh.label, mesh, mesh, rows, true } );
	scene_free( &mesh );
}

// ------------------------------------------------------------------------------------------------
// Groups

void take_solid( scene_mesh mesh, size_t sample, const TakeScene &take ) {
	std::vector<Row> rows;
	const double diameter = add_gap_rows( mesh, sample, true, { 3, 1 }, rows );
	rows.push_back( { "overlapping at random", random_poses( mesh, sample, 0.0, 0.4 * diameter ), false } );
	rows.push_back( { "spheres overlap, at random", random_poses( mesh, sample, 0.7 * diameter, diameter ), false } );
	rows.push_back( { "spheres apart", random_poses( mesh, sample, 1.5 * diameter, 3.0 * diameter ), false } );
	take( { mesh.label, mesh, mesh, rows, true } );
	scene_free( &mesh );
}

void make_small( size_t sample, const TakeScene &take ) {
	shape cube = {}, box = {}, ball = {}, drum = {};
	shape_add_box( &cube, 0.5, 0.5, 0.5, 1 );
	shape_add_box( &box, 0.5, 0.3, 0.2, 2 );
	shape_add_sphere( &ball, 0.5, 8, 6 );
	shape_add_sphere( &drum, 0.5, 16, 12 );
	take_solid( mesh_of( "cube", cube ), sample, take );
	take_solid( mesh_of( "box", box ), sample, take );
	take_solid( mesh_of( "ball", ball ), sample, take );
	take_solid( mesh_of( "ball", drum ), sample, take );
}

// The upper plate's places on the lower one, `gap` above it, turned about the vertical.
std::vector<dbvh_pose> plate_poses( size_t count, double height, double degrees ) {
	std::vector<dbvh_pose> poses;
	uint64_t state = 3;
	const double up[3] = { 0, 0, 1 };
	for ( size_t i = 0; i < count; ++i ) {
		const double at[3] = { 0.2 * ( next_number( &state ) - 0.5 ), 0.2 * ( next_number( &state ) - 0.5 ), height };
		poses.push_back( shape_pose( up, degrees, at ) );
	}
	return poses;
}

void make_plates( size_t sample, const TakeScene &take ) {
	const double thick = 0.0625;
	shape lower = {}, upper = {};
	shape_add_box( &lower, 1.0, 1.0, 0.5 * thick, 13 );
	shape_add_box( &upper, 0.75, 0.75, 0.5 * thick, 10 );
	scene_mesh a = mesh_of( "plate", lower ), b = mesh_of( "plate", upper );
	const size_t count = std::min<size_t>( sample, 32 );
	std::vector<Row> rows;
	for ( const double degrees : { 0.0, 30.0 } ) {
		const std::string turned = degrees == 0.0 ? "" : ", turned by 30 degrees";
		rows.push_back( { "touching face to face" + turned, plate_poses( count, thick, degrees ), false } );
		rows.push_back( { "touching face to face" + turned, plate_poses( count, thick, degrees ), true } );
		rows.push_back( { "1e-6 apart" + turned, plate_poses( count, thick + 1e-6, degrees ), false } );
		rows.push_back( { "1e-3 apart" + turned, plate_poses( count, thick + 1e-3, degrees ), false } );
	}
	take( { std::string( "plates, " ) + a.label + " and " + b.label, a, b, rows, false } );
	take( { "the same, parallel", a, b, { { "0.1 apart", plate_poses( count, thick + 0.1, 0.0 ), false } }, true } );
	scene_free( &a );
	scene_free( &b );
}

// Long triangles round a tube with a flange: what a link of an arm is made of.
void add_link( shape *s ) {
	const uint32_t n = 48;
	const double profile[][2] = { { 0.06, 0.0 },  { 0.06, 0.02 }, { 0.04, 0.02 }, { 0.04, 0.38 }, { 0.07, 0.4 },
	                              { 0.07, 0.44 }, { 0.05, 0.44 }, { 0.05, 0.4 },  { 0.03, 0.38 }, { 0.03, 0.0 } };
	const uint32_t rings = sizeof profile / sizeof profile[0];
	for ( const auto &p : profile )
		for ( uint32_t k = 0; k < n; ++k ) {
			double c, w;
			shape_turn( k, n, &c, &w );
			shape_vertex( s, p[0] * c, p[0] * w, p[1] );
		}
	for ( uint32_t r = 0; r < rings; ++r )
		for ( uint32_t k = 0; k < n; ++k ) {
			const uint32_t next = ( k + 1 ) % n, low = r * n, high = ( r + 1 ) % rings * n;
			shape_triangle( s, low + k, low + next, high + next );
			shape_triangle( s, low + k, high + next, high + k );
		}
}

void make_robots( size_t sample, const TakeScene &take ) {
	bool any = false;
	for ( const char *name : { "robot/panda/link4.stl", "robot/panda/link6.stl", "robot/ur5e/upperarm.stl",
	                           "robot/ur5e/wrist1.stl", "robot/ur10/forearm.stl" } ) {
		scene_mesh mesh = real_mesh( name );
		if ( mesh.positions == nullptr )
			continue;
		any = true;
		take_mesh( mesh, sample, true, { 3, 1, 0 }, take );
	}
	if ( any )
		return;
	shape link = {};
	add_link( &link );
	take_mesh( mesh_of( "GENERATED link of an arm", link ), sample, true, { 3, 1, 0 }, take );
}

void make_gears( size_t sample, const TakeScene &take ) {
	for ( const char *name :
	      { "cad/stlmodels_gearwheel.stl", "cad/trimesh_cycloidal.ply", "cad/trimesh_featuretype.stl" } ) {
		scene_mesh mesh = real_mesh( name );
		if ( mesh.positions != nullptr )
			take_mesh( mesh, sample, true, { 3, 1, 0 }, take );
	}
	shape gear = {};
	const shape_gear wheel = shape_gear_default();
	shape_add_gear( &gear, &wheel );
	take_mesh( mesh_of( "GENERATED gear", gear ), sample, true, { 3, 1, 0 }, take );
}

void make_buddha( size_t sample, const TakeScene &take ) {
	scene_mesh mesh = scene_buddha();
	std::vector<Row> rows;
	add_gap_rows( mesh, sample, false, { 0, 1, 2, 3, 4, 5 }, rows );
	take( { mesh.label, mesh, mesh, rows, true } );
	scene_free( &mesh );
}

void make_scans( size_t sample, const TakeScene &take ) {
	for ( const char *name : { "classics/horse.ply", "classics/rocker-arm.obj", "classics/suzanne.obj" } ) {
		scene_mesh mesh = real_mesh( name );
		if ( mesh.positions != nullptr )
			take_mesh( mesh, sample, false, { 3, 1, 0 }, take );
	}
}

void make_spheres( size_t, const TakeScene &take ) {
	scene_mesh inner = scene_sphere( 1.0 );
	const double axis[3] = { 1, 2, 3 }, at[3] = { 0, 0, 0 };
	const dbvh_pose turned = shape_pose( axis, 37.0, at );
	for ( const double gap : { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 } ) {
		scene_mesh outer = scene_sphere( 1.0 + gap );
		char name[64];
		snprintf( name, sizeof name, "gap %.0e", gap );
		take( { "concentric spheres of 79,600",
		        inner,
		        outer,
		        { { name, { dbvh_pose_identity() }, false }, { std::string( name ) + ", rotated", { turned }, false } },
		        false } );
		scene_free( &outer );
	}
	scene_free( &inner );
}

void make_hands( size_t, const TakeScene &take ) {
	constexpr size_t frames = 300;
	scene_mesh cabin = scene_cabin();
	double lower[3], upper[3];
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = std::numeric_limits<double>::infinity();
		upper[k] = -lower[k];
		for ( size_t i = 0; i < cabin.view.vertex_count; ++i ) {
			lower[k] = std::min( lower[k], cabin.positions[3 * i + (size_t)k] );
			upper[k] = std::max( upper[k], cabin.positions[3 * i + (size_t)k] );
		}
	}
	for ( int which = 0; which < 2; ++which ) {
		scene_mesh hand = scene_hand( which );
		std::vector<dbvh_pose> poses( frames );
		path_fly( lower, upper, 1998, frames, poses.data() );
		// The path is that of the hand's middle, wherever its own origin lies.
		double middle[3] = { 0, 0, 0 };
		for ( size_t i = 0; i < hand.view.vertex_count; ++i )
			for ( size_t k = 0; k < 3; ++k )
				middle[k] += hand.positions[3 * i + k] / (double)hand.view.vertex_count;
		for ( dbvh_pose &p : poses )
			for ( int k = 0; k < 3; ++k )
				p.pos[k] -= p.rot[k][0] * middle[0] + p.rot[k][1] * middle[1] + p.rot[k][2] * middle[2];
		take( { std::string( hand.label ) + " in " + cabin.label,
		        cabin,
		        hand,
		        { { "along a path", poses, false }, { "along a path", poses, true } },
		        false } );
		scene_free( &hand );
	}
	scene_free( &cabin );
}

// Rows that the roots decide: spheres apart, and boxes apart within spheres that overlap.
void make_far( size_t sample, const TakeScene &take ) {
	scene_mesh mesh = scene_buddha();
	take( { mesh.label, mesh, mesh, { { "spheres apart", random_poses( mesh, sample, 3.0, 4.0 ), false } }, false } );
	scene_free( &mesh );
	shape rod = {};
	shape_add_box( &rod, 1.0, 0.1, 0.1, 8 );
	scene_mesh blade = mesh_of( "rod", rod );
	std::vector<dbvh_pose> poses;
	uint64_t state = 5;
	const double along[3] = { 1, 0, 0 };
	for ( size_t i = 0; i < sample; ++i ) {
		const double angle = 6.283185307179586 * next_number( &state );
		const double at[3] = { 0.2 * next_number( &state ), 0.4 * std::cos( angle ), 0.4 * std::sin( angle ) };
		poses.push_back( shape_pose( along, 360.0 * next_number( &state ), at ) );
	}
	take( { blade.label, blade, blade, { { "side by side, boxes apart", poses, false } }, false } );
	scene_free( &blade );
}

} // namespace

const std::vector<SceneGroup> scene_groups = {
    { "small", make_small },     { "plates", make_plates }, { "robots", make_robots },
    { "gears", make_gears },     { "buddha", make_buddha }, { "scans", make_scans },
    { "spheres", make_spheres }, { "hands", make_hands },   { "far", make_far },
};

void make_file_scene( const char *path, size_t sample, const TakeScene &take ) {
	take_mesh( scene_file( path ), sample, true, { 3, 1, 0 }, take );
}
