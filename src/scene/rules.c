// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/rules.h"

#include <string.h>

void dbvhi_rules_init( dbvhi_rules *rules, const dbvh_allocator *allocator ) {
	memset( rules, 0, sizeof *rules );
	rules->allocator = *allocator;
}

void dbvhi_rules_free( dbvhi_rules *rules ) {
	dbvhi_free( &rules->allocator, rules->of_bodies, rules->body_capacity, sizeof *rules->of_bodies );
	dbvhi_free( &rules->allocator, rules->of_pairs, rules->pair_capacity, sizeof *rules->of_pairs );
	memset( rules, 0, sizeof *rules );
}

dbvh_status dbvhi_rules_copy( dbvhi_rules *to, const dbvhi_rules *from, const dbvh_allocator *allocator ) {
	dbvhi_rules_init( to, allocator );
	to->of_scene = from->of_scene;
	to->body_count = from->body_count;
	to->pair_used = from->pair_used;
	to->pair_count = from->pair_count;
	to->version = from->version;
	// note: both arrays grow to the same power of two again.
	return dbvhi_copy_array( allocator, &to->of_bodies, &to->body_capacity, from->of_bodies, from->body_capacity,
	                         sizeof *to->of_bodies ) &&
	               dbvhi_copy_array( allocator, &to->of_pairs, &to->pair_capacity, from->of_pairs, from->pair_capacity,
	                                 sizeof *to->of_pairs )
	           ? DBVH_OK
	           : DBVH_OUT_OF_MEMORY;
}

// Boxes depend on the rules only by how far these reach. A reach of 0 is never the largest one.
static void note_change( dbvhi_rules *rules, const dbvh_pair_rule *before, const dbvh_pair_rule *after ) {
	const double was = before != NULL ? dbvhi_rule_reach( before ) : 0.0;
	const double is = after != NULL ? dbvhi_rule_reach( after ) : 0.0;
	rules->version += was != is;
}

void dbvhi_rules_set_default( dbvhi_rules *rules, const dbvh_pair_rule *rule ) {
	note_change( rules, &rules->of_scene, rule );
	rules->of_scene = *rule;
}

static bool require_body( dbvhi_rules *rules, uint32_t body ) {
	const size_t before = rules->body_capacity;
	if ( !dbvhi_grow_array( &rules->allocator, &rules->of_bodies, &rules->body_capacity, (size_t)body + 1,
	                        sizeof *rules->of_bodies ) )
		return false;
	if ( rules->body_capacity > before )
		memset( rules->of_bodies + before, 0, ( rules->body_capacity - before ) * sizeof *rules->of_bodies );
	return true;
}

