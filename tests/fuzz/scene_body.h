// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzers of scene files, and of the replay of their corpus.

#pragma once

#include "assembly/joints.h"
#include "body.h"
#include "formats/files.h"

#include <stdint.h>

// Every file that another one names is the corner of a cube, but for those called "missing".
static inline bool fuzz_open( void *user, const char *name, unsigned char **bytes_out, size_t *count_out,
                              dbvh_error *error ) {
	static const char corner[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
	(void)user;
	if ( strstr( name, "missing" ) != NULL ) {
		*error = ( dbvh_error ){ .status = DBVH_IO, .byte = -1, .element = -1 };
		snprintf( error->text, sizeof error->text, "missing" );
		return false;
	}
	*bytes_out = (unsigned char *)malloc( sizeof corner );
	FUZZ_REQUIRE( *bytes_out != NULL );
	memcpy( *bytes_out, corner, sizeof corner );
	*count_out = sizeof corner - 1;
	return true;
}

static inline void fuzz_release( void *user, unsigned char *bytes, size_t count ) {
	(void)user, (void)count;
	free( bytes );
}

static inline scene_source fuzz_source( const char *name ) {
	return ( scene_source ){ .open = fuzz_open, .release = fuzz_release, .name = name };
}

static inline void fuzz_check_links( const scene_model *m ) {
	for ( uint32_t i = 0; i < m->link_count; ++i ) {
		const scene_link *link = &m->links[i];
		FUZZ_REQUIRE( link->name != NULL && ( link->parent == SCENE_NONE ? link->joint == NULL : link->parent < i ) );
		FUZZ_REQUIRE( link->mimic == SCENE_NONE ||
		              ( link->mimic < m->link_count && m->links[link->mimic].mimic == SCENE_NONE ) );
		FUZZ_REQUIRE( link->lower <= link->upper );
	}
}

// A model that a reader accepted is consistent.
static inline void fuzz_check_model( const scene_model *m ) {
	for ( size_t i = 0; i < m->mesh_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( m->meshes[i].mesh );
		FUZZ_REQUIRE( m->meshes[i].name != NULL && dbvh_mesh_view_check( &view, NULL ) == DBVH_OK );
	}
	for ( uint32_t i = 0; i < m->body_count; ++i ) {
		const scene_body *body = &m->bodies[i];
		FUZZ_REQUIRE( body->mesh < m->mesh_count && ( body->link == SCENE_NONE || body->link < m->link_count ) );
		FUZZ_REQUIRE( scene_names_find( &m->paths, body->path ) == i );
		FUZZ_REQUIRE( dbvh_pose_check( &body->pose, NULL, NULL ) == DBVH_OK && body->sag >= 0.0 );
	}
	fuzz_check_links( m );
	for ( size_t i = 0; i < m->rule_count; ++i )
		FUZZ_REQUIRE( m->rules[i].a != NULL || m->rules[i].b == NULL );
	for ( size_t i = 0; i < m->state_count; ++i )
		FUZZ_REQUIRE( m->states[i].name != NULL && m->states[i].values != NULL );
	FUZZ_REQUIRE( m->metres >= 0.0 );
	dbvh_pose *poses = (dbvh_pose *)malloc( ( m->body_count + 1 ) * sizeof *poses );
	FUZZ_REQUIRE( poses != NULL && scene_place( m, NULL, poses ) );
	free( poses );
}

static inline dbvh_status fuzz_judge( dbvh_status status, const dbvh_error *error, scene_model *model ) {
	FUZZ_REQUIRE( error->status == status );
	FUZZ_REQUIRE( memchr( error->text, '\0', sizeof error->text ) != NULL );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( error->text[0] == '\0' ) );
	if ( status == DBVH_OK )
		fuzz_check_model( model );
	scene_model_free( model );
	return status;
}

static inline dbvh_status fuzz_urdf( const void *bytes, size_t count ) {
	scene_model model = { .wants_visual = count % 8 == 7 };
	dbvh_error error;
	const scene_source source = fuzz_source( "fuzz.urdf" );
	const dbvh_status status = scene_read_urdf( (const unsigned char *)bytes, count, &source, &model, &error );
	return fuzz_judge( status, &error, &model );
}

// A robot for files that are about one.
static inline void fuzz_robot( scene_model *model ) {
	static const char text[] =
	    "<robot><link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
	    "<link name='b'><collision><geometry><box size='1 1 1'/></geometry></collision></link><link name='c'/>"
	    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint>"
	    "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/></joint></robot>";
	dbvh_error error;
	const scene_source source = fuzz_source( "fuzz.urdf" );
	scene_read_urdf( (const unsigned char *)text, sizeof text - 1, &source, model, &error );
}

