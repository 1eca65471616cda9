// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "poses.h"

#include "args.h"
#include "command.h"
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 16384, MOST_NUMBERS = 16 };

typedef struct reader {
	FILE *file;
	const char *name;
	const pose_options *settings;
	pose_list *list;
	size_t line; // from 1; 0: not from a file
	pose_format format;
	size_t worst_line;        // of the pose that normalising moved most
	int column[MOST_NUMBERS]; // where the number of a column belongs, if a heading said so
	int column_count;         // 0: none did
	bool has_heading;
	double number[MOST_NUMBERS]; // of one pose
	char text[LINE_ROOM];
} reader;

void poses_free( pose_list *list ) {
	free( list->poses );
	*list = ( pose_list ){ 0 };
}

bool poses_append( pose_list *list, const dbvh_pose *pose ) {
	if ( list->count == list->capacity ) {
		const size_t capacity = list->capacity + list->capacity / 2 + 64;
		dbvh_pose *grown = realloc( list->poses, capacity * sizeof( *grown ) );
		if ( grown == NULL ) {
			complain( "no memory for more than %zu poses", list->count );
			return false;
		}
		list->poses = grown;
		list->capacity = capacity;
	}
	list->poses[list->count++] = *pose;
	return true;
}

static const char *const format_names[] = { "auto", "rows12", "rows16", "columns16", "t-xyzw", "t-wxyz" };
enum { FORMAT_COUNT = sizeof( format_names ) / sizeof( format_names[0] ) };

bool poses_check_options( pose_options *w, const char *command ) {
	w->format = POSES_AUTO;
	for ( int i = 0; w->format_name != NULL; ++i ) {
		if ( i == FORMAT_COUNT ) {
			args_refuse( command,
			             "there is no pose format '%s'%s; there are auto, rows12, rows16, columns16, t-xyzw, t-wxyz",
			             w->format_name, args_suggest( w->format_name, format_names, FORMAT_COUNT, "" ) );
			return false;
		}
		if ( strcmp( format_names[i], w->format_name ) == 0 ) {
			w->format = (pose_format)i;
			break;
		}
	}
	return true;
}

static bool refuse( const reader *r, const char *format, ... ) PRINTF_LIKE( 2, 3 );

static bool refuse( const reader *r, const char *format, ... ) {
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	if ( r->line > 0 )
		complain( "%s:%zu: %s", r->name, r->line, text );
	else
		complain( "%s: %s", r->name, text );
	return false;
}

typedef enum { LINE_READ, LINE_NONE, LINE_BAD } line_state;

static line_state next_line( reader *r ) {
	size_t n = 0;
	int c = getc( r->file );
	if ( c == EOF )
		return LINE_NONE;
	++r->line;
	for ( ; c != EOF && c != '\n'; c = getc( r->file ) ) {
		if ( c == '\0' ) {
			refuse( r, "there is a zero byte here: this is not a text file" );
			return LINE_BAD;
		}
		if ( n + 1 == LINE_ROOM ) {
			refuse( r, "the line is too long to be a pose" );
			return LINE_BAD;
		}
		r->text[n++] = (char)c;
	}
	r->text[n] = '\0';
	return LINE_READ;
}

// ------------------------------------------------------------------------------------------------
// A line of a table

static const char blanks[] = " \t\r\v\f";

// The next word of the line, terminated and without quotes. *at is NULL behind the last one. False after a complaint:
// there is nothing between two separators.
static bool next_word( const reader *r, char **at, char separator, char **word ) {
	char *c = *at + strspn( *at, blanks );
	*word = NULL;
	if ( *c == '\0' ) {
		*at = NULL;
		return true;
	}
	if ( *c == separator )
		return refuse( r, "there is no number before a '%c'", separator );
	*word = c;
	while ( *c != '\0' && *c != separator && strchr( blanks, *c ) == NULL )
		++c;
	char *end = c;
	c += strspn( c, blanks );
	if ( *c == separator )
		++c;
	*at = c;
	*end = '\0';
	if ( end - *word >= 2 && **word == '"' && end[-1] == '"' ) {
		end[-1] = '\0';
		++*word;
	}
	return true;
}

