// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Captures: the file of one call, in words of eight bytes, the lowest byte first. code_capture() defines the words,
// their order and limits, for both writing and reading. docs/capture.md describes the file.

#include "dualbvh/capture.h"

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/hash.h"
#include "base/status.h"
#include "mesh/io/file.h"
#include "mesh/io/stream.h"
#include "mesh/view.h"

#include <string.h>

#define MAGIC UINT64_C( 0x0a70616376626461 ) // "adbvcap\n", the lowest byte first
#define VERSION 1
#define END UINT64_C( 0x646e652070616364 ) // "dcap end"

typedef struct codec {
	bool writing;
	dbvh_status status; // once it is not OK, nothing more is read or written
	dbvh_error *error;
	const dbvh_allocator *allocator;
	dbvhi_file file;
	size_t at; // offset of the next word
	uint64_t hash;
} codec;

static void refuse( codec *c, dbvh_status status, size_t byte, const char *what, const char *rule ) {
	if ( c->status != DBVH_OK )
		return;
	c->status = dbvhi_error_set( c->error, status, "%s %s", what, rule );
	if ( c->error != NULL && !c->writing )
		c->error->byte = (int64_t)byte;
}

// ------------------------------------------------------------------------------------------------
// Words

static uint64_t get_word( const uint8_t *bytes ) {
	uint64_t x = 0;
	for ( int k = 7; k >= 0; --k )
		x = x << 8 | bytes[k];
	return x;
}

static void put_word( uint8_t *bytes, uint64_t x ) {
	for ( int k = 0; k < 8; ++k )
		bytes[k] = (uint8_t)( x >> 8 * k );
}

static void word( codec *c, const char *what, uint64_t *x ) {
	if ( c->status != DBVH_OK )
		return;
	if ( c->writing ) {
		void *memory = c->file.bytes;
		if ( !dbvhi_grow( c->allocator, &memory, &c->file.capacity, c->file.count + 8, 1 ) ) {
			c->status = dbvhi_error_status( c->error, DBVH_OUT_OF_MEMORY );
			return;
		}
		c->file.bytes = memory;
		put_word( c->file.bytes + c->file.count, *x );
		c->file.count += 8;
	} else {
		if ( c->file.count - c->at < 8 ) {
			refuse( c, DBVH_TRUNCATED, c->file.count, what, "is missing: the file ends before it" );
			return;
		}
		*x = get_word( c->file.bytes + c->at );
		c->at += 8;
	}
	c->hash = dbvhi_hash_word( c->hash, *x );
}

static void real( codec *c, const char *what, double *x ) {
	uint64_t bits;
	memcpy( &bits, x, sizeof bits );
	word( c, what, &bits );
	memcpy( x, &bits, sizeof bits );
}

static void reals( codec *c, const char *what, double *x, size_t count ) {
	for ( size_t i = 0; i < count; ++i )
		real( c, what, &x[i] );
}

// Codes a whole number up to `most`; returns 0 where the file has a larger one.
static uint64_t number( codec *c, const char *what, uint64_t x, uint64_t most ) {
	word( c, what, &x );
	if ( c->status == DBVH_OK && x > most )
		refuse( c, c->writing ? DBVH_INVALID_ARGUMENT : DBVH_MALFORMED, c->at - 8, what, "is out of its range" );
	return c->status == DBVH_OK ? x : 0;
}

static void flag( codec *c, const char *what, bool *x ) {
	*x = number( c, what, *x, 1 ) != 0;
}

// ------------------------------------------------------------------------------------------------
// Meshes and trees

static bool has_room( codec *c, const char *what, uint64_t count, size_t size ) {
	if ( c->status == DBVH_OK && !c->writing && count > ( c->file.count - c->at ) / size )
		refuse( c, DBVH_TRUNCATED, c->at, what, "are missing: the file is too short for as many" );
	return c->status == DBVH_OK;
}

