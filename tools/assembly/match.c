// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bodies and clashes of an earlier run found again: each pass has a key, and pairs up what is left on both sides under
// one key. Passes go from the surest identity to the weakest.

#include "assembly/earlier.h"
#include "assembly/standing.h"
#include "model/properties.h"
#include "text/hash.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct keyed {
	uint64_t key;
	uint32_t number;
} keyed;

static int by_key_and_number( const void *a, const void *b ) {
	const keyed *x = a, *y = b;
	if ( x->key != y->key )
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_keys( keyed *keys, size_t count ) {
	if ( count > 1 )
		qsort( keys, count, sizeof *keys, by_key_and_number );
}

// The number of elements from `first` on that have its key.
static size_t run_length( const keyed *keys, size_t first, size_t count ) {
	size_t end = first + 1;
	while ( end < count && keys[end].key == keys[first].key )
		++end;
	return end - first;
}

// ------------------------------------------------------------------------------------------------
// Paths

// The hash of a path without the numbers that tell bodies of one name apart ("#2" before a '/' or the end).
static uint64_t hash_family( uint64_t hash, const char *path, bool *is_numbered ) {
	*is_numbered = false;
	for ( const char *at = path; *at != '\0'; ++at ) {
		if ( *at == '#' && at > path ) {
			const char *end = at + 1;
			while ( isdigit( (unsigned char)*end ) )
				++end;
			if ( end > at + 1 && ( *end == '/' || *end == '\0' ) ) {
				*is_numbered = true;
				if ( *end == '\0' )
					break;
				at = end;
			}
		}
		hash = scene_hash_count( hash, (unsigned char)*at );
	}
	return hash;
}

uint64_t scene_path_family( const char *path ) {
	bool is_numbered;
	return hash_family( SCENE_HASH_START, path, &is_numbered );
}

static const char *last_part( const char *path ) {
	const char *slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

static uint64_t parent_of( const char *path ) {
	const char *end = last_part( path );
	uint64_t hash = SCENE_HASH_START;
	for ( const char *at = path; at < end; ++at )
		hash = scene_hash_count( hash, (unsigned char)*at );
	return hash;
}

// ------------------------------------------------------------------------------------------------
// Bodies

// One form for bodies of both runs.
typedef struct view {
	const char *path, *guid;
	bool has_fingerprint, has_shape, has_pose;
	uint64_t fingerprint, shape, family;
	dbvh_pose pose;
	bool is_given; // the path is of one body alone, on both sides: a name, not a number in a row
} view;

typedef struct body_matcher {
	scene_earlier *earlier;
	view *olds, *news;
	size_t old_count, new_count;
	uint32_t *then;      // by body of the model
	keyed *keys, *wants; // room for news and olds
	double grid;         // lengths that differ by less are the same but at the edge of a cell
} body_matcher;

// Each returns false where the body has no such key.
typedef bool ( *key_of_body )( const body_matcher *b, const view *v, uint64_t *out );

static bool by_guid( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_text( SCENE_HASH_START, v->guid );
	return v->guid != NULL;
}

static bool by_path_and_place( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( scene_hash_text( SCENE_HASH_START, v->path ), v->fingerprint );
	return v->has_fingerprint;
}

static bool by_given_path( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_text( SCENE_HASH_START, v->path );
	return v->is_given;
}

static bool by_family_and_place( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( v->family, v->fingerprint );
	return v->has_fingerprint;
}

static bool by_parent_and_place( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( parent_of( v->path ), v->fingerprint );
	return v->has_fingerprint;
}

static bool by_place( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = v->fingerprint;
	return v->has_fingerprint;
}

static uint64_t hash_rounded( uint64_t hash, const dbvh_pose *pose, double grid ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			hash = scene_hash_real( hash, nearbyint( ldexp( pose->rot[i][k], 26 ) ) );
		hash = scene_hash_real( hash, nearbyint( pose->pos[i] / grid ) );
	}
	return hash;
}

static bool by_shape_and_about_place( const body_matcher *b, const view *v, uint64_t *out ) {
	*out = hash_rounded( v->shape, &v->pose, b->grid );
	return v->has_shape && v->has_pose;
}

static bool by_path_and_shape( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( scene_hash_text( SCENE_HASH_START, v->path ), v->shape );
	return v->has_shape;
}

static bool by_family_and_shape( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( v->family, v->shape );
	return v->has_shape;
}

static bool by_name_and_shape( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_count( scene_path_family( last_part( v->path ) ), v->shape );
	return v->has_shape;
}

static bool by_path( const body_matcher *b, const view *v, uint64_t *out ) {
	(void)b;
	*out = scene_hash_text( SCENE_HASH_START, v->path );
	return true;
}

typedef enum pass_ties {
	TIES_IN_ORDER, // bodies of one key are the same for all that is known: the first becomes the first
	TIES_NONE,     // only the one becomes the one
	TIES_IN_ALL    // only where there is no second one among all bodies, known ones included
} pass_ties;

// A body that has moved with all others keeps its path; one that has been renamed keeps its place. In a row of equal
// names the numbers follow the order of the file, so that the place goes before the path.
static const struct {
	key_of_body key;
	pass_ties ties;
} passes[] = { { by_guid, TIES_NONE },
               { by_path_and_place, TIES_NONE },
               { by_given_path, TIES_NONE },
               { by_family_and_place, TIES_IN_ORDER },
               { by_parent_and_place, TIES_IN_ORDER },
               { by_place, TIES_IN_ORDER },
               { by_shape_and_about_place, TIES_IN_ORDER },
               { by_family_and_shape, TIES_NONE },
               { by_path_and_shape, TIES_NONE },
               { by_name_and_shape, TIES_IN_ALL },
               { by_path, TIES_NONE } };

static bool may_be_one( const view *x, const view *y ) {
	return x->guid == NULL || y->guid == NULL || strcmp( x->guid, y->guid ) == 0;
}

static void pair_up( body_matcher *b, const keyed *old, const keyed *new, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		earlier_body *body = &b->earlier->bodies[old[i].number];
		if ( body->now != SCENE_NONE || b->then[new[i].number] != SCENE_NONE ||
		     !may_be_one( &b->olds[old[i].number], &b->news[new[i].number] ) )
			continue;
		body->now = new[i].number;
		b->then[new[i].number] = old[i].number;
	}
}

