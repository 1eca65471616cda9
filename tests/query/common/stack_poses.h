// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Names, instruction sets and poses for test_stack.c, which includes this among its own.

#pragma once

DOOR( version ) {
	s->done += dbvh_version() != NULL;
}
DOOR( status_name ) {
	s->done += dbvh_status_name( DBVH_OK ) != NULL;
}
DOOR( status_text ) {
	s->done += dbvh_status_text( DBVH_OK ) != NULL;
}
DOOR( relation_name ) {
	s->done += dbvh_relation_name( DBVH_RELATION_DISJOINT ) != NULL && dbvh_verdict_name( DBVH_DISJOINT ) != NULL;
	s->done +=
	    dbvh_location_name( DBVH_LOCATION_INSIDE ) != NULL && dbvh_toi_verdict_name( DBVH_TOI_VERDICT_CLEAR ) != NULL;
}
#define call_verdict_name call_relation_name
#define call_location_name call_relation_name
#define call_toi_verdict_name call_relation_name
DOOR( isa_name ) {
	s->done += dbvh_isa_name() != NULL;
}
DOOR( isa_select ) {
	s->done += dbvh_isa_select( dbvh_isa_name(), NULL ) == DBVH_OK;
}
DOOR( pose_identity ) {
	s->pose_b = dbvh_pose_identity(), s->done += 1;
}
DOOR( pose_from_rows ) {
	s->pose_b = dbvh_pose_from_rows( s->numbers ), s->done += 1;
}
DOOR( pose_from_row_major ) {
	s->pose_b = dbvh_pose_from_row_major( s->numbers ), s->done += 1;
}
DOOR( pose_from_column_major ) {
	s->pose_b = dbvh_pose_from_column_major( s->numbers ), s->done += 1;
}
DOOR( pose_from_column_major_float ) {
	const float m[16] = { 1.0f };
	s->pose_b = dbvh_pose_from_column_major_float( m );
	s->done += 1;
}
DOOR( pose_to_column_major_float ) {
	float m[16];
	dbvh_pose_to_column_major_float( &s->pose_a, m );
	s->done += 1;
}
DOOR( pose_from_quaternion ) {
	s->pose_b = dbvh_pose_from_quaternion( s->triangle_a, s->point ), s->done += 1;
}
DOOR( pose_check ) {
	s->done += dbvh_pose_check( &s->pose_b, NULL, NULL ) == DBVH_OK;
}
DOOR( pose_diagnose ) {
	dbvh_error e;
	s->done += dbvh_pose_check( &s->pose_b, NULL, &e ) <= DBVH_NOT_RIGID;
}
DOOR( pose_orthonormalise ) {
	dbvh_pose out;
	double moved;
	s->done += dbvh_pose_orthonormalise( &s->pose_b, &out, &moved, NULL ) <= DBVH_NOT_RIGID;
}
DOOR( pose_relative ) {
	s->pose_b = dbvh_pose_relative( &s->pose_a, &s->pose_b ), s->done += 1;
}