static void take_memory( codec *c, size_t vertex_count, size_t triangle_count, dbvh_mesh_view *view ) {
	void *const positions = dbvhi_alloc( c->allocator, vertex_count, 3 * sizeof( double ) );
	void *const indices = dbvhi_alloc( c->allocator, triangle_count, 3 * sizeof( uint32_t ) );
	if ( positions == NULL || indices == NULL ) {
		dbvhi_free( c->allocator, positions, vertex_count, 3 * sizeof( double ) );
		dbvhi_free( c->allocator, indices, triangle_count, 3 * sizeof( uint32_t ) );
		c->status = dbvhi_error_status( c->error, DBVH_OUT_OF_MEMORY );
		return;
	}
	*view = ( dbvh_mesh_view ){
	    .positions = positions, .vertex_count = vertex_count, .indices = indices, .triangle_count = triangle_count };
}

static void free_mesh( const dbvh_allocator *allocator, dbvh_mesh_view *view ) {
	dbvhi_free( allocator, (void *)view->positions, view->vertex_count, 3 * sizeof( double ) );
	dbvhi_free( allocator, (void *)view->indices, view->triangle_count, 3 * sizeof( uint32_t ) );
	*view = ( dbvh_mesh_view ){ .positions = NULL };
}

static void write_mesh( codec *c, const dbvh_mesh_view *view ) {
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		reals( c, "a vertex", p, 3 );
	}
	for ( size_t i = 0; i < dbvhi_view_triangle_count( view ); ++i ) {
		uint32_t corners[3];
		dbvhi_view_triangle( view, i, corners );
		for ( int k = 0; k < 3; ++k )
			number( c, "a corner", corners[k], UINT32_MAX );
	}
}

static void read_mesh( codec *c, size_t vertex_count, size_t triangle_count, dbvh_mesh_view *view ) {
	if ( !has_room( c, "vertices", vertex_count, 24 ) )
		return;
	const size_t begin = c->at;
	if ( triangle_count > ( c->file.count - begin - 24 * vertex_count ) / 24 )
		refuse( c, DBVH_TRUNCATED, begin, "triangles", "are missing: the file is too short for as many" );
	if ( c->status == DBVH_OK )
		take_memory( c, vertex_count, triangle_count, view );
	if ( c->status != DBVH_OK )
		return;
	double *const positions = (double *)view->positions;
	uint32_t *const indices = (uint32_t *)view->indices;
	reals( c, "a vertex", positions, 3 * vertex_count );
	for ( size_t i = 0; i < 3 * triangle_count; ++i )
		indices[i] = (uint32_t)number( c, "a corner of a triangle", 0, vertex_count - 1 );
	if ( c->status == DBVH_OK && dbvh_mesh_view_check( view, c->error ) != DBVH_OK )
		refuse( c, DBVH_MALFORMED, begin, "the mesh", "has a vertex that is not finite" );
}

static void code_mesh( codec *c, dbvh_mesh_view *view ) {
	const uint64_t most = DBVH_MAX_ELEMENTS;
	const uint64_t vertex_count = number( c, "the number of vertices", view->vertex_count, most );
	const uint64_t triangle_count =
	    number( c, "the number of triangles", c->writing ? dbvhi_view_triangle_count( view ) : 0, most );
	if ( c->status == DBVH_OK && ( vertex_count == 0 || triangle_count == 0 ) )
		refuse( c, DBVH_MALFORMED, c->at - 8, "the mesh", "has no triangles" );
	if ( c->status != DBVH_OK )
		return;
	if ( c->writing )
		write_mesh( c, view );
	else
		read_mesh( c, (size_t)vertex_count, (size_t)triangle_count, view );
}

