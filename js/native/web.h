// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The interface between JavaScript and the library in a WebAssembly module.
//
// Arguments are numbers, addresses in the module's memory, and poses as sixteen doubles, column-major (address 0: the
// identity). A result is a row of doubles, whose columns the enumerations below name: JavaScript reads it as a part of
// a Float64Array, whatever the layout of C's structures. js/src/rows.ts has the same numbers. A module runs one
// thread, so that all calls share one workspace and one dbvh_error.

#pragma once

#include "dualbvh/dualbvh.h"

#include <stdbool.h>

// WEB_EXPORT( name ) exports a function of the module under that name.
#define WEB_EXPORT( name ) __attribute__( ( export_name( #name ) ) ) name

enum { WEB_COLLIDE_COLUMNS = 5 };   // intersects, a, b, pair count, status
enum { WEB_DISTANCE_COLUMNS = 15 }; // found, distance, a, b, point of A, point of B, between, lower bound, status
enum { WEB_RELATE_COLUMNS = 17 };   // see write_relation()
enum { WEB_TOI_COLUMNS = 16 };      // verdict, time, upper, distance, a, b, point of A, point of B, normal, status
enum { WEB_RAY_COLUMNS = 8 };       // intersects, triangle, t, point, hit count, status
enum { WEB_CLOSEST_COLUMNS = 7 };   // found, triangle, distance, point, status

// The error of the last call.
extern dbvh_error web_error;

// Returns the workspace of all queries; NULL where memory is short, which queries take as none.
dbvh_workspace *web_workspace( void );

// Returns room for `bytes`, valid until the next call with the same `use`; NULL and OUT_OF_MEMORY where there is none.
typedef enum web_use {
	WEB_USE_ARGUMENTS, // written by JavaScript
	WEB_USE_RESULTS,   // read by JavaScript
	WEB_USE_RECORDS,   // results of the library
	WEB_USE_LIST,      // pairs, hits or triangles
	WEB_USE_COUNT
} web_use;
void *web_room( web_use use, size_t bytes );

// Turns sixteen doubles into a pose; NULL stays NULL.
const dbvh_pose *web_pose( const double *columns, dbvh_pose *room );

// Turns `count` times sixteen doubles into poses, in place.
dbvh_pose *web_poses( double *columns, size_t count );

// Writes `count` numbers and returns the place behind them.
double *web_put( double *out, const double *numbers, size_t count );

// The arguments of a query of two meshes as the library takes them, B at `count` poses. The budget is of max_work
// steps; NULL where that is 0, which sets no limit.
typedef struct web_query {
	const dbvh_pose *pose_a, *poses_b;
	const dbvh_budget *budget;
	dbvh_batch_options options;
	void *results; // room for `count` of the library's results
	dbvh_pose room;
	dbvh_budget limit;
} web_query;

// Reads the arguments; false where there is no room for the results, each of which takes `result_bytes`. `poses_b` may
// be NULL: the query has motions, or one mesh.
bool web_read_query( web_query *q, const double *pose_a, double *poses_b, size_t count, double max_work,
                     size_t result_bytes );

dbvh_mesh_view web_mesh_view_of( const void *positions, size_t vertex_count, bool is_float, const uint32_t *indices,
                                 size_t triangle_count );
