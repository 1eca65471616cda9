// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The writers. A failed write shows when the stream is closed, so that no single one is checked.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "mesh/io/bytes.h"
#include "mesh/io/file.h"
#include "mesh/io/format.h"
#include "mesh/io/number.h"
#include "mesh/view.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

// Three numbers with a space before each.
static void put_numbers( FILE *stream, const double v[3] ) {
	char line[3 * DBVHI_NUMBER_ROOM + 3];
	size_t length = 0;
	for ( int k = 0; k < 3; ++k ) {
		line[length++] = ' ';
		length += dbvhi_number_write( v[k], line + length );
	}
	fwrite( line, 1, length, stream );
}

static void put_vertices( FILE *stream, const dbvh_mesh_view *view, const char *prefix ) {
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		char line[3 * DBVHI_NUMBER_ROOM + 4];
		double p[3];
		dbvhi_view_vertex( view, i, p );
		size_t length = 0;
		for ( int k = 0; k < 3; ++k ) {
			length += dbvhi_number_write( p[k], line + length );
			line[length++] = k < 2 ? ' ' : '\n';
		}
		fputs( prefix, stream );
		fwrite( line, 1, length, stream );
	}
}

static void put_triangles( FILE *stream, const dbvh_mesh_view *view, const char *prefix, uint32_t first_number ) {
	for ( size_t i = 0; i < dbvhi_view_triangle_count( view ); ++i ) {
		uint32_t t[3];
		dbvhi_view_triangle( view, i, t );
		fprintf( stream, "%s %lu %lu %lu\n", prefix, (unsigned long)t[0] + first_number,
		         (unsigned long)t[1] + first_number, (unsigned long)t[2] + first_number );
	}
}

// The corners of a triangle and its unit normal, which is zero where doubles do not give one.
static void get_facet( const dbvh_mesh_view *view, size_t i, double corners[3][3], double normal[3] ) {
	uint32_t t[3];
	dbvhi_view_triangle( view, i, t );
	for ( int k = 0; k < 3; ++k )
		dbvhi_view_vertex( view, t[k], corners[k] );
	double u[3], v[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = corners[1][k] - corners[0][k];
		v[k] = corners[2][k] - corners[0][k];
	}
	normal[0] = u[1] * v[2] - u[2] * v[1];
	normal[1] = u[2] * v[0] - u[0] * v[2];
	normal[2] = u[0] * v[1] - u[1] * v[0];
	const double length = hypot( hypot( normal[0], normal[1] ), normal[2] );
	const bool usable = isfinite( length ) && length > 0.0;
	for ( int k = 0; k < 3; ++k )
		normal[k] = usable ? normal[k] / length : 0.0;
}

static void put_stl_text( FILE *stream, const dbvh_mesh_view *view ) {
	fputs( "solid dualbvh\n", stream );
	for ( size_t i = 0; i < dbvhi_view_triangle_count( view ); ++i ) {
		double corners[3][3], normal[3];
		get_facet( view, i, corners, normal );
		fputs( "facet normal", stream );
		put_numbers( stream, normal );
		fputs( "\nouter loop\n", stream );
		for ( int k = 0; k < 3; ++k ) {
			fputs( "vertex", stream );
			put_numbers( stream, corners[k] );
			fputc( '\n', stream );
		}
		fputs( "endloop\nendfacet\n", stream );
	}
	fputs( "endsolid dualbvh\n", stream );
}

static void put_stl_binary( FILE *stream, const dbvh_mesh_view *view ) {
	uint8_t header[84] = "written by dualbvh"; // not "solid"
	dbvhi_bytes_put( header + 80, 4, dbvhi_view_triangle_count( view ) );
	fwrite( header, 1, sizeof header, stream );
	for ( size_t i = 0; i < dbvhi_view_triangle_count( view ); ++i ) {
		uint8_t record[50] = { 0 };
		double corners[3][3], normal[3];
		get_facet( view, i, corners, normal );
		for ( size_t k = 0; k < 3; ++k ) {
			dbvhi_bytes_put_float( record + 4 * k, (float)normal[k] );
			for ( size_t c = 0; c < 3; ++c )
				dbvhi_bytes_put_float( record + 12 + 12 * c + 4 * k, (float)corners[c][k] );
		}
		fwrite( record, 1, sizeof record, stream );
	}
}

