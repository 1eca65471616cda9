// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mesh that meets itself: the triangles that do are bodies of their own, in two colours over the rest.

#include "cli/complain.h"
#include "dualbvh/contact.h"
#include "picture/limits.h"
#include "picture/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 20000 };

typedef struct telling {
	picture *p;
	dbvh_mesh_view view;
	const dbvh_pair *pairs;
	size_t count;
	uint32_t *root; // by vertex: triangles that meet or share a corner are one clash
	dbvh_contacts *contacts;
} telling;

// A pair with the first one that it hangs together with.
typedef struct numbered {
	size_t first, pair;
} numbered;

static uint32_t find( uint32_t *root, uint32_t i ) {
	while ( root[i] != i ) {
		root[i] = root[root[i]];
		i = root[i];
	}
	return i;
}

static const uint32_t *corners_of( const telling *t, uint32_t triangle ) {
	return (const uint32_t *)t->view.indices + 3 * (size_t)triangle;
}

static void join_all( telling *t ) {
	for ( size_t i = 0; i < t->view.vertex_count; ++i )
		t->root[i] = (uint32_t)i;
	for ( size_t i = 0; i < t->count; ++i ) {
		const uint32_t *a = corners_of( t, t->pairs[i].a ), *b = corners_of( t, t->pairs[i].b );
		const uint32_t all[6] = { a[0], a[1], a[2], b[0], b[1], b[2] };
		for ( int k = 1; k < 6; ++k )
			t->root[find( t->root, all[k] )] = find( t->root, all[0] );
	}
}

// A body of the first, or the second, triangles of all pairs.
static void add_part( telling *t, const char *path, int second ) {
	uint32_t *indices = malloc( ( 3 * t->count + 1 ) * sizeof *indices );
	if ( picture_own( t->p, indices ) == NULL )
		return;
	for ( size_t i = 0; i < t->count; ++i )
		memcpy( indices + 3 * i, corners_of( t, second ? t->pairs[i].b : t->pairs[i].a ), 3 * sizeof *indices );
	dbvh_mesh_view view = t->view;
	view.indices = indices;
	view.triangle_count = t->count;
	picture_add_body( t->p, path, NULL, picture_add_mesh( t->p, &view, NULL ), NULL );
}

static dbvh_tree *tree_of( const telling *t, uint32_t triangle ) {
	const uint32_t *corners = corners_of( t, triangle ), indices[3] = { 0, 1, 2 };
	double positions[9];
	for ( int i = 0; i < 3; ++i )
		memcpy( positions + 3 * i, (const double *)t->view.positions + 3 * (size_t)corners[i], 3 * sizeof( double ) );
	const dbvh_mesh_view one = { .positions = positions, .vertex_count = 3, .indices = indices, .triangle_count = 1 };
	const dbvh_tree_options options = { .topology = true, .thread_count = 1 };
	dbvh_tree *tree = NULL;
	return dbvh_tree_build( &one, &options, NULL, &tree, NULL ) == DBVH_OK ? tree : NULL;
}

