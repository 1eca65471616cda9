// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/outline.h"

#include "text/grow.h"
#include "text/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Words of lines, as src/mesh/io/text.h has them

typedef struct scan {
	const char *at, *end;
} scan;

typedef struct word {
	const char *begin;
	size_t length;
} word;

static bool is_end( char c ) {
	return c == '\n' || c == '\r';
}

static bool is_blank( char c ) {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// Is this a backslash that joins the line with the next one?
static bool joins( const scan *s, const char *at ) {
	return *at == '\\' && s->end - at > 1 && is_end( at[1] );
}

// The next word of the line. False at its end, which is not passed.
static bool next_word( scan *s, bool joined, word *out ) {
	for ( ;; ) {
		while ( s->at < s->end && is_blank( *s->at ) )
			++s->at;
		if ( s->at == s->end || is_end( *s->at ) )
			return false;
		if ( !joined || !joins( s, s->at ) )
			break;
		s->at += s->end - s->at > 2 && s->at[1] == '\r' && s->at[2] == '\n' ? 3 : 2;
	}
	out->begin = s->at;
	while ( s->at < s->end && !is_blank( *s->at ) && !is_end( *s->at ) && !( joined && joins( s, s->at ) ) )
		++s->at;
	out->length = (size_t)( s->at - out->begin );
	return true;
}

// The rest of the line without blanks around it.
static word rest_of_line( scan *s ) {
	while ( s->at < s->end && is_blank( *s->at ) )
		++s->at;
	const char *begin = s->at;
	while ( s->at < s->end && !is_end( *s->at ) )
		++s->at;
	const char *end = s->at;
	while ( end > begin && is_blank( end[-1] ) )
		--end;
	return ( word ){ begin, (size_t)( end - begin ) };
}

// Goes behind the end of the line. False where the text ends.
static bool next_line( scan *s ) {
	while ( s->at < s->end && !is_end( *s->at ) )
		++s->at;
	if ( s->at == s->end )
		return false;
	++s->at;
	return true;
}

// Without regard to case.
static bool is( word w, const char *lower ) {
	const size_t length = strlen( lower );
	for ( size_t i = 0; i < length && w.length == length; ++i ) {
		const char c = w.begin[i];
		if ( ( c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c ) != lower[i] )
			return false;
	}
	return w.length == length;
}

// A copy of a name. A zero byte ends it.
static char *copy_name( word w ) {
	char *made = malloc( w.length + 1 );
	if ( made == NULL )
		return NULL;
	if ( w.length > 0 )
		memcpy( made, w.begin, w.length );
	made[w.length] = '\0';
	return made;
}

// ------------------------------------------------------------------------------------------------
// Triangles and objects

static void add_triangles( scene_outline *o, uint32_t label, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( !scene_grow( &o->labels, &o->label_capacity, o->triangle_count, sizeof *o->labels ) ) {
			o->failed = true;
			return;
		}
		o->labels[o->triangle_count++] = label;
	}
}

// Takes the name over. Its label.
static uint32_t add_object( scene_outline *o, char *name ) {
	if ( name != NULL && !scene_grow( &o->names, &o->capacity, o->count, sizeof *o->names ) ) {
		free( name );
		name = NULL;
	}
	if ( name == NULL ) {
		o->failed = true;
		return 0;
	}
	o->names[o->count] = name;
	return (uint32_t)o->count++;
}

// ------------------------------------------------------------------------------------------------
// OBJ

typedef struct obj {
	scene_outline *outline;
	scene_names known;
	char *object, *group; // NULL: not said
	uint32_t label;
	bool has_label; // else the names have changed since
} obj;

static char *join_names( const obj *o ) {
	const char *a = o->object != NULL ? o->object : "", *b = o->group != NULL ? o->group : "";
	char *made = malloc( strlen( a ) + strlen( b ) + 2 );
	if ( made != NULL )
		sprintf( made, "%s%s%s", a, *a != '\0' && *b != '\0' ? "/" : "", b );
	return made;
}

// Only objects with triangles have labels, so that they stand in the order of their first ones.
static uint32_t current_label( obj *o ) {
	if ( o->has_label )
		return o->label;
	char *name = join_names( o );
	o->label = name != NULL ? scene_names_find( &o->known, name ) : UINT32_MAX;
	o->has_label = true;
	if ( o->label != UINT32_MAX ) {
		free( name );
		return o->label;
	}
	o->label = add_object( o->outline, name );
	if ( !o->outline->failed && !scene_names_add( &o->known, o->outline->names[o->label], o->label ) )
		o->outline->failed = true;
	return o->label;
}

static void set_name( obj *o, char **place, scan *s ) {
	free( *place );
	*place = copy_name( rest_of_line( s ) );
	o->outline->failed = o->outline->failed || *place == NULL;
	o->has_label = false;
}