static void run_pass( body_matcher *b, key_of_body key, pass_ties ties ) {
	size_t olds = 0, news = 0, i = 0, k = 0;
	for ( uint32_t n = 0; n < b->old_count; ++n )
		if ( ( ties == TIES_IN_ALL || b->earlier->bodies[n].now == SCENE_NONE ) &&
		     key( b, &b->olds[n], &b->wants[olds].key ) )
			b->wants[olds++].number = n;
	for ( uint32_t n = 0; n < b->new_count && olds > 0; ++n )
		if ( ( ties == TIES_IN_ALL || b->then[n] == SCENE_NONE ) && key( b, &b->news[n], &b->keys[news].key ) )
			b->keys[news++].number = n;
	sort_keys( b->wants, olds );
	sort_keys( b->keys, news );
	while ( i < olds && k < news ) {
		if ( b->wants[i].key != b->keys[k].key ) {
			*( b->wants[i].key < b->keys[k].key ? &i : &k ) += 1;
			continue;
		}
		const size_t m = run_length( b->wants, i, olds ), n = run_length( b->keys, k, news );
		if ( ties == TIES_IN_ORDER || ( m == 1 && n == 1 ) )
			pair_up( b, b->wants + i, b->keys + k, m < n ? m : n );
		i += m;
		k += n;
	}
}

// A path is given where no other body of its run has the same name but for a number.
static void find_given( body_matcher *b, view *views, size_t count ) {
	for ( uint32_t n = 0; n < count; ++n )
		b->keys[n] = ( keyed ){ views[n].family, n };
	sort_keys( b->keys, count );
	for ( size_t i = 0; i < count; ) {
		const size_t length = run_length( b->keys, i, count );
		if ( length > 1 )
			for ( size_t k = i; k < i + length; ++k )
				views[b->keys[k].number].is_given = false;
		i += length;
	}
}

