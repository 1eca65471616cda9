// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/threemf/part.h"

#include "formats/xml.h"
#include "text/grow.h"

#include <stdlib.h>
#include <string.h>

typedef enum place {
	PLACE_FILE,
	PLACE_MODEL,
	PLACE_RESOURCES,
	PLACE_BUILD,
	PLACE_OBJECT,
	PLACE_MESH,
	PLACE_VERTICES,
	PLACE_TRIANGLES,
	PLACE_LATTICE,
	PLACE_BEAMS,
	PLACE_BALLS,
	PLACE_COMPONENTS,
	PLACE_OTHER,
} place;

typedef struct reader {
	threemf *out;
	uint32_t part;
	scene_xml *xml;
} reader;

static void refuse_memory( reader *r ) {
	scene_xml_refuse( r->xml, DBVH_OUT_OF_MEMORY, "there is no memory for the scene" );
}

uint32_t threemf_part( threemf *t, const char *name ) {
	while ( *name == '/' )
		++name;
	const uint32_t known = scene_names_find( &t->part_numbers, name );
	if ( known != UINT32_MAX )
		return known;
	char *copy = scene_copy( name );
	if ( copy == NULL || !scene_grow( &t->parts, &t->part_capacity, t->part_count, sizeof *t->parts ) ||
	     !scene_names_add( &t->part_numbers, copy, (uint32_t)t->part_count ) ) {
		free( copy );
		return UINT32_MAX;
	}
	t->parts[t->part_count] = copy;
	return (uint32_t)t->part_count++;
}

void threemf_free( threemf *t ) {
	for ( size_t i = 0; i < t->part_count; ++i )
		free( t->parts[i] );
	for ( size_t i = 0; i < t->object_count; ++i ) {
		free( t->objects[i].name );
		free( t->objects[i].type );
		free( t->objects[i].positions );
		free( t->objects[i].indices );
		free( t->objects[i].components );
		threemf_lattice_free( &t->objects[i].lattice );
	}
	scene_names_free( &t->part_numbers );
	free( t->parts );
	free( t->objects );
	free( t->items );
	*t = ( threemf ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Attributes

static bool parse_number( const char *text, uint32_t *out ) {
	uint64_t n = 0;
	if ( *text == '\0' )
		return false;
	for ( ; *text != '\0'; ++text ) {
		if ( *text < '0' || *text > '9' )
			return false;
		n = 10 * n + (uint64_t)( *text - '0' );
		if ( n > INT32_MAX )
			return false;
	}
	*out = (uint32_t)n;
	return true;
}

static bool number_of( reader *r, const char *element, const char *const *attributes, const char *name,
                       uint32_t *out ) {
	const char *text = scene_xml_get( attributes, name );
	if ( text != NULL && parse_number( text, out ) )
		return true;
	if ( text == NULL )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<%s> has no %s", element, name );
	else
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "%s of <%s> is a whole number, and '%.40s' is not", name, element,
		                  text );
	return false;
}

// "m00 m01 m02 m10 ... m32" is for row vectors: x' = x M, the last row is the translation.
static bool transform_of( reader *r, const char *const *attributes, scene_affine *out ) {
	const char *text = scene_xml_get( attributes, "transform" );
	double m[12];
	*out = scene_affine_identity();
	if ( text == NULL )
		return true;
	if ( !scene_xml_reals( text, m, 12 ) ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "a transform is twelve numbers, and '%.80s' is not", text );
		return false;
	}
	for ( int i = 0; i < 4; ++i )
		for ( int j = 0; j < 3; ++j )
			out->row[j][i] = m[3 * i + j];
	return true;
}

static const struct {
	const char *name;
	double metres;
} units[] = { { "micron", 1e-6 }, { "millimeter", 0.001 }, { "centimeter", 0.01 },
              { "inch", 0.0254 }, { "foot", 0.3048 },      { "meter", 1.0 } };

// Extensions whose files are sound also for who does not know them, or knows what is needed of them.
static bool is_known_extension( const char *uri ) {
	static const char *const known[] = { "/production/", "/material/", "/slice/", "/trianglesets/", "/beamlattice/" };
	for ( size_t i = 0; i < sizeof known / sizeof known[0]; ++i )
		if ( strstr( uri, known[i] ) != NULL )
			return true;
	return false;
}

