// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh gen: makes a mesh file from a procedural shape.

#include "cli/args.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cmd/cmd.h"
#include "shapes/shapes.h"

#include <stdio.h>
#include <string.h>

enum {
	OPT_OUTPUT,
	OPT_RADIUS,
	OPT_TUBE,
	OPT_SLICES,
	OPT_STACKS,
	OPT_SIZE,
	OPT_CELLS,
	OPT_LENGTH,
	OPT_WALL,
	OPT_TEETH,
	OPT_MODULE,
	OPT_PRESSURE_ANGLE,
	OPT_THICKNESS,
	OPT_BORE,
	OPT_BACKLASH,
	OPT_FLANKS,
	OPT_STEPS,
	OPT_SCALE,
	OPT_ROTATE,
	OPT_AT,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};

typedef struct settings {
	const char *file;
	int which; // index into `shapes`, or -1
	bool quiet;
	double radius, tube, length, wall, size[3], scale, turn[4], at[3]; // turn: axis and degrees
	uint32_t slices, stacks, cells, steps;
	shape_gear gear;
} settings;

enum { MANY = 5000 }; // slices by stacks: 50 million triangles, some 2 GiB

static const arg_option options[OPT_COUNT] = {
    { "output", 'o', "FILE", ARG_TO( ARG_TEXT, file ),
      "where to write; the ending decides: .ply, .off, .obj keep doubles, .stl rounds to float" },
    { "radius", 0, "R", ARG_TO( ARG_POSITIVE, radius ),
      "sphere: radius (1); torus: radius of the circle along the tube (1); pipe: outer radius (1)" },
    { "tube", 0, "R", ARG_TO( ARG_POSITIVE, tube ), "torus: radius of the tube (0.25)" },
    { "slices", 0, "N", ARG_COUNT_TO( slices, 3, MANY ),
      "sphere, pipe: steps round the axis (64); torus: along the tube (64)" },
    { "stacks", 0, "N", ARG_COUNT_TO( stacks, 2, MANY ),
      "sphere: steps from pole to pole (32); torus: round the tube (32)" },
    { "size", 0, "X,Y,Z", ARG_TO( ARG_POSITIVE_TRIPLE, size ), "box: lengths of its edges (1,1,1)" },
    { "cells", 0, "N", ARG_COUNT_TO( cells, 1, 2000 ), "box: each face is cut into N by N squares (1)" },
    { "length", 0, "L", ARG_TO( ARG_POSITIVE, length ), "pipe: length along the axis (4)" },
    { "wall", 0, "T", ARG_TO( ARG_POSITIVE, wall ), "pipe: thickness of its wall (0.1)" },
    { "teeth", 0, "N", ARG_COUNT_TO( gear.teeth, 8, 10000 ), "gear: number of teeth (24)" },
    { "module", 0, "M", ARG_TO( ARG_POSITIVE, gear.module ), "gear: pitch diameter by number of teeth (1)" },
    { "pressure-angle", 0, "DEGREES", ARG_TO( ARG_POSITIVE, gear.pressure_angle ), "gear: slope of the flanks (20)" },
    { "thickness", 0, "T", ARG_TO( ARG_POSITIVE, gear.thickness ), "gear: length along the axis (6)" },
    { "bore", 0, "R", ARG_TO( ARG_POSITIVE, gear.bore_radius ), "gear: radius of the hole (4)" },
    { "backlash", 0, "B", ARG_TO( ARG_NOT_NEGATIVE, gear.backlash ),
      "gear: what each tooth lacks in width on the pitch circle (0.0625)" },
    { "flanks", 0, "N", ARG_COUNT_TO( gear.flank_segments, 1, 500 ), "gear: steps along a flank (6)" },
    { "steps", 0, "N", ARG_COUNT_TO( steps, 1, 1000000 ), "stairs: number of cubes (8)" },
    { "scale", 0, "S", ARG_TO( ARG_POSITIVE, scale ), "any shape: make it S times as large, before anything else" },
    { "rotate", 0, "X,Y,Z,DEGREES", ARG_TO( ARG_QUADRUPLE, turn ),
      "any shape: turn it about the axis X,Y,Z through the origin" },
    { "at", 0, "X,Y,Z", ARG_TO( ARG_TRIPLE, at ), "any shape: then move it there" },
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static bool add_sphere( shape *s, const settings *w ) {
	shape_add_sphere( s, w->radius, w->slices, w->stacks );
	return true;
}

static bool add_torus( shape *s, const settings *w ) {
	if ( w->tube >= w->radius )
		return false;
	shape_add_torus( s, w->radius, w->tube, w->slices, w->stacks );
	return true;
}

static bool add_box( shape *s, const settings *w ) {
	shape_add_box( s, 0.5 * w->size[0], 0.5 * w->size[1], 0.5 * w->size[2], w->cells );
	return true;
}

static bool add_pipe( shape *s, const settings *w ) {
	if ( w->wall >= w->radius )
		return false;
	shape_add_pipe( s, w->radius - w->wall, w->radius, w->length, w->slices );
	return true;
}

static bool add_gear( shape *s, const settings *w ) {
	return shape_add_gear( s, &w->gear );
}

static bool add_hand( shape *s, const settings *w ) {
	(void)w;
	shape_add_hand( s );
	return true;
}

static bool add_cabin( shape *s, const settings *w ) {
	(void)w;
	shape_add_cabin( s );
	return true;
}

static bool add_statue( shape *s, const settings *w ) {
	(void)w;
	shape_add_statue( s );
	return true;
}

static bool add_stairs( shape *s, const settings *w ) {
	shape_add_stairs( s, w->steps );
	return true;
}

#define TAKES( option ) ( UINT64_C( 1 ) << ( option ) )

static const struct {
	const char *name;
	bool ( *add )( shape *s, const settings *w ); // false where the settings fit no such shape
	uint64_t takes;                               // bits of its options, among those that not every shape has
	const char *help;
} shapes[] = {
    { "sphere", add_sphere, TAKES( OPT_RADIUS ) | TAKES( OPT_SLICES ) | TAKES( OPT_STACKS ),
      "2 * slices * (stacks - 1) triangles, poles on the z axis" },
    { "box", add_box, TAKES( OPT_SIZE ) | TAKES( OPT_CELLS ), "12 * cells^2 triangles" },
    { "torus", add_torus, TAKES( OPT_RADIUS ) | TAKES( OPT_TUBE ) | TAKES( OPT_SLICES ) | TAKES( OPT_STACKS ),
      "2 * slices * stacks triangles, round the z axis" },
    { "pipe", add_pipe, TAKES( OPT_RADIUS ) | TAKES( OPT_SLICES ) | TAKES( OPT_LENGTH ) | TAKES( OPT_WALL ),
      "8 * slices triangles, along the z axis, its middle at the origin" },
    { "gear", add_gear,
      TAKES( OPT_TEETH ) | TAKES( OPT_MODULE ) | TAKES( OPT_PRESSURE_ANGLE ) | TAKES( OPT_THICKNESS ) |
          TAKES( OPT_BORE ) | TAKES( OPT_BACKLASH ) | TAKES( OPT_FLANKS ),
      "teeth * (8 * flanks + 28) triangles, round the z axis, a tooth at +x" },
    { "hand", add_hand, 0, "404 triangles, metres, fingers along +x" },
    { "cabin", add_cabin, 0, "169944 triangles: an aeroplane's cabin, metres, x to the tail, z up" },
    { "statue", add_statue, 0, "15536 triangles: a robed figure, height 1, facing +x" },
    { "stairs", add_stairs, TAKES( OPT_STEPS ), "12 * steps triangles: cubes that touch along one edge" },
};
enum { SHAPE_COUNT = sizeof( shapes ) / sizeof( shapes[0] ) };

static int help( void ) {
	help_text(
	    "Usage: dualbvh gen SHAPE [OPTION]... -o FILE\n"
	    "\n"
	    "Generates a mesh. Shapes are closed and oriented outwards, but for the cabin's walls. SHAPE is one of:\n" );
	for ( int i = 0; i < SHAPE_COUNT; ++i )
		help_item( shapes[i].name, 8, shapes[i].help );
	help_text( "" );
	help_options( options, OPT_COUNT );
	help_text( "\n"
	           "Example: dualbvh gen gear --teeth 20 --rotate 0,0,1,9 --at 20,0,0 -o gear.ply\n"
	           "\n"
	           "Exit status: 0, or 2 where nothing could be written." );
	return finish_output( EXIT_CLEAR );
}

static int find_shape( const char *name ) {
	for ( int i = 0; i < SHAPE_COUNT; ++i )
		if ( strcmp( shapes[i].name, name ) == 0 )
			return i;
	return -1;
}

static int write_shape( const settings *w ) {
	shape s = { 0 };
	dbvh_error error = { 0 };
	if ( !shapes[w->which].add( &s, w ) )
		return args_refuse( "gen", "there is no %s of these measures", shapes[w->which].name );
	if ( s.failed ) {
		shape_free( &s );
		return complain( "no memory for so large a mesh" );
	}
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] *= w->scale;
	const dbvh_pose pose = shape_pose( w->turn, w->turn[3], w->at );
	shape_place( &s, 0, &pose );
	const dbvh_mesh_view view = shape_view( &s );
	const dbvh_status status = dbvh_mesh_save( &view, w->file, DBVH_MESH_FORMAT_AUTO, &error );
	const size_t triangles = s.triangle_count;
	shape_free( &s );
	if ( status == DBVH_UNKNOWN_FORMAT ) {
		const char *endings[DBVH_MESH_FORMAT_COUNT - 1];
		for ( int i = 1; i < DBVH_MESH_FORMAT_COUNT; ++i )
			endings[i - 1] = dbvh_mesh_format_ending( (dbvh_mesh_format)i );
		const char *point = strrchr( w->file, '.' );
		return complain(
		    "gen: '%s' is no value for --output, which takes a name that ends in .ply, .off, .obj or .stl%s", w->file,
		    point != NULL ? args_suggest( point + 1, endings, DBVH_MESH_FORMAT_COUNT - 1, "." ) : "" );
	}
	if ( status != DBVH_OK )
		return complain_of( w->file, &error );
	if ( !w->quiet )
		printf( "%s: %s, %zu triangles\n", w->file, shapes[w->which].name, triangles );
	return finish_output( EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	settings *w = target;
	if ( w->which >= 0 ) {
		args_refuse( "gen", "one shape at a time; '%s' is a second one", text );
		return false;
	}
	w->which = find_shape( text );
	if ( w->which < 0 ) {
		const char *names[SHAPE_COUNT];
		for ( int i = 0; i < SHAPE_COUNT; ++i )
			names[i] = shapes[i].name;
		char list[1024] = "";
		for ( int i = 0; i < SHAPE_COUNT; ++i )
			snprintf( list + strlen( list ), sizeof list - strlen( list ), "%s%s", i > 0 ? ", " : "", shapes[i].name );
		args_refuse( "gen", "there is no shape '%s'%s; the shapes are %s", text,
		             args_suggest( text, names, SHAPE_COUNT, "" ), list );
	}
	return w->which >= 0;
}

static const arg_table table = { "gen", options, OPT_COUNT, help, operand };

int cmd_gen( int argc, char **argv ) {
	settings w = { .which = -1,
	               .radius = 1.0,
	               .tube = 0.25,
	               .length = 4.0,
	               .wall = 0.1,
	               .size = { 1.0, 1.0, 1.0 },
	               .scale = 1.0,
	               .turn = { 0.0, 0.0, 1.0, 0.0 },
	               .slices = 64,
	               .stacks = 32,
	               .cells = 1,
	               .steps = 8,
	               .gear = shape_gear_default() };
	uint64_t given;
	const int status = args_read( &table, argc, argv, &w, &given );
	if ( status != ARGS_GO_ON )
		return status;
	if ( w.which < 0 )
		return args_refuse( "gen", "no shape is named" );
	if ( w.file == NULL )
		return args_refuse( "gen", "-o FILE is missing: where is the mesh to go?" );
	if ( w.turn[0] == 0.0 && w.turn[1] == 0.0 && w.turn[2] == 0.0 )
		return args_refuse( "gen", "--rotate needs an axis; 0,0,0 is none" );
	for ( int i = OPT_RADIUS; i <= OPT_STEPS; ++i )
		if ( ( given & TAKES( i ) & ~shapes[w.which].takes ) != 0 )
			return args_refuse( "gen", "a %s has no --%s", shapes[w.which].name, options[i].name );
	if ( strcmp( shapes[w.which].name, "torus" ) == 0 && w.stacks < 3 )
		return args_refuse( "gen", "a torus needs at least 3 stacks" );
	if ( ( given & TAKES( OPT_PRESSURE_ANGLE ) ) != 0 )
		w.gear.pressure_angle *= 3.14159265358979323846 / 180.0;
	return write_shape( &w );
}