static inline dbvh_status fuzz_srdf( const void *bytes, size_t count ) {
	scene_model model = { 0 };
	dbvh_error error;
	fuzz_robot( &model );
	const dbvh_status status = scene_read_srdf( (const unsigned char *)bytes, count, &model, &error );
	return fuzz_judge( status, &error, &model );
}

static inline dbvh_status fuzz_joints( const void *bytes, size_t count ) {
	scene_model model = { 0 };
	scene_rows rows;
	dbvh_error error;
	fuzz_robot( &model );
	const dbvh_status status = scene_read_joints( (const unsigned char *)bytes, count, &model, NULL, &rows, &error );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( rows.count > 0 ) );
	for ( size_t i = 0; i < rows.count * model.link_count; ++i )
		FUZZ_REQUIRE( rows.values[i] - rows.values[i] == 0.0 );
	scene_rows_free( &rows );
	return fuzz_judge( status, &error, &model );
}

// ------------------------------------------------------------------------------------------------
// 3MF: an archive, or the text of a model, which is put into one. Its checksum would stop a fuzzer otherwise.

static inline void fuzz_put( unsigned char **to, uint32_t value, int width ) {
	for ( int i = 0; i < width; ++i )
		*( *to )++ = (unsigned char)( value >> 8 * i );
}

static inline uint32_t fuzz_crc32( const unsigned char *bytes, size_t count ) {
	uint32_t crc = UINT32_MAX;
	for ( size_t i = 0; i < count; ++i ) {
		crc ^= bytes[i];
		for ( int k = 0; k < 8; ++k )
			crc = crc >> 1 ^ ( crc & 1 ? UINT32_C( 0xedb88320 ) : 0 );
	}
	return ~crc;
}

// The fields that a file's header shares with its entry in the directory.
static inline void fuzz_put_facts( unsigned char **to, uint32_t crc, uint32_t count ) {
	fuzz_put( to, 20, 2 ); // version
	fuzz_put( to, 0, 2 );
	fuzz_put( to, 0, 2 ); // stored
	fuzz_put( to, 0, 4 );
	fuzz_put( to, crc, 4 );
	fuzz_put( to, count, 4 );
	fuzz_put( to, count, 4 );
	fuzz_put( to, 16, 2 ); // length of the name
	fuzz_put( to, 0, 2 );
}

static inline unsigned char *fuzz_zip( const unsigned char *bytes, size_t count, size_t *zip_count ) {
	static const char name[] = "3D/3dmodel.model";
	unsigned char *zip = (unsigned char *)malloc( count + 200 ), *to = zip;
	FUZZ_REQUIRE( zip != NULL );
	const uint32_t crc = fuzz_crc32( bytes, count ), size = (uint32_t)count;
	fuzz_put( &to, 0x04034b50, 4 );
	fuzz_put_facts( &to, crc, size );
	memcpy( to, name, 16 );
	memcpy( to + 16, bytes, count );
	to += 16 + count;
	const uint32_t directory = (uint32_t)( to - zip );
	fuzz_put( &to, 0x02014b50, 4 );
	fuzz_put( &to, 20, 2 );
	fuzz_put_facts( &to, crc, size );
	fuzz_put( &to, 0, 4 );
	fuzz_put( &to, 0, 4 );
	fuzz_put( &to, 0, 2 );
	fuzz_put( &to, 0, 4 );
	memcpy( to, name, 16 );
	to += 16;
	const uint32_t end = (uint32_t)( to - zip );
	fuzz_put( &to, 0x06054b50, 4 );
	fuzz_put( &to, 0, 4 );
	fuzz_put( &to, 1, 2 );
	fuzz_put( &to, 1, 2 );
	fuzz_put( &to, end - directory, 4 );
	fuzz_put( &to, directory, 4 );
	fuzz_put( &to, 0, 2 );
	*zip_count = (size_t)( to - zip );
	return zip;
}

static inline dbvh_status fuzz_3mf( const void *bytes, size_t count ) {
	scene_model model = { 0 };
	dbvh_error error;
	dbvh_status status;
	if ( count > 0 && *(const unsigned char *)bytes == '<' ) {
		size_t zip_count;
		unsigned char *zip = fuzz_zip( (const unsigned char *)bytes, count, &zip_count );
		status = scene_read_3mf( zip, zip_count, NULL, &model, &error );
		free( zip );
	} else {
		status = scene_read_3mf( (const unsigned char *)bytes, count, NULL, &model, &error );
	}
	return fuzz_judge( status, &error, &model );
}
