// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/rules_apply.h"

#include "model/properties.h"
#include "text/grow.h"
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

// Pairs of bodies that one rule may be spelt out for, see far_rules().
enum { MOST_SPELT_OUT = 1000000 };

// A hash set of pairs of numbers with a third one: open addressing, a power of two of slots.
typedef struct entry {
	uint64_t key; // the two, and 1 added; 0: free
	uint32_t value;
} entry;

typedef struct table {
	entry *slots;
	size_t slot_count, count;
} table;

// Numbers from here on in the list of a class are values of properties that rules ask to be the same.
#define FIRST_VALUE ( UINT32_C( 1 ) << 31 )

// A value of one of the properties in `same_keys`.
typedef struct same_value {
	char *text; // "KEY=VALUE", what `by_text` of the values finds
	uint32_t key;
} same_value;

// The patterns that name the bodies of a class, ascending, and then their values, in `lists`.
typedef struct body_class {
	size_t first, count;
	uint32_t one_sided; // the last rule of one pattern that names them, or SCENE_NONE
} body_class;

struct scene_rule_book {
	scene_model *model;
	char **patterns; // different ones; texts of the rules
	size_t pattern_count;
	bool *pattern_is_used;
	uint32_t *lists; // numbers of patterns, of all classes
	size_t list_count, list_capacity;
	body_class *classes;
	size_t class_count, class_capacity;
	uint32_t *class_of;   // by body
	table two_sided;      // two patterns -> the last rule that has them and no `same`
	uint32_t *same_rules; // rules with a `same`, ascending
	size_t same_count;
	const char **same_keys; // the properties of these rules
	size_t same_key_count;
	same_value *values;
	size_t value_count, value_capacity;
	scene_names value_names;
	table of_classes;         // two classes -> their rule, or SCENE_NONE: a cache
	uint32_t general;         // the last rule without a pattern, or SCENE_NONE
	bool has_pairs;           // there is a rule of two patterns, or bodies share a link
	scene_given_rules *given; // NULL: nobody asks
};

// ------------------------------------------------------------------------------------------------
// Tables

static uint64_t key_of( uint32_t a, uint32_t b ) {
	return ( a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a ) + 1;
}

static entry *slot_of( const table *t, uint64_t key ) {
	size_t i = (size_t)scene_hash_count( SCENE_HASH_START, key ) & ( t->slot_count - 1 );
	while ( t->slots[i].key != 0 && t->slots[i].key != key )
		i = ( i + 1 ) & ( t->slot_count - 1 );
	return &t->slots[i];
}

static bool table_get( const table *t, uint64_t key, uint32_t *value_out ) {
	if ( t->slot_count == 0 )
		return false;
	const entry *e = slot_of( t, key );
	if ( e->key == 0 )
		return false;
	*value_out = e->value;
	return true;
}

static bool table_put( table *t, uint64_t key, uint32_t value ) {
	if ( 2 * ( t->count + 1 ) > t->slot_count ) {
		table larger = { .slot_count = t->slot_count > 0 ? 2 * t->slot_count : 64, .count = t->count };
		larger.slots = calloc( larger.slot_count, sizeof *larger.slots );
		if ( larger.slots == NULL )
			return false;
		for ( size_t i = 0; i < t->slot_count; ++i )
			if ( t->slots[i].key != 0 )
				*slot_of( &larger, t->slots[i].key ) = t->slots[i];
		free( t->slots );
		*t = larger;
	}
	entry *e = slot_of( t, key );
	t->count += e->key == 0;
	*e = ( entry ){ key, value };
	return true;
}

// ------------------------------------------------------------------------------------------------
// Patterns

// The only text that a pattern without wildcards matches, its backslashes removed; NULL if it has wildcards or
// selectors. To be freed.
static char *literal_of( const char *pattern, bool *has_memory ) {
	*has_memory = true;
	if ( scene_has_selectors( pattern ) )
		return NULL;
	char *text = malloc( strlen( pattern ) + 1 ), *to = text;
	*has_memory = text != NULL;
	for ( ; text != NULL && *pattern != '\0'; ++pattern ) {
		if ( *pattern == '*' || *pattern == '?' ) {
			free( text );
			return NULL;
		}
		if ( *pattern == '\\' && pattern[1] != '\0' )
			++pattern;
		*to++ = *pattern;
	}
	if ( text != NULL )
		*to = '\0';
	return text;
}

