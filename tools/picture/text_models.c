// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// OBJ and PLY, in text and with all digits.

#include "picture/model.h"
#include "text/number.h"

static void put_point( const double *x, FILE *file ) {
	char text[3][REAL_ROOM];
	fprintf( file, "%s %s %s", real_text( x[0], text[0] ), real_text( x[1], text[1] ), real_text( x[2], text[2] ) );
}

// A name in one word and in one line.
static void put_name( const char *name, FILE *file ) {
	for ( ; *name != '\0'; ++name )
		fputc( (unsigned char)*name <= ' ' ? '_' : *name, file );
}

dbvh_status model_write_obj( const model *m, const picture *p, FILE *file ) {
	size_t first = 1;
	(void)p;
	fputs( "# dualbvh\n", file );
	for ( size_t i = 0; i < m->count; ++i ) {
		const model_object *o = &m->objects[i];
		fputs( "o ", file );
		put_name( o->name, file );
		fputc( '\n', file );
		for ( size_t k = 0; k < o->point_count; ++k ) {
			fputs( "v ", file );
			put_point( o->points + 3 * k, file );
			fputc( '\n', file );
		}
		for ( size_t k = 0; k < o->triangle_count; k += 3 )
			fprintf( file, "f %zu %zu %zu\n", first + o->triangles[k], first + o->triangles[k + 1],
			         first + o->triangles[k + 2] );
		for ( size_t k = 0; k < o->segment_count; k += 2 )
			fprintf( file, "l %zu %zu\n", first + o->segments[k], first + o->segments[k + 1] );
		first += o->point_count;
	}
	return DBVH_OK;
}

dbvh_status model_write_ply( const model *m, const picture *p, FILE *file ) {
	size_t points = 0, triangles = 0, segments = 0, first = 0;
	(void)p;
	for ( size_t i = 0; i < m->count; ++i ) {
		points += m->objects[i].point_count;
		triangles += m->objects[i].triangle_count / 3;
		segments += m->objects[i].segment_count / 2;
	}
	fputs( "ply\nformat ascii 1.0\ncomment dualbvh\n", file );
	for ( size_t i = 0; i < m->count; ++i ) {
		fprintf( file, "comment object %zu ", i );
		put_name( m->objects[i].name, file );
		fputc( '\n', file );
	}
	fprintf( file,
	         "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\n"
	         "property uchar green\nproperty uchar blue\nproperty uint object\nelement face %zu\n"
	         "property list uchar uint vertex_indices\nelement edge %zu\nproperty uint vertex1\nproperty uint vertex2\n"
	         "end_header\n",
	         points, triangles, segments );
	for ( size_t i = 0; i < m->count; ++i )
		for ( size_t k = 0; k < m->objects[i].point_count; ++k ) {
			const unsigned char *colour = model_colours[m->objects[i].role];
			put_point( m->objects[i].points + 3 * k, file );
			fprintf( file, " %d %d %d %zu\n", colour[0], colour[1], colour[2], i );
		}
	for ( size_t i = 0; i < m->count; first += m->objects[i++].point_count )
		for ( size_t k = 0; k < m->objects[i].triangle_count; k += 3 )
			fprintf( file, "3 %zu %zu %zu\n", first + m->objects[i].triangles[k],
			         first + m->objects[i].triangles[k + 1], first + m->objects[i].triangles[k + 2] );
	first = 0;
	for ( size_t i = 0; i < m->count; first += m->objects[i++].point_count )
		for ( size_t k = 0; k < m->objects[i].segment_count; k += 2 )
			fprintf( file, "%zu %zu\n", first + m->objects[i].segments[k], first + m->objects[i].segments[k + 1] );
	return DBVH_OK;
}