// Where in tx ty tz qx qy qz qw a name belongs, or -1.
static int place_of( const char *name ) {
	static const char *const names[7][3] = { { "tx", "x", "px" },  { "ty", "y", "py" },  { "tz", "z", "pz" },
	                                         { "qx", "qx", "rx" }, { "qy", "qy", "ry" }, { "qz", "qz", "rz" },
	                                         { "qw", "w", "rw" } };
	char lower[4] = "";
	for ( size_t i = 0; name[i] != '\0'; ++i ) {
		if ( i == 3 )
			return -1;
		lower[i] = (char)tolower( (unsigned char)name[i] );
	}
	for ( int i = 0; i < 7; ++i )
		for ( int k = 0; k < 3; ++k )
			if ( strcmp( lower, names[i][k] ) == 0 )
				return i;
	return -1;
}

// A heading, from its first word on. One that names the seven columns says their order; any other says nothing.
static bool read_heading( reader *r, char *word, char *at, char separator ) {
	unsigned seen = 0;
	int count = 0;
	bool known = true;
	for ( ;; ) {
		const int place = place_of( word );
		known = known && place >= 0 && count < 7 && ( seen >> place & 1 ) == 0;
		if ( known ) {
			seen |= 1u << place;
			r->column[count] = place;
		}
		++count;
		if ( !next_word( r, &at, separator, &word ) )
			return false;
		if ( word == NULL )
			break;
	}
	r->column_count = known && count == 7 ? 7 : 0;
	r->has_heading = true;
	return true;
}

// Is there no number in the rest of the line, but two names at least? One number among them, and something is mistyped.
static bool is_heading( const reader *r, const char *at, char separator ) {
	static char rest[LINE_ROOM];
	if ( at == NULL || r->line == 0 || r->has_heading || r->list->count > 0 )
		return false;
	strcpy( rest, at );
	size_t names = 1;
	for ( char *look = rest, *word; look != NULL; ++names ) {
		double x;
		look += strspn( look, blanks );
		if ( *look == separator || !next_word( r, &look, separator, &word ) || word == NULL )
			break;
		if ( parse_real( word, &x ) )
			return false;
	}
	return names > 1;
}

// The numbers of the line behind the `before` that r->number has already. *found is how many; false after a complaint.
static bool split_line( reader *r, int before, int *found ) {
	char *at = r->text;
	char *comment = strchr( at, '#' );
	if ( comment != NULL )
		*comment = '\0';
	if ( r->line == 1 && strncmp( at, "\xEF\xBB\xBF", 3 ) == 0 )
		at += 3; // a byte order mark, as some editors write
	// Where there is a semicolon, a comma would be a decimal one.
	const char separator = strchr( at, ';' ) != NULL ? ';' : ',';
	*found = 0;
	for ( ;; ) {
		char *word;
		if ( !next_word( r, &at, separator, &word ) )
			return false;
		if ( word == NULL )
			return true;
		double number;
		if ( !parse_real( word, &number ) ) {
			if ( *found == 0 && before == 0 && is_heading( r, at, separator ) )
				return read_heading( r, word, at, separator );
			return refuse( r, "'%.60s' is not a number%s", word,
			               separator == ';' && strchr( word, ',' ) != NULL ? "; decimals have a point" : "" );
		}
		if ( !isfinite( number ) )
			return refuse( r, "number %d, '%.60s', is not finite", *found + 1, word );
		if ( before + *found < MOST_NUMBERS )
			r->number[before + *found] = number;
		++*found;
	}
}

// ------------------------------------------------------------------------------------------------
// A pose

static bool check_pose( reader *r, dbvh_pose *pose ) {
	dbvh_error error;
	double deviation;
	const dbvh_status status = dbvh_pose_check( pose, &deviation, NULL );
	// What deviates by the rounding of doubles alone is left as it is.
	if ( r->settings->normalise && ( status == DBVH_NOT_RIGID || ( status == DBVH_OK && deviation > 0x1p-48 ) ) ) {
		double moved;
		if ( dbvh_pose_orthonormalise( pose, pose, &moved, NULL ) != DBVH_OK )
			return refuse( r, "the 3x3 part R is a mirror image or flat; there is no rotation near it" );
		++r->list->normalised;
		if ( moved >= r->list->largest_move ) {
			r->list->largest_move = moved;
			r->worst_line = r->line;
		}
	}
	if ( dbvh_pose_check( pose, NULL, &error ) == DBVH_OK )
		return true;
	return refuse( r, "%s%s", error.text,
	               error.status == DBVH_NOT_RIGID && deviation > DBVH_POSE_TOLERANCE
	                   ? "; --normalise takes the nearest rotation"
	                   : "" );
}

