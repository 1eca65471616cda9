// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Chooses the reader of a file, by content and by ending.

#include "formats/disk.h"
#include "formats/files.h"
#include "model/refuse.h"
#include "model/whole_file.h"
#include "text/ending.h"

#include <stdlib.h>
#include <string.h>

typedef enum kind {
	KIND_MESH,
	KIND_GLTF,
	KIND_3MF,
	KIND_URDF,
	KIND_JSON,
	KIND_IMPORT,
	KIND_STEP,
	KIND_IFC,
	KIND_USD,
	KIND_OTHER_XML
} kind;

static bool begins( const unsigned char *bytes, size_t count, const char *text ) {
	return count >= strlen( text ) && memcmp( bytes, text, strlen( text ) ) == 0;
}

static bool holds( const unsigned char *bytes, size_t count, const char *text ) {
	const size_t length = strlen( text );
	const unsigned char *at = bytes, *end = bytes + count;
	while ( (size_t)( end - at ) >= length ) {
		at = memchr( at, *text, (size_t)( end - at ) - length + 1 );
		if ( at == NULL )
			return false;
		if ( memcmp( at, text, length ) == 0 )
			return true;
		++at;
	}
	return false;
}

// IFC begins as STEP does; its schema tells.
static bool is_ifc( const unsigned char *bytes, size_t count ) {
	enum { HEAD = 4096 };
	const size_t head = count < HEAD ? count : HEAD;
	return holds( bytes, head, "('IFC" ) || holds( bytes, head, "(\"IFC" ) || holds( bytes, head, "( 'IFC" );
}