static void view_old( view *v, const earlier_body *from ) {
	bool is_numbered;
	*v = ( view ){ .path = from->path,
	               .guid = from->guid,
	               .has_fingerprint = from->has_fingerprint,
	               .has_shape = from->has_shape,
	               .has_pose = from->has_pose,
	               .fingerprint = from->fingerprint,
	               .shape = from->shape,
	               .pose = from->pose };
	v->family = hash_family( SCENE_HASH_START, from->path, &is_numbered );
	v->is_given = !is_numbered;
}

static void view_new( view *v, const scene_findings *f, uint32_t body ) {
	const scene_body *from = &f->assembly->model.bodies[body];
	bool is_numbered;
	*v = ( view ){ .path = from->path,
	               .guid = scene_guid_of( from ),
	               .has_fingerprint = true,
	               .has_shape = true,
	               .has_pose = true,
	               .fingerprint = scene_body_fingerprint( f, body ),
	               .shape = f->trees->fingerprints[from->mesh],
	               .pose = from->pose };
	v->family = hash_family( SCENE_HASH_START, from->path, &is_numbered );
	v->is_given = !is_numbered;
}

// About a billionth of the farthest body's distance, as a power of two.
static double grid_of( const scene_findings *f ) {
	double most = 1e-9;
	for ( size_t i = 0; i < f->assembly->model.body_count; ++i )
		for ( int k = 0; k < 3; ++k )
			most = fmax( most, fabs( f->assembly->model.bodies[i].pose.pos[k] ) );
	return ldexp( 1.0, ilogb( most ) - 28 );
}

// ------------------------------------------------------------------------------------------------
// Bodies that have moved together

static uint64_t hash_couple( const view *a, const view *b, double grid ) {
	const dbvh_pose ab = scene_relative_pose( &a->pose, &b->pose );
	return hash_rounded( scene_hash_count( a->shape, b->shape ), &ab, grid );
}

// The hash of two shapes and of how they stand to each other: what two bodies keep that have moved together and have
// other names. It does not depend on which of the two comes first.
static uint64_t together( const view *a, const view *b, double grid ) {
	const uint64_t x = hash_couple( a, b, grid ), y = hash_couple( b, a, grid );
	return x < y ? x : y;
}

static bool has_place( const view *v ) {
	return v->has_shape && v->has_pose;
}

static size_t list_lost( const body_matcher *b, keyed *out ) {
	const scene_earlier *e = b->earlier;
	size_t count = 0;
	for ( uint32_t i = 0; i < e->clash_count; ++i ) {
		const earlier_clash *c = &e->clashes[i];
		if ( ( e->bodies[c->a].now == SCENE_NONE || e->bodies[c->b].now == SCENE_NONE ) &&
		     has_place( &b->olds[c->a] ) && has_place( &b->olds[c->b] ) )
			out[count++] = ( keyed ){ together( &b->olds[c->a], &b->olds[c->b], b->grid ), i };
	}
	sort_keys( out, count );
	return count;
}

static size_t list_unknown( const body_matcher *b, const scene_findings *f, keyed *out ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < f->clash_count; ++i ) {
		const scene_clash *c = &f->clashes[i];
		if ( b->then[c->a] == SCENE_NONE || b->then[c->b] == SCENE_NONE )
			out[count++] = ( keyed ){ together( &b->news[c->a], &b->news[c->b], b->grid ), i };
	}
	sort_keys( out, count );
	return count;
}

static bool may_become( const body_matcher *b, uint32_t old, uint32_t new ) {
	const uint32_t now = b->earlier->bodies[old].now;
	return now == SCENE_NONE ? b->then[new] == SCENE_NONE && may_be_one( &b->olds[old], &b->news[new] ) : now == new;
}

// False where the clash speaks of bodies that have become others.
static bool join_couple( body_matcher *b, const earlier_clash *lost, const scene_clash *found ) {
	const bool is_turned = hash_couple( &b->olds[lost->a], &b->olds[lost->b], b->grid ) !=
	                       hash_couple( &b->news[found->a], &b->news[found->b], b->grid );
	const uint32_t a = is_turned ? found->b : found->a, other = is_turned ? found->a : found->b;
	if ( !may_become( b, lost->a, a ) || !may_become( b, lost->b, other ) )
		return false;
	b->earlier->bodies[lost->a].now = a;
	b->earlier->bodies[lost->b].now = other;
	b->then[a] = lost->a;
	b->then[other] = lost->b;
	return true;
}