// Tells what a pose is by the numbers in its first line.
static bool find_format( reader *r, int found ) {
	if ( found == 12 ) {
		r->format = POSES_ROWS12;
	} else if ( found == 16 || found == 4 ) {
		r->format = POSES_ROWS16;
	} else if ( found == 7 ) {
		r->format = POSES_T_XYZW;
	} else {
		return refuse(
		    r,
		    "a pose is 12 numbers, the rows of [R|t]; or 16, those of the 4 x 4 matrix; or 7, tx ty tz qx qy qz "
		    "qw; there %s %d here%s",
		    found == 1 ? "is" : "are", found, found == 8 ? " (a time before the seven? Leave it out)" : "" );
	}
	return true;
}

static bool check_count( const reader *r, int found ) {
	static const int counts[FORMAT_COUNT] = { 0, 12, 16, 16, 7, 7 };
	static const char *const sentences[FORMAT_COUNT] = { "",
	                                                     "a pose is 12 numbers, the rows of [R|t]",
	                                                     "a pose is 16 numbers, the rows of the 4 x 4 matrix",
	                                                     "a pose is 16 numbers, the columns of the 4 x 4 matrix",
	                                                     "a pose is 7 numbers, tx ty tz qx qy qz qw",
	                                                     "a pose is 7 numbers, tx ty tz qw qx qy qz" };
	if ( found == counts[r->format] )
		return true;
	return refuse( r, "%s; there %s %d here", sentences[r->format], found == 1 ? "is" : "are", found );
}

static bool pose_of_matrix( reader *r, dbvh_pose *out ) {
	const double *m = r->number;
	const bool by_columns = r->format == POSES_COLUMNS16;
	for ( int i = 0; i < 4; ++i ) {
		const double last = by_columns ? m[4 * i + 3] : m[12 + i];
		if ( last == ( i == 3 ? 1.0 : 0.0 ) )
			continue;
		const bool other = by_columns ? m[12] == 0.0 && m[13] == 0.0 && m[14] == 0.0 && m[15] == 1.0
		                              : m[3] == 0.0 && m[7] == 0.0 && m[11] == 0.0 && m[15] == 1.0;
		return refuse( r, "the last row of a 4 x 4 matrix is 0 0 0 1, and here it is not%s",
		               !other       ? ""
		               : by_columns ? "; these seem to be its rows: --pose-format rows16"
		                            : "; these seem to be its columns: --pose-format columns16" );
	}
	*out = by_columns ? dbvh_pose_from_column_major( m ) : dbvh_pose_from_row_major( m );
	return true;
}

static bool pose_of_quaternion( reader *r, dbvh_pose *out ) {
	double m[7];
	for ( int i = 0; i < 7; ++i )
		m[r->column_count == 7 ? r->column[i] : i] = r->number[i];
	double xyzw[4] = { m[3], m[4], m[5], m[6] };
	if ( r->format == POSES_T_WXYZ ) {
		const double wxyz[4] = { m[4], m[5], m[6], m[3] };
		memcpy( xyzw, wxyz, sizeof xyzw );
	}
	const double length = hypot( hypot( xyzw[0], xyzw[1] ), hypot( xyzw[2], xyzw[3] ) );
	if ( !( length > 0.0 ) )
		return refuse( r, "the quaternion is zero" );
	// A quaternion is a rotation whatever its length, but one that is far from 1 is more likely something else.
	if ( !( fabs( length - 1.0 ) <= 1e-3 ) && !r->settings->normalise )
		return refuse( r,
		               "the quaternion has length %.6g instead of 1; the order is tx ty tz %s. --normalise takes it, "
		               "--pose-format says another order",
		               length, r->format == POSES_T_WXYZ ? "qw qx qy qz" : "qx qy qz qw" );
	*out = dbvh_pose_from_quaternion( xyzw, m );
	return true;
}