dbvh_status dbvhi_rules_set_body( dbvhi_rules *rules, uint32_t body, const dbvh_pair_rule *rule ) {
	if ( body >= rules->body_capacity && rule == NULL )
		return DBVH_OK;
	if ( !require_body( rules, body ) )
		return DBVH_OUT_OF_MEMORY;
	dbvhi_body_rule *mine = &rules->of_bodies[body];
	note_change( rules, mine->is_set ? &mine->rule : NULL, rule );
	rules->body_count += ( rule != NULL ) - (size_t)mine->is_set;
	mine->is_set = rule != NULL;
	if ( rule != NULL )
		mine->rule = *rule;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// The table of pairs: open addressing

static uint64_t rule_key_of( uint32_t a, uint32_t b ) {
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static size_t first_slot( uint64_t key, size_t capacity ) {
	key *= UINT64_C( 0x9e3779b97f4a7c15 );
	return (size_t)( key ^ key >> 32 ) & ( capacity - 1 );
}

static dbvhi_pair_entry *find( const dbvhi_rules *rules, uint64_t key ) {
	if ( rules->pair_capacity == 0 )
		return NULL;
	for ( size_t i = first_slot( key, rules->pair_capacity );; i = ( i + 1 ) & ( rules->pair_capacity - 1 ) ) {
		dbvhi_pair_entry *entry = &rules->of_pairs[i];
		if ( entry->key == key )
			return entry;
		if ( entry->key == DBVHI_NO_PAIR )
			return NULL;
	}
}

static void put_rule( dbvhi_pair_entry *table, size_t capacity, const dbvhi_pair_entry *entry ) {
	size_t i = first_slot( entry->key, capacity );
	while ( table[i].key != DBVHI_NO_PAIR )
		i = ( i + 1 ) & ( capacity - 1 );
	table[i] = *entry;
}

// Room for one more, at most half full, without what has been removed.
static bool make_room( dbvhi_rules *rules ) {
	if ( 2 * ( rules->pair_used + 1 ) <= rules->pair_capacity )
		return true;
	size_t capacity = 16;
	while ( capacity < 4 * ( rules->pair_count + 1 ) )
		capacity *= 2;
	dbvhi_pair_entry *table = dbvhi_alloc( &rules->allocator, capacity, sizeof *table );
	if ( table == NULL )
		return false;
	for ( size_t i = 0; i < capacity; ++i )
		table[i].key = DBVHI_NO_PAIR;
	for ( size_t i = 0; i < rules->pair_capacity; ++i ) {
		if ( rules->of_pairs[i].key < DBVHI_GONE_PAIR )
			put_rule( table, capacity, &rules->of_pairs[i] );
	}
	dbvhi_free( &rules->allocator, rules->of_pairs, rules->pair_capacity, sizeof *table );
	rules->of_pairs = table;
	rules->pair_capacity = capacity;
	rules->pair_used = rules->pair_count;
	return true;
}

// Remove the rule of a pair.
static void drop_entry( dbvhi_rules *rules, dbvhi_pair_entry *entry ) {
	note_change( rules, &entry->rule, NULL );
	rules->of_bodies[entry->key >> 32].pair_count -= 1;
	rules->of_bodies[(uint32_t)entry->key].pair_count -= 1;
	rules->pair_count -= 1;
	entry->key = DBVHI_GONE_PAIR;
}

dbvh_status dbvhi_rules_set_pair( dbvhi_rules *rules, uint32_t a, uint32_t b, const dbvh_pair_rule *rule ) {
	const uint64_t key = rule_key_of( a, b );
	dbvhi_pair_entry *entry = find( rules, key );
	if ( rule == NULL ) {
		if ( entry != NULL )
			drop_entry( rules, entry );
		return DBVH_OK;
	}
	if ( entry == NULL && ( !make_room( rules ) || !require_body( rules, a > b ? a : b ) ) )
		return DBVH_OUT_OF_MEMORY;
	note_change( rules, entry != NULL ? &entry->rule : NULL, rule );
	if ( entry != NULL ) {
		entry->rule = *rule;
		return DBVH_OK;
	}
	put_rule( rules->of_pairs, rules->pair_capacity, &( dbvhi_pair_entry ){ key, *rule } );
	rules->of_bodies[a].pair_count += 1;
	rules->of_bodies[b].pair_count += 1;
	rules->pair_used += 1;
	rules->pair_count += 1;
	return DBVH_OK;
}

void dbvhi_rules_forget( dbvhi_rules *rules, uint32_t body ) {
	if ( body >= rules->body_capacity )
		return;
	(void)dbvhi_rules_set_body( rules, body, NULL ); // removing cannot fail
	for ( size_t i = 0; i < rules->pair_capacity && rules->of_bodies[body].pair_count > 0; ++i ) {
		dbvhi_pair_entry *entry = &rules->of_pairs[i];
		if ( entry->key < DBVHI_GONE_PAIR && ( entry->key >> 32 == body || (uint32_t)entry->key == body ) )
			drop_entry( rules, entry );
	}
}

// ------------------------------------------------------------------------------------------------
// What holds

static const dbvh_pair_rule *rule_of_body( const dbvhi_rules *rules, uint32_t body ) {
	return body < rules->body_capacity && rules->of_bodies[body].is_set ? &rules->of_bodies[body].rule : NULL;
}

static double larger( double a, double b ) {
	return a > b ? a : b;
}

dbvh_pair_rule dbvhi_rules_of( const dbvhi_rules *rules, uint32_t a, uint32_t b ) {
	const dbvhi_pair_entry *entry = rules->pair_count > 0 ? find( rules, rule_key_of( a, b ) ) : NULL;
	if ( entry != NULL )
		return entry->rule;
	const dbvh_pair_rule *of_a = rule_of_body( rules, a ), *of_b = rule_of_body( rules, b );
	if ( of_a == NULL || of_b == NULL )
		return of_a != NULL ? *of_a : of_b != NULL ? *of_b : rules->of_scene;
	return ( dbvh_pair_rule ){ .may_collide = of_a->may_collide || of_b->may_collide,
	                           .may_touch = of_a->may_touch || of_b->may_touch,
	                           .clearance = larger( of_a->clearance, of_b->clearance ),
	                           .touch_gap = larger( of_a->touch_gap, of_b->touch_gap ),
	                           .touch_overlap = larger( of_a->touch_overlap, of_b->touch_overlap ),
	                           .allowed_depth = larger( of_a->allowed_depth, of_b->allowed_depth ),
	                           .allowed_volume = larger( of_a->allowed_volume, of_b->allowed_volume ) };
}

// A pair's reach is that of its own rule, of a body's, or of the scene's. A rule of a body concerns all others, too.
double dbvhi_rules_reach( const dbvhi_rules *rules, double *reach_out, size_t count ) {
	double most = dbvhi_rule_reach( &rules->of_scene );
	for ( size_t i = 0; i < count && i < rules->body_capacity; ++i ) {
		if ( rules->of_bodies[i].is_set )
			most = larger( most, dbvhi_rule_reach( &rules->of_bodies[i].rule ) );
	}
	for ( size_t i = 0; i < count; ++i )
		reach_out[i] = most;
	for ( size_t i = 0; i < rules->pair_capacity; ++i ) {
		const dbvhi_pair_entry *entry = &rules->of_pairs[i];
		if ( entry->key >= DBVHI_GONE_PAIR )
			continue;
		const uint32_t low = (uint32_t)( entry->key >> 32 ), high = (uint32_t)entry->key;
		const double reach = dbvhi_rule_reach( &entry->rule );
		if ( high < count ) {
			reach_out[low] = larger( reach_out[low], reach );
			reach_out[high] = larger( reach_out[high], reach );
		}
	}
	return most;
}
