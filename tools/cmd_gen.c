// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh gen: makes a mesh file from a procedural shape.

#include "args.h"
#include "command.h"
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
static const arg_option options[OPT_COUNT] = {
    { "output", 'o', "FILE",
      "where to write; the ending decides: .ply, .off, .obj keep doubles, .stl rounds to float" },
    { "radius", 0, "R", "sphere: radius (1); torus: radius of the circle along the tube (1)" },
    { "tube", 0, "R", "torus: radius of the tube (0.25)" },
    { "slices", 0, "N", "sphere: steps round the axis (64); torus: along the tube (64)" },
    { "stacks", 0, "N", "sphere: steps from pole to pole (32); torus: round the tube (32)" },
    { "size", 0, "X,Y,Z", "box: lengths of its edges (1,1,1)" },
    { "cells", 0, "N", "box: each face is cut into N by N squares (1)" },
    { "teeth", 0, "N", "gear: number of teeth (24)" },
    { "module", 0, "M", "gear: pitch diameter by number of teeth (1)" },
    { "pressure-angle", 0, "DEGREES", "gear: slope of the flanks (20)" },
    { "thickness", 0, "T", "gear: length along the axis (6)" },
    { "bore", 0, "R", "gear: radius of the hole (4)" },
    { "backlash", 0, "B", "gear: what each tooth lacks in width on the pitch circle (0.0625)" },
    { "flanks", 0, "N", "gear: steps along a flank (6)" },
    { "steps", 0, "N", "stairs: number of cubes (8)" },
    { "scale", 0, "S", "any shape: make it S times as large, before anything else" },
    { "rotate", 0, "X,Y,Z,DEGREES", "any shape: turn it about the axis X,Y,Z through the origin" },
    { "at", 0, "X,Y,Z", "any shape: then move it there" },
    { "quiet", 'q', NULL, "print nothing but complaints" },
    { "help", 'h', NULL, "print this" },
    { "version", 0, NULL, "print the version" },
};

typedef struct wishes {
	double radius, tube, size[3], scale, axis[3], degrees, at[3];
	uint32_t slices, stacks, cells, steps;
	shape_gear gear;
} wishes;

static bool add_sphere( shape *s, const wishes *w ) {
	shape_add_sphere( s, w->radius, w->slices, w->stacks );
	return true;
}

static bool add_torus( shape *s, const wishes *w ) {
	if ( w->tube >= w->radius )
		return false;
	shape_add_torus( s, w->radius, w->tube, w->slices, w->stacks );
	return true;
}

static bool add_box( shape *s, const wishes *w ) {
	shape_add_box( s, 0.5 * w->size[0], 0.5 * w->size[1], 0.5 * w->size[2], w->cells );
	return true;
}

static bool add_gear( shape *s, const wishes *w ) {
	return shape_add_gear( s, &w->gear );
}

static bool add_hand( shape *s, const wishes *w ) {
	(void)w;
	shape_add_hand( s );
	return true;
}

static bool add_cabin( shape *s, const wishes *w ) {
	(void)w;
	shape_add_cabin( s );
	return true;
}

static bool add_statue( shape *s, const wishes *w ) {
	(void)w;
	shape_add_statue( s );
	return true;
}

static bool add_stairs( shape *s, const wishes *w ) {
	shape_add_stairs( s, w->steps );
	return true;
}

#define TAKES( option ) ( 1u << ( option ) )

static const struct {
	const char *name;
	bool ( *add )( shape *s, const wishes *w ); // false where the wishes fit no such shape
	uint32_t takes;                             // of the options that belong to some shapes only
	const char *help;
} shapes[] = {
    { "sphere", add_sphere, TAKES( OPT_RADIUS ) | TAKES( OPT_SLICES ) | TAKES( OPT_STACKS ),
      "2 * slices * (stacks - 1) triangles, poles on the z axis" },
    { "box", add_box, TAKES( OPT_SIZE ) | TAKES( OPT_CELLS ), "12 * cells^2 triangles" },
    { "torus", add_torus, TAKES( OPT_RADIUS ) | TAKES( OPT_TUBE ) | TAKES( OPT_SLICES ) | TAKES( OPT_STACKS ),
      "2 * slices * stacks triangles, round the z axis" },
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
	puts( "Usage: dualbvh gen SHAPE [OPTION]... -o FILE\n"
	      "\n"
	      "Makes a mesh. Shapes are closed and oriented outwards, but for the cabin's walls. SHAPE is one of:\n" );
	for ( int i = 0; i < SHAPE_COUNT; ++i )
		printf( "  %-8s %s\n", shapes[i].name, shapes[i].help );
	puts( "" );
	args_help( options, OPT_COUNT );
	puts( "\n"
	      "Example: dualbvh gen gear --teeth 20 --rotate 0,0,1,9 --at 20,0,0 -o gear.ply\n"
	      "\n"
	      "Exit status: 0, or 2 where nothing could be written." );
	return finish_output( EXIT_APART );
}

static int find_shape( const char *name ) {
	for ( int i = 0; i < SHAPE_COUNT; ++i )
		if ( strcmp( shapes[i].name, name ) == 0 )
			return i;
	return -1;
}

static bool positive( const char *text, double *out ) {
	return parse_reals( text, out, 1 ) && *out > 0.0;
}

