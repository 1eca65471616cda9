// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Thousands of clashes have few causes. Each group belongs to the body that explains most of what is left, by the
// greedy cover (Chvatal 1979); within a group, clashes that a plane along the axes can be put between are apart.

#include "assembly/findings.h"

#include <stdlib.h>

// ------------------------------------------------------------------------------------------------
// The greedy cover

typedef struct candidate {
	size_t count; // clashes that were left when it was put in
	uint32_t body;
} candidate;

typedef struct cover {
	scene_findings *f;
	uint32_t *left; // by body: clashes that no group has
	size_t *first;  // by body: where its clashes begin in `of_body`
	uint32_t *of_body;
	candidate *heap;
	size_t heap_count;
} cover;

// Most clashes first; of equal ones the lesser path.
static bool goes_before( candidate a, candidate b ) {
	if ( a.count != b.count )
		return a.count > b.count;
	return a.body < b.body;
}

static void sift_down( cover *c, size_t at ) {
	for ( ;; ) {
		size_t best = at;
		for ( size_t child = 2 * at + 1; child <= 2 * at + 2 && child < c->heap_count; ++child )
			if ( goes_before( c->heap[child], c->heap[best] ) )
				best = child;
		if ( best == at )
			return;
		const candidate moved = c->heap[at];
		c->heap[at] = c->heap[best];
		c->heap[best] = moved;
		at = best;
	}
}

static void list_clashes( cover *c ) {
	scene_findings *f = c->f;
	const size_t body_count = f->assembly->model.body_count;
	for ( size_t i = 0; i < f->worst_count; ++i ) {
		++c->left[f->clashes[f->worst[i]].a];
		++c->left[f->clashes[f->worst[i]].b];
	}
	for ( size_t i = 0; i < body_count; ++i )
		c->first[i + 1] = c->first[i] + c->left[i];
	// Fill from the end: the worst stand first, and `first` ends up at the beginning of each group.
	for ( size_t i = 0; i < body_count; ++i )
		c->first[i] = c->first[i + 1];
	for ( size_t i = f->worst_count; i-- > 0; ) {
		c->of_body[--c->first[f->clashes[f->worst[i]].a]] = f->worst[i];
		c->of_body[--c->first[f->clashes[f->worst[i]].b]] = f->worst[i];
	}
	for ( uint32_t i = 0; i < body_count; ++i )
		if ( c->left[i] > 0 )
			c->heap[c->heap_count++] = ( candidate ){ c->left[i], i };
	for ( size_t i = c->heap_count / 2; i-- > 0; )
		sift_down( c, i );
}

static void take_body( cover *c, uint32_t body, size_t *grouped ) {
	scene_findings *f = c->f;
	const uint32_t number = (uint32_t)f->group_count++;
	f->groups[number] = ( scene_group ){ .body = body, .first = *grouped };
	for ( size_t i = c->first[body]; i < c->first[body + 1]; ++i ) {
		scene_clash *clash = &f->clashes[c->of_body[i]];
		if ( clash->group != SCENE_NONE )
			continue;
		clash->group = number;
		--c->left[clash->a];
		--c->left[clash->b];
		f->grouped[( *grouped )++] = c->of_body[i];
	}
	f->groups[number].count = *grouped - f->groups[number].first;
}

static void find_groups( cover *c ) {
	size_t grouped = 0;
	while ( c->heap_count > 0 ) {
		const uint32_t body = c->heap[0].body;
		if ( c->left[body] == c->heap[0].count ) // the count is not stale
			take_body( c, body, &grouped );
		if ( c->left[body] > 0 )
			c->heap[0].count = c->left[body];
		else
			c->heap[0] = c->heap[--c->heap_count];
		sift_down( c, 0 );
	}
}

// ------------------------------------------------------------------------------------------------
// Clusters

static const scene_findings *sorting; // qsort() hands nothing over; this runs on one thread
static int sorting_axis;

static int by_lower_end( const void *a, const void *b ) {
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const double x = sorting->clashes[i].region.min[sorting_axis], y = sorting->clashes[k].region.min[sorting_axis];
	return x < y ? -1 : x > y ? 1 : i < k ? -1 : i > k;
}

static int by_number( const void *a, const void *b ) {
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	return i < k ? -1 : i > k;
}

