// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "load/pose_intake.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void pose_intake_begin( pose_intake *in, const char *name, const pose_options *options, pose_list *list ) {
	*list = ( pose_list ){ 0 };
	*in = ( pose_intake ){ .name = name, .options = options, .list = list, .format = options->format };
}

bool pose_refuse( const pose_intake *in, const char *format, ... ) {
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	if ( in->line > 0 )
		complain( "%s:%zu: %s", in->name, in->line, text );
	else if ( in->is_array )
		complain( "%s: pose %zu: %s", in->name, in->list->count, text );
	else
		complain( "%s: %s", in->name, text );
	return false;
}

// ------------------------------------------------------------------------------------------------
// Formats

static const struct {
	size_t count;
	const char *sentence;
} formats[] = {
    [POSES_AUTO] = { 0, "" },
    [POSES_ROWS12] = { 12, "a pose is 12 numbers, the rows of [R|t]" },
    [POSES_ROWS16] = { 16, "a pose is 16 numbers, the rows of the 4 x 4 matrix" },
    [POSES_COLUMNS16] = { 16, "a pose is 16 numbers, the columns of the 4 x 4 matrix" },
    [POSES_T_XYZW] = { 7, "a pose is 7 numbers, tx ty tz qx qy qz qw" },
    [POSES_T_WXYZ] = { 7, "a pose is 7 numbers, tx ty tz qw qx qy qz" },
    [POSES_TUM] = { 8, "a pose is 8 numbers, a time and tx ty tz qx qy qz qw" },
};

bool pose_find_format( pose_intake *in, size_t found ) {
	if ( found == 12 )
		in->format = POSES_ROWS12;
	else if ( found == 16 || found == 4 )
		in->format = POSES_ROWS16;
	else if ( found == 7 )
		in->format = POSES_T_XYZW;
	else if ( found == 8 )
		in->format = POSES_TUM;
	else
		return pose_refuse( in,
		                    "a pose is 12 numbers, the rows of [R|t]; or 16, those of the 4 x 4 matrix; or 7, tx ty tz "
		                    "qx qy qz qw; or 8, a time and those 7; there %s %zu here",
		                    found == 1 ? "is" : "are", found );
	return true;
}

bool pose_check_count( const pose_intake *in, size_t found ) {
	return found == formats[in->format].count ||
	       pose_refuse( in, "%s; there %s %zu here", formats[in->format].sentence, found == 1 ? "is" : "are", found );
}

// ------------------------------------------------------------------------------------------------
// A pose

static bool of_matrix( const pose_intake *in, const double *m, dbvh_pose *out ) {
	const bool by_columns = in->format == POSES_COLUMNS16;
	for ( int i = 0; i < 4; ++i ) {
		const double last = by_columns ? m[4 * i + 3] : m[12 + i];
		if ( last == ( i == 3 ? 1.0 : 0.0 ) )
			continue;
		const bool other = by_columns ? m[12] == 0.0 && m[13] == 0.0 && m[14] == 0.0 && m[15] == 1.0
		                              : m[3] == 0.0 && m[7] == 0.0 && m[11] == 0.0 && m[15] == 1.0;
		return pose_refuse( in, "the last row of a 4 x 4 matrix is 0 0 0 1, and here it is not%s",
		                    !other       ? ""
		                    : by_columns ? "; these seem to be its rows: --pose-format rows16"
		                                 : "; these seem to be its columns: --pose-format columns16" );
	}
	*out = by_columns ? dbvh_pose_from_column_major( m ) : dbvh_pose_from_row_major( m );
	return true;
}

static bool of_quaternion( const pose_intake *in, const double *m, dbvh_pose *out ) {
	double xyzw[4] = { m[3], m[4], m[5], m[6] };
	if ( in->format == POSES_T_WXYZ ) {
		const double wxyz[4] = { m[4], m[5], m[6], m[3] };
		memcpy( xyzw, wxyz, sizeof xyzw );
	}
	const double length = hypot( hypot( xyzw[0], xyzw[1] ), hypot( xyzw[2], xyzw[3] ) );
	if ( !( length > 0.0 ) )
		return pose_refuse( in, "the quaternion is zero" );
	// A quaternion is a rotation whatever its length, but one that is far from 1 is more likely something else.
	if ( !( fabs( length - 1.0 ) <= 1e-3 ) && !in->options->normalise )
		return pose_refuse( in,
		                    "the quaternion has length %.6g instead of 1; the order is %stx ty tz %s. --normalise "
		                    "takes it, --pose-format says another order",
		                    length, in->format == POSES_TUM ? "time " : "",
		                    in->format == POSES_T_WXYZ ? "qw qx qy qz" : "qx qy qz qw" );
	*out = dbvh_pose_from_quaternion( xyzw, m );
	return true;
}

static bool check( pose_intake *in, dbvh_pose *pose ) {
	dbvh_error error;
	double deviation;
	const dbvh_status status = dbvh_pose_check( pose, &deviation, NULL );
	// A deviation that is mere rounding of doubles is left alone.
	if ( in->options->normalise && ( status == DBVH_NOT_RIGID || ( status == DBVH_OK && deviation > 0x1p-48 ) ) ) {
		double moved;
		if ( dbvh_pose_orthonormalise( pose, pose, &moved, NULL ) != DBVH_OK )
			return pose_refuse( in, "the 3x3 part R is a mirror image or flat; there is no rotation near it" );
		++in->list->normalised;
		if ( moved >= in->list->largest_move ) {
			in->list->largest_move = moved;
			in->worst = in->is_array ? in->list->count : in->line;
		}
	}
	if ( dbvh_pose_check( pose, NULL, &error ) == DBVH_OK )
		return true;
	return pose_refuse( in, "%s%s", error.text,
	                    error.status == DBVH_NOT_RIGID && deviation > DBVH_POSE_TOLERANCE
	                        ? "; --normalise takes the nearest rotation"
	                        : "" );
}

bool pose_take( pose_intake *in, const double *numbers ) {
	dbvh_pose pose;
	switch ( in->format ) {
	case POSES_ROWS16:
	case POSES_COLUMNS16:
		if ( !of_matrix( in, numbers, &pose ) )
			return false;
		break;
	case POSES_T_XYZW:
	case POSES_T_WXYZ:
	case POSES_TUM:
		if ( !of_quaternion( in, in->format == POSES_TUM ? numbers + 1 : numbers, &pose ) )
			return false;
		break;
	default:
		pose = dbvh_pose_from_rows( numbers );
	}
	return check( in, &pose ) && poses_append( in->list, &pose );
}