static void code_options( codec *c, dbvh_tree_options *o ) {
	o->leaf_size = (uint32_t)number( c, "leaf_size", o->leaf_size, 64 );
	o->sphere_fit = (dbvh_node_sphere)number( c, "sphere_fit", (uint64_t)o->sphere_fit, DBVH_NODE_SPHERE_RITTER );
	o->box_fit = (dbvh_box_fit)number( c, "box_fit", (uint64_t)o->box_fit, DBVH_BOX_FIT_RAPID );
	o->split = (dbvh_split)number( c, "split", (uint64_t)o->split, DBVH_SPLIT_VARIANCE );
	flag( c, "topology", &o->topology );
	o->fill = (dbvh_fill_rule)number( c, "fill", (uint64_t)o->fill, DBVH_FILL_RULE_EVEN_ODD );
	// note: one word; its upper bits are 0 in captures from before there were fragments.
	const uint64_t both = (uint64_t)o->ellipsoids | (uint64_t)o->fragments << 8;
	const uint64_t read = number( c, "ellipsoids or fragments", both, DBVH_FRAGMENTS_NONE << 8 | 0xff );
	if ( c->status == DBVH_OK && ( read & 0xff ) > DBVH_ELLIPSOIDS_ALL )
		refuse( c, DBVH_MALFORMED, c->at - 8, "ellipsoids", "are of no kind there is" );
	o->ellipsoids = (dbvh_ellipsoids)( read & 0xff );
	o->fragments = (dbvh_fragments)( read >> 8 );
}

// ------------------------------------------------------------------------------------------------
// The call

static bool has_two_meshes( dbvh_capture_call call ) {
	return call <= DBVH_CAPTURE_CALL_CONTACTS;
}

static void code_pose( codec *c, dbvh_pose *pose ) {
	reals( c, "a pose", &pose->rot[0][0], 9 );
	reals( c, "a pose", pose->pos, 3 );
}

static void code_motion( codec *c, dbvh_motion *motion ) {
	code_pose( c, &motion->from );
	reals( c, "a motion", motion->shift, 3 );
	reals( c, "a motion", motion->centre, 3 );
	reals( c, "a motion", motion->axis, 3 );
	real( c, "a motion", &motion->angle );
}

static void code_place( codec *c, dbvh_capture_call call, bool *placed, dbvh_pose *pose, dbvh_motion *motion ) {
	flag( c, "whether there is a pose", placed );
	if ( *placed && call == DBVH_CAPTURE_CALL_TIME_OF_IMPACT )
		code_motion( c, motion );
	else if ( *placed )
		code_pose( c, pose );
}

static dbvh_find code_find( codec *c, dbvh_find find ) {
	return (dbvh_find)number( c, "find", (uint64_t)find, DBVH_FIND_CLOSEST );
}

static dbvh_policy code_policy( codec *c, dbvh_policy policy ) {
	return (dbvh_policy)number( c, "policy", (uint64_t)policy, DBVH_POLICY_PACKED_MIXED );
}

static void code_query( codec *c, dbvh_capture *x ) {
	switch ( x->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		x->collide.find = code_find( c, x->collide.find );
		x->collide.policy = code_policy( c, x->collide.policy );
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		real( c, "max_distance", &x->clearance.max_distance );
		x->clearance.find = code_find( c, x->clearance.find );
		x->clearance.policy = code_policy( c, x->clearance.policy );
		break;
	case DBVH_CAPTURE_CALL_DISTANCE:
		real( c, "relative_error", &x->distance.relative_error );
		real( c, "absolute_error", &x->distance.absolute_error );
		real( c, "limit", &x->distance.limit );
		x->distance.policy = code_policy( c, x->distance.policy );
		break;
	case DBVH_CAPTURE_CALL_RELATE:
		real( c, "touch_gap", &x->relate.touch_gap );
		real( c, "touch_overlap", &x->relate.touch_overlap );
		flag( c, "open_holds_nothing", &x->relate.open_holds_nothing );
		break;
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT:
		real( c, "tolerance", &x->toi.tolerance );
		real( c, "start", &x->toi.start );
		x->toi.policy = code_policy( c, x->toi.policy );
		break;
	case DBVH_CAPTURE_CALL_CONTACTS:
		break;
	case DBVH_CAPTURE_CALL_RAYCAST:
		x->raycast.find = code_find( c, x->raycast.find );
		reals( c, "the ray", x->ray.from, 3 );
		reals( c, "the ray", x->ray.direction, 3 );
		break;
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		x->raycast.find = code_find( c, x->raycast.find );
		reals( c, "the segment", x->segment.from, 3 );
		reals( c, "the segment", x->segment.to, 3 );
		break;
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
		real( c, "limit", &x->closest_point.limit );
		reals( c, "the point", x->point, 3 );
		break;
	}
}