static void add_contact( telling *t, dbvh_pair pair ) {
	if ( picture_is_over() ) {
		t->p->clashes[t->p->clash_count - 1].contacts_left_out = true;
		return;
	}
	dbvh_tree *a = tree_of( t, pair.a ), *b = tree_of( t, pair.b );
	if ( a == NULL || b == NULL )
		t->p->has_failed = true;
	else if ( dbvh_contacts_find( a, NULL, b, NULL, NULL, t->contacts, NULL ) == DBVH_OK ) {
		const dbvh_contacts_view found = dbvh_contacts_get( t->contacts );
		picture_add_contacts( t->p, &found, NULL );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

static void look_at( picture *p, picture_clash *c ) {
	dbvh_aabb places;
	const bool has_places = picture_places_box( p, c, &places );
	const dbvh_aabb all = picture_box_of( p, 0, PICTURE_NONE );
	for ( int k = 0; k < 3; ++k ) {
		c->point[k] = has_places ? 0.5 * places.min[k] + 0.5 * places.max[k] : 0.5 * all.min[k] + 0.5 * all.max[k];
		c->size = fmax( c->size, fmax( 0.05 * ( all.max[k] - all.min[k] ),
		                               has_places ? 2.0 * ( places.max[k] - places.min[k] ) : 0.0 ) );
	}
}

// Pairs that hang together, in their order.
static void add_clash( telling *t, const numbered *pairs, size_t count ) {
	picture *p = t->p;
	const dbvh_pair first = t->pairs[pairs[0].pair];
	const picture_clash made = {
	    .id = picture_print( p, "%s", "" ),
	    .sentence = count == 1
	                    ? picture_print( p, "triangles %u and %u meet", first.a, first.b )
	                    : picture_print( p, "%zu pairs of triangles meet, %u and %u for one", count, first.a, first.b ),
	    .kind = "hard",
	    .a = 1,
	    .b = 2,
	    .has_first = true,
	    .first = first,
	    .group = PICTURE_NONE,
	    .frame = PICTURE_NONE,
	    .counts = true };
	if ( picture_add_clash( p, &made ) == PICTURE_NONE )
		return;
	for ( size_t i = 0; i < count && !p->has_failed; ++i )
		add_contact( t, t->pairs[pairs[i].pair] );
	look_at( p, &p->clashes[p->clash_count - 1] );
}

static int by_clash( const void *x, const void *y ) {
	const numbered *a = x, *b = y;
	return a->first != b->first ? ( a->first < b->first ? -1 : 1 ) : a->pair < b->pair ? -1 : a->pair > b->pair;
}

// Clashes in the order of their first pairs.
static void add_clashes( telling *t ) {
	size_t *first_of = malloc( ( t->view.vertex_count + 1 ) * sizeof *first_of ); // by root
	numbered *pairs = malloc( ( t->count + 1 ) * sizeof *pairs );
	t->p->has_failed |= first_of == NULL || pairs == NULL;
	if ( !t->p->has_failed ) {
		join_all( t );
		for ( size_t i = 0; i < t->view.vertex_count; ++i )
			first_of[i] = SIZE_MAX;
		for ( size_t i = 0; i < t->count; ++i ) {
			size_t *first = &first_of[find( t->root, corners_of( t, t->pairs[i].a )[0] )];
			*first = *first < i ? *first : i;
			pairs[i] = ( numbered ){ *first, i };
		}
		qsort( pairs, t->count, sizeof *pairs, by_clash );
	}
	for ( size_t i = 0, end = 0; i < t->count && !t->p->has_failed; i = end ) {
		while ( end < t->count && pairs[end].first == pairs[i].first )
			++end;
		add_clash( t, pairs + i, end - i );
	}
	free( first_of );
	free( pairs );
}

bool picture_from_self( const char *file, const dbvh_mesh *mesh, const dbvh_tree *tree, double metres,
                        const picture_self_pairs *pairs, const picture_wishes *wishes, picture *p ) {
	telling t = { .p = p,
	              .view = dbvh_mesh_get_view( mesh ),
	              .pairs = pairs->pairs,
	              .count = pairs->count < MOST_PAIRS ? pairs->count : MOST_PAIRS };
	char *name = picture_name_of( p, file );
	t.root = malloc( ( t.view.vertex_count + 1 ) * sizeof *t.root );
	bool ok = name != NULL && t.root != NULL && dbvh_contacts_create( NULL, &t.contacts, NULL ) == DBVH_OK;
	if ( ok ) {
		p->metres = metres;
		p->title = picture_print( p, "%s", wishes->title != NULL ? wishes->title : name );
		picture_add_body( p, name, file, picture_add_mesh( p, &t.view, tree ), NULL );
		if ( t.count > 0 ) {
			add_part( &t, "triangles that meet (first)", 0 );
			add_part( &t, "triangles that meet (second)", 1 );
		}
		if ( t.count > 0 && !p->has_failed )
			add_clashes( &t );
		if ( wishes->trees )
			picture_add_levels( p, 0, PICTURE_MOST_NODES );
		p->is_complete = !pairs->is_late && t.count == pairs->all_count;
		if ( pairs->is_late )
			picture_add_note( p, "The search was ended early: there may be more pairs of triangles that meet." );
		if ( t.count < pairs->all_count )
			picture_add_note( p, "Of %zu pairs of triangles that meet, %zu are shown.", pairs->all_count, t.count );
	}
	free( name );
	free( t.root );
	dbvh_contacts_destroy( t.contacts );
	ok = ok && !p->has_failed;
	if ( !ok )
		complain_memory();
	return ok;
}
