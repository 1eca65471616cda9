// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/assemble.h"

#include "base/os.h"
#include "model/refuse.h"
#include "model/whole_file.h"
#include "text/ending.h"
#include "text/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that was read, before it becomes a part of the whole.
typedef struct part {
	const char *file;
	scene_model model;
	char *prefix; // distinguishes its bodies from those of other files; NULL: not needed
} part;

// ------------------------------------------------------------------------------------------------
// Names of files

static const char *base_of( const char *path ) {
	const char *slash = dbvhi_os_last_separator( path );
	return slash != NULL ? slash + 1 : path;
}

static size_t stem_length( const char *base ) {
	const char *dot = strrchr( base, '.' );
	return dot != NULL && dot != base ? (size_t)( dot - base ) : strlen( base );
}

// A name for a file: at level 0 without the ending, at 1 with it, at 2 and 3 the same with a folder in front, and so
// on; the whole path where there are no more folders. NULL where there is no memory.
static char *file_name( const char *path, int level ) {
	const char *base = base_of( path ), *from = base;
	for ( int folders = level / 2; folders > 0 && from > path; --folders )
		for ( --from; from > path && !dbvhi_os_is_separator( from[-1] ); )
			--from;
	const size_t length = (size_t)( base - from ) + ( level % 2 == 0 ? stem_length( base ) : strlen( base ) );
	char *made = malloc( length + 1 );
	if ( made != NULL ) {
		memcpy( made, from, length );
		made[length] = '\0';
	}
	return made;
}

enum { MOST_LEVELS = 64 };

// The shortest kind of name by which the files that need one differ. Files that are the same one never do.
static bool name_parts( part *parts, size_t count, const bool *needs_name ) {
	for ( int level = 0; level < MOST_LEVELS; ++level ) {
		scene_names names = { 0 };
		bool differ = true, ok = true;
		for ( size_t i = 0; i < count && ok; ++i ) {
			if ( !needs_name[i] )
				continue;
			free( parts[i].prefix );
			parts[i].prefix = file_name( parts[i].file, level );
			ok = parts[i].prefix != NULL;
			const uint32_t known = ok ? scene_names_find( &names, parts[i].prefix ) : SCENE_NONE;
			if ( known != SCENE_NONE )
				differ = differ && strcmp( parts[known].file, parts[i].file ) == 0;
			else
				ok = ok && scene_names_add( &names, parts[i].prefix, (uint32_t)i );
		}
		scene_names_free( &names );
		if ( !ok || differ )
			return ok;
	}
	return true;
}

// Find the files that share a path with another one.
static bool find_common( part *parts, size_t count ) {
	scene_names owners = { 0 };
	bool *needs_name = calloc( count, sizeof *needs_name );
	bool ok = needs_name != NULL, any = false;
	for ( size_t i = 0; i < count && ok; ++i ) {
		const scene_model *m = &parts[i].model;
		for ( size_t k = 0; k < m->body_count && ok; ++k ) {
			const uint32_t owner = scene_names_find( &owners, m->bodies[k].path );
			if ( owner == SCENE_NONE )
				ok = scene_names_add( &owners, m->bodies[k].path, (uint32_t)i );
			else if ( owner != i )
				any = needs_name[i] = needs_name[owner] = true;
		}
	}
	ok = ok && ( !any || name_parts( parts, count, needs_name ) );
	free( needs_name );
	scene_names_free( &owners );
	return ok;
}

// The path of a body, or a pattern, in the whole. A path that begins with the file's own stem gets the longer name in
// place of it. NULL where there is no memory.
static char *prefixed( const part *p, const char *path ) {
	const char *base = base_of( p->file );
	const size_t stem = stem_length( base );
	if ( p->prefix != NULL && strncmp( path, base, stem ) == 0 && ( path[stem] == '\0' || path[stem] == '/' ) )
		path += stem;
	const char *prefix = p->prefix != NULL ? p->prefix : "";
	const char *between = p->prefix == NULL || *path == '\0' || *path == '/' ? "" : "/";
	const size_t size = strlen( prefix ) + strlen( path ) + 2;
	char *made = malloc( size );
	if ( made != NULL )
		snprintf( made, size, "%s%s%s", prefix, between, path );
	return made;
}

