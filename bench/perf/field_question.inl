// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The query of bench/perf/field.c for one instruction set: FIELD_NAME( x ) is x for that set. The compiler vectorises
// the loops.

// The spheres that may reach A. Outside of the grid, the way to it and the bound where that ends are the legs of a
// right angle or less.
static inline uint32_t FIELD_NAME( near_lanes )( const question *q, const sphere_vector *s ) {
	const field *f = q->field;
	const int32_t nx = f->cells[0], ny = f->cells[1];
	uint32_t lanes = 0;
	for ( int i = 0; i < LANES; ++i ) {
		float at[3], outside = 0.0f;
		int32_t cell[3];
		for ( int k = 0; k < 3; ++k ) {
			const float p = q->rot[k][0] * s->centre[0][i] + q->rot[k][1] * s->centre[1][i] +
			                q->rot[k][2] * s->centre[2][i] + q->pos[k];
			const float low = p < 0.0f ? 0.0f : p, inside = low > q->size[k] ? q->size[k] : low;
			outside += ( p - inside ) * ( p - inside );
			cell[k] = (int32_t)( inside > q->last[k] ? q->last[k] : inside );
			at[k] = inside - ( (float)cell[k] + 0.5f );
		}
		const uint32_t word = f->word[cell[0] + nx * ( cell[1] + ny * cell[2] )];
		float bound = (float)(int32_t)( word >> 21 ) * BOUND_STEP + BOUND_LEAST;
		for ( int k = 0; k < 3; ++k )
			bound += ( (float)(int32_t)( word >> ( 14 - 7 * k ) & 127 ) / (float)GRADIENT_STEPS - 1.0f ) * at[k];
		bound = bound > 0.0f ? bound : 0.0f;
		const float reach = s->radius[i] * q->stretch + q->margin;
		const int is_near = ( s->radius[i] >= 0.0f ) & ( bound * bound + outside <= reach * reach );
		lanes |= is_near ? 1u << i : 0u;
	}
	return lanes;
}

static bool FIELD_NAME( is_far )( const question *q ) {
	const sphere_vector *vector = q->probe->vector;
	uint32_t left[LANES], left_of[LANES], count = 0, sum = 0;
	for ( uint32_t lanes = FIELD_NAME( near_lanes )( q, vector ); lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t v = 1 + (uint32_t)__builtin_ctz( lanes );
		left[count] = FIELD_NAME( near_lanes )( q, vector + v );
		left_of[count] = 1 + 16 * v;
		sum += (uint32_t)__builtin_popcount( left[count] );
		count += left[count] != 0;
		if ( sum > MOST_LEFT )
			return false;
	}
	for ( uint32_t i = 0; i < count; ++i ) {
		for ( uint32_t lanes = left[i]; lanes != 0; lanes &= lanes - 1 ) {
			if ( FIELD_NAME( near_lanes )( q, vector + left_of[i] + __builtin_ctz( lanes ) ) != 0 )
				return false;
		}
	}
	return true;
}