static void code_answer( codec *c, dbvh_capture_answer *a ) {
	flag( c, "whether there is an answer", &a->known );
	if ( !a->known )
		return;
	a->status = (dbvh_status)number( c, "the status", (uint64_t)a->status, DBVH_STATUS_COUNT - 1 );
	word( c, "the verdict", &a->verdict );
	word( c, "the count", &a->count );
	a->first.a = (uint32_t)number( c, "the first pair", a->first.a, UINT32_MAX );
	a->first.b = (uint32_t)number( c, "the first pair", a->first.b, UINT32_MAX );
	real( c, "the value", &a->value );
	real( c, "the upper bound", &a->upper );
	word( c, "the hash", &a->hash );
}

static void code_capture( codec *c, dbvh_capture *x ) {
	uint64_t magic = MAGIC, version = VERSION, end = END;
	word( c, "the mark at the beginning", &magic );
	if ( c->status == DBVH_TRUNCATED || magic != MAGIC ) {
		c->status = DBVH_OK;
		refuse( c, DBVH_UNKNOWN_FORMAT, 0, "the file", "is no capture: it does not begin as one" );
	}
	word( c, "the version", &version );
	if ( c->status == DBVH_OK && version != VERSION )
		refuse( c, DBVH_UNKNOWN_FORMAT, 8, "the version of the capture", "is not 1, which this library reads" );
	x->call = (dbvh_capture_call)number( c, "the call", (uint64_t)x->call, DBVH_CAPTURE_CALL_SELF_COLLIDE );
	code_options( c, &x->options_a );
	code_mesh( c, &x->mesh_a );
	if ( has_two_meshes( x->call ) ) {
		bool same = c->writing && x->mesh_b.positions == NULL;
		flag( c, "whether B is A", &same );
		if ( !same ) {
			code_options( c, &x->options_b );
			code_mesh( c, &x->mesh_b );
		}
	}
	if ( x->call != DBVH_CAPTURE_CALL_SELF_COLLIDE )
		code_place( c, x->call, &x->placed_a, &x->pose_a, &x->motion_a );
	if ( has_two_meshes( x->call ) )
		code_place( c, x->call, &x->placed_b, &x->pose_b, &x->motion_b );
	code_query( c, x );
	code_answer( c, &x->answer );
	uint64_t hash = c->hash;
	word( c, "the checksum", &hash );
	word( c, "the mark at the end", &end );
}

const char *dbvh_capture_call_name( dbvh_capture_call call ) {
	static const char *const names[] = { "collide",  "clearance", "distance",     "relate",        "time of impact",
	                                     "contacts", "raycast",   "segment cast", "closest point", "self collide" };
	return (unsigned)call < sizeof names / sizeof names[0] ? names[call] : "?";
}

// ------------------------------------------------------------------------------------------------
// Files

static DBVHI_NOINLINE_FP dbvh_status do_capture_save( const dbvh_capture *capture, const char *path,
                                                      dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( capture == NULL )
		return dbvhi_error_null( error, "capture" );
	if ( path == NULL )
		return dbvhi_error_null( error, "path" );
	dbvh_status status = dbvh_mesh_view_check( &capture->mesh_a, error );
	if ( status == DBVH_OK && has_two_meshes( capture->call ) && capture->mesh_b.positions != NULL )
		status = dbvh_mesh_view_check( &capture->mesh_b, error );
	dbvh_allocator allocator;
	if ( status == DBVH_OK )
		status = dbvhi_allocator_take( NULL, &allocator, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_capture copy = *capture;
	codec c = { .writing = true, .error = error, .allocator = &allocator, .hash = DBVHI_HASH_SEED };
	code_capture( &c, &copy );
	if ( c.status == DBVH_OK )
		c.status = dbvhi_file_write( path, c.file.bytes, c.file.count, error );
	dbvhi_file_free( &c.file, &allocator );
	return c.status;
}

dbvh_status dbvh_capture_save( const dbvh_capture *capture, const char *path, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capture_save( capture, path, error ) );
}

