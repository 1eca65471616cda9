// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/os.h"
#include "cli/complain.h"
#include "model/whole_file.h"
#include "os/os.h"
#include "picture/page.h"

#include <stdlib.h>
#include <string.h>

// Relative to the folder of the program: where it is installed, and in a build folder.
static const char *const places[] = { "../share/dualbvh/viewer.html", "../../viewer/viewer.html",
                                      "viewer/viewer.html" };

static char *load( const char *path, bool must_be_there ) {
	dbvh_error error = { 0 };
	unsigned char *bytes;
	size_t count;
	dbvhi_os_facts facts;
	if ( !must_be_there && !dbvhi_os_facts_of( path, true, &facts ) )
		return NULL;
	if ( scene_disk_read( path, &bytes, &count, NULL, &error ) != DBVH_OK ) {
		complain_of( path, &error );
		return NULL;
	}
	char *text = realloc( bytes, count + 1 );
	if ( text == NULL ) {
		free( bytes );
		complain_memory();
		return NULL;
	}
	text[count] = '\0';
	return text;
}

char *page_frame_load( void ) {
	enum { ROOM = 4096 };
	char folder[ROOM], path[ROOM + 64];
	const char *named = os_environment( "DUALBVH_VIEWER" );
	if ( named != NULL && *named != '\0' )
		return load( named, true );
	for ( size_t i = 0; os_program_folder( folder, ROOM ) && i < sizeof places / sizeof places[0]; ++i ) {
		snprintf( path, sizeof path, "%s%s", folder, places[i] );
		char *text = load( path, false );
		if ( text != NULL )
			return text;
	}
	complain( "the frame of the page, viewer.html, is not there: './scripts/viewer' in the source folder builds it (it "
	          "needs node and npm, 'apt-get install nodejs npm'), and DUALBVH_VIEWER=FILE names one that is elsewhere; "
	          "--png and 'dualbvh export' need none" );
	return NULL;
}
