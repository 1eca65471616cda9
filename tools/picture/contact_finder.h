// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The contact of two bodies at their poses, for the clash of a picture that was added last: its lines and regions, the
// overlap as a mesh with its measures, and how much there is to see.

#pragma once

#include "picture/picture.h"

typedef struct contact_finder {
	picture *p;
	size_t most_overlaps; // clashes that get their overlap
	dbvh_contacts *contacts;
	dbvh_overlap *overlap; // NULL: not wished for
	dbvh_workspace *workspace;
} contact_finder;

// False where there is no memory; the caller destroys either way.
bool contact_finder_create( picture *p, size_t most_overlaps, contact_finder *out );
void contact_finder_destroy( contact_finder *f );

// Adds lines and regions, and the overlap. The rest is left out once the picture is full or the time is over.
void contact_finder_add( contact_finder *f, const dbvh_tree *const trees[2], const dbvh_pose poses[2] );

// Sets the point and the size of a clash: the middle of all places, and how far they reach; else of the bodies.
void contact_finder_look_at( const picture *p, picture_clash *c );
