// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/traps.h"

#include "support/solid_shapes.h"

#include <math.h>

#define LENGTH( a ) ( sizeof( a ) / sizeof( a )[0] )

// The box of [-x, x] and so on about (cx, cy, cz).
static void cube( shape *s, double cx, double cy, double cz, double half ) {
	add_block( s, ( double[3] ){ cx - half, cy - half, cz - half }, ( double[3] ){ cx + half, cy + half, cz + half },
	           false, false );
}

static void inverted_cube( shape *s, double cx, double cy, double cz, double half ) {
	add_block( s, ( double[3] ){ cx - half, cy - half, cz - half }, ( double[3] ){ cx + half, cy + half, cz + half },
	           false, true );
}

static void block( shape *s, double x0, double x1, double y0, double y1, double z0, double z1 ) {
	add_block( s, ( double[3] ){ x0, y0, z0 }, ( double[3] ){ x1, y1, z1 }, false, false );
}

// Two cubes of side 2, the second one at an offset: the published suite.
static void cubes_at( trap *t, double x, double y, double z, dbvh_relation truth, bool meet ) {
	cube( &t->a, 0, 0, 0, 1 );
	cube( &t->b, 0, 0, 0, 1 );
	t->pose.pos[0] = x;
	t->pose.pos[1] = y;
	t->pose.pos[2] = z;
	t->truth = truth;
	t->meet = meet;
}

static void nested( trap *t ) {
	cube( &t->a, 0, 0, 0, 1 );
	cube( &t->b, 0, 0, 0, 0.25 );
	t->truth = DBVH_RELATION_B_IN_A;
}

static void shared_face( trap *t ) {
	cubes_at( t, 2, 0, 0, DBVH_RELATION_TOUCHING, true );
}

static void shared_edge( trap *t ) {
	cubes_at( t, 2, 2, 0, DBVH_RELATION_TOUCHING, true );
}

static void shared_vertex( trap *t ) {
	cubes_at( t, 2, 2, 2, DBVH_RELATION_TOUCHING, true );
}

static void tiny_gap( trap *t ) {
	cubes_at( t, 2 + 1e-9, 0, 0, DBVH_RELATION_DISJOINT, false );
}

static void tiny_overlap( trap *t ) {
	cubes_at( t, 2 - 1e-9, 0, 0, DBVH_RELATION_OVERLAPPING, true );
}

static void aligned_overlap( trap *t ) {
	cubes_at( t, 1.5, 0, 0, DBVH_RELATION_OVERLAPPING, true );
}

static void offset_overlap( trap *t ) {
	cubes_at( t, 1.5, 0.25, 0.125, DBVH_RELATION_OVERLAPPING, true );
}

static void identical( trap *t ) {
	cubes_at( t, 0, 0, 0, DBVH_RELATION_EQUAL, true );
}

static void gap_005( trap *t ) {
	cubes_at( t, 2.0625, 0, 0, DBVH_RELATION_DISJOINT, false );
}

static void partly_shared_face( trap *t ) {
	cubes_at( t, 2, 0.5, 0.25, DBVH_RELATION_TOUCHING, true );
}

static void identical_other_triangles( trap *t ) {
	shape_add_box( &t->a, 1, 1, 1, 3 );
	add_block( &t->b, ( double[3] ){ -1, -1, -1 }, ( double[3] ){ 1, 1, 1 }, true, false );
	t->truth = DBVH_RELATION_EQUAL;
	t->meet = true;
}

