// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The names that a clash has in BCF: they follow from its id, so that a topic that comes back is known.

#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SCENE_GUID_ROOM = 37 };

// The things in a BCF that have a GUID of their own.
enum { SCENE_GUID_TOPIC, SCENE_GUID_VIEW, SCENE_GUID_COMMENT };

// UUID version 8 (RFC 9562, section 5.8), in lower case. Returns `text`.
const char *scene_topic_guid( uint64_t id, uint64_t what, char text[SCENE_GUID_ROOM] );

// The hash of what a comment says, whatever has become of its blanks, ends of lines and control characters on the way
// through another program.
uint64_t scene_comment_hash( const char *text );
// The GUID of a comment of the program follows from the clash and from what it says.
const char *scene_comment_guid( uint64_t id, const char *text, char guid[SCENE_GUID_ROOM] );

// The statuses of topics for which nobody has set one.
#define SCENE_STATUS_OPEN "Open"
#define SCENE_STATUS_KNOWN "Known"
#define SCENE_STATUS_ACCEPTED "Accepted"
bool scene_is_own_status( const char *word );
