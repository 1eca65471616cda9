// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "load/pose_list.h"

#include "cli/complain.h"

#include <stdlib.h>

void poses_free( pose_list *list ) {
	free( list->poses );
	*list = ( pose_list ){ 0 };
}

bool poses_append( pose_list *list, const dbvh_pose *pose ) {
	if ( list->count == list->capacity ) {
		const size_t capacity = list->capacity + list->capacity / 2 + 64;
		dbvh_pose *grown = realloc( list->poses, capacity * sizeof( *grown ) );
		if ( grown == NULL ) {
			complain( "no memory for more than %zu poses", list->count );
			return false;
		}
		list->poses = grown;
		list->capacity = capacity;
	}
	list->poses[list->count++] = *pose;
	return true;
}