// ------------------------------------------------------------------------------------------------
// One model of many

static bool add_meshes( scene_model *to, scene_model *from ) {
	for ( size_t i = 0; i < from->mesh_count; ++i ) {
		dbvh_mesh *mesh = from->meshes[i].mesh;
		from->meshes[i].mesh = NULL;
		const uint32_t made = scene_add_mesh( to, mesh, from->meshes[i].name );
		if ( made == SCENE_NONE )
			return false;
		to->meshes[made].numbers = from->meshes[i].numbers;
		from->meshes[i].numbers = NULL;
	}
	return scene_take_trees( to, from );
}

static uint32_t shifted( uint32_t number, size_t by ) {
	return number == SCENE_NONE ? SCENE_NONE : number + (uint32_t)by;
}

static bool add_links( scene_model *to, scene_model *from ) {
	const size_t before = to->link_count;
	for ( size_t i = 0; i < from->link_count; ++i ) {
		const uint32_t made = scene_add_link( to, from->links[i].name, shifted( from->links[i].parent, before ) );
		if ( made == SCENE_NONE )
			return false;
		char *name = to->links[made].name;
		to->links[made] = from->links[i];
		to->links[made].name = name;
		to->links[made].parent = shifted( from->links[i].parent, before );
		to->links[made].mimic = shifted( from->links[i].mimic, before );
		from->links[i].joint = NULL; // moved
	}
	// States have a number for every link: those of before get zeros for the new ones.
	for ( size_t i = 0; i < to->state_count && from->link_count > 0; ++i ) {
		double *values = realloc( to->states[i].values, to->link_count * sizeof *values );
		if ( values == NULL )
			return false;
		memset( values + before, 0, from->link_count * sizeof *values );
		to->states[i].values = values;
	}
	for ( size_t i = 0; i < from->state_count; ++i ) {
		const uint32_t made = scene_add_state( to, from->states[i].name );
		if ( made == SCENE_NONE )
			return false;
		memcpy( to->states[made].values + before, from->states[i].values, from->link_count * sizeof( double ) );
	}
	return true;
}

// Translate group bits of a file to those of the whole. Bit 0, for bodies without a group, stays.
static uint32_t group_bits( uint32_t bits, const uint32_t *group_of ) {
	uint32_t mapped = bits & 1;
	for ( int i = 0; i < SCENE_MOST_GROUPS; ++i )
		if ( ( bits >> ( i + 1 ) & 1 ) != 0 )
			mapped |= UINT32_C( 2 ) << group_of[i];
	return mapped;
}

// Groups of one name are one. False where there is no memory, or no bit left.
static bool add_groups( scene_model *to, const scene_model *from, uint32_t *group_of ) {
	for ( size_t i = 0; i < from->group_count; ++i ) {
		size_t k = 0;
		while ( k < to->group_count && strcmp( to->group_names[k], from->group_names[i] ) != 0 )
			++k;
		if ( k == SCENE_MOST_GROUPS )
			return false;
		if ( k == to->group_count ) {
			to->group_names[k] = scene_copy( from->group_names[i] );
			if ( to->group_names[k] == NULL )
				return false;
			++to->group_count;
		}
		group_of[i] = (uint32_t)k;
	}
	return true;
}