// Takes one option's value. False where it is out of range.
static bool take( wishes *w, int option, const char *value ) {
	const uint32_t many = 5000; // 50 million triangles, some 2 GiB
	double four[4];
	switch ( option ) {
	case OPT_RADIUS:
		return positive( value, &w->radius );
	case OPT_TUBE:
		return positive( value, &w->tube );
	case OPT_SLICES:
		return parse_count( value, 3, many, &w->slices );
	case OPT_STACKS:
		return parse_count( value, 2, many, &w->stacks );
	case OPT_SIZE:
		return parse_reals( value, w->size, 3 ) && w->size[0] > 0.0 && w->size[1] > 0.0 && w->size[2] > 0.0;
	case OPT_CELLS:
		return parse_count( value, 1, 2000, &w->cells );
	case OPT_TEETH:
		return parse_count( value, 8, 10000, &w->gear.teeth );
	case OPT_MODULE:
		return positive( value, &w->gear.module );
	case OPT_PRESSURE_ANGLE:
		if ( !positive( value, &w->gear.pressure_angle ) )
			return false;
		w->gear.pressure_angle *= 3.14159265358979323846 / 180.0;
		return true;
	case OPT_THICKNESS:
		return positive( value, &w->gear.thickness );
	case OPT_BORE:
		return positive( value, &w->gear.bore_radius );
	case OPT_BACKLASH:
		return parse_reals( value, &w->gear.backlash, 1 ) && w->gear.backlash >= 0.0;
	case OPT_FLANKS:
		return parse_count( value, 1, 500, &w->gear.flank_segments );
	case OPT_STEPS:
		return parse_count( value, 1, 1000000, &w->steps );
	case OPT_SCALE:
		return positive( value, &w->scale );
	case OPT_AT:
		return parse_reals( value, w->at, 3 );
	default: // OPT_ROTATE
		if ( !parse_reals( value, four, 4 ) || ( four[0] == 0.0 && four[1] == 0.0 && four[2] == 0.0 ) )
			return false;
		memcpy( w->axis, four, sizeof( w->axis ) );
		w->degrees = four[3];
		return true;
	}
}

static int write_shape( int which, const wishes *w, const char *file, bool quiet ) {
	shape s = { 0 };
	dbvh_error error = { 0 };
	if ( !shapes[which].add( &s, w ) )
		return args_refuse( "gen", "there is no %s of these measures", shapes[which].name );
	if ( s.failed ) {
		shape_free( &s );
		return complain( "no memory for so large a mesh" );
	}
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] *= w->scale;
	const dbvh_pose pose = shape_pose( w->axis, w->degrees, w->at );
	shape_place( &s, 0, &pose );
	const dbvh_mesh_view view = shape_view( &s );
	const dbvh_status status = dbvh_mesh_save( &view, file, DBVH_FORMAT_AUTO, &error );
	const size_t triangles = s.triangle_count;
	shape_free( &s );
	if ( status != DBVH_OK )
		return complain_of( file, &error );
	if ( !quiet )
		printf( "%s: %s, %zu triangles\n", file, shapes[which].name, triangles );
	return finish_output( EXIT_APART );
}

int cmd_gen( int argc, char **argv ) {
	args a = { .command = "gen", .options = options, .option_count = OPT_COUNT, .argv = argv, .argc = argc, .at = 1 };
	wishes w = { .radius = 1.0,
	             .tube = 0.25,
	             .size = { 1.0, 1.0, 1.0 },
	             .scale = 1.0,
	             .axis = { 0.0, 0.0, 1.0 },
	             .slices = 64,
	             .stacks = 32,
	             .cells = 1,
	             .steps = 8,
	             .gear = shape_gear_default() };
	const char *value, *file = NULL;
	int which = -1;
	bool quiet = false;
	uint32_t taken = 0;
	for ( int got = args_next( &a, &value ); got != ARG_END; got = args_next( &a, &value ) ) {
		switch ( got ) {
		case OPT_OUTPUT:
			file = value;
			break;
		case OPT_QUIET:
			quiet = true;
			break;
		case OPT_HELP:
			return help();
		case OPT_VERSION:
			printf( "dualbvh %s\n", dbvh_version() );
			return finish_output( EXIT_APART );
		case ARG_OPERAND:
			if ( which >= 0 )
				return args_refuse( "gen", "one shape at a time; '%s' is a second one", value );
			which = find_shape( value );
			if ( which < 0 )
				return args_refuse( "gen", "there is no shape '%s'", value );
			break;
		case ARG_BAD:
			return EXIT_TROUBLE;
		default:
			if ( !take( &w, got, value ) )
				return args_refuse( "gen", "'%s' is no value for --%s", value, options[got].name );
			taken |= TAKES( got );
			break;
		}
	}
	if ( which < 0 )
		return args_refuse( "gen", "no shape is named" );
	if ( file == NULL )
		return args_refuse( "gen", "-o FILE is missing: where is the mesh to go?" );
	for ( int i = OPT_RADIUS; i <= OPT_STEPS; ++i )
		if ( ( taken & TAKES( i ) & ~shapes[which].takes ) != 0 )
			return args_refuse( "gen", "a %s has no --%s", shapes[which].name, options[i].name );
	if ( strcmp( shapes[which].name, "torus" ) == 0 && w.stacks < 3 )
		return args_refuse( "gen", "a torus needs at least 3 stacks" );
	return write_shape( which, &w, file, quiet );
}
