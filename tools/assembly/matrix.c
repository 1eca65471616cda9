// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/matrix.h"

#include "model/refuse.h"
#include "model/whole_file.h"
#include "text/grow.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
	scene_model *model;
	char separator; // 0: not known yet
	char **cells;   // cells of the line
	size_t cell_count, cell_capacity;
	char **columns; // patterns of the first row
	size_t column_count;
	scene_names pairs; // two patterns, in order: the number of their rule
	char **keys;       // texts of `pairs`
	size_t key_count, key_capacity;
	int64_t line;
	dbvh_error *error;
} matrix;

static dbvh_status refuse_text( const matrix *m, const char *format, const char *what ) {
	return scene_refuse_at( m->error, DBVH_MALFORMED, m->line, format, what );
}

// ------------------------------------------------------------------------------------------------
// Lines

static bool is_separator( const matrix *m, char c ) {
	return m->separator != 0 ? c == m->separator : c == ',' || c == ';' || c == '\t';
}

static char *trim_cell( char *cell ) {
	cell += strspn( cell, " " );
	size_t length = strlen( cell );
	while ( length > 0 && cell[length - 1] == ' ' )
		cell[--length] = '\0';
	return cell;
}

// Read a cell in place: `*at` goes behind its separator, or becomes NULL at the end of the line. NULL: a quote is not
// closed.
static char *read_cell( matrix *m, char **at ) {
	char *from = *at, *to = from;
	bool is_quoted = false;
	for ( ;; ++from ) {
		if ( *from == '\0' && is_quoted )
			return NULL;
		if ( *from == '"' && is_quoted && from[1] == '"' )
			*to++ = *from++;
		else if ( *from == '"' )
			is_quoted = !is_quoted;
		else if ( *from == '\0' || ( !is_quoted && is_separator( m, *from ) ) )
			break;
		else
			*to++ = *from;
	}
	char *cell = *at;
	if ( *from != '\0' )
		m->separator = *from;
	*at = *from != '\0' ? from + 1 : NULL;
	*to = '\0';
	return trim_cell( cell );
}