static bool add_bodies( scene_assembly *whole, part *p, uint32_t file, size_t meshes_before, size_t links_before ) {
	scene_model *to = &whole->model, *from = &p->model;
	uint32_t group_of[SCENE_MOST_GROUPS] = { 0 };
	if ( !add_groups( to, from, group_of ) )
		return false;
	uint32_t *file_of = realloc( whole->file_of, ( to->body_count + from->body_count + 1 ) * sizeof *file_of );
	if ( file_of == NULL )
		return false;
	whole->file_of = file_of;
	for ( size_t i = 0; i < from->body_count; ++i ) {
		scene_body *body = &from->bodies[i];
		char *path = prefixed( p, body->path );
		const uint32_t made =
		    path != NULL ? scene_add_body( to, path, shifted( body->mesh, meshes_before ), &body->pose ) : SCENE_NONE;
		free( path );
		if ( made == SCENE_NONE )
			return false;
		to->bodies[made].link = shifted( body->link, links_before );
		to->bodies[made].sag = body->sag;
		to->bodies[made].properties = body->properties;
		to->bodies[made].property_count = body->property_count;
		body->properties = NULL;
		body->property_count = 0;
		to->bodies[made].group = group_bits( body->group, group_of );
		to->bodies[made].mask = group_bits( body->mask, group_of );
		file_of[made] = file;
	}
	to->renamed_count += from->renamed_count;
	return true;
}

static bool names_own_body( const scene_model *model, const char *pattern ) {
	for ( size_t i = 0; i < model->body_count; ++i )
		if ( scene_matches( pattern, model->bodies[i].path ) )
			return true;
	return false;
}

// Lengthen a pattern that names bodies of its own file: with longer paths it still means only these.
static bool lengthen( const part *p, char **pattern ) {
	if ( p->prefix == NULL || *pattern == NULL || !names_own_body( &p->model, *pattern ) )
		return true;
	char *longer = prefixed( p, *pattern );
	if ( longer == NULL )
		return false;
	free( *pattern );
	*pattern = longer;
	return true;
}

static bool add_rules( scene_model *to, part *p ) {
	for ( size_t i = 0; i < p->model.rule_count; ++i ) {
		scene_rule *rule = &p->model.rules[i];
		const uint32_t made = lengthen( p, &rule->a ) && lengthen( p, &rule->b )
		                          ? scene_add_rule( to, rule->a, rule->b, &rule->rule )
		                          : SCENE_NONE;
		if ( made == SCENE_NONE )
			return false;
		to->rules[made].line = rule->line;
		to->rules[made].is_assumed = rule->is_assumed;
		to->rules[made].severity = rule->severity;
		to->rules[made].way = rule->way;
		to->rules[made].same = rule->same;
		to->rules[made].name = rule->name; // moved
		to->rules[made].reason = rule->reason;
		rule->name = rule->reason = rule->same = NULL;
	}
	for ( size_t i = 0; i < p->model.ignore_count; ++i ) {
		scene_ignore_entry *entry = &p->model.ignores[i];
		const uint32_t made = lengthen( p, &entry->a ) && lengthen( p, &entry->b )
		                          ? scene_add_ignore( to, entry->id, entry->a, entry->b, entry->reason )
		                          : SCENE_NONE;
		if ( made == SCENE_NONE )
			return false;
		to->ignores[made].line = entry->line;
	}
	return true;
}

static bool add_part( scene_assembly *whole, part *p, uint32_t file ) {
	scene_model *to = &whole->model;
	if ( whole->file_count == 1 ) { // nothing to join
		*to = p->model;
		p->model = ( scene_model ){ 0 };
		whole->file_of = calloc( to->body_count + 1, sizeof *whole->file_of );
		return whole->file_of != NULL;
	}
	const size_t meshes = to->mesh_count, links = to->link_count;
	bool ok = add_meshes( to, &p->model ) && add_links( to, &p->model ) &&
	          add_bodies( whole, p, file, meshes, links ) && add_rules( to, p );
	to->skipped_count += p->model.skipped_count;
	for ( size_t i = 0; i < p->model.note_count && ok; ++i )
		ok = scene_add_note( to, "%s: %s", p->file, scene_without_name( p->file, p->model.notes[i] ) );
	return ok;
}

