// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Checks of the arguments of queries, and the sentences of what they refuse, for single calls and batches alike. Every
// check returns DBVH_OK, or sets *error (which may be NULL) and returns the status. Names are those of the declaration,
// as the caller reads it: "query.pair_capacity".

#pragma once

#include "base/status.h"
#include "bvh/tree.h"
#include "dualbvh/query.h"
#include "query/common/mesh_pair.h"

// note: checks are inline and cost a comparison or two; sentences are made out of line.
static inline dbvh_status dbvhi_check_given( const void *given, const char *name, dbvh_error *error ) {
	return given != NULL ? DBVH_OK : dbvhi_error_null( error, name );
}

// The nine doubles of a triangle.
static inline const double *dbvhi_triangle_numbers( const dbvh_triangle *triangle ) {
	return (const double *)triangle;
}

// Two trees, "tree a" and "tree b", and the topology of one of them.
static inline dbvh_status dbvhi_check_trees( const dbvh_tree *a, const dbvh_tree *b, dbvh_error *error ) {
	return a == NULL ? dbvhi_error_null( error, "tree a" ) : dbvhi_check_given( b, "tree b", error );
}
dbvh_status dbvhi_check_topology( const dbvh_tree *tree, const char *name, dbvh_error *error );

// Check a find mode. `in_order`: the answers have an order, so that one may be the closest.
dbvh_status dbvhi_refuse_find( dbvh_find find, dbvh_error *error );
static inline dbvh_status dbvhi_check_find( dbvh_find find, bool in_order, dbvh_error *error ) {
	const dbvh_find last = in_order ? DBVH_FIND_CLOSEST : DBVH_FIND_ALL;
	return (unsigned)find <= (unsigned)last ? DBVH_OK : dbvhi_refuse_find( find, error );
}
dbvh_status dbvhi_refuse_policy( dbvh_policy policy, dbvh_error *error );
static inline dbvh_status dbvhi_check_policy( dbvh_policy policy, dbvh_error *error ) {
	return (unsigned)policy <= DBVH_POLICY_PACKED_MIXED ? DBVH_OK : dbvhi_refuse_policy( policy, error );
}

// Do the trees that a policy is to compare have the form that it asks for? `name` is what the caller calls the tree.
dbvh_status dbvhi_refuse_form( dbvh_policy policy, const char *name, dbvh_error *error );
static inline dbvh_status dbvhi_check_form_of( const dbvh_tree *tree, dbvh_policy policy, const char *name,
                                               dbvh_error *error ) {
	return dbvhi_asks_for_packed( policy ) || dbvhi_tree_has_reference( tree )
	           ? DBVH_OK
	           : dbvhi_refuse_form( policy, name, error );
}
static inline dbvh_status dbvhi_check_form( const dbvh_tree *a, const dbvh_tree *b, dbvh_policy policy,
                                            dbvh_error *error ) {
	const dbvh_status status = dbvhi_check_form_of( a, policy, "tree a", error );
	return status == DBVH_OK ? dbvhi_check_form_of( b, policy, "tree b", error ) : status;
}

// Check a number that must be between 0 and `most`, both included; NaN is refused.
dbvh_status dbvhi_refuse_range( double value, double most, const char *name, dbvh_error *error );
static inline dbvh_status dbvhi_check_range( double value, double most, const char *name, dbvh_error *error ) {
	return value >= 0.0 && value <= most ? DBVH_OK : dbvhi_refuse_range( value, most, name, error );
}

// Check `count` numbers that must be neither NaN nor infinite.
dbvh_status dbvhi_check_finite( const double *numbers, size_t count, const char *name, dbvh_error *error );

// Check the list query.NAMEs ("pair", "hit", "triangle") with room for `capacity`.
dbvh_status dbvhi_refuse_room( size_t capacity, const char *name, dbvh_error *error );
static inline dbvh_status dbvhi_check_room( const void *list, size_t capacity, const char *name, dbvh_error *error ) {
	return capacity == 0 || list != NULL ? DBVH_OK : dbvhi_refuse_room( capacity, name, error );
}

// Check query.NAME_begin: none in a single call; in a batch, ascending parts of the room. *largest_out is the most room
// that an element has.
dbvh_status dbvhi_refuse_parts( const char *name, dbvh_error *error );
static inline dbvh_status dbvhi_check_no_parts( const size_t *begin, const char *name, dbvh_error *error ) {
	return begin == NULL ? DBVH_OK : dbvhi_refuse_parts( name, error );
}
dbvh_status dbvhi_check_parts( const size_t *begin, size_t count, size_t capacity, const char *name,
                               size_t *largest_out, dbvh_error *error );

// Add to a refusal with NOT_FINITE or NOT_RIGID which pose it is about, and why. Returns `status`.
dbvh_status dbvhi_blame_poses( dbvh_status status, const dbvh_pose *pose_a, const dbvh_pose *pose_b,
                               dbvh_error *error );

// Add the same for one pose. The name "" is left out.
dbvh_status dbvhi_blame_pose( dbvh_status status, const dbvh_pose *pose, const char *name, dbvh_error *error );

// Put a name before the sentence of a part of it: "ray" before ".from[1] is NaN", or "pose_b" before ": the 3x3 part
// R". Returns `status`.
dbvh_status dbvhi_blame_part( dbvh_status status, const char *name, dbvh_error *error );

// Put the name of element i of a batch, "poses_b[i]: ", before its sentence, which is still the general one.
dbvh_status dbvhi_blame_element( dbvh_status status, const char *list, size_t i, dbvh_error *error );