static kind kind_of( const char *name, const unsigned char *bytes, size_t count ) {
	// Among assimp's formats there are archives and XML as well, so here the ending goes first.
	if ( scene_is_import( name ) )
		return KIND_IMPORT;
	if ( scene_has_ending( name, "ifc" ) )
		return KIND_IFC;
	if ( begins( bytes, count, "#usda" ) || begins( bytes, count, "PXR-USDC" ) || scene_has_ending( name, "usdz" ) ||
	     scene_has_ending( name, "usd" ) || scene_has_ending( name, "usda" ) || scene_has_ending( name, "usdc" ) )
		return KIND_USD;
	if ( begins( bytes, count, "glTF" ) )
		return KIND_GLTF;
	if ( begins( bytes, count, "PK\3\4" ) )
		return KIND_3MF;
	const unsigned char *at = bytes, *end = bytes + count;
	if ( begins( bytes, count, "\xEF\xBB\xBF" ) )
		at += 3;
	while ( at < end && ( *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' ) )
		++at;
	if ( begins( at, (size_t)( end - at ), "ISO-10303-21;" ) )
		return is_ifc( at, (size_t)( end - at ) ) ? KIND_IFC : KIND_STEP;
	// The first 80 bytes of a binary STL may be anything.
	if ( scene_has_ending( name, "stl" ) )
		return KIND_MESH;
	if ( at < end && *at == '{' ) {
		// Every glTF has an "asset", and no scene of our own has.
		const bool is_gltf = scene_has_ending( name, "gltf" ) ||
		                     ( !scene_has_ending( name, "json" ) && holds( at, (size_t)( end - at ), "\"asset\"" ) );
		return is_gltf ? KIND_GLTF : KIND_JSON;
	}
	if ( at < end && *at == '<' )
		return scene_has_ending( name, "urdf" ) || holds( at, (size_t)( end - at ), "<robot" ) ? KIND_URDF
		                                                                                       : KIND_OTHER_XML;
	static const struct {
		const char *ending;
		kind kind;
	} endings[] = { { "glb", KIND_GLTF },  { "gltf", KIND_GLTF }, { "3mf", KIND_3MF },  { "urdf", KIND_URDF },
	                { "json", KIND_JSON }, { "step", KIND_STEP }, { "stp", KIND_STEP }, { "p21", KIND_STEP } };
	for ( size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i )
		if ( scene_has_ending( name, endings[i].ending ) )
			return endings[i].kind;
	return KIND_MESH;
}

bool scene_is_scene_file( const char *path, const unsigned char *bytes, size_t count ) {
	return kind_of( path, bytes, count ) != KIND_MESH;
}

// `metres` is the unit of the scene, 0 where it is not known.
static dbvh_status read_kind( const unsigned char *bytes, size_t count, const scene_source *source, scene_split split,
                              double metres, scene_model *model, dbvh_error *error ) {
	switch ( kind_of( source->name, bytes, count ) ) {
	case KIND_GLTF:
		return scene_read_gltf( bytes, count, source, model, error );
	case KIND_3MF:
		return scene_read_3mf( bytes, count, source, model, error );
	case KIND_URDF:
		return scene_read_urdf( bytes, count, source, model, error );
	case KIND_JSON:
		return scene_read_json( bytes, count, source, model, error );
	case KIND_IMPORT:
		return scene_read_import( bytes, count, source, model, error );
	case KIND_STEP:
		return scene_read_step( bytes, count, source,
		                        metres > 0.0 ? model->wants_sag * metres / 0.001 : model->wants_sag, model, error );
	case KIND_IFC:
		return scene_refuse(
		    error, DBVH_UNKNOWN_FORMAT,
		    "IFC is read by its ending .ifc, with pip install 'dualbvh[ifc]'; IfcConvert IN.ifc OUT.glb "
		    "makes glTF of it" );
	case KIND_USD:
		return scene_refuse( error, DBVH_UNKNOWN_FORMAT,
		                     "USD is read by its ending .usd, .usda, .usdc or .usdz, with pip install 'dualbvh[usd]'; "
		                     "Blender imports it and exports glTF" );
	case KIND_OTHER_XML:
		return scene_refuse( error, DBVH_UNKNOWN_FORMAT, "the file is XML, but no URDF: it has no <robot>" );
	case KIND_MESH:
		break;
	}
	return scene_read_mesh( bytes, count, source, split, model, error );
}

dbvh_status scene_read_bytes( const unsigned char *bytes, size_t count, const scene_source *source, scene_split split,
                              scene_model *model, dbvh_error *error ) {
	dbvh_error unseen = { .byte = -1, .element = -1 };
	const scene_mark mark = scene_mark_of( model );
	error = error != NULL ? error : &unseen;
	const double metres = model->metres;
	model->metres = 0.0;
	dbvh_status status = read_kind( bytes, count, source, split, metres, model, error );
	const double own = model->metres;
	if ( metres > 0.0 )
		model->metres = metres;
	if ( status != DBVH_OK || !( metres > 0.0 ) || !( own > 0.0 ) || own == metres )
		return status;
	status = scene_scale_from( model, &mark, own / metres, error );
	if ( status == DBVH_OK &&
	     !scene_add_note( model, "%s: its unit is %g m, that of the scene %g m: lengths are converted", source->name,
	                      own, metres ) )
		status = scene_refuse_memory( error );
	return status;
}

dbvh_status scene_read_file( const char *path, const scene_read_options *options, scene_model *model,
                             dbvh_error *error ) {
	unsigned char *bytes;
	size_t count;
	scene_ledger *ledger = &model->own_ledger;
	scene_disk disk = { path, options, ledger };
	const scene_source source = scene_disk_source( &disk );
	scene_ledger_open( ledger, options != NULL ? options->trust.most_memory : 0 );
	dbvh_status status = scene_disk_read( path, &bytes, &count, ledger, error );
	if ( status != DBVH_OK )
		return status;
	if ( error != NULL )
		*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	if ( options != NULL ) {
		model->wants_sag = options->sag;
		model->skips_bad_faces = options->skip_bad_faces;
		model->wants_visual = options->wants_visual;
		model->holds_no_joint = options->holds_no_joint;
	}
	status =
	    scene_read_bytes( bytes, count, &source, options != NULL ? options->split : SCENE_SPLIT_FILE, model, error );
	free( bytes );
	scene_ledger_close( ledger );
	return status == DBVH_OUT_OF_MEMORY && ledger->is_over ? scene_refuse_ceiling( ledger, error ) : status;
}
