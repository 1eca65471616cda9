// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Who may do what to whom: the rules of pairs, of bodies and of a scene.

#pragma once

#include "base/alloc.h"
#include "dualbvh/scene.h"

typedef struct dbvhi_pair_entry {
	uint64_t key; // lower number << 32 | higher number; DBVHI_NO_PAIR: free, DBVHI_GONE_PAIR: was in use
	dbvh_pair_rule rule;
} dbvhi_pair_entry;

#define DBVHI_NO_PAIR UINT64_MAX
#define DBVHI_GONE_PAIR ( UINT64_MAX - 1 )

typedef struct dbvhi_body_rule {
	bool is_set;
	uint32_t pair_count; // rules of its pairs
	dbvh_pair_rule rule;
} dbvhi_body_rule;

typedef struct dbvhi_rules {
	dbvh_allocator allocator;
	dbvh_pair_rule of_scene;
	dbvhi_body_rule *of_bodies;       // by number
	size_t body_capacity, body_count; // room, and how many have one
	dbvhi_pair_entry *of_pairs;       // a hash table, its size a power of two
	size_t pair_capacity, pair_used, pair_count;
	uint64_t version; // changes with every rule that concerns how far boxes reach
} dbvhi_rules;

void dbvhi_rules_init( dbvhi_rules *rules, const dbvh_allocator *allocator );
void dbvhi_rules_free( dbvhi_rules *rules );

// Makes `to`, which is uninitialised, a copy with memory of `allocator`. OUT_OF_MEMORY; `to` is to be freed in any
// case.
dbvh_status dbvhi_rules_copy( dbvhi_rules *to, const dbvhi_rules *from, const dbvh_allocator *allocator );

// `rule` NULL removes. Only adding can fail.
dbvh_status dbvhi_rules_set_body( dbvhi_rules *rules, uint32_t body, const dbvh_pair_rule *rule );
dbvh_status dbvhi_rules_set_pair( dbvhi_rules *rules, uint32_t a, uint32_t b, const dbvh_pair_rule *rule );

// Changes the default rule.
void dbvhi_rules_set_default( dbvhi_rules *rules, const dbvh_pair_rule *rule );

// Forgets all rules that name a body. O(1) if none does, else as for all rules of pairs.
void dbvhi_rules_forget( dbvhi_rules *rules, uint32_t body );

// The rule for two bodies.
dbvh_pair_rule dbvhi_rules_of( const dbvhi_rules *rules, uint32_t a, uint32_t b );

// How far apart bodies may be for a rule to make something of it.
static inline double dbvhi_rule_reach( const dbvh_pair_rule *rule ) {
	if ( rule->may_collide )
		return 0.0;
	return rule->clearance > rule->touch_gap ? rule->clearance : rule->touch_gap;
}

// For every body below `count`, reach_out[body]: the most that a rule asks for of a pair that it is in. Half of it,
// from either body, is enough for the pair. Returns the reach of a body that no rule names.
double dbvhi_rules_reach( const dbvhi_rules *rules, double *reach_out, size_t count );
