// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file capture.h
/// Record and replay: a file that holds one call, so that a report of a mistake can be run elsewhere.
///
/// A capture has the meshes bit by bit, the options of their trees, the poses, the query and, if wanted, the answer.
/// dbvh_capture_save() writes it, dbvh_capture_load() reads it, and the command `dualbvh replay FILE` repeats the call
/// with every policy, instruction set and number of threads, compares the answers with each other, with the one in the
/// file and with one triangle at a time. docs/capture.md describes the file.

#ifndef DUALBVH_CAPTURE_H
#define DUALBVH_CAPTURE_H

#include "dualbvh/closest_point.h"
#include "dualbvh/collide.h"
#include "dualbvh/contact.h"
#include "dualbvh/distance.h"
#include "dualbvh/raycast.h"
#include "dualbvh/relation.h"
#include "dualbvh/self.h"
#include "dualbvh/toi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The function that was called.
typedef enum dbvh_capture_call {
	DBVH_CAPTURE_CALL_COLLIDE,        ///< dbvh_collide()
	DBVH_CAPTURE_CALL_CLEARANCE,      ///< dbvh_check_clearance()
	DBVH_CAPTURE_CALL_DISTANCE,       ///< dbvh_distance()
	DBVH_CAPTURE_CALL_RELATE,         ///< dbvh_relate()
	DBVH_CAPTURE_CALL_TIME_OF_IMPACT, ///< dbvh_time_of_impact()
	DBVH_CAPTURE_CALL_CONTACTS,       ///< dbvh_contacts_find()
	DBVH_CAPTURE_CALL_RAYCAST,        ///< dbvh_raycast(); this and those below have one mesh, A
	DBVH_CAPTURE_CALL_SEGMENT_CAST,   ///< dbvh_segment_cast()
	DBVH_CAPTURE_CALL_CLOSEST_POINT,  ///< dbvh_closest_point()
	DBVH_CAPTURE_CALL_SELF_COLLIDE,   ///< dbvh_self_collide()
} dbvh_capture_call;

/// Returns the name of a call, "collide", "clearance", ...; "?" for a number that is none. Any thread.
DBVH_API const char *dbvh_capture_call_name( dbvh_capture_call call );

/// The answer of a call, as far as it does not depend on policy, instruction set and threads. All zero: not known.
typedef struct dbvh_capture_answer {
	bool known;
	dbvh_status status; ///< status that the call returned; where it is not DBVH_OK, all else is zero
	/// The member `verdict`, `within`, `found` or `intersects` of the result; the relation of dbvh_relate(), the number
	/// of clusters of dbvh_contacts_find().
	uint64_t verdict;
	uint64_t count;  ///< number of pairs, hits or contacts, where all were asked for
	dbvh_pair first; ///< the lowest pair, or the triangle (first.a) of the first hit or the closest point
	double value;    ///< distance, t of the first hit, or time of the first contact
	double upper;    ///< time of impact: its upper bound
	uint64_t hash;   ///< hash of the list of pairs, hits or contacts, where all were asked for
} dbvh_capture_answer;

/// One call. Only the query that the call takes is read. Members that do not affect the answer, which are room for
/// results, workspaces, budgets and thread counts, are neither saved nor loaded: they are zero after loading.
typedef struct dbvh_capture {
	dbvh_capture_call call;
	/// Positions of any type are saved as doubles, which changes none of them. Calls with two meshes: mesh_b.positions
	/// is NULL where A and B are the same tree.
	dbvh_mesh_view mesh_a, mesh_b;
	dbvh_tree_options options_a, options_b;
	bool placed_a, placed_b;  ///< false where NULL was given in place of a pose or a motion
	dbvh_pose pose_a, pose_b; ///< poses of all calls but dbvh_time_of_impact()
	dbvh_motion motion_a, motion_b;
	dbvh_collide_query collide; ///< query of dbvh_collide() and dbvh_self_collide()
	dbvh_clearance_query clearance;
	dbvh_distance_query distance;
	dbvh_relate_query relate;
	dbvh_toi_query toi;
	dbvh_raycast_query raycast; ///< query of dbvh_raycast() and dbvh_segment_cast()
	dbvh_closest_point_query closest_point;
	dbvh_ray ray;
	dbvh_segment segment;
	double point[3];
	dbvh_capture_answer answer;
} dbvh_capture;

/// Writes a capture to a file, as dbvh_tree_save() (tree_file.h) does, so that there is always the old file or the
/// whole new one. The meshes are checked as dbvh_tree_build() does; poses and numbers of the query are saved as they
/// are, because calls that are refused can be captured, too. Errors: INVALID_ARGUMENT, EMPTY, LIMIT, INDEX_RANGE,
/// NOT_FINITE (of the meshes), OUT_OF_MEMORY, IO. Memory: about the size of the file. Any thread.
DBVH_API dbvh_status dbvh_capture_save( const dbvh_capture *capture, const char *path, dbvh_error *error );

/// Reads a capture from a file; dbvh_capture_destroy() frees it, and until then its views may be used. Whatever the
/// file holds, what is returned is complete, and its meshes can be built into trees. Errors: IO, UNKNOWN_FORMAT,
/// TRUNCATED, MALFORMED with the place in error->byte, LIMIT, OUT_OF_MEMORY, INVALID_ARGUMENT; *capture_out is NULL
/// then. Memory: about three times the size of the file for the time of the call. Any thread.
DBVH_API dbvh_status dbvh_capture_load( const char *path, const dbvh_allocator *allocator, dbvh_capture **capture_out,
                                        dbvh_error *error );

/// dbvh_capture_load() of a file in memory. Errors and cost are the same, without IO.
DBVH_API dbvh_status dbvh_capture_parse( const void *bytes, size_t byte_count, const dbvh_allocator *allocator,
                                         dbvh_capture **capture_out, dbvh_error *error );

/// Frees a capture that dbvh_capture_load() or dbvh_capture_parse() made. NULL is allowed.
DBVH_API void dbvh_capture_destroy( dbvh_capture *capture );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CAPTURE_H