// A reader that does not know a required extension must not read the file.
static void check_extensions( reader *r, const char *const *attributes ) {
	const char *at = scene_xml_get( attributes, "requiredextensions" );
	while ( at != NULL && *( at += strspn( at, " \t\r\n" ) ) != '\0' ) {
		const size_t length = strcspn( at, " \t\r\n" );
		const char *uri = NULL;
		for ( const char *const *a = attributes; *a != NULL; a += 2 )
			if ( strncmp( a[0], "xmlns:", 6 ) == 0 && strlen( a[0] + 6 ) == length &&
			     memcmp( a[0] + 6, at, length ) == 0 )
				uri = a[1];
		if ( uri == NULL || !is_known_extension( uri ) )
			scene_xml_refuse( r->xml, DBVH_UNKNOWN_FORMAT,
			                  "the file needs the extension '%.*s' (%.100s), which is not read",
			                  (int)( length < 40 ? length : 40 ), at, uri != NULL ? uri : "?" );
		at += length;
	}
}

static place begin_model( reader *r, const char *element, const char *const *attributes ) {
	if ( strcmp( element, "model" ) != 0 ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "a model of 3MF begins with <model>, and this one with <%.60s>",
		                  element );
		return PLACE_OTHER;
	}
	const char *unit = scene_xml_get( attributes, "unit" );
	double metres = unit == NULL ? 0.001 : 0.0;
	for ( size_t i = 0; unit != NULL && i < sizeof units / sizeof units[0]; ++i )
		if ( strcmp( unit, units[i].name ) == 0 )
			metres = units[i].metres;
	if ( metres == 0.0 )
		scene_xml_refuse( r->xml, DBVH_MALFORMED,
		                  "'%.40s' is no unit of 3MF: micron, millimeter, centimeter, inch, foot, meter", unit );
	else if ( r->part != 0 && metres != r->out->metres )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "the unit is not that of the first model part" );
	r->out->metres = metres;
	check_extensions( r, attributes );
	return PLACE_MODEL;
}

// ------------------------------------------------------------------------------------------------
// Objects

static threemf_object *this_object( reader *r ) {
	return &r->out->objects[r->out->object_count - 1];
}

static place begin_object( reader *r, const char *const *attributes ) {
	threemf *out = r->out;
	threemf_object object = { .part = r->part };
	if ( !number_of( r, "object", attributes, "id", &object.id ) )
		return PLACE_OTHER;
	const char *name = scene_xml_get( attributes, "name" ), *type = scene_xml_get( attributes, "type" );
	object.name = scene_copy( name );
	object.type = scene_copy( type );
	if ( ( name != NULL && object.name == NULL ) || ( type != NULL && object.type == NULL ) ||
	     !scene_grow( &out->objects, &out->object_capacity, out->object_count, sizeof *out->objects ) ) {
		free( object.name );
		free( object.type );
		refuse_memory( r );
		return PLACE_OTHER;
	}
	out->objects[out->object_count++] = object;
	return PLACE_OBJECT;
}

static void read_vertex( reader *r, const char *const *attributes ) {
	static const char *const names[] = { "x", "y", "z" };
	threemf_object *o = this_object( r );
	if ( !scene_grow( &o->positions, &o->vertex_capacity, o->vertex_count, 3 * sizeof *o->positions ) ) {
		refuse_memory( r );
		return;
	}
	for ( size_t k = 0; k < 3; ++k ) {
		const char *text = scene_xml_get( attributes, names[k] );
		if ( text == NULL || !scene_xml_reals( text, &o->positions[3 * o->vertex_count + k], 1 ) ) {
			scene_xml_refuse( r->xml, DBVH_MALFORMED, "object %u: %s of vertex %zu is a number, and '%.40s' is not",
			                  (unsigned)o->id, names[k], o->vertex_count, text != NULL ? text : "" );
			return;
		}
	}
	++o->vertex_count;
}

static void read_triangle( reader *r, const char *const *attributes ) {
	static const char *const names[] = { "v1", "v2", "v3" };
	threemf_object *o = this_object( r );
	if ( !scene_grow( &o->indices, &o->triangle_capacity, o->triangle_count, 3 * sizeof *o->indices ) ) {
		refuse_memory( r );
		return;
	}
	for ( size_t k = 0; k < 3; ++k ) {
		uint32_t *index = &o->indices[3 * o->triangle_count + k];
		if ( !number_of( r, "triangle", attributes, names[k], index ) )
			return;
		// <vertices> stands before <triangles>.
		if ( *index >= o->vertex_count ) {
			scene_xml_refuse( r->xml, DBVH_INDEX_RANGE, "object %u: triangle %zu names vertex %u, and there are %zu",
			                  (unsigned)o->id, o->triangle_count, (unsigned)*index, o->vertex_count );
			return;
		}
	}
	++o->triangle_count;
}

static place begin_lattice( reader *r, const char *const *attributes ) {
	threemf_object *o = this_object( r );
	char why[THREEMF_WHY_ROOM];
	if ( threemf_lattice_begin( &o->lattice, attributes, why ) )
		return PLACE_LATTICE;
	scene_xml_refuse( r->xml, DBVH_MALFORMED, "object %u: %s", (unsigned)o->id, why );
	return PLACE_OTHER;
}