// A capture with its allocator.
typedef struct loaded {
	dbvh_capture capture; // first, so that a pointer to it is one to the whole
	dbvh_allocator allocator;
} loaded;

// Checks that the file ends with the checksum of all words before it and the end mark.
static void check_end( codec *c ) {
	if ( c->status != DBVH_OK )
		return;
	if ( c->at != c->file.count || get_word( c->file.bytes + c->at - 8 ) != END ) {
		refuse( c, DBVH_MALFORMED, c->at - 8, "the capture", "does not end where it should" );
		return;
	}
	uint64_t hash = DBVHI_HASH_SEED;
	for ( size_t i = 0; i < c->at - 16; i += 8 )
		hash = dbvhi_hash_word( hash, get_word( c->file.bytes + i ) );
	if ( hash != get_word( c->file.bytes + c->at - 16 ) )
		refuse( c, DBVH_MALFORMED, c->at - 16, "the checksum", "is not that of the file: it was damaged" );
}

static dbvh_status decode( dbvhi_file file, const dbvh_allocator *allocator, dbvh_capture **capture_out,
                           dbvh_error *error ) {
	loaded *const l = dbvhi_alloc( allocator, 1, sizeof *l );
	if ( l == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	*l = ( loaded ){ .allocator = *allocator };
	codec c = { .error = error, .allocator = allocator, .file = file, .hash = DBVHI_HASH_SEED };
	code_capture( &c, &l->capture );
	check_end( &c );
	if ( c.status != DBVH_OK ) {
		dbvh_capture_destroy( &l->capture );
		return c.status;
	}
	dbvhi_error_clear( error );
	*capture_out = &l->capture;
	return DBVH_OK;
}

static dbvh_status take_arguments( const void *input, const char *name, const dbvh_allocator *given,
                                   dbvh_allocator *allocator, dbvh_capture **capture_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( capture_out, sizeof *capture_out, "capture_out", error ) );
	if ( input == NULL )
		return dbvhi_error_null( error, name );
	return dbvhi_allocator_take( given, allocator, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_capture_parse( const void *bytes, size_t byte_count,
                                                       const dbvh_allocator *allocator, dbvh_capture **capture_out,
                                                       dbvh_error *error ) {
	dbvh_allocator own;
	DBVHI_TRY( take_arguments( bytes, "bytes", allocator, &own, capture_out, error ) );
	return decode( ( dbvhi_file ){ .bytes = (uint8_t *)bytes, .count = byte_count }, &own, capture_out, error );
}

dbvh_status dbvh_capture_parse( const void *bytes, size_t byte_count, const dbvh_allocator *allocator,
                                dbvh_capture **capture_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capture_parse( bytes, byte_count, allocator, capture_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capture_load( const char *path, const dbvh_allocator *allocator,
                                                      dbvh_capture **capture_out, dbvh_error *error ) {
	dbvh_allocator own;
	dbvhi_file file;
	DBVHI_TRY( take_arguments( path, "path", allocator, &own, capture_out, error ) );
	DBVHI_TRY( dbvhi_file_read( path, &own, &file, error ) );
	const dbvh_status status = decode( file, &own, capture_out, error );
	dbvhi_file_free( &file, &own );
	return status;
}

dbvh_status dbvh_capture_load( const char *path, const dbvh_allocator *allocator, dbvh_capture **capture_out,
                               dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capture_load( path, allocator, capture_out, error ) );
}

void dbvh_capture_destroy( dbvh_capture *capture ) {
	if ( capture == NULL )
		return;
	loaded *const l = (loaded *)capture;
	const dbvh_allocator allocator = l->allocator;
	free_mesh( &allocator, &capture->mesh_a );
	free_mesh( &allocator, &capture->mesh_b );
	dbvhi_free( &allocator, l, 1, sizeof *l );
}
