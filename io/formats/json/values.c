// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/json/values.h"

#ifdef DUALBVH_WITH_JANSSON

#include "model/properties.h"
#include "text/number.h"

#include <stdio.h>

// The value as text; NULL where it is an object, an array or null.
static const char *text_of_value( const json_t *value, char room[REAL_ROOM] ) {
	if ( json_is_string( value ) )
		return json_string_value( value );
	if ( json_is_integer( value ) ) {
		snprintf( room, REAL_ROOM, "%lld", (long long)json_integer_value( value ) );
		return room;
	}
	if ( json_is_real( value ) )
		return real_text( json_real_value( value ), room );
	return json_is_true( value ) ? "true" : json_is_false( value ) ? "false" : NULL;
}

bool json_values_add( scene_model *model, uint32_t body, const json_t *object ) {
	const char *key;
	json_t *value;
	json_object_foreach( (json_t *)(uintptr_t)object, key, value ) {
		char room[REAL_ROOM];
		const char *text = text_of_value( value, room );
		if ( text != NULL && !scene_add_property( model, body, key, text ) )
			return false;
	}
	return true;
}

#else
// One declaration at least, as the language wants it.
typedef int json_values_nothing;
#endif