// The pose that begins in the line, if there is one. False after a complaint.
static bool read_pose( reader *r, dbvh_pose *out, bool *there ) {
	int found;
	*there = false;
	if ( !split_line( r, 0, &found ) )
		return false;
	if ( found == 0 )
		return true;
	if ( r->format == POSES_AUTO && !find_format( r, found ) )
		return false;
	*there = true;
	if ( r->line > 0 && found == 4 && ( r->format == POSES_ROWS16 || r->format == POSES_COLUMNS16 ) ) {
		for ( int row = 1; row < 4; ++row ) { // a matrix in four lines
			int more = 0;
			while ( more == 0 ) {
				const line_state state = next_line( r );
				if ( state == LINE_BAD )
					return false;
				if ( state == LINE_NONE )
					return refuse( r, "the file ends in row %d of a 4 x 4 matrix", row );
				if ( !split_line( r, 4 * row, &more ) )
					return false;
			}
			if ( more != 4 )
				return refuse( r, "row %d of a 4 x 4 matrix has 4 numbers; there %s %d here", row,
				               more == 1 ? "is" : "are", more );
		}
	} else if ( !check_count( r, found ) ) {
		return false;
	}
	switch ( r->format ) {
	case POSES_ROWS16:
	case POSES_COLUMNS16:
		if ( !pose_of_matrix( r, out ) )
			return false;
		break;
	case POSES_T_XYZW:
	case POSES_T_WXYZ:
		if ( !pose_of_quaternion( r, out ) )
			return false;
		break;
	default:
		*out = dbvh_pose_from_rows( r->number );
	}
	return check_pose( r, out );
}

// ------------------------------------------------------------------------------------------------
// A file

static bool read_all( reader *r ) {
	for ( ;; ) {
		const line_state state = next_line( r );
		if ( state == LINE_BAD )
			return false;
		if ( state == LINE_NONE )
			break;
		dbvh_pose pose;
		bool there;
		if ( !read_pose( r, &pose, &there ) )
			return false;
		if ( there && !poses_append( r->list, &pose ) )
			return false;
	}
	if ( ferror( r->file ) ) {
		complain( "%s: cannot be read: %s", r->name, strerror( errno ) );
		return false;
	}
	if ( r->list->count == 0 )
		complain( "%s: there is no pose in it", r->name );
	return r->list->count > 0;
}

// A word to people about what --normalise did.
static void report( const reader *r ) {
	const pose_list *list = r->list;
	if ( list->normalised == 0 || r->settings->quiet )
		return;
	if ( r->line == 0 )
		complain( "%s: the pose is normalised; no entry moved by more than %.3g", r->name, list->largest_move );
	else
		complain( "%s: %zu of %zu poses normalised; no entry moved by more than %.3g (line %zu)", r->name,
		          list->normalised, list->count, list->largest_move, r->worst_line );
}

static void begin( reader *r, const char *name, const pose_options *w, pose_list *list ) {
	*list = ( pose_list ){ 0 };
	r->name = name;
	r->settings = w;
	r->list = list;
	r->line = r->worst_line = 0;
	r->format = w->format;
	r->column_count = 0;
	r->has_heading = false;
}

bool poses_read( const char *file, const pose_options *w, pose_list *list ) {
	static reader r; // large, and there is only one at a time
	const bool standard_input = strcmp( file, "-" ) == 0;
	begin( &r, standard_input ? "standard input" : file, w, list );
	r.file = standard_input ? stdin : fopen( file, "rb" );
	if ( r.file == NULL ) {
		complain( "%s: cannot be opened: %s", file, strerror( errno ) );
		return false;
	}
	const bool good = read_all( &r );
	if ( !standard_input )
		fclose( r.file );
	if ( good )
		report( &r );
	else
		poses_free( list );
	return good;
}

// The pose in the value of an option.
static bool read_argument( const char *option, const char *text, const pose_options *w, pose_list *list ) {
	static reader r;
	begin( &r, option, w, list );
	if ( strlen( text ) >= LINE_ROOM )
		return refuse( &r, "this is too long to be a pose" );
	strcpy( r.text, text );
	for ( char *c = r.text; *c != '\0'; ++c )
		*c = *c == '\n' ? ' ' : *c;
	dbvh_pose pose;
	bool there;
	if ( !read_pose( &r, &pose, &there ) )
		return false;
	if ( !there )
		return refuse( &r, "there is no pose in it" );
	if ( !poses_append( list, &pose ) )
		return false;
	report( &r );
	return true;
}

bool pose_argument( const char *option, const char *text, const pose_options *w, pose_list *list ) {
	pose_list one;
	const bool is_file = strpbrk( text, " ,;\t\n" ) == NULL;
	bool good = is_file ? poses_read( text, w, &one ) : read_argument( option, text, w, &one );
	if ( good && one.count != 1 ) {
		complain( "%s: %s takes one pose, and there are more", text, option );
		good = false;
	}
	good = good && poses_append( list, &one.poses[0] );
	list->normalised += one.normalised;
	list->largest_move = fmax( list->largest_move, one.largest_move );
	poses_free( &one );
	return good;
}