// Convert everything to the unit of the first file that has one, as if one reader had read all files.
static dbvh_status join_units( scene_model *to, part *parts, size_t count, dbvh_error *error ) {
	static const scene_mark all = { 0 };
	for ( size_t i = 0; i < count; ++i ) {
		scene_model *m = &parts[i].model;
		if ( !( m->metres > 0.0 ) || m->metres == to->metres )
			continue;
		if ( !( to->metres > 0.0 ) ) {
			to->metres = m->metres;
			continue;
		}
		const dbvh_status status = scene_scale_from( m, &all, m->metres / to->metres, error );
		if ( status != DBVH_OK )
			return status;
		if ( !scene_add_note( m, "its unit is %g m, that of the scene %g m: lengths are converted", m->metres,
		                      to->metres ) )
			return scene_refuse_memory( error );
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Numbers by paths

typedef struct ranked {
	scene_body body;
	uint32_t file;
} ranked;

static int by_path( const void *a, const void *b ) {
	return strcmp( ( (const ranked *)a )->body.path, ( (const ranked *)b )->body.path );
}

static bool sort_bodies( scene_assembly *assembly ) {
	scene_model *m = &assembly->model;
	ranked *order = malloc( ( m->body_count + 1 ) * sizeof *order );
	if ( order == NULL )
		return false;
	for ( size_t i = 0; i < m->body_count; ++i )
		order[i] = ( ranked ){ m->bodies[i], assembly->file_of[i] };
	qsort( order, m->body_count, sizeof *order, by_path );
	scene_names_free( &m->paths );
	bool ok = true;
	for ( size_t i = 0; i < m->body_count; ++i ) {
		m->bodies[i] = order[i].body;
		assembly->file_of[i] = order[i].file;
		ok = ok && scene_names_add( &m->paths, m->bodies[i].path, (uint32_t)i );
	}
	free( order );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Reading

static dbvh_status add_srdf( part *parts, size_t count, const char *srdf, const char **failed_out, dbvh_error *error ) {
	part *robot = NULL;
	for ( size_t i = 0; i < count && robot == NULL; ++i )
		robot = parts[i].model.link_count > 0 ? &parts[i] : NULL;
	*failed_out = srdf;
	if ( robot == NULL ) {
		snprintf( error->text, sizeof error->text, "an SRDF adds to a robot, and no file has one" );
		return error->status = DBVH_INVALID_ARGUMENT;
	}
	size_t byte_count;
	unsigned char *bytes = scene_load_bytes( srdf, &byte_count, error );
	if ( bytes == NULL )
		return error->status;
	const dbvh_status status = scene_read_srdf( bytes, byte_count, &robot->model, error );
	free( bytes );
	return status;
}

dbvh_status scene_assemble( const char *const *files, size_t file_count, const scene_read_options *options,
                            const char *srdf, scene_assembly *assembly, const char **failed_out, dbvh_error *error ) {
	*assembly = ( scene_assembly ){ .files = files, .file_count = file_count };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	part *parts = calloc( file_count + 1, sizeof *parts );
	dbvh_status status = parts != NULL ? DBVH_OK : scene_refuse_memory( error );
	*failed_out = files[0];
	for ( size_t i = 0; i < file_count && status == DBVH_OK; ++i ) {
		*failed_out = parts[i].file = files[i];
		status = scene_read_file( files[i], options, &parts[i].model, error );
	}
	if ( status == DBVH_OK && srdf != NULL )
		status = add_srdf( parts, file_count, srdf, failed_out, error );
	if ( status == DBVH_OK && !find_common( parts, file_count ) )
		status = scene_refuse_memory( error );
	if ( status == DBVH_OK )
		status = join_units( &assembly->model, parts, file_count, error );
	for ( size_t i = 0; i < file_count && status == DBVH_OK; ++i ) {
		if ( !add_part( assembly, &parts[i], (uint32_t)i ) )
			status = scene_refuse_memory( error );
		scene_model_free( &parts[i].model );
	}
	if ( status == DBVH_OK && !sort_bodies( assembly ) )
		status = scene_refuse_memory( error );
	for ( size_t i = 0; parts != NULL && i < file_count; ++i ) {
		scene_model_free( &parts[i].model );
		free( parts[i].prefix );
	}
	free( parts );
	return status;
}