// The number of a pattern, a new one where it is not known.
static uint32_t number_of( scene_rule_book *book, scene_names *known, char *pattern ) {
	const uint32_t number = scene_names_find( known, pattern );
	if ( number != SCENE_NONE )
		return number;
	if ( !scene_names_add( known, pattern, (uint32_t)book->pattern_count ) )
		return SCENE_NONE;
	book->patterns[book->pattern_count] = pattern;
	return (uint32_t)book->pattern_count++;
}

static const char *only_pattern( const scene_rule *rule ) {
	return rule->a == NULL ? rule->b : rule->b == NULL ? rule->a : NULL;
}

// Numbers all patterns, and says which rule speaks of which two. `one_sided`: by pattern, the last rule of it alone.
static bool read_rules( scene_rule_book *book, scene_names *known, uint32_t *one_sided ) {
	const scene_model *model = book->model;
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		const scene_rule *rule = &model->rules[i];
		if ( rule->a == NULL && rule->b == NULL ) {
			book->general = (uint32_t)i;
			continue;
		}
		const uint32_t a = rule->a != NULL ? number_of( book, known, rule->a ) : SCENE_NONE;
		const uint32_t b = rule->b != NULL ? number_of( book, known, rule->b ) : SCENE_NONE;
		if ( ( rule->a != NULL && a == SCENE_NONE ) || ( rule->b != NULL && b == SCENE_NONE ) )
			return false;
		if ( only_pattern( rule ) != NULL ) {
			one_sided[a != SCENE_NONE ? a : b] = (uint32_t)i;
			continue;
		}
		book->has_pairs = true;
		if ( rule->same != NULL ) {
			book->same_rules[book->same_count++] = (uint32_t)i;
			continue;
		}
		if ( !table_put( &book->two_sided, key_of( a, b ), (uint32_t)i ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Classes

static bool add_to_list( scene_rule_book *book, uint32_t pattern ) {
	if ( !scene_grow( &book->lists, &book->list_capacity, book->list_count, sizeof *book->lists ) )
		return false;
	book->lists[book->list_count++] = pattern;
	return true;
}

static int by_number( const void *a, const void *b ) {
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// Lookup of patterns: a pattern that names one text, with all below it, is found by that text; the others are tried one
// by one.
typedef struct finder {
	scene_names by_text;
	char **texts; // owned texts of by_text
	size_t text_count;
	uint32_t *tried;
	size_t tried_count;
	char *part; // room for any path
} finder;

static void finder_free( finder *f ) {
	for ( size_t i = 0; i < f->text_count; ++i )
		free( f->texts[i] );
	free( f->texts );
	free( f->tried );
	free( f->part );
	scene_names_free( &f->by_text );
}

// On failure the caller still calls finder_free().
static bool finder_fill( finder *f, const scene_rule_book *book ) {
	size_t longest = 0;
	for ( size_t i = 0; i < book->model->body_count; ++i ) {
		const size_t length = strlen( book->model->bodies[i].path );
		longest = length > longest ? length : longest;
	}
	f->part = malloc( longest + 1 );
	f->texts = calloc( book->pattern_count + 1, sizeof *f->texts );
	f->tried = calloc( book->pattern_count + 1, sizeof *f->tried );
	if ( f->part == NULL || f->texts == NULL || f->tried == NULL )
		return false;
	for ( uint32_t i = 0; i < book->pattern_count; ++i ) {
		bool has_memory;
		char *text = literal_of( book->patterns[i], &has_memory );
		if ( !has_memory )
			return false;
		// Two patterns of one text: the second one is tried.
		if ( text == NULL || scene_names_find( &f->by_text, text ) != SCENE_NONE ) {
			free( text );
			f->tried[f->tried_count++] = i;
			continue;
		}
		f->texts[f->text_count++] = text;
		if ( !scene_names_add( &f->by_text, text, i ) )
			return false;
	}
	return true;
}

// Append the patterns that match the path to `lists`, ascending.
static bool list_patterns( scene_rule_book *book, const finder *f, const scene_body *body ) {
	const char *path = body->path;
	const size_t first = book->list_count;
	for ( size_t i = 0; f->text_count > 0; ++i ) {
		if ( path[i] == '/' || path[i] == '\0' ) {
			f->part[i] = '\0';
			const uint32_t number = scene_names_find( &f->by_text, f->part );
			if ( number != SCENE_NONE && !add_to_list( book, number ) )
				return false;
		}
		if ( path[i] == '\0' )
			break;
		f->part[i] = path[i];
	}
	for ( size_t i = 0; i < f->tried_count; ++i )
		if ( scene_names_body( book->patterns[f->tried[i]], body ) && !add_to_list( book, f->tried[i] ) )
			return false;
	if ( book->list_count > first )
		qsort( book->lists + first, book->list_count - first, sizeof *book->lists, by_number );
	return true;
}

static uint32_t key_number( const scene_rule_book *book, const char *key ) {
	uint32_t i = 0;
	while ( i < book->same_key_count && strcmp( book->same_keys[i], key ) != 0 )
		++i;
	return i;
}

// The number of a value of a property, a new one where it is not known; SCENE_NONE: no memory.
static uint32_t value_number( scene_rule_book *book, uint32_t key, const char *value ) {
	const size_t length = strlen( book->same_keys[key] );
	char *text = malloc( length + strlen( value ) + 2 );
	if ( text == NULL )
		return SCENE_NONE;
	strcpy( text, book->same_keys[key] );
	text[length] = '=';
	strcpy( text + length + 1, value );
	const uint32_t known = scene_names_find( &book->value_names, text );
	if ( known != SCENE_NONE ||
	     !scene_grow( &book->values, &book->value_capacity, book->value_count, sizeof *book->values ) ||
	     !scene_names_add( &book->value_names, text, (uint32_t)book->value_count ) ) {
		free( text );
		return known;
	}
	book->values[book->value_count] = ( same_value ){ text, key };
	return (uint32_t)book->value_count++;
}

// Append the values that the body has of the properties that rules ask for to `lists`, in the order of these.
static bool list_values( scene_rule_book *book, const scene_body *body ) {
	for ( uint32_t key = 0; key < book->same_key_count; ++key ) {
		const char *value = scene_property_of( body, book->same_keys[key] );
		if ( value == NULL || *value == '\0' ) // exporters write properties that nobody has filled in
			continue;
		const uint32_t number = value_number( book, key, value );
		if ( number == SCENE_NONE || !add_to_list( book, FIRST_VALUE + number ) )
			return false;
	}
	return true;
}

// The class of the list that ends `lists`; a known one takes its list away again. `by_hash` finds them: classes of one
// hash are neighbours of each other there, by their hash counted up.
static uint32_t class_of_list( scene_rule_book *book, table *by_hash, size_t first, const uint32_t *one_sided ) {
	const size_t count = book->list_count - first;
	uint64_t hash = scene_hash_count( SCENE_HASH_START, count );
	for ( size_t i = 0; i < count; ++i )
		hash = scene_hash_count( hash, book->lists[first + i] );
	for ( hash |= 1;; hash += 2 ) {
		uint32_t found;
		if ( !table_get( by_hash, hash, &found ) )
			break;
		const body_class *c = &book->classes[found];
		if ( c->count == count && ( count == 0 || memcmp( book->lists + c->first, book->lists + first,
		                                                  count * sizeof *book->lists ) == 0 ) ) {
			book->list_count = first;
			return found;
		}
	}
	if ( !scene_grow( &book->classes, &book->class_capacity, book->class_count, sizeof *book->classes ) )
		return SCENE_NONE;
	if ( !table_put( by_hash, hash, (uint32_t)book->class_count ) )
		return SCENE_NONE;
	body_class made = { .first = first, .count = count, .one_sided = SCENE_NONE };
	for ( size_t i = 0; i < count && book->lists[first + i] < FIRST_VALUE; ++i ) {
		const uint32_t pattern = book->lists[first + i], rule = one_sided[pattern];
		book->pattern_is_used[pattern] = true;
		if ( rule != SCENE_NONE && ( made.one_sided == SCENE_NONE || rule > made.one_sided ) )
			made.one_sided = rule;
	}
	book->classes[book->class_count] = made;
	return (uint32_t)book->class_count++;
}

static bool sort_bodies( scene_rule_book *book, const uint32_t *one_sided ) {
	const scene_model *model = book->model;
	finder f = { 0 };
	table by_hash = { 0 };
	bool ok = finder_fill( &f, book );
	for ( size_t i = 0; ok && i < model->body_count; ++i ) {
		const size_t first = book->list_count;
		ok = list_patterns( book, &f, &model->bodies[i] ) && list_values( book, &model->bodies[i] );
		if ( ok )
			book->class_of[i] = class_of_list( book, &by_hash, first, one_sided );
		ok = ok && book->class_of[i] != SCENE_NONE;
	}
	free( by_hash.slots );
	finder_free( &f );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// The book

static bool name_is_used( const scene_rule_book *book, const scene_names *known, const char *pattern ) {
	return pattern == NULL || book->pattern_is_used[scene_names_find( known, pattern )];
}

static bool has_values( const scene_rule_book *book, const char *key ) {
	const uint32_t number = key_number( book, key );
	for ( size_t i = 0; i < book->value_count; ++i )
		if ( book->values[i].key == number )
			return true;
	return false;
}

static bool shares_links( const scene_model *model ) {
	bool *has_body = calloc( model->link_count + 1, sizeof *has_body );
	bool shares = has_body == NULL; // nothing is lost by looking
	for ( size_t i = 0; has_body != NULL && i < model->body_count && !shares; ++i ) {
		const uint32_t link = model->bodies[i].link;
		if ( link == SCENE_NONE )
			continue;
		shares = has_body[link];
		has_body[link] = true;
	}
	free( has_body );
	return shares;
}

static bool fill( scene_rule_book *book, scene_names *known ) {
	scene_model *model = book->model;
	const size_t most = 2 * model->rule_count + 1;
	uint32_t *one_sided = malloc( most * sizeof *one_sided );
	book->patterns = calloc( most, sizeof *book->patterns );
	book->pattern_is_used = calloc( most, sizeof *book->pattern_is_used );
	book->class_of = malloc( ( model->body_count + 1 ) * sizeof *book->class_of );
	book->same_rules = malloc( most * sizeof *book->same_rules );
	book->same_keys = malloc( most * sizeof *book->same_keys );
	bool ok = one_sided != NULL && book->patterns != NULL && book->pattern_is_used != NULL && book->class_of != NULL &&
	          book->same_rules != NULL && book->same_keys != NULL;
	if ( ok )
		memset( one_sided, 0xff, most * sizeof *one_sided ); // SCENE_NONE
	for ( size_t i = 0; ok && i < model->rule_count; ++i )
		if ( model->rules[i].same != NULL && key_number( book, model->rules[i].same ) == book->same_key_count )
			book->same_keys[book->same_key_count++] = model->rules[i].same;
	ok = ok && read_rules( book, known, one_sided ) && sort_bodies( book, one_sided );
	free( one_sided );
	if ( !ok )
		return false;
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		scene_rule *rule = &model->rules[i];
		rule->is_used = name_is_used( book, known, rule->a ) && name_is_used( book, known, rule->b ) &&
		                ( rule->same == NULL || has_values( book, rule->same ) );
	}
	book->has_pairs = book->has_pairs || shares_links( model );
	return true;
}

scene_rule_book *scene_rules_open( scene_model *model ) {
	scene_rule_book *book = calloc( 1, sizeof *book );
	if ( book == NULL )
		return NULL;
	book->model = model;
	book->general = SCENE_NONE;
	scene_names known = { 0 };
	const bool ok = fill( book, &known );
	scene_names_free( &known );
	if ( ok )
		return book;
	scene_rules_close( book );
	return NULL;
}

void scene_rules_close( scene_rule_book *book ) {
	if ( book == NULL )
		return;
	for ( size_t i = 0; i < book->value_count; ++i )
		free( book->values[i].text );
	free( book->values );
	free( book->same_rules );
	free( book->same_keys );
	scene_names_free( &book->value_names );
	free( book->patterns );
	free( book->pattern_is_used );
	free( book->lists );
	free( book->classes );
	free( book->class_of );
	free( book->two_sided.slots );
	free( book->of_classes.slots );
	free( book );
}

// ------------------------------------------------------------------------------------------------
// What holds

static bool names_class( const scene_rule_book *book, const char *pattern, const body_class *c ) {
	for ( size_t i = 0; i < c->count && book->lists[c->first + i] < FIRST_VALUE; ++i )
		if ( strcmp( book->patterns[book->lists[c->first + i]], pattern ) == 0 )
			return true;
	return false;
}

// The value of a property that the bodies of a class have, or SCENE_NONE.
static uint32_t value_of( const scene_rule_book *book, const body_class *c, uint32_t key ) {
	for ( size_t i = c->count; i > 0 && book->lists[c->first + i - 1] >= FIRST_VALUE; --i )
		if ( book->values[book->lists[c->first + i - 1] - FIRST_VALUE].key == key )
			return book->lists[c->first + i - 1];
	return SCENE_NONE;
}

// Does a rule with a `same` speak of two classes?
static bool same_applies( const scene_rule_book *book, const scene_rule *rule, const body_class *a,
                          const body_class *b ) {
	const uint32_t key = key_number( book, rule->same ), value = value_of( book, a, key );
	return value != SCENE_NONE && value == value_of( book, b, key ) &&
	       ( ( names_class( book, rule->a, a ) && names_class( book, rule->b, b ) ) ||
	         ( names_class( book, rule->a, b ) && names_class( book, rule->b, a ) ) );
}

// The last rule of two patterns that applies to two classes, or SCENE_NONE.
static uint32_t pair_rule( const scene_rule_book *book, uint32_t class_a, uint32_t class_b ) {
	const body_class *a = &book->classes[class_a], *b = &book->classes[class_b];
	uint32_t last = SCENE_NONE;
	for ( size_t i = 0; i < a->count; ++i ) {
		for ( size_t k = 0; k < b->count; ++k ) {
			uint32_t rule;
			if ( table_get( &book->two_sided, key_of( book->lists[a->first + i], book->lists[b->first + k] ), &rule ) &&
			     ( last == SCENE_NONE || rule > last ) )
				last = rule;
		}
	}
	for ( size_t i = book->same_count; i > 0 && ( last == SCENE_NONE || book->same_rules[i - 1] > last ); --i )
		if ( same_applies( book, &book->model->rules[book->same_rules[i - 1]], a, b ) )
			return book->same_rules[i - 1];
	return last;
}

const scene_rule *scene_rules_of( const scene_rule_book *book, uint32_t a, uint32_t b ) {
	const scene_rule *rules = book->model->rules;
	const uint32_t class_a = book->class_of[a], class_b = book->class_of[b];
	const uint32_t rule = pair_rule( book, class_a, class_b );
	if ( rule != SCENE_NONE )
		return &rules[rule];
	const uint32_t of_a = book->classes[class_a].one_sided, of_b = book->classes[class_b].one_sided;
	if ( of_a != SCENE_NONE && ( of_b == SCENE_NONE || rules[of_a].name != NULL || rules[of_b].name == NULL ) )
		return &rules[of_a];
	if ( of_b != SCENE_NONE )
		return &rules[of_b];
	return book->general != SCENE_NONE ? &rules[book->general] : NULL;
}

// ------------------------------------------------------------------------------------------------
// Applying rules to a scene

static double reach_of( const dbvh_pair_rule *rule ) {
	if ( rule->may_collide )
		return 0.0;
	return rule->clearance > rule->touch_gap ? rule->clearance : rule->touch_gap;
}

static bool share_a_link( const scene_model *model, uint32_t a, uint32_t b ) {
	return model->bodies[a].link != SCENE_NONE && model->bodies[a].link == model->bodies[b].link;
}

void scene_rules_terms( const scene_rule_book *book, const dbvh_scene *scene, uint32_t a, uint32_t b,
                        dbvh_pair_rule *out ) {
	const uint32_t rule = pair_rule( book, book->class_of[a], book->class_of[b] );
	if ( share_a_link( book->model, a, b ) )
		*out = ( dbvh_pair_rule ){ .may_collide = true };
	else if ( rule != SCENE_NONE )
		*out = book->model->rules[rule].rule;
	else
		dbvh_scene_get_rule( scene, a, b, out );
}

void scene_rules_record( scene_rule_book *book, scene_given_rules *given ) {
	book->given = given;
}

static dbvh_status record( const scene_rule_book *book, uint32_t a, uint32_t b, const dbvh_pair_rule *rule ) {
	scene_given_rules *given = book->given;
	if ( given == NULL )
		return DBVH_OK;
	if ( !scene_grow( &given->list, &given->capacity, given->count, sizeof *given->list ) )
		return DBVH_OUT_OF_MEMORY;
	given->list[given->count++] = ( scene_given_rule ){ a, b, *rule };
	return DBVH_OK;
}

static dbvh_status give_pair( const scene_rule_book *book, dbvh_scene *scene, uint32_t a, uint32_t b,
                              const dbvh_pair_rule *rule, dbvh_error *error ) {
	const dbvh_status status = dbvh_scene_set_pair_rule( scene, a, b, rule, error );
	return status == DBVH_OK ? record( book, a, b, rule ) : status;
}

static dbvh_status set_pair( scene_rule_book *book, dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_error *error ) {
	static const dbvh_pair_rule never = { .may_collide = true };
	if ( share_a_link( book->model, a, b ) )
		return give_pair( book, scene, a, b, &never, error );
	const uint64_t key = key_of( book->class_of[a], book->class_of[b] );
	uint32_t rule;
	if ( !table_get( &book->of_classes, key, &rule ) ) {
		rule = pair_rule( book, book->class_of[a], book->class_of[b] );
		if ( !table_put( &book->of_classes, key, rule ) )
			return DBVH_OUT_OF_MEMORY;
	}
	return rule != SCENE_NONE ? give_pair( book, scene, a, b, &book->model->rules[rule].rule, error ) : DBVH_OK;
}

// The largest reach of rules with one pattern and with none.
static double common_reach( const scene_rule_book *book ) {
	const scene_rule *rules = book->model->rules;
	double most = book->general != SCENE_NONE ? reach_of( &rules[book->general].rule ) : 0.0;
	for ( size_t i = 0; i < book->class_count; ++i ) {
		const uint32_t rule = book->classes[i].one_sided;
		if ( rule != SCENE_NONE && reach_of( &rules[rule].rule ) > most )
			most = reach_of( &rules[rule].rule );
	}
	return most;
}

static size_t count_matches( const scene_model *model, const char *pattern ) {
	size_t count = 0;
	for ( size_t i = 0; i < model->body_count; ++i )
		count += scene_names_body( pattern, &model->bodies[i] );
	return count;
}

static dbvh_status spell_out( scene_rule_book *book, dbvh_scene *scene, const scene_rule *rule, dbvh_error *error ) {
	const scene_model *model = book->model;
	dbvh_status status = DBVH_OK;
	for ( uint32_t a = 0; a < model->body_count && status == DBVH_OK; ++a ) {
		if ( !scene_names_body( rule->a, &model->bodies[a] ) )
			continue;
		for ( uint32_t b = 0; b < model->body_count && status == DBVH_OK; ++b )
			if ( a != b && scene_names_body( rule->b, &model->bodies[b] ) )
				status = set_pair( book, scene, a, b, error );
	}
	return status;
}

// A rule of two patterns that reaches farther than all others would enlarge every box. If it applies to few pairs,
// these are listed and only their bodies' boxes grow; *reach is raised to what the other rules need.
static dbvh_status far_rules( scene_rule_book *book, dbvh_scene *scene, double *reach, dbvh_error *error ) {
	const scene_model *model = book->model;
	const double common = *reach;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < model->rule_count && status == DBVH_OK; ++i ) {
		const scene_rule *rule = &model->rules[i];
		const double wanted = reach_of( &rule->rule );
		if ( rule->a == NULL || rule->b == NULL || !( wanted > common ) )
			continue;
		const double pairs = (double)count_matches( model, rule->a ) * (double)count_matches( model, rule->b );
		if ( pairs <= MOST_SPELT_OUT && (double)model->body_count * pairs <= 1e8 )
			status = spell_out( book, scene, rule, error );
		else if ( wanted > *reach )
			*reach = wanted;
	}
	return status;
}

// Give the pairs that are near each other, by the widest of all rules, the rules of their patterns.
static dbvh_status near_pairs( scene_rule_book *book, dbvh_scene *scene, double reach, dbvh_error *error ) {
	const dbvh_pair_rule widest = { .clearance = reach };
	dbvh_scene_result result;
	dbvh_status status = dbvh_scene_set_default_rule( scene, &widest, error );
	if ( status == DBVH_OK )
		status = dbvh_scene_pairs( scene, NULL, 0, &result, error );
	if ( status != DBVH_OK || result.pair_count == 0 )
		return status;
	dbvh_body_pair *pairs = malloc( result.pair_count * sizeof *pairs );
	if ( pairs == NULL )
		return DBVH_OUT_OF_MEMORY;
	status = dbvh_scene_pairs( scene, pairs, result.pair_count, &result, error );
	for ( size_t i = 0; i < result.written_count && status == DBVH_OK; ++i )
		status = set_pair( book, scene, pairs[i].a, pairs[i].b, error );
	free( pairs );
	return status;
}

static dbvh_status general_rules( const scene_rule_book *book, dbvh_scene *scene, dbvh_error *error ) {
	const scene_model *model = book->model;
	const dbvh_pair_rule *general = book->general != SCENE_NONE ? &model->rules[book->general].rule : NULL;
	dbvh_status status = dbvh_scene_set_default_rule( scene, general, error );
	if ( status == DBVH_OK && general != NULL )
		status = record( book, SCENE_NONE, SCENE_NONE, general );
	for ( uint32_t i = 0; i < model->body_count && status == DBVH_OK; ++i ) {
		const uint32_t rule = book->classes[book->class_of[i]].one_sided;
		if ( rule != SCENE_NONE )
			status = dbvh_scene_set_body_rule( scene, i, &model->rules[rule].rule, error );
		if ( rule != SCENE_NONE && status == DBVH_OK )
			status = record( book, i, SCENE_NONE, &model->rules[rule].rule );
	}
	return status;
}

dbvh_status scene_rules_apply( scene_rule_book *book, dbvh_scene *scene, dbvh_error *error ) {
	dbvh_status status = DBVH_OK;
	if ( book->has_pairs ) {
		double reach = common_reach( book );
		status = far_rules( book, scene, &reach, error );
		if ( status == DBVH_OK )
			status = near_pairs( book, scene, reach, error );
	}
	return status == DBVH_OK ? general_rules( book, scene, error ) : status;
}

dbvh_status scene_rules_apply_to_all( scene_rule_book *book, dbvh_scene *scene, dbvh_error *error ) {
	const uint32_t count = (uint32_t)book->model->body_count;
	dbvh_status status = DBVH_OK;
	for ( uint32_t a = 0; book->has_pairs && a < count && status == DBVH_OK; ++a )
		for ( uint32_t b = a + 1; b < count && status == DBVH_OK; ++b )
			status = set_pair( book, scene, a, b, error );
	return status == DBVH_OK ? general_rules( book, scene, error ) : status;
}

dbvh_status scene_rules_apply_to( scene_rule_book *book, dbvh_scene *scene, const dbvh_body_pair *pairs, size_t count,
                                  dbvh_error *error ) {
	static const dbvh_pair_rule never = { .may_collide = true };
	dbvh_status status = general_rules( book, scene, error );
	for ( size_t i = 0; i < count && status == DBVH_OK; ++i ) {
		dbvh_pair_rule rule;
		scene_rules_terms( book, scene, pairs[i].a, pairs[i].b, &rule );
		status = dbvh_scene_set_pair_rule( scene, pairs[i].a, pairs[i].b, &rule, error );
	}
	for ( uint32_t i = 0; i < book->model->body_count && status == DBVH_OK; ++i )
		status = dbvh_scene_set_body_rule( scene, i, NULL, error );
	return status == DBVH_OK ? dbvh_scene_set_default_rule( scene, &never, error ) : status;
}

uint64_t scene_rules_hash_way( uint64_t hash, const scene_rule *rule ) {
	const scene_way *way = &rule->way;
	if ( way->kind == SCENE_WAY_NONE )
		return hash;
	hash = scene_hash_real( scene_hash_count( hash, (uint64_t)way->kind ), way->angle );
	for ( int k = 0; k < 3; ++k )
		hash = scene_hash_real( scene_hash_real( hash, way->axis[k] ), way->centre[k] );
	return hash;
}

uint64_t scene_rules_fingerprint( const scene_model *model ) {
	uint64_t hash = scene_hash_count( SCENE_HASH_START, model->rule_count );
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		const scene_rule *rule = &model->rules[i];
		hash = scene_hash_text( scene_hash_text( scene_hash_text( hash, rule->a ), rule->b ), rule->name );
		hash = scene_hash_count( hash, (uint64_t)rule->rule.may_collide << 1 | rule->rule.may_touch );
		hash = scene_hash_real( hash, rule->way.kind == SCENE_WAY_TURN ? 0.0 : rule->rule.clearance ); // else measured
		hash = scene_hash_real( scene_hash_real( hash, rule->rule.touch_gap ), rule->rule.touch_overlap );
		hash = scene_hash_real( scene_hash_real( hash, rule->rule.allowed_depth ), rule->rule.allowed_volume );
		if ( rule->same != NULL )
			hash = scene_hash_text( hash, rule->same );
		if ( rule->severity != SCENE_MAJOR )
			hash = scene_hash_count( hash, (uint64_t)rule->severity );
		hash = scene_rules_hash_way( hash, rule );
	}
	return hash;
}
