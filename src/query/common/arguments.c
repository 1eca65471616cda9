// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/arguments.h"

#include "base/assert.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

dbvh_status dbvhi_check_topology( const dbvh_tree *tree, const char *name, dbvh_error *error ) {
	if ( tree->topology != NULL )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_NO_TOPOLOGY, "%s was built without dbvh_tree_options.topology", name );
}

dbvh_status dbvhi_refuse_find( dbvh_find find, dbvh_error *error ) {
	if ( (unsigned)find > DBVH_FIND_CLOSEST )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.find is %d, which is no dbvh_find", (int)find );
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "query.find is DBVH_FIND_CLOSEST, but these answers have no order" );
}

dbvh_status dbvhi_refuse_policy( dbvh_policy policy, dbvh_error *error ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.policy is %d, which is no dbvh_policy", (int)policy );
}

dbvh_status dbvhi_refuse_form( dbvh_policy policy, const char *name, dbvh_error *error ) {
	static const char *const names[] = { "DEFAULT", "DUAL",      "RAPID", "SAT_LITE",    "SPHERE",
	                                     "PACKED",  "ELLIPSOID", "MIXED", "PACKED_MIXED" };
	DBVHI_ASSERT( (unsigned)policy < sizeof names / sizeof names[0] );
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "query.policy is DBVH_POLICY_%s, but %s keeps no reference tree: build it with "
	                        "dbvh_tree_options.reference",
	                        names[policy], name );
}

dbvh_status dbvhi_refuse_range( double value, double most, const char *name, dbvh_error *error ) {
	if ( isnan( value ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%s is NaN", name );
	if ( most < DBL_MAX )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%s is %.9g; it must be between 0 and %g", name, value,
		                        most );
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        value < 0.0 ? "%s is %.9g; it must not be negative" : "%s is %.9g; it must be finite", name,
	                        value );
}

dbvh_status dbvhi_check_finite( const double *numbers, size_t count, const char *name, dbvh_error *error ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( !isfinite( numbers[i] ) )
			return dbvhi_error_set( error, DBVH_NOT_FINITE, "%s[%zu] is %s", name, i,
			                        isnan( numbers[i] ) ? "NaN" : "infinite" );
	}
	return DBVH_OK;
}

dbvh_status dbvhi_refuse_room( size_t capacity, const char *name, dbvh_error *error ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.%ss is NULL, but query.%s_capacity is %zu", name, name,
	                        capacity );
}

dbvh_status dbvhi_refuse_parts( const char *name, dbvh_error *error ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.%s_begin is given, but this is no batch", name );
}

dbvh_status dbvhi_check_parts( const size_t *begin, size_t count, size_t capacity, const char *name,
                               size_t *largest_out, dbvh_error *error ) {
	*largest_out = 0;
	if ( begin == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "query.%s_begin is NULL, but query.%s_capacity is %zu: a batch divides its room", name,
		                        name, capacity );
	for ( size_t i = 0; begin != NULL && i < count; ++i ) {
		if ( begin[i] > begin[i + 1] )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.%s_begin[%zu] is %zu, and the next is %zu",
			                        name, i, begin[i], begin[i + 1] );
		const size_t room = begin[i + 1] - begin[i];
		*largest_out = room > *largest_out ? room : *largest_out;
	}
	if ( begin != NULL && begin[count] > capacity )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "query.%s_begin ends with %zu, but query.%s_capacity is %zu", name, begin[count], name,
		                        capacity );
	return DBVH_OK;
}

// Put `format`, of a name and a number, before the sentence; one that goes on with a member or an index is joined to
// it.
static dbvh_status put_before( dbvh_status status, const char *format, const char *name, size_t i, dbvh_error *error ) {
	char why[sizeof error->text];
	memcpy( why, error->text, sizeof why );
	dbvhi_error_set( error, status, format, name, i );
	const size_t length = strlen( error->text );
	const char *joint = why[0] == '.' || why[0] == '[' ? "" : ": ";
	const size_t joined = length + strlen( joint );
	memmove( error->text + length, joint, strlen( joint ) );
	const size_t left = sizeof error->text - 1 - joined, most = strlen( why ) < left ? strlen( why ) : left;
	memcpy( error->text + joined, why, most );
	error->text[joined + most] = '\0';
	return status;
}

dbvh_status dbvhi_blame_pose( dbvh_status status, const dbvh_pose *pose, const char *name, dbvh_error *error ) {
	if ( error == NULL || pose == NULL || ( status != DBVH_NOT_FINITE && status != DBVH_NOT_RIGID ) )
		return status;
	dbvh_error why;
	if ( dbvh_pose_check( pose, NULL, &why ) != status )
		return status;
	dbvhi_error_set( error, status, "%s", why.text );
	return dbvhi_blame_part( status, name, error );
}

dbvh_status dbvhi_blame_poses( dbvh_status status, const dbvh_pose *pose_a, const dbvh_pose *pose_b,
                               dbvh_error *error ) {
	dbvhi_blame_pose( status, pose_a, "pose_a", error );
	if ( error != NULL && error->status == DBVH_OK )
		dbvhi_blame_pose( status, pose_b, "pose_b", error );
	if ( error != NULL && error->status == DBVH_OK && status == DBVH_NOT_FINITE )
		dbvhi_error_set( error, status, "pose_a and pose_b are too far from each other for doubles" );
	return status;
}

dbvh_status dbvhi_blame_part( dbvh_status status, const char *name, dbvh_error *error ) {
	if ( error == NULL || status == DBVH_OK || name[0] == '\0' )
		return status;
	return put_before( status, "%s", name, 0, error );
}

dbvh_status dbvhi_blame_element( dbvh_status status, const char *list, size_t i, dbvh_error *error ) {
	if ( error == NULL )
		return status;
	dbvhi_error_finish( error, status );
	error->element = (int64_t)i;
	return put_before( status, "%s[%zu]", list, i, error );
}
