// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes in blocks of sixteen for the float kernel (primitive/ellipsoid/ellipsoid_kernel.inl), and the doubles for what
// that leaves open.
//
// Margin of the floats, with u = 2^-24 and everything in units of the pack: a centre is off by u times its size, an
// entry of an axis by u, a half extent by u times itself. The image of a point of the box where the ellipsoid is the
// unit ball is a sum of such products, nine roundings deep, so it is off by at most 32 u ( | centres | + all extents )
// / shortest half length; | x |, and the distance of a plane, are read from it with as much again. 96 u is charged.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "primitive/ellipsoid/ellipsoid.h"
#include "primitive/ellipsoid/ellipsoid_kernel.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

struct dbvh_obb_pack {
	dbvh_allocator allocator;
	size_t count, block_count;
	dbvh_obb *boxes;
	dbvhi_obb_block *blocks;
	double origin[3];
	double factor;  // scale of lengths, 2^k
	double largest; // largest | centre | + sum of half extents of a box, scaled
};

static void fill_block( const dbvh_obb_pack *pack, size_t block ) {
	dbvhi_obb_block *out = &pack->blocks[block];
	for ( size_t lane = 0; lane < 16; ++lane ) {
		// The last box fills what is left over.
		const size_t at = 16 * block + lane;
		const dbvh_obb *b = &pack->boxes[at < pack->count ? at : pack->count - 1];
		for ( int k = 0; k < 3; ++k ) {
			out->centre[k][lane] = (float)( ( b->centre[k] - pack->origin[k] ) * pack->factor );
			out->half[k][lane] = (float)( b->half[k] * pack->factor );
			for ( int c = 0; c < 3; ++c )
				out->axes[k][c][lane] = (float)b->axis[k][c];
		}
	}
}

static void measure_boxes( dbvh_obb_pack *pack ) {
	double low[3], high[3], most = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = high[k] = pack->boxes[0].centre[k];
		for ( size_t i = 0; i < pack->count; ++i ) {
			low[k] = fmin( low[k], pack->boxes[i].centre[k] );
			high[k] = fmax( high[k], pack->boxes[i].centre[k] );
		}
		pack->origin[k] = 0.5 * ( low[k] + high[k] );
	}
	for ( size_t i = 0; i < pack->count; ++i ) {
		double size = 0.0;
		for ( int k = 0; k < 3; ++k )
			size += fabs( pack->boxes[i].centre[k] - pack->origin[k] ) + pack->boxes[i].half[k];
		most = fmax( most, size );
	}
	int exponent = 0;
	frexp( most, &exponent );
	pack->factor = ldexp( 1.0, -exponent );
	pack->largest = most * pack->factor;
}

static DBVHI_NOINLINE_FP dbvh_status do_obb_pack_create( const dbvh_obb *boxes, size_t count,
                                                         const dbvh_allocator *allocator, dbvh_obb_pack **pack_out,
                                                         dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( pack_out, sizeof *pack_out, "pack_out", error ) );
	if ( boxes == NULL )
		return dbvhi_error_null( error, "boxes" );
	if ( count == 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "count is 0: there are no boxes" );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_status status = dbvhi_volume_check( boxes[i].centre, boxes[i].axis, boxes[i].half );
		if ( status != DBVH_OK ) {
			if ( error != NULL )
				error->element = (int64_t)i;
			return dbvhi_volume_blame( status, "boxes", i, error );
		}
	}
	dbvh_allocator a;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &a, error ) );
	dbvh_obb_pack *pack = dbvhi_alloc( &a, 1, sizeof *pack );
	if ( pack == NULL )
		return DBVH_OUT_OF_MEMORY;
	*pack = ( dbvh_obb_pack ){ .allocator = a, .count = count, .block_count = ( count - 1 ) / 16 + 1 };
	pack->boxes = dbvhi_alloc( &a, count, sizeof( dbvh_obb ) );
	pack->blocks = dbvhi_alloc( &a, pack->block_count, sizeof( dbvhi_obb_block ) );
	if ( pack->boxes == NULL || pack->blocks == NULL ) {
		dbvh_obb_pack_destroy( pack );
		return DBVH_OUT_OF_MEMORY;
	}
	memcpy( pack->boxes, boxes, count * sizeof( dbvh_obb ) );
	measure_boxes( pack );
	for ( size_t block = 0; block < pack->block_count; ++block )
		fill_block( pack, block );
	*pack_out = pack;
	return DBVH_OK;
}

dbvh_status dbvh_obb_pack_create( const dbvh_obb *boxes, size_t count, const dbvh_allocator *allocator,
                                  dbvh_obb_pack **pack_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_obb_pack_create( boxes, count, allocator, pack_out, error ) ) );
}

