// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/threemf/labels.h"

#include "formats/xml.h"
#include "text/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void threemf_labels_free( threemf_labels *labels ) {
	for ( size_t i = 0; i < labels->count; ++i )
		free( labels->list[i].name );
	free( labels->list );
	scene_names_free( &labels->numbers );
	*labels = ( threemf_labels ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Reading: <config><object id="2"><metadata key="name" value="box"/><part id="1" subtype="modifier_part">
// <metadata key="name" value="..."/></part></object></config>

typedef struct reader {
	threemf_labels *out;
	char object[12];     // "": outside of one
	bool in_part;        // the last label is of a part
	size_t object_label; // label of the current object
} reader;

// A number as it is in keys. False where the text is none.
static bool copy_number( const char *text, char out[12] ) {
	if ( text == NULL || strlen( text ) > 10 || text[0] == '\0' || strspn( text, "0123456789" ) != strlen( text ) )
		return false;
	snprintf( out, 12, "%lu", strtoul( text, NULL, 10 ) );
	return true;
}

static threemf_label *add_label( reader *r, scene_xml *xml ) {
	threemf_labels *labels = r->out;
	if ( !scene_grow( &labels->list, &labels->capacity, labels->count, sizeof *labels->list ) ) {
		scene_xml_refuse( xml, DBVH_OUT_OF_MEMORY, "there is no memory for names" );
		return NULL;
	}
	labels->list[labels->count] = ( threemf_label ){ .name = NULL };
	return &labels->list[labels->count++];
}

static void begin_object( reader *r, scene_xml *xml, const char *id ) {
	if ( !copy_number( id, r->object ) )
		return;
	threemf_label *label = add_label( r, xml );
	if ( label == NULL )
		return;
	snprintf( label->key, sizeof label->key, "%s", r->object );
	r->object_label = r->out->count - 1;
}

static void begin_part( reader *r, scene_xml *xml, const char *id, const char *subtype ) {
	char part[12];
	if ( !copy_number( id, part ) )
		return;
	threemf_label *label = add_label( r, xml );
	if ( label == NULL )
		return;
	snprintf( label->key, sizeof label->key, "%.11s %.11s", r->object, part );
	label->is_helper = subtype != NULL && strcmp( subtype, "normal_part" ) != 0;
	r->in_part = true;
}

static void read_name( reader *r, scene_xml *xml, const char *const *attributes ) {
	const char *key = scene_xml_get( attributes, "key" ), *value = scene_xml_get( attributes, "value" );
	threemf_label *label = &r->out->list[r->in_part ? r->out->count - 1 : r->object_label];
	if ( key == NULL || value == NULL || value[0] == '\0' || strcmp( key, "name" ) != 0 || label->name != NULL )
		return;
	label->name = scene_copy( value );
	if ( label->name == NULL )
		scene_xml_refuse( xml, DBVH_OUT_OF_MEMORY, "there is no memory for names" );
}

// Places are depths.
static int on_begin( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	reader *r = user;
	const int depth = outer + 1;
	const bool in_object = r->object[0] != '\0';
	if ( depth == 2 && strcmp( element, "object" ) == 0 )
		begin_object( r, xml, scene_xml_get( attributes, "id" ) );
	else if ( depth == 3 && in_object && strcmp( element, "part" ) == 0 )
		begin_part( r, xml, scene_xml_get( attributes, "id" ), scene_xml_get( attributes, "subtype" ) );
	else if ( depth == ( r->in_part ? 4 : 3 ) && in_object && strcmp( element, "metadata" ) == 0 )
		read_name( r, xml, attributes );
	return depth;
}

static void on_end( void *user, scene_xml *xml, int depth ) {
	(void)xml;
	reader *r = user;
	if ( depth <= 3 )
		r->in_part = false;
	if ( depth <= 2 )
		r->object[0] = '\0';
}

// False where there is no memory.
static bool read_file( scene_archive *archive, const char *name, threemf_labels *labels ) {
	unsigned char *bytes;
	size_t count;
	reader r = { .out = labels };
	const scene_xml_handler handler = { on_begin, on_end, &r, NULL };
	if ( !scene_archive_has( archive, name ) )
		return true;
	dbvh_status status = scene_archive_read( archive, name, &bytes, &count, NULL );
	if ( status == DBVH_OK ) {
		status = scene_xml_read( bytes, count, &handler, NULL );
		free( bytes );
	}
	return status != DBVH_OUT_OF_MEMORY;
}

bool threemf_labels_read( scene_archive *archive, threemf_labels *labels ) {
	if ( !read_file( archive, "Metadata/model_settings.config", labels ) ||
	     !read_file( archive, "Metadata/Slic3r_PE_model.config", labels ) )
		return false;
	for ( size_t i = 0; i < labels->count; ++i )
		if ( scene_names_find( &labels->numbers, labels->list[i].key ) == UINT32_MAX &&
		     !scene_names_add( &labels->numbers, labels->list[i].key, (uint32_t)i ) )
			return false;
	return true;
}

// ------------------------------------------------------------------------------------------------

static const threemf_label *find( const threemf_labels *labels, const char *key ) {
	const uint32_t number = scene_names_find( &labels->numbers, key );
	return number != UINT32_MAX ? &labels->list[number] : NULL;
}

const threemf_label *threemf_label_of_object( const threemf_labels *labels, uint32_t object ) {
	char key[24];
	snprintf( key, sizeof key, "%lu", (unsigned long)object );
	return find( labels, key );
}

const threemf_label *threemf_label_of_part( const threemf_labels *labels, uint32_t object, uint32_t part ) {
	char key[24];
	snprintf( key, sizeof key, "%lu %lu", (unsigned long)object, (unsigned long)part );
	return find( labels, key );
}