static void add_cluster( scene_findings *f, size_t first, size_t count ) {
	scene_cluster *made = &f->clusters[f->cluster_count];
	*made = ( scene_cluster ){ first, count, f->clashes[f->grouped[first]].region };
	qsort( f->grouped + first, count, sizeof *f->grouped, by_number );
	for ( size_t i = first; i < first + count; ++i ) {
		scene_clash *clash = &f->clashes[f->grouped[i]];
		for ( int k = 0; k < 3; ++k ) {
			made->region.min[k] =
			    clash->region.min[k] < made->region.min[k] ? clash->region.min[k] : made->region.min[k];
			made->region.max[k] =
			    clash->region.max[k] > made->region.max[k] ? clash->region.max[k] : made->region.max[k];
		}
	}
	++f->cluster_count;
}

// A pile of ranges of clashes that may still be divided, by the next axis; `without`: how many axes in a row had no
// gap.
typedef struct part {
	size_t first, count;
	int axis, without;
} part;

// Divide a range at every gap along its axis. Returns how many ranges are on the pile then.
static size_t cut( scene_findings *f, part p, part *pile, size_t pile_count ) {
	const int next = ( p.axis + 1 ) % 3;
	sorting_axis = p.axis;
	qsort( f->grouped + p.first, p.count, sizeof *f->grouped, by_lower_end );
	size_t begin = p.first;
	double end = f->clashes[f->grouped[begin]].region.max[p.axis];
	for ( size_t i = p.first + 1; i < p.first + p.count; ++i ) {
		const dbvh_aabb *region = &f->clashes[f->grouped[i]].region;
		if ( region->min[p.axis] > end ) {
			pile[pile_count++] = ( part ){ begin, i - begin, next, 1 };
			begin = i;
		}
		if ( region->max[p.axis] > end )
			end = region->max[p.axis];
	}
	const int without = begin == p.first ? p.without + 1 : 1;
	pile[pile_count++] = ( part ){ begin, p.first + p.count - begin, next, without };
	return pile_count;
}

// Ranges never overlap: a pile with room for as many ranges as clashes is enough.
static void find_clusters( scene_findings *f, const scene_group *g, part *pile ) {
	size_t pile_count = 1;
	pile[0] = ( part ){ g->first, g->count, 0, 0 };
	while ( pile_count > 0 ) {
		const part p = pile[--pile_count];
		if ( p.count == 1 || p.without == 3 )
			add_cluster( f, p.first, p.count );
		else
			pile_count = cut( f, p, pile, pile_count );
	}
}

static int by_first( const void *a, const void *b ) {
	const scene_cluster *x = a, *y = b;
	const uint32_t i = sorting->grouped[x->first], k = sorting->grouped[y->first];
	return i < k ? -1 : i > k;
}

// ------------------------------------------------------------------------------------------------

bool scene_group_clashes( scene_findings *f ) {
	const size_t body_count = f->assembly->model.body_count, most = f->worst_count;
	cover c = { .f = f };
	c.left = calloc( body_count + 1, sizeof *c.left );
	c.first = calloc( body_count + 2, sizeof *c.first );
	c.of_body = malloc( ( 2 * most + 1 ) * sizeof *c.of_body );
	c.heap = malloc( ( body_count + 1 ) * sizeof *c.heap );
	f->groups = malloc( ( most + 1 ) * sizeof *f->groups );
	f->clusters = malloc( ( most + 1 ) * sizeof *f->clusters );
	f->grouped = malloc( ( most + 1 ) * sizeof *f->grouped );
	part *pile = malloc( ( most + 1 ) * sizeof *pile );
	const bool ok = pile != NULL && c.left != NULL && c.first != NULL && c.of_body != NULL && c.heap != NULL &&
	                f->groups != NULL && f->clusters != NULL && f->grouped != NULL;
	if ( ok ) {
		list_clashes( &c );
		find_groups( &c );
		sorting = f;
		for ( size_t i = 0; i < f->group_count; ++i ) {
			scene_group *g = &f->groups[i];
			g->first_cluster = (uint32_t)f->cluster_count;
			find_clusters( f, g, pile );
			g->cluster_count = (uint32_t)f->cluster_count - g->first_cluster;
			qsort( f->clusters + g->first_cluster, g->cluster_count, sizeof *f->clusters, by_first );
			for ( uint32_t k = g->first_cluster; k < f->cluster_count; ++k )
				for ( size_t n = 0; n < f->clusters[k].count; ++n )
					f->clashes[f->grouped[f->clusters[k].first + n]].cluster = k;
		}
	}
	free( c.left );
	free( c.first );
	free( c.of_body );
	free( c.heap );
	free( pile );
	return ok;
}