static void read_strut( reader *r, bool is_ball, const char *const *attributes ) {
	threemf_object *o = this_object( r );
	char why[THREEMF_WHY_ROOM];
	const dbvh_status status = is_ball ? threemf_lattice_ball( &o->lattice, attributes, o->vertex_count, why )
	                                   : threemf_lattice_beam( &o->lattice, attributes, o->vertex_count, why );
	if ( status == DBVH_OUT_OF_MEMORY )
		refuse_memory( r );
	else if ( status != DBVH_OK )
		scene_xml_refuse( r->xml, status, "object %u: %s", (unsigned)o->id, why );
}

// An object and where it goes, for <component> and <item>.
static bool read_use( reader *r, const char *element, const char *const *attributes, threemf_component *out ) {
	const char *path = scene_xml_get( attributes, "path" );
	out->part = r->part;
	if ( !number_of( r, element, attributes, "objectid", &out->id ) || !transform_of( r, attributes, &out->transform ) )
		return false;
	if ( path != NULL )
		out->part = threemf_part( r->out, path );
	if ( out->part == UINT32_MAX )
		refuse_memory( r );
	return out->part != UINT32_MAX;
}

static void read_component( reader *r, const char *const *attributes ) {
	threemf_component use;
	if ( !read_use( r, "component", attributes, &use ) )
		return;
	threemf_object *o = this_object( r );
	if ( scene_grow( &o->components, &o->component_capacity, o->component_count, sizeof *o->components ) )
		o->components[o->component_count++] = use;
	else
		refuse_memory( r );
}

static void read_item( reader *r, const char *const *attributes ) {
	threemf_component use;
	threemf *out = r->out;
	// Only the root's are built.
	if ( r->part != 0 || !read_use( r, "item", attributes, &use ) )
		return;
	if ( scene_grow( &out->items, &out->item_capacity, out->item_count, sizeof *out->items ) )
		out->items[out->item_count++] = use;
	else
		refuse_memory( r );
}

// ------------------------------------------------------------------------------------------------
// Elements

static place begin_in( reader *r, place outer, const char *element, const char *const *attributes ) {
	const struct {
		place outer, inner;
		const char *element;
	} steps[] = { { PLACE_MODEL, PLACE_RESOURCES, "resources" }, { PLACE_MODEL, PLACE_BUILD, "build" },
	              { PLACE_OBJECT, PLACE_MESH, "mesh" },          { PLACE_MESH, PLACE_VERTICES, "vertices" },
	              { PLACE_MESH, PLACE_TRIANGLES, "triangles" },  { PLACE_OBJECT, PLACE_COMPONENTS, "components" },
	              { PLACE_LATTICE, PLACE_BEAMS, "beams" },       { PLACE_LATTICE, PLACE_BALLS, "balls" } };
	switch ( outer ) {
	case PLACE_MESH:
		if ( strcmp( element, "beamlattice" ) == 0 )
			return begin_lattice( r, attributes );
		break;
	case PLACE_BEAMS:
		if ( strcmp( element, "beam" ) == 0 )
			read_strut( r, false, attributes );
		return PLACE_OTHER;
	case PLACE_BALLS:
		if ( strcmp( element, "ball" ) == 0 )
			read_strut( r, true, attributes );
		return PLACE_OTHER;
	case PLACE_VERTICES:
		if ( strcmp( element, "vertex" ) == 0 )
			read_vertex( r, attributes );
		return PLACE_OTHER;
	case PLACE_TRIANGLES:
		if ( strcmp( element, "triangle" ) == 0 )
			read_triangle( r, attributes );
		return PLACE_OTHER;
	case PLACE_COMPONENTS:
		if ( strcmp( element, "component" ) == 0 )
			read_component( r, attributes );
		return PLACE_OTHER;
	case PLACE_BUILD:
		if ( strcmp( element, "item" ) == 0 )
			read_item( r, attributes );
		return PLACE_OTHER;
	case PLACE_FILE:
		return begin_model( r, element, attributes );
	case PLACE_RESOURCES:
		return strcmp( element, "object" ) == 0 ? begin_object( r, attributes ) : PLACE_OTHER;
	default:
		break;
	}
	for ( size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i )
		if ( outer == steps[i].outer && strcmp( element, steps[i].element ) == 0 )
			return steps[i].inner;
	return PLACE_OTHER;
}

static int on_begin( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	reader *r = user;
	r->xml = xml;
	return begin_in( r, (place)outer, element, attributes );
}

dbvh_status threemf_read_part( threemf *t, uint32_t part, const unsigned char *bytes, size_t count,
                               dbvh_error *error ) {
	reader r = { .out = t, .part = part };
	const scene_xml_handler handler = { on_begin, NULL, &r, NULL };
	return scene_xml_read( bytes, count, &handler, error );
}