static bool match_couples( body_matcher *b, const scene_findings *f ) {
	keyed *lost = malloc( ( b->earlier->clash_count + 1 ) * sizeof *lost );
	keyed *unknown = malloc( ( f->clash_count + 1 ) * sizeof *unknown );
	const bool ok = lost != NULL && unknown != NULL;
	const size_t losts = ok ? list_lost( b, lost ) : 0, unknowns = losts > 0 ? list_unknown( b, f, unknown ) : 0;
	for ( size_t i = 0, k = 0; i < losts && k < unknowns; ) {
		if ( lost[i].key != unknown[k].key ) {
			*( lost[i].key < unknown[k].key ? &i : &k ) += 1;
			continue;
		}
		const size_t count = run_length( unknown, k, unknowns );
		const earlier_clash *c = &b->earlier->clashes[lost[i++].number];
		for ( size_t n = k; n < k + count; ++n )
			if ( join_couple( b, c, &f->clashes[unknown[n].number] ) )
				break;
	}
	free( lost );
	free( unknown );
	return ok;
}

bool scene_match_bodies( const scene_findings *f, scene_earlier *e, uint32_t **then_out ) {
	scene_earlier_convert( e, f->assembly->model.metres );
	body_matcher b = { .earlier = e, .old_count = e->body_count, .new_count = f->assembly->model.body_count };
	const size_t most = b.old_count + b.new_count + 1;
	b.olds = malloc( most * sizeof *b.olds );
	b.news = malloc( most * sizeof *b.news );
	b.keys = malloc( most * sizeof *b.keys );
	b.wants = malloc( most * sizeof *b.wants );
	b.then = malloc( most * sizeof *b.then );
	bool ok = b.olds != NULL && b.news != NULL && b.keys != NULL && b.wants != NULL && b.then != NULL;
	for ( uint32_t i = 0; ok && i < b.old_count; ++i ) {
		e->bodies[i].now = SCENE_NONE;
		view_old( &b.olds[i], &e->bodies[i] );
	}
	for ( uint32_t i = 0; ok && i < b.new_count; ++i ) {
		b.then[i] = SCENE_NONE;
		view_new( &b.news[i], f, i );
	}
	if ( ok ) {
		b.grid = grid_of( f );
		find_given( &b, b.olds, b.old_count );
		find_given( &b, b.news, b.new_count );
		for ( size_t i = 0; i < sizeof passes / sizeof passes[0]; ++i )
			run_pass( &b, passes[i].key, passes[i].ties );
		ok = match_couples( &b, f );
	}
	free( b.olds );
	free( b.news );
	free( b.keys );
	free( b.wants );
	*then_out = ok ? b.then : NULL;
	if ( !ok )
		free( b.then );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Clashes

// The clash of two bodies, or SCENE_NONE. Clashes are sorted by their bodies.
static uint32_t clash_of( const scene_findings *f, uint32_t a, uint32_t b ) {
	const uint32_t first = a < b ? a : b, second = a < b ? b : a;
	size_t low = 0, high = f->clash_count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		const scene_clash *c = &f->clashes[middle];
		if ( c->a < first || ( c->a == first && c->b < second ) )
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->clash_count && f->clashes[low].a == first && f->clashes[low].b == second ? (uint32_t)low
	                                                                                         : SCENE_NONE;
}

typedef struct clash_matcher {
	const scene_findings *f;
	scene_earlier *e;
	const uint32_t *then;
	bool *is_taken; // by clash of the findings
	keyed *wants, *keys;
	double most_moved;
} clash_matcher;

static void match_pairs( clash_matcher *m ) {
	for ( size_t i = 0; i < m->e->clash_count; ++i ) {
		earlier_clash *c = &m->e->clashes[i];
		const uint32_t a = m->e->bodies[c->a].now, b = m->e->bodies[c->b].now;
		const uint32_t now = a != SCENE_NONE && b != SCENE_NONE ? clash_of( m->f, a, b ) : SCENE_NONE;
		c->now = now != SCENE_NONE && !m->is_taken[now] ? now : SCENE_NONE;
		if ( c->now != SCENE_NONE )
			m->is_taken[now] = true;
	}
}

// The body of the model that both clashes share, where the other one is unknown on both sides; SCENE_NONE: none.
static uint32_t known_side( uint32_t a, uint32_t b, bool a_is_known, bool b_is_known ) {
	return a_is_known == b_is_known ? SCENE_NONE : a_is_known ? a : b;
}

static double apart( const clash_matcher *m, const earlier_clash *c, uint32_t known, uint32_t clash ) {
	const scene_clash *now = &m->f->clashes[clash];
	const bool is_a = m->e->bodies[c->a].now == known;
	double at[3], sum = 0.0;
	if ( c->middle.has_frames )
		scene_out_of_frame( &m->f->assembly->model.bodies[known].pose, is_a ? c->middle.in_a : c->middle.in_b, at );
	else
		memcpy( at, c->middle.world, sizeof at );
	for ( int k = 0; k < 3; ++k ) {
		const double x = 0.5 * now->region.min[k] + 0.5 * now->region.max[k] - at[k];
		sum += x * x;
	}
	return sqrt( sum );
}

// The nearest clash of the same body with one that nobody knows, within the tolerance.
static uint32_t find_near( const clash_matcher *m, const earlier_clash *c, uint32_t known, const keyed *keys,
                           size_t count ) {
	uint32_t best = SCENE_NONE;
	double least = INFINITY;
	for ( size_t i = 0; i < count; ++i ) {
		const scene_clash *now = &m->f->clashes[keys[i].number];
		const double limit = m->most_moved >= 0.0 ? m->most_moved : SCENE_MOVED_PART * now->size;
		const double d = m->is_taken[keys[i].number] ? INFINITY : apart( m, c, known, keys[i].number );
		if ( d <= limit && d < least ) {
			least = d;
			best = keys[i].number;
		}
	}
	return best;
}

// One of the two bodies is gone, and another one clashes with the other at the same place: a part was cut in two, or
// exchanged.
static void match_places( clash_matcher *m ) {
	size_t lost = 0, unknown = 0;
	for ( uint32_t i = 0; i < m->e->clash_count; ++i ) {
		const earlier_clash *c = &m->e->clashes[i];
		const uint32_t a = m->e->bodies[c->a].now, b = m->e->bodies[c->b].now;
		const uint32_t known = known_side( a, b, a != SCENE_NONE, b != SCENE_NONE );
		if ( c->now == SCENE_NONE && c->middle.is_known && known != SCENE_NONE )
			m->wants[lost++] = ( keyed ){ known, i };
	}
	for ( uint32_t i = 0; i < m->f->clash_count && lost > 0; ++i ) {
		const scene_clash *c = &m->f->clashes[i];
		const uint32_t known = known_side( c->a, c->b, m->then[c->a] != SCENE_NONE, m->then[c->b] != SCENE_NONE );
		if ( !m->is_taken[i] && known != SCENE_NONE )
			m->keys[unknown++] = ( keyed ){ known, i };
	}
	sort_keys( m->wants, lost );
	sort_keys( m->keys, unknown );
	for ( size_t i = 0, k = 0; i < lost && k < unknown; ) {
		if ( m->wants[i].key != m->keys[k].key ) {
			*( m->wants[i].key < m->keys[k].key ? &i : &k ) += 1;
			continue;
		}
		const size_t count = run_length( m->keys, k, unknown );
		earlier_clash *c = &m->e->clashes[m->wants[i++].number];
		c->now = find_near( m, c, (uint32_t)m->keys[k].key, m->keys + k, count );
		if ( c->now != SCENE_NONE )
			m->is_taken[c->now] = true;
	}
}

bool scene_match_clashes( const scene_findings *f, scene_earlier *e, const uint32_t *then, double most_moved ) {
	clash_matcher m = { .f = f, .e = e, .then = then, .most_moved = most_moved };
	m.is_taken = calloc( f->clash_count + 1, sizeof *m.is_taken );
	m.wants = malloc( ( e->clash_count + 1 ) * sizeof *m.wants );
	m.keys = malloc( ( f->clash_count + 1 ) * sizeof *m.keys );
	const bool ok = m.is_taken != NULL && m.wants != NULL && m.keys != NULL;
	if ( ok ) {
		match_pairs( &m );
		match_places( &m );
	}
	free( m.is_taken );
	free( m.wants );
	free( m.keys );
	return ok;
}
