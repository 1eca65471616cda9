// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/links.h"

#include "text/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scene_link_names_make( const scene_model *model, scene_link_names *out ) {
	*out = ( scene_link_names ){ 0 };
	for ( uint32_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		if ( !scene_names_add( &out->links, link->name, i ) ||
		     ( link->joint != NULL && !scene_names_add( &out->joints, link->joint, i ) ) ) {
			scene_link_names_free( out );
			return false;
		}
	}
	return true;
}

void scene_link_names_free( scene_link_names *names ) {
	scene_names_free( &names->links );
	scene_names_free( &names->joints );
}

bool scene_joint_moves( const scene_link *link ) {
	return link->joint != NULL && link->kind != SCENE_JOINT_FIXED && link->mimic == SCENE_NONE;
}

void scene_suggest( const scene_model *model, scene_kin kin, const char *typed, char *text, size_t room ) {
	const char **words = calloc( model->link_count + 1, sizeof *words );
	size_t count = 0, length = 0;
	text[0] = '\0';
	if ( words == NULL )
		return;
	for ( size_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		if ( kin == SCENE_KIN_LINK || scene_joint_moves( link ) ) {
			words[count] = kin == SCENE_KIN_LINK ? link->name : link->joint;
			length += strlen( words[count++] ) + 2;
		}
	}
	const char *word = suggest( typed, strlen( typed ), words, count );
	if ( word != NULL ) {
		snprintf( text, room, "; did you mean '%.80s'?", word );
	} else if ( count > 0 && length + 16 < room ) {
		strcpy( text, "; there are " );
		for ( size_t i = 0; i < count; ++i )
			strcat( strcat( text, i > 0 ? ", " : "" ), words[i] );
	}
	free( words );
}