void dbvh_obb_pack_destroy( dbvh_obb_pack *pack ) {
	if ( pack == NULL )
		return;
	const dbvh_allocator allocator = pack->allocator;
	dbvhi_free( &allocator, pack->boxes, pack->count, sizeof( dbvh_obb ) );
	dbvhi_free( &allocator, pack->blocks, pack->block_count, sizeof( dbvhi_obb_block ) );
	dbvhi_free( &allocator, pack, 1, sizeof *pack );
}

// The ellipsoid in the pack's units. False where floats are of no use for it.
static bool to_units_of_pack( const dbvh_obb_pack *pack, const dbvh_ellipsoid *e, dbvhi_ellipsoid_run *run ) {
	double size = pack->largest, shortest = INFINITY, longest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double centre = ( e->centre[k] - pack->origin[k] ) * pack->factor, half = e->half[k] * pack->factor;
		run->centre[k] = (float)centre;
		run->half[k] = (float)half;
		run->inverse[k] = (float)( 1.0 / half );
		for ( int c = 0; c < 3; ++c )
			run->axes[k][c] = (float)e->axis[k][c];
		size += fabs( centre ) + half;
		shortest = fmin( shortest, half );
		longest = fmax( longest, half );
	}
	// The axes of both may deviate by 2^-30.
	const double margin = ( 96.0 * 0x1p-24 + 8.0 * 0x1p-30 ) * size / shortest;
	if ( !( margin < 0.25 ) )
		return false;
	// Rounded towards the cautious side by far more than a conversion to float is off.
	const double near = shortest * ( 1.0 - margin ), far = longest + shortest * margin;
	run->near_square = (float)( near * near * ( 1.0 - 0x1p-20 ) );
	run->far_square = (float)( far * far * ( 1.0 + 0x1p-20 ) );
	run->inner_square = (float)( ( 1.0 - margin ) * ( 1.0 - margin ) * ( 1.0 - 0x1p-20 ) );
	run->outer_square = (float)( ( 1.0 + margin ) * ( 1.0 + margin ) * ( 1.0 + 0x1p-20 ) );
	return true;
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_meets_obb_pack( const dbvh_ellipsoid *ellipsoid,
                                                                  const dbvh_obb_pack *pack, uint8_t *intersect_out,
                                                                  dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( ellipsoid == NULL || pack == NULL || intersect_out == NULL )
		return dbvhi_error_null( error, ellipsoid == NULL ? "ellipsoid" : pack == NULL ? "pack" : "intersect_out" );
	const dbvh_status status = dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half );
	if ( status != DBVH_OK )
		return dbvhi_volume_blame( status, "ellipsoid", SIZE_MAX, error );
	dbvhi_ellipsoid_run run;
	if ( !to_units_of_pack( pack, ellipsoid, &run ) ) {
		for ( size_t i = 0; i < pack->count; ++i )
			intersect_out[i] = dbvhi_ellipsoid_descent( ellipsoid, &pack->boxes[i] );
		return DBVH_OK;
	}
	dbvhi_ellipsoid_kernel *kernel = dbvhi_ellipsoid_kernel_table[dbvhi_isa_level()];
	enum { CHUNK = 64 };
	uint16_t meet[CHUNK], open[CHUNK];
	run.meet = meet;
	run.open = open;
	for ( size_t first = 0; first < pack->block_count; first += CHUNK ) {
		run.blocks = pack->blocks + first;
		run.block_count = pack->block_count - first < CHUNK ? pack->block_count - first : CHUNK;
		kernel( &run );
		for ( size_t block = 0; block < run.block_count; ++block ) {
			const size_t at = 16 * ( first + block ), lanes = pack->count - at < 16 ? pack->count - at : 16;
			// A byte a lane, eight at a time, and then those that are open.
			for ( size_t lane = 0; lane < lanes; ++lane )
				intersect_out[at + lane] = meet[block] >> lane & 1;
			for ( uint32_t left = open[block]; left != 0; left &= left - 1 ) {
				const size_t lane = (size_t)__builtin_ctz( left );
				if ( lane < lanes )
					intersect_out[at + lane] = dbvhi_ellipsoid_descent( ellipsoid, &pack->boxes[at + lane] );
			}
		}
	}
	return DBVH_OK;
}

dbvh_status dbvh_ellipsoid_obb_intersect_batch( const dbvh_ellipsoid *ellipsoid, const dbvh_obb_pack *pack,
                                                uint8_t *intersect_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_ellipsoid_meets_obb_pack(
	                                                                    ellipsoid, pack, intersect_out, error ) ) );
}