static void inside_sharing_face( trap *t ) {
	cube( &t->a, 0, 0, 0, 1 );
	cube( &t->b, 0.5, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_B_IN_A;
	t->meet = true;
}

static void inside_sharing_corner( trap *t ) {
	cube( &t->a, 0.5, 0.5, 0.5, 0.5 );
	cube( &t->b, 0, 0, 0, 1 );
	t->truth = DBVH_RELATION_A_IN_B;
	t->meet = true;
}

// A wall through a wall of the same height and thickness: every corner lies on the other's faces.
static void crossing_walls( trap *t ) {
	block( &t->a, -4, 4, -0.5, 0.5, 0, 2 );
	block( &t->b, -0.5, 0.5, -4, 4, 0, 2 );
	t->truth = DBVH_RELATION_OVERLAPPING;
	t->meet = true;
}

// IfcOpenShell issue 4594: walls that overlap along their length and are aligned in everything else.
static void aligned_walls( trap *t ) {
	block( &t->a, 0, 4, 0, 0.25, 0, 3 );
	block( &t->b, 3.9375, 8, 0, 0.25, 0, 3 );
	t->truth = DBVH_RELATION_OVERLAPPING;
	t->meet = true;
}

static void cone_tip( trap *t ) {
	block( &t->a, -4, 4, -4, 4, -1, 0 );
	static const double p[4][3] = { { 0.5, 0.25, 0 }, { 1, 0, 2 }, { 0, 1, 2 }, { -1, -1, 2 } };
	add_tetra( &t->b, p );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

// An edge across an edge, where neither has a corner.
static void edge_on_edge( trap *t ) {
	block( &t->a, -4, 4, -4, 0, -4, 0 );
	static const double p[4][3] = { { 0, -1, 1 }, { 0, 1, -1 }, { 1, 2, 2 }, { -1, 2, 2 } };
	add_tetra( &t->b, p );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

// Two roofs, ridge on ridge, crossing at right angles.
static void ridges( trap *t ) {
	static const double roof[3][2] = { { -1, 0 }, { 1, 0 }, { 0, 1 } };
	add_prism( &t->a, roof, 3, -2, 2 );
	add_prism( &t->b, roof, 3, -2, 2 );
	// The second one upside down in y, along x.
	t->pose = ( dbvh_pose ){ { { 0, 0, 1 }, { 0, -1, 0 }, { 1, 0, 0 } }, { 0, 2, 0 } };
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

static const double comb[16][2] = { { 0, 0 }, { 8, 0 }, { 8, 2 }, { 7, 2 }, { 7, 1 }, { 6, 1 }, { 6, 2 }, { 5, 2 },
                                    { 5, 1 }, { 4, 1 }, { 4, 2 }, { 3, 2 }, { 3, 1 }, { 2, 1 }, { 2, 2 }, { 0, 2 } };
static const double counter[16][2] = { { 0, 3 }, { 0, 2 }, { 2, 2 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 4, 2 }, { 4, 1 },
                                       { 5, 1 }, { 5, 2 }, { 6, 2 }, { 6, 1 }, { 7, 1 }, { 7, 2 }, { 8, 2 }, { 8, 3 } };

static void comb_fits( trap *t ) {
	add_prism( &t->a, comb, LENGTH( comb ), 0, 1 );
	add_prism( &t->b, counter, LENGTH( counter ), 0, 1 );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

static void comb_pressed( trap *t ) {
	comb_fits( t );
	t->pose.pos[0] = 0x1p-40;
	t->truth = DBVH_RELATION_OVERLAPPING;
}

static void peg_in_hole( trap *t ) {
	block( &t->a, -2, 2, -2, 2, -2, 2 );
	inverted_cube( &t->a, 0, 0, 0, 1 ); // a cavity
	cube( &t->b, 0, 0, 0, 1 );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

static void loose_in_cavity( trap *t ) {
	block( &t->a, -2, 2, -2, 2, -2, 2 );
	inverted_cube( &t->a, 0, 0, 0, 1 );
	cube( &t->b, 0, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_DISJOINT;
}

static void ball_in_shell_in_shell( trap *t ) {
	cube( &t->a, 0, 0, 0, 4 );
	inverted_cube( &t->a, 0, 0, 0, 3 );
	cube( &t->a, 0, 0, 0, 2 );
	cube( &t->b, 0, 0, 0, 1 );
	t->truth = DBVH_RELATION_B_IN_A;
}

static void one_of_two_inside( trap *t ) {
	cube( &t->a, 0, 0, 0, 1 );
	cube( &t->b, 0, 0, 0, 0.5 );
	cube( &t->b, 5, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_OVERLAPPING;
}

static void both_of_two_inside( trap *t ) {
	cube( &t->a, 0, 0, 0, 4 );
	cube( &t->b, -1, 0, 0, 0.5 );
	cube( &t->b, 2, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_B_IN_A;
}

// The faces of every other triangle turned over.
static void badly_oriented( trap *t ) {
	nested( t );
	for ( size_t i = 0; i < t->a.triangle_count; i += 2 ) {
		const uint32_t k = t->a.indices[3 * i];
		t->a.indices[3 * i] = t->a.indices[3 * i + 1];
		t->a.indices[3 * i + 1] = k;
	}
}

static void badly_oriented_face( trap *t ) {
	shared_face( t );
	for ( size_t i = 0; i < t->b.triangle_count; i += 3 ) {
		const uint32_t k = t->b.indices[3 * i];
		t->b.indices[3 * i] = t->b.indices[3 * i + 1];
		t->b.indices[3 * i + 1] = k;
	}
}

// A shear within the tolerance of poses, in the plane of the face and along x: the map is taken as it is, and the face
// stays in its plane.
static void sheared_face( trap *t ) {
	shared_face( t );
	t->pose.rot[1][0] = 0x1p-20;
	t->pose.rot[1][2] = -0x1p-21;
}

// Turned about the axis across the face: the face stays in its plane, whatever the angle.
static void spun_face( trap *t ) {
	shared_face( t );
	t->pose.rot[1][1] = t->pose.rot[2][2] = cos( 0.7 );
	t->pose.rot[2][1] = sin( 0.7 );
	t->pose.rot[1][2] = -sin( 0.7 );
}

static void far_away( trap *t ) {
	cubes_at( t, 2, 0, 0, DBVH_RELATION_TOUCHING, true );
	for ( size_t i = 0; i < t->a.vertex_count; ++i )
		t->a.positions[3 * i] += 1048576.0;
	t->pose.pos[0] += 1048576.0;
}

static void open_box( shape *s ) {
	cube( s, 0, 0, 0, 1 );
	s->triangle_count -= 2; // without a lid
}

static void in_open_box( trap *t ) {
	open_box( &t->a );
	cube( &t->b, 0, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_UNDECIDABLE;
	t->undecided = DBVH_UNDECIDED_A_OPEN;
}

// A box whose lid shares one corner with it, and is larger: neither is closed, together they hold what is inside.
static void under_loose_lid( trap *t ) {
	open_box( &t->a );
	const uint32_t first = (uint32_t)t->a.vertex_count;
	shape_vertex( &t->a, 1, -1, -1 );
	shape_vertex( &t->a, 1, 3, -1 );
	shape_vertex( &t->a, 1, -1, 3 );
	shape_triangle( &t->a, first, first + 1, first + 2 );
	cube( &t->b, 0, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_UNDECIDABLE;
	t->undecided = DBVH_UNDECIDED_A_OPEN;
}

static void beside_open_box( trap *t ) {
	open_box( &t->a );
	cube( &t->b, 2, 0, 0, 0.5 );
	t->truth = DBVH_RELATION_DISJOINT;
}

static void on_floor_of_open_box( trap *t ) {
	open_box( &t->a );
	cube( &t->b, 0, 0, -0.5, 0.5 );
	t->truth = DBVH_RELATION_UNDECIDABLE; // a touch takes no doubt away
	t->undecided = DBVH_UNDECIDED_A_OPEN;
	t->meet = true;
}

static void open_box_inside( trap *t ) {
	cube( &t->a, 0, 0, 0, 2 );
	open_box( &t->b );
	t->truth = DBVH_RELATION_B_IN_A;
}

static void open_boxes_nested( trap *t ) {
	open_box( &t->a );
	open_box( &t->b );
	for ( size_t i = 0; i < 3 * t->b.vertex_count; ++i )
		t->b.positions[i] *= 0.5;
	t->truth = DBVH_RELATION_UNDECIDABLE;
	t->undecided = DBVH_UNDECIDED_A_OPEN;
}

static void through_open_box( trap *t ) {
	open_box( &t->a );
	cube( &t->b, -1.25, 0.0625, 0.125, 0.5 );
	t->truth = DBVH_RELATION_OVERLAPPING;
	t->meet = true;
}

// A square and a folded one, whose fold lies in it: both of its halves on one side, or one on each.
static void sheet( shape *s, double left, double right ) {
	shape_vertex( s, 0, -0.5, 0 );
	shape_vertex( s, 0, 0.5, 0 );
	shape_vertex( s, -1, 0, left );
	shape_vertex( s, 1, 0, right );
	shape_triangle( s, 0, 1, 2 );
	shape_triangle( s, 1, 0, 3 );
}

static void fold_on_sheet( trap *t ) {
	shape_vertex( &t->a, -4, -4, 0 );
	shape_vertex( &t->a, 4, -4, 0 );
	shape_vertex( &t->a, 4, 4, 0 );
	shape_vertex( &t->a, -4, 4, 0 );
	shape_triangle( &t->a, 0, 1, 2 );
	shape_triangle( &t->a, 0, 2, 3 );
	sheet( &t->b, 1, 1 );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

static void fold_through_sheet( trap *t ) {
	fold_on_sheet( t );
	t->b.positions[3 * 3 + 2] = -1;
	t->truth = DBVH_RELATION_OVERLAPPING;
}

static void sheet_on_box( trap *t ) {
	cube( &t->a, 0, 0, -1, 1 );
	sheet( &t->b, 0, 0 );
	t->truth = DBVH_RELATION_TOUCHING;
	t->meet = true;
}

static void sheet_across_box( trap *t ) {
	cube( &t->a, 0, 0, 0, 0.25 );
	sheet( &t->b, 0, 0 );
	t->truth = DBVH_RELATION_OVERLAPPING;
	t->meet = true;
}

// Tolerances.
static void gap_allowed( trap *t ) {
	gap_005( t );
	t->tolerances.touch_gap = 0.0625;
	t->truth = DBVH_RELATION_TOUCHING;
}

static void gap_too_wide( trap *t ) {
	gap_005( t );
	t->tolerances.touch_gap = nextafter( 0.0625, 0.0 );
}

static void overlap_allowed( trap *t ) {
	aligned_overlap( t );
	t->tolerances.touch_overlap = 0.5;
	t->truth = DBVH_RELATION_TOUCHING;
}

static void overlap_too_deep( trap *t ) {
	aligned_overlap( t );
	t->tolerances.touch_overlap = nextafter( 0.5, 0.0 );
}

// A thin plate right through a block is not a thin overlap.
static void pierced( trap *t ) {
	block( &t->a, -1, 1, -1, 1, -1, 1 );
	block( &t->b, -4, 4, -0.5, 0.5, -0.0625, 0.0625 );
	t->tolerances.touch_overlap = 0.25;
	t->truth = DBVH_RELATION_OVERLAPPING;
	t->meet = true;
}

static const struct {
	const char *name;
	void ( *make )( trap *t );
} traps[] = {
    { "small box inside", nested },
    { "share a face", shared_face },
    { "share an edge", shared_edge },
    { "share a vertex", shared_vertex },
    { "gap of 1e-9", tiny_gap },
    { "overlap of 1e-9", tiny_overlap },
    { "aligned, overlap of 0.5", aligned_overlap },
    { "offset, overlap of 0.5", offset_overlap },
    { "identical boxes", identical },
    { "gap of 0.0625", gap_005 },
    { "share part of a face", partly_shared_face },
    { "identical, other triangles", identical_other_triangles },
    { "inside, share a face", inside_sharing_face },
    { "inside, share a corner", inside_sharing_corner },
    { "walls that cross, same height", crossing_walls },
    { "walls aligned, overlap of 1/16", aligned_walls },
    { "tip on a face", cone_tip },
    { "edge across an edge", edge_on_edge },
    { "ridge on ridge", ridges },
    { "comb in its counterpart", comb_fits },
    { "the same, 2^-40 aside", comb_pressed },
    { "fills a cavity", peg_in_hole },
    { "loose in a cavity", loose_in_cavity },
    { "in a box in a hollow box", ball_in_shell_in_shell },
    { "one of two bodies inside", one_of_two_inside },
    { "both of two bodies inside", both_of_two_inside },
    { "inside, badly oriented", badly_oriented },
    { "share a face, badly oriented", badly_oriented_face },
    { "share a face, sheared", sheared_face },
    { "share a face, spun by 0.7", spun_face },
    { "share a face, far from 0", far_away },
    { "in an open box", in_open_box },
    { "in an open box, under a lid", under_loose_lid },
    { "beside an open box", beside_open_box },
    { "on the floor of an open box", on_floor_of_open_box },
    { "open box in a box", open_box_inside },
    { "open box in an open box", open_boxes_nested },
    { "through the wall of an open box", through_open_box },
    { "folded sheet on a sheet", fold_on_sheet },
    { "folded sheet through a sheet", fold_through_sheet },
    { "sheet on a box", sheet_on_box },
    { "sheet across a box", sheet_across_box },
    { "gap of 1/16, as much allowed", gap_allowed },
    { "gap of 1/16, less allowed", gap_too_wide },
    { "overlap of 1/2, as much allowed", overlap_allowed },
    { "overlap of 1/2, less allowed", overlap_too_deep },
    { "pierced by a thin plate", pierced },
};

size_t trap_count( void ) {
	return LENGTH( traps );
}

trap trap_make( size_t i ) {
	trap t = { .name = traps[i].name, .pose = dbvh_pose_identity() };
	traps[i].make( &t );
	return t;
}

void trap_free( trap *t ) {
	shape_free( &t->a );
	shape_free( &t->b );
}
