// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/skipped.h"

#include "model/refuse.h"

#include <inttypes.h>
#include <stdio.h>

const char *scene_skipped_words( size_t count ) {
	return count == 1 ? "face that crosses or touches itself" : "faces that cross or touch themselves";
}

bool scene_skipped_text( const dbvh_mesh *mesh, char text[SCENE_SKIPPED_ROOM] ) {
	size_t count;
	const dbvh_skipped_face *faces = dbvh_mesh_get_skipped_faces( mesh, &count );
	if ( count == 0 )
		return false;
	char place[48];
	if ( faces[0].line > 0 )
		snprintf( place, sizeof place, "on line %" PRId64, faces[0].line );
	else
		snprintf( place, sizeof place, "face %zu", faces[0].face );
	snprintf( text, SCENE_SKIPPED_ROOM, "%zu %s %s left out (%s%s); the mesh is open there", count,
	          scene_skipped_words( count ), count == 1 ? "is" : "are", count == 1 ? "" : "the first: ", place );
	return true;
}

dbvh_status scene_parse_mesh( const unsigned char *bytes, size_t count, dbvh_mesh_format format, const char *name,
                              scene_model *model, dbvh_mesh **mesh_out, dbvh_error *error ) {
	const dbvh_mesh_read_options options = { .skip_bad_faces = model->skips_bad_faces };
	const dbvh_status status = dbvh_mesh_parse_with( bytes, count, format, &options, NULL, mesh_out, error );
	char text[SCENE_SKIPPED_ROOM];
	if ( status != DBVH_OK || !scene_skipped_text( *mesh_out, text ) )
		return status;
	size_t skipped;
	dbvh_mesh_get_skipped_faces( *mesh_out, &skipped );
	model->skipped_count += skipped;
	if ( scene_add_note( model, "%s: %s", name, text ) )
		return DBVH_OK;
	dbvh_mesh_destroy( *mesh_out );
	*mesh_out = NULL;
	return scene_refuse_memory( error );
}
