// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cmd/foreign.h"

#include "base/os.h"
#include "cli/args.h"
#include "model/whole_file.h"
#include "os/os.h"
#include "text/ending.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {
    "ifc",  "usd", "usda", "usdc", "usdz",
#ifndef DUALBVH_WITH_OPENCASCADE
    "step", "stp", "p21",
#endif
};
enum { ENDING_COUNT = sizeof endings / sizeof endings[0] };

static bool is_foreign( const char *word ) {
	for ( int i = 0; i < ENDING_COUNT; ++i )
		if ( scene_has_ending( word, endings[i] ) )
			return true;
	return false;
}

// Does the text end a string with such an ending, as in "house.ifc"?
static bool names_foreign( const char *text ) {
	for ( const char *end = strchr( text, '"' ); end != NULL; end = strchr( end + 1, '"' ) )
		for ( int i = 0; i < ENDING_COUNT; ++i ) {
			const size_t length = strlen( endings[i] );
			if ( (size_t)( end - text ) > length && end[-(ptrdiff_t)length - 1] == '.' &&
			     memcmp( end - length, endings[i], length ) == 0 )
				return true;
		}
	return false;
}

// A JSON scene may include a foreign file.
static bool is_scene_of_foreign( const char *word ) {
	dbvhi_os_facts facts;
	dbvh_error unseen;
	size_t count;
	if ( !scene_has_ending( word, "json" ) || !dbvhi_os_facts_of( word, true, &facts ) ||
	     facts.kind != DBVHI_OS_REGULAR )
		return false;
	unsigned char *bytes = scene_load_bytes( word, &count, &unseen );
	const bool found = bytes != NULL && names_foreign( (const char *)bytes );
	free( bytes );
	return found;
}

// The program beside this one, as where pip has put both; else the one that the system finds by its name.
static const char *program( char *room, size_t size ) {
	const char *named = os_environment( "DUALBVH_MODELS" ), *usual = "dualbvh-models";
	dbvhi_os_facts facts;
	if ( named != NULL )
		return named;
	if ( !os_program_folder( room, size ) || strlen( room ) + strlen( usual ) >= size )
		return usual;
	strcat( room, usual );
	return dbvhi_os_facts_of( room, true, &facts ) && facts.kind == DBVHI_OS_REGULAR ? room : usual;
}

void foreign_hand_over( int argc, char **argv ) {
	enum { ROOM = 4096 };
	char own[ROOM], beside[ROOM];
	bool is_wanted = false;
	for ( int i = 2; i < argc && !is_wanted; ++i )
		is_wanted = is_foreign( argv[i] ) || is_scene_of_foreign( argv[i] );
	if ( !is_wanted || !os_program( own, sizeof own ) )
		return;
	const char *name = program( beside, sizeof beside );
	char **words = *name != '\0' ? calloc( (size_t)argc + 3, sizeof *words ) : NULL;
	if ( words == NULL )
		return;
	words[0] = (char *)name;
	words[1] = (char *)"--command";
	words[2] = own;
	memcpy( words + 3, argv + 1, (size_t)( argc - 1 ) * sizeof *words );
	os_become( name, words );
	free( words );
}

// ------------------------------------------------------------------------------------------------
// Names

// The length of "FOLDER/7/" where the text begins with that; 0: it does not.
static size_t converted_folder( const char *folder, const char *text ) {
	const size_t length = strlen( folder );
	if ( length == 0 || strncmp( text, folder, length ) != 0 || text[length] != '/' )
		return 0;
	const size_t digits = strspn( text + length + 1, "0123456789" );
	return digits > 0 && text[length + 1 + digits] == '/' ? length + 1 + digits + 1 : 0;
}

const char *foreign_original( const char *path ) {
	static arg_texts originals; // as argv, they last as long as the program
	const char *folder = os_environment( "DUALBVH_CONVERTED" );
	const size_t length = folder != NULL ? converted_folder( folder, path ) : 0;
	char name[4096];
	size_t count;
	dbvh_error unseen;
	if ( length == 0 || snprintf( name, sizeof name, "%.*soriginal", (int)length, path ) >= (int)sizeof name )
		return path;
	unsigned char *original = scene_load_bytes( name, &count, &unseen );
	if ( original != NULL && args_texts_add( &originals, (const char *)original ) )
		return (const char *)original;
	free( original );
	return path;
}

static void leave_out_folder( const char *folder, char *text ) {
	for ( char *at = strstr( text, folder ); at != NULL; at = strstr( at + 1, folder ) ) {
		const size_t length = converted_folder( folder, at );
		if ( length > 0 )
			memmove( at, at + length, strlen( at + length ) + 1 );
	}
}

void foreign_clean_notes( scene_model *model ) {
	const char *folder = os_environment( "DUALBVH_CONVERTED" );
	for ( size_t i = 0; folder != NULL && *folder != '\0' && i < model->note_count; ++i )
		leave_out_folder( folder, model->notes[i] );
}