static void read_obj( scan s, scene_outline *outline ) {
	obj o = { .outline = outline };
	do {
		word w;
		if ( !next_word( &s, false, &w ) || *w.begin == '#' )
			continue;
		if ( w.length == 1 && *w.begin == 'o' ) {
			set_name( &o, &o.object, &s );
			free( o.group );
			o.group = NULL;
		} else if ( w.length == 1 && *w.begin == 'g' ) {
			set_name( &o, &o.group, &s );
		} else if ( ( w.length == 1 && *w.begin == 'f' ) || ( w.length == 2 && memcmp( w.begin, "fo", 2 ) == 0 ) ) {
			size_t corners = 0;
			while ( next_word( &s, true, &w ) && *w.begin != '#' )
				++corners;
			if ( corners > 2 )
				add_triangles( outline, current_label( &o ), corners - 2 );
		} else if ( w.length == 1 && *w.begin == 'v' ) {
			while ( next_word( &s, true, &w ) && *w.begin != '#' ) {
			}
		}
	} while ( !outline->failed && next_line( &s ) );
	free( o.object );
	free( o.group );
	scene_names_free( &o.known );
}

// ------------------------------------------------------------------------------------------------
// ASCII STL

static void read_stl( scan s, scene_outline *outline ) {
	bool in_solid = false;
	size_t solids = 0, facets = 0; // facets in the current solid
	word name = { NULL, 0 };
	uint32_t label = 0;
	do {
		word w;
		while ( !outline->failed && next_word( &s, false, &w ) ) {
			if ( !in_solid ) {
				name = rest_of_line( &s );
				in_solid = true;
				facets = 0;
				++solids;
			} else if ( is( w, "endsolid" ) ) {
				rest_of_line( &s );
				in_solid = false;
			} else if ( is( w, "endfacet" ) ) {
				char numbered[32];
				snprintf( numbered, sizeof numbered, "solid-%zu", solids );
				if ( facets++ == 0 )
					label = add_object(
					    outline, copy_name( name.length > 0 ? name : ( word ){ numbered, strlen( numbered ) } ) );
				add_triangles( outline, label, 1 );
			}
		}
	} while ( !outline->failed && next_line( &s ) );
}

void scene_outline_free( scene_outline *outline ) {
	for ( size_t i = 0; i < outline->count; ++i )
		free( outline->names[i] );
	free( outline->names );
	free( outline->labels );
	*outline = ( scene_outline ){ 0 };
}

bool scene_outline_read( const unsigned char *bytes, size_t count, scene_outline *outline ) {
	const bool marked = count >= 3 && memcmp( bytes, "\xEF\xBB\xBF", 3 ) == 0;
	scan s = { (const char *)bytes + ( marked ? 3 : 0 ), (const char *)bytes + count };
	*outline = ( scene_outline ){ 0 };
	scan look = s;
	word first = { NULL, 0 };
	while ( !next_word( &look, false, &first ) && next_line( &look ) ) {
	}
	if ( is( first, "solid" ) )
		read_stl( s, outline );
	else
		read_obj( s, outline );
	if ( !outline->failed )
		return true;
	scene_outline_free( outline );
	return false;
}

// ------------------------------------------------------------------------------------------------
// Faces that are left out

bool scene_outline_fits( const scene_outline *outline, const dbvh_mesh *mesh ) {
	size_t skipped_count, count = dbvh_mesh_get_view( mesh ).triangle_count;
	const dbvh_skipped_face *skipped = dbvh_mesh_get_skipped_faces( mesh, &skipped_count );
	for ( size_t i = 0; i < skipped_count; ++i )
		count += skipped[i].corner_count - 2;
	return outline->triangle_count == count;
}

static bool drop_empty( scene_outline *o ) {
	uint32_t *numbers = calloc( o->count + 1, sizeof *numbers );
	if ( numbers == NULL )
		return false;
	for ( size_t i = 0; i < o->triangle_count; ++i )
		numbers[o->labels[i]] = 1;
	size_t kept = 0;
	for ( size_t i = 0; i < o->count; ++i ) {
		if ( numbers[i] == 0 ) {
			free( o->names[i] );
			continue;
		}
		numbers[i] = (uint32_t)kept;
		o->names[kept++] = o->names[i];
	}
	for ( size_t i = 0; i < o->triangle_count; ++i )
		o->labels[i] = numbers[o->labels[i]];
	o->count = kept;
	free( numbers );
	return true;
}

bool scene_outline_leave_out( scene_outline *o, const dbvh_mesh *mesh ) {
	size_t count, kept = 0, next = 0;
	const dbvh_skipped_face *skipped = dbvh_mesh_get_skipped_faces( mesh, &count );
	if ( count == 0 )
		return true;
	for ( size_t i = 0; i <= count; ++i ) {
		const size_t run = i < count ? skipped[i].triangle - kept : o->triangle_count - next;
		memmove( o->labels + kept, o->labels + next, run * sizeof *o->labels );
		kept += run;
		next += run + ( i < count ? skipped[i].corner_count - 2 : 0 );
	}
	o->triangle_count = kept;
	return drop_empty( o );
}
