// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The rules of a model in terms of a dbvh_scene. Bodies that the same patterns name are one class, so that rules are
// looked up once for each two classes; and pairs get a rule of their own only where their boxes are near each other, so
// that wide patterns are as cheap as narrow ones.

#pragma once

#include "model/model.h"

typedef struct scene_rule_book scene_rule_book;

// A rule that a scene was given: of a pair; of a body, b is SCENE_NONE; of all, a is SCENE_NONE too.
typedef struct scene_given_rule {
	uint32_t a, b;
	dbvh_pair_rule rule;
} scene_given_rule;

// The rules that a scene was given, in the order of giving. All zero is empty.
typedef struct scene_given_rules {
	scene_given_rule *list;
	size_t count, capacity;
} scene_given_rules;

// Sorts the bodies into classes and sets is_used of every rule. Rules and bodies of the model must not change while the
// book is in use. NULL where there is no memory.
scene_rule_book *scene_rules_open( scene_model *model );
void scene_rules_close( scene_rule_book *book );

// Appends what scene_rules_apply() and scene_rules_apply_to_all() give to a scene from now on to a list; NULL: to none.
void scene_rules_record( scene_rule_book *book, scene_given_rules *given );

// Sets the rules of a scene whose bodies have the numbers of the model, where they stand now.
dbvh_status scene_rules_apply( scene_rule_book *book, dbvh_scene *scene, dbvh_error *error );

// scene_rules_apply() for bodies that will move: every pair is looked up, in time that grows with the square of their
// number.
dbvh_status scene_rules_apply_to_all( scene_rule_book *book, dbvh_scene *scene, dbvh_error *error );

// scene_rules_apply() for these pairs of bodies; all others may meet.
dbvh_status scene_rules_apply_to( scene_rule_book *book, dbvh_scene *scene, const dbvh_body_pair *pairs, size_t count,
                                  dbvh_error *error );

// The rule for two bodies; NULL: none, they must not meet. Where each has a rule with one pattern, and the two are
// combined, that of `a` unless only the other one has a name. Not for two bodies of one link.
const scene_rule *scene_rules_of( const scene_rule_book *book, uint32_t a, uint32_t b );

// Tells what the rules ask of two bodies, near each other or not, after scene_rules_apply().
void scene_rules_terms( const scene_rule_book *book, const dbvh_scene *scene, uint32_t a, uint32_t b,
                        dbvh_pair_rule *out );

// The hash with one more value: the way of a rule, if it has one.
uint64_t scene_rules_hash_way( uint64_t hash, const scene_rule *rule );

// The fingerprint of all rules in their order.
uint64_t scene_rules_fingerprint( const scene_model *model );