static dbvh_status split_line( matrix *m, char *line ) {
	m->cell_count = 0;
	for ( char *at = line; at != NULL; ) {
		char *cell = read_cell( m, &at );
		if ( cell == NULL )
			return refuse_text( m, "%s", "a quote is not closed" );
		if ( !scene_grow( &m->cells, &m->cell_capacity, m->cell_count, sizeof *m->cells ) )
			return scene_refuse_memory( m->error );
		m->cells[m->cell_count++] = cell;
	}
	while ( m->cell_count > 1 && *m->cells[m->cell_count - 1] == '\0' )
		--m->cell_count;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Cells

static bool read_length( const char *text, double *out ) {
	return parse_real( text, out ) && isfinite( *out ) && *out >= 0.0;
}

// Read a direction along an axis, such as "+z".
static bool read_direction( const char *word, double axis[3] ) {
	if ( ( word[0] != '+' && word[0] != '-' ) || word[1] < 'x' || word[1] > 'z' || word[2] != '\0' )
		return false;
	for ( int k = 0; k < 3; ++k )
		axis[k] = k != word[1] - 'x' ? 0.0 : word[0] == '-' ? -1.0 : 1.0;
	return true;
}

// Read "1.5/0/2". The text is cut at its slashes.
static bool read_point( char *text, double point[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		char *end = strchr( text, '/' );
		if ( ( end == NULL ) != ( k == 2 ) )
			return false;
		if ( end != NULL )
			*end = '\0';
		if ( !parse_real( text, &point[k] ) || !( fabs( point[k] ) <= 1e100 ) )
			return false;
		text = end != NULL ? end + 1 : text;
	}
	return true;
}

// Read a word about the way that must be free. False where it is none.
static bool read_way_word( char *word, scene_way *way, bool *has_hinge ) {
	double degrees;
	if ( read_direction( word, way->axis ) ) {
		way->kind = way->kind == SCENE_WAY_TURN ? SCENE_WAY_TURN : SCENE_WAY_STRAIGHT;
		return true;
	}
	if ( strncmp( word, "hinge=", 6 ) == 0 )
		return *has_hinge = read_point( word + 6, way->centre );
	if ( strncmp( word, "swing=", 6 ) != 0 || !parse_real( word + 6, &degrees ) ||
	     !( degrees != 0.0 && fabs( degrees ) <= 3600.0 ) )
		return false;
	way->kind = SCENE_WAY_TURN;
	way->angle = degrees * ( 3.14159265358979323846 / 180.0 );
	return true;
}

// Do the words of a cell about its way go together? A straight way is as long as the clearance; a swing has a hinge and
// an axis.
static bool is_whole_way( const dbvh_pair_rule *rule, const scene_way *way, bool has_hinge ) {
	const bool has_axis = way->axis[0] != 0.0 || way->axis[1] != 0.0 || way->axis[2] != 0.0;
	if ( way->kind == SCENE_WAY_TURN )
		return has_axis && has_hinge && rule->clearance == 0.0;
	return !has_hinge && ( way->kind == SCENE_WAY_NONE || rule->clearance > 0.0 );
}

// Read a word of a cell that is not about a way. False where it is none.
static bool read_word( const char *word, dbvh_pair_rule *rule, scene_severity *severity ) {
	const struct {
		const char *key;
		double *value;
	} lengths[] = { { "clearance=", &rule->clearance },
	                { "gap=", &rule->touch_gap },
	                { "overlap=", &rule->touch_overlap },
	                { "depth=", &rule->allowed_depth },
	                { "volume=", &rule->allowed_volume } };
	if ( strcmp( word, "x" ) == 0 || scene_severity_read( word, severity ) )
		return true;
	rule->may_touch = rule->may_touch || strcmp( word, "touch" ) == 0;
	if ( strcmp( word, "touch" ) == 0 )
		return true;
	for ( size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i )
		if ( strncmp( word, lengths[i].key, strlen( lengths[i].key ) ) == 0 )
			return read_length( word + strlen( lengths[i].key ), lengths[i].value );
	return read_length( word, &rule->clearance );
}

static dbvh_status read_rule( const matrix *m, char *cell, dbvh_pair_rule *rule, scene_severity *severity,
                              scene_way *way ) {
	bool has_hinge = false;
	*rule = dbvh_pair_rule_default();
	*way = ( scene_way ){ 0 };
	*severity = SCENE_MAJOR;
	if ( strcmp( cell, "-" ) == 0 || strcmp( cell, "allow" ) == 0 ) {
		rule->may_collide = true;
		return DBVH_OK;
	}
	for ( char *at = cell; at != NULL; ) {
		char *word = at + strspn( at, " " );
		at = strchr( word, ' ' );
		if ( at != NULL )
			*at++ = '\0';
		if ( !read_way_word( word, way, &has_hinge ) && !read_word( word, rule, severity ) )
			return refuse_text(
			    m,
			    "'%.60s' says nothing in a cell, which is '-' (may meet), or some of: x, touch, a clearance, "
			    "gap=, overlap=, depth=, volume=, a direction such as +z, swing= with hinge=, a severity",
			    word );
	}
	if ( !is_whole_way( rule, way, has_hinge ) )
		return refuse_text(
		    m, "%s",
		    "a direction such as +z goes with a clearance, the length of the way; swing= with hinge=X/Y/Z "
		    "and the direction of its axis" );
	return DBVH_OK;
}

// `a`: the pattern of the row, whose bodies go along the way.
static bool is_same_way( const scene_rule *x, const char *a, const scene_way *way ) {
	if ( x->way.kind != way->kind || way->kind == SCENE_WAY_NONE )
		return x->way.kind == way->kind;
	bool is_same = strcmp( x->a, a ) == 0 && x->way.angle == way->angle;
	for ( int k = 0; k < 3; ++k )
		is_same = is_same && x->way.axis[k] == way->axis[k] && x->way.centre[k] == way->centre[k];
	return is_same;
}

static bool is_same_rule( const scene_rule *x, const dbvh_pair_rule *rule, scene_severity severity ) {
	const dbvh_pair_rule *y = &x->rule;
	return x->severity == severity && y->may_collide == rule->may_collide && y->may_touch == rule->may_touch &&
	       y->clearance == rule->clearance && y->touch_gap == rule->touch_gap &&
	       y->touch_overlap == rule->touch_overlap && y->allowed_depth == rule->allowed_depth &&
	       y->allowed_volume == rule->allowed_volume;
}

// The two patterns in one text, whichever comes first in the table. NULL: no memory.
static const char *key_of_pair( matrix *m, const char *a, const char *b ) {
	const bool is_turned = strcmp( a, b ) > 0;
	char *key = malloc( strlen( a ) + strlen( b ) + 2 );
	if ( key == NULL || !scene_grow( &m->keys, &m->key_capacity, m->key_count, sizeof *m->keys ) ) {
		free( key );
		return NULL;
	}
	strcpy( key, is_turned ? b : a );
	strcat( key, "\n" );
	strcat( key, is_turned ? a : b );
	m->keys[m->key_count++] = key;
	return key;
}

static dbvh_status add_cell( matrix *m, const char *a, const char *b, char *cell ) {
	dbvh_pair_rule rule;
	scene_severity severity;
	scene_way way;
	const dbvh_status status = read_rule( m, cell, &rule, &severity, &way );
	if ( status != DBVH_OK )
		return status;
	const char *key = key_of_pair( m, a, b );
	if ( key == NULL )
		return scene_refuse_memory( m->error );
	const uint32_t known = scene_names_find( &m->pairs, key );
	if ( known != SCENE_NONE )
		return is_same_rule( &m->model->rules[known], &rule, severity ) &&
		               is_same_way( &m->model->rules[known], a, &way )
		           ? DBVH_OK
		           : scene_refuse_at( m->error, DBVH_MALFORMED, m->line, "two cells of '%.60s' and '%.60s' differ", a,
		                              b );
	const uint32_t number = scene_add_rule( m->model, a, b, &rule );
	if ( number == SCENE_NONE || !scene_names_add( &m->pairs, key, number ) )
		return scene_refuse_memory( m->error );
	m->model->rules[number].severity = severity;
	m->model->rules[number].way = way;
	m->model->rules[number].line = m->line;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// The table

static dbvh_status read_columns( matrix *m ) {
	if ( m->cell_count < 2 )
		return refuse_text( m, "%s", "the first row has no patterns behind its first cell" );
	for ( size_t i = 1; i < m->cell_count; ++i )
		if ( *m->cells[i] == '\0' )
			return refuse_text( m, "%s", "a column has no pattern" );
	m->columns = malloc( m->cell_count * sizeof *m->columns );
	if ( m->columns == NULL )
		return scene_refuse_memory( m->error );
	m->column_count = m->cell_count - 1;
	memcpy( m->columns, m->cells + 1, m->column_count * sizeof *m->columns );
	return DBVH_OK;
}

static dbvh_status read_row( matrix *m ) {
	dbvh_status status = DBVH_OK;
	if ( *m->cells[0] == '\0' )
		return refuse_text( m, "%s", "a row has no pattern" );
	if ( m->cell_count > m->column_count + 1 )
		return refuse_text( m, "%s", "a row has more cells than the first one" );
	for ( size_t i = 1; i < m->cell_count && status == DBVH_OK; ++i )
		if ( *m->cells[i] != '\0' )
			status = add_cell( m, m->cells[0], m->columns[i - 1], m->cells[i] );
	return status;
}

// End the line, which a line feed, a carriage return or both end. Returns the next one, or NULL.
static char *cut_line( char *line ) {
	char *end = line + strcspn( line, "\r\n" );
	if ( *end == '\0' )
		return NULL;
	const bool is_both = end[0] == '\r' && end[1] == '\n';
	*end = '\0';
	return end + ( is_both ? 2 : 1 );
}

static dbvh_status read_table( matrix *m, char *text ) {
	dbvh_status status = DBVH_OK;
	for ( char *line = text; line != NULL && status == DBVH_OK; ) {
		char *end = cut_line( line );
		++m->line;
		if ( line[strspn( line, " \t,;" )] != '\0' && *line != '#' ) {
			status = split_line( m, line );
			if ( status == DBVH_OK )
				status = m->columns == NULL ? read_columns( m ) : read_row( m );
		}
		line = end;
	}
	if ( status == DBVH_OK && m->columns == NULL )
		status = refuse_text( m, "%s", "there is no first row" );
	return status;
}

dbvh_status scene_matrix_parse( scene_model *model, const unsigned char *bytes, size_t count, dbvh_error *error ) {
	matrix m = { .model = model, .error = error };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	char *text = scene_copy_text( bytes, count, error );
	if ( text == NULL )
		return error->status;
	const dbvh_status status = read_table( &m, text );
	scene_names_free( &m.pairs );
	for ( size_t i = 0; i < m.key_count; ++i )
		free( m.keys[i] );
	free( m.keys );
	free( m.columns );
	free( m.cells );
	free( text );
	return status;
}

dbvh_status scene_matrix_read( scene_model *model, const char *file, dbvh_error *error ) {
	size_t count;
	unsigned char *bytes;
	dbvh_status status = scene_disk_read( file, &bytes, &count, NULL, error );
	if ( status != DBVH_OK )
		return status;
	const size_t first = model->rule_count;
	status = scene_matrix_parse( model, bytes, count, error );
	for ( size_t i = first; i < model->rule_count; ++i )
		model->rules[i].file = file;
	free( bytes );
	return status;
}