static void put_ply_header( FILE *stream, const dbvh_mesh_view *view, const char *kind ) {
	fprintf( stream,
	         "ply\nformat %s 1.0\ncomment written by dualbvh\nelement vertex %zu\nproperty double x\n"
	         "property double y\nproperty double z\nelement face %zu\nproperty list uchar int vertex_indices\n"
	         "end_header\n",
	         kind, view->vertex_count, dbvhi_view_triangle_count( view ) );
}

static void put_ply_binary( FILE *stream, const dbvh_mesh_view *view ) {
	put_ply_header( stream, view, "binary_little_endian" );
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		uint8_t record[24];
		double p[3];
		dbvhi_view_vertex( view, i, p );
		for ( size_t k = 0; k < 3; ++k )
			dbvhi_bytes_put_double( record + 8 * k, p[k] );
		fwrite( record, 1, sizeof record, stream );
	}
	for ( size_t i = 0; i < dbvhi_view_triangle_count( view ); ++i ) {
		uint8_t record[13] = { 3 };
		uint32_t t[3];
		dbvhi_view_triangle( view, i, t );
		for ( size_t k = 0; k < 3; ++k )
			dbvhi_bytes_put( record + 1 + 4 * k, 4, t[k] );
		fwrite( record, 1, sizeof record, stream );
	}
}

static void put_mesh( FILE *stream, const dbvh_mesh_view *view, dbvh_mesh_format format ) {
	switch ( format ) {
	case DBVH_MESH_FORMAT_STL:
		put_stl_binary( stream, view );
		break;
	case DBVH_MESH_FORMAT_STL_ASCII:
		put_stl_text( stream, view );
		break;
	case DBVH_MESH_FORMAT_OBJ:
		put_vertices( stream, view, "v " );
		put_triangles( stream, view, "f", 1 );
		break;
	case DBVH_MESH_FORMAT_PLY:
		put_ply_binary( stream, view );
		break;
	case DBVH_MESH_FORMAT_PLY_ASCII:
		put_ply_header( stream, view, "ascii" );
		put_vertices( stream, view, "" );
		put_triangles( stream, view, "3", 0 );
		break;
	case DBVH_MESH_FORMAT_OFF:
		fprintf( stream, "OFF\n%zu %zu 0\n", view->vertex_count, dbvhi_view_triangle_count( view ) );
		put_vertices( stream, view, "" );
		put_triangles( stream, view, "3", 0 );
		break;
	case DBVH_MESH_FORMAT_AUTO:
	case DBVH_MESH_FORMAT_COUNT:
		DBVHI_ASSERT( false );
	}
}

// Does every position stay finite when a binary STL rounds it to float? Rounding turns to infinity from half a unit in
// the last place beyond FLT_MAX on.
static dbvh_status check_float( const dbvh_mesh_view *view, dbvh_error *error ) {
	const double limit = (double)FLT_MAX + 0x1p103;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		if ( fabs( p[0] ) < limit && fabs( p[1] ) < limit && fabs( p[2] ) < limit )
			continue;
		if ( error != NULL )
			error->element = (int64_t)i;
		return dbvhi_error_set( error, DBVH_LIMIT, "vertex %zu is too far out for the floats of a binary STL", i );
	}
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_save( const dbvh_mesh_view *view, const char *path,
                                                   dbvh_mesh_format format, dbvh_error *error ) {
	dbvh_status status = dbvh_mesh_view_check( view, error );
	if ( status != DBVH_OK )
		return status;
	if ( path == NULL )
		return dbvhi_error_null( error, "path" );
	status = dbvhi_check_mesh_format( format, error );
	if ( status != DBVH_OK )
		return status;
	if ( format == DBVH_MESH_FORMAT_AUTO )
		format = dbvhi_format_of_ending( path );
	if ( format == DBVH_MESH_FORMAT_AUTO )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT, "the file's name ends neither in stl, obj, ply nor off" );
	if ( format == DBVH_MESH_FORMAT_STL )
		status = check_float( view, error );
	if ( status != DBVH_OK )
		return status;
	dbvhi_replacement file;
	status = dbvhi_file_create( path, DBVHI_REPLACE_TARGET, &file, error );
	if ( status != DBVH_OK )
		return status;
	if ( !dbvhi_replacement_open_stream( &file ) )
		return dbvhi_file_refuse( error, errno, "written" );
	put_mesh( file.stream, view, format );
	return dbvhi_file_finish( &file, true, error );
}

dbvh_status dbvh_mesh_save( const dbvh_mesh_view *view, const char *path, dbvh_mesh_format format, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_save( view, path, format, error ) );
}
