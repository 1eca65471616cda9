// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Components: closed surfaces of positive volume, each with the cavities in it, and their kinds.

#include "base/sort.h"
#include "base/union_find.h"
#include "query/overlap/overlap.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Cavities

// 1 for an outer surface, -1 for a cavity, 0 if that is not certain.
static int way_of( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs ) {
	const double error = dbvhi_moments_volume_error( o, m, in_pairs ) + fabs( m->volume.value.lo );
	return m->volume.value.hi > error ? 1 : m->volume.value.hi < -error ? -1 : 0;
}

// May one surface be inside the other, by their boxes?
static bool may_enclose( const dbvhi_moments *outer, const dbvhi_moments *inner ) {
	for ( int k = 0; k < 3; ++k ) {
		const double slack = 2.0 * ( outer->box_error + inner->box_error );
		if ( outer->box_min[k] > inner->box_min[k] + slack || outer->box_max[k] < inner->box_max[k] - slack )
			return false;
	}
	return true;
}

// True if no other surface can enclose this one, so that it is no cavity, however thin it is.
static bool is_alone( const dbvh_overlap *o, uint32_t surface ) {
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		if ( i != surface && may_enclose( &o->moments[i], &o->moments[surface] ) )
			return false;
	}
	return true;
}

static void to_unit( const dbvh_overlap *o, dbvhi_node_id node, const double from[3], double out[3] ) {
	const double scale = ldexp( 1.0, -o->exponent );
	dbvhi_node_position( o, node, out );
	for ( int k = 0; k < 3; ++k )
		out[k] = scale * out[k] - from[k];
}

// The angle that a triangle takes up seen from the origin (Van Oosterom and Strackee 1983).
static double solid_angle( const double p[3], const double q[3], const double r[3] ) {
	const double lp = sqrt( p[0] * p[0] + p[1] * p[1] + p[2] * p[2] ),
	             lq = sqrt( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] ),
	             lr = sqrt( r[0] * r[0] + r[1] * r[1] + r[2] * r[2] );
	const double det = p[0] * ( q[1] * r[2] - q[2] * r[1] ) + p[1] * ( q[2] * r[0] - q[0] * r[2] ) +
	                   p[2] * ( q[0] * r[1] - q[1] * r[0] );
	const double pq = p[0] * q[0] + p[1] * q[1] + p[2] * q[2], qr = q[0] * r[0] + q[1] * r[1] + q[2] * r[2],
	             rp = r[0] * p[0] + r[1] * p[1] + r[2] * p[2];
	return 2.0 * atan2( det, lp * lq * lr + pq * lr + qr * lp + rp * lq );
}

// How often a surface goes round a node, which may be on it.
static double winding_of( const dbvh_overlap *o, uint32_t surface, dbvhi_node_id about ) {
	const double zero[3] = { 0.0, 0.0, 0.0 };
	double from[3], r[3], p[3], q[3], sum = 0.0;
	to_unit( o, about, zero, from );
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		if ( !dbvhi_face_bounds( f ) || f->start == DBVHI_NONE ||
		     o->surface_of[dbvhi_union_root( o->surface, i )] != surface )
			continue;
		const dbvhi_overlap_body *b = &o->body[f->body];
		const int sign = b->solid->side[b->cuts[f->cut].triangle];
		to_unit( o, b->outline[f->start].node, from, r );
		memcpy( p, r, sizeof p );
		for ( uint32_t k = b->outline[f->start].next; k != f->start; k = b->outline[k].next ) {
			to_unit( o, b->outline[k].node, from, q );
			sum += sign * solid_angle( r, p, q );
			memcpy( p, q, sizeof p );
		}
	}
	for ( int m = 0; m < 2; ++m ) {
		const dbvhi_overlap_body *b = &o->body[m];
		for ( size_t i = 0; i < b->inner_count; ++i ) {
			if ( o->surface_of[dbvhi_union_root( o->surface, b->inner[i].face )] != surface )
				continue;
			const uint32_t *c = b->topology->corner + 3 * (size_t)b->inner[i].triangle;
			to_unit( o, dbvhi_vertex_node( o, m, c[0] ), from, r );
			to_unit( o, dbvhi_vertex_node( o, m, c[1] ), from, p );
			to_unit( o, dbvhi_vertex_node( o, m, c[2] ), from, q );
			sum += b->solid->side[b->inner[i].triangle] * solid_angle( r, p, q );
		}
	}
	return sum / ( 4.0 * 3.14159265358979323846 );
}

// The outer surface around a cavity; DBVHI_NONE if that is not certain.
static uint32_t find_outer( dbvh_overlap *o, const int8_t *way, uint32_t cavity ) {
	uint32_t found = DBVHI_NONE, count = 0;
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		if ( way[i] > 0 && may_enclose( &o->moments[i], &o->moments[cavity] ) ) {
			found = i;
			count += 1;
		}
	}
	if ( count == 1 )
		return found;
	found = DBVHI_NONE;
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		if ( way[i] <= 0 || !may_enclose( &o->moments[i], &o->moments[cavity] ) )
			continue;
		const double winding = winding_of( o, i, o->moments[cavity].node );
		if ( fabs( winding - 1.0 ) < 0x1p-20 ) {
			if ( found != DBVHI_NONE )
				return DBVHI_NONE;
			found = i;
		} else if ( !( fabs( winding ) < 0x1p-20 ) ) {
			return DBVHI_NONE;
		}
	}
	return found;
}

// Number the components. UNDECIDED where a surface is too thin for pairs of doubles.
static dbvhi_overlap_outcome number_components( dbvh_overlap *o, bool in_pairs, size_t *count_out ) {
	*count_out = 0;
	if ( !DBVHI_ROOM( o, o->component_of, o->component_of_capacity, 2 * o->surface_count ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	int8_t *way = (int8_t *)( o->component_of + o->surface_count );
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		way[i] = (int8_t)( o->surface_count == 1 ? 1 : way_of( o, &o->moments[i], in_pairs ) );
		if ( way[i] == 0 && is_alone( o, i ) )
			way[i] = 1;
		if ( way[i] == 0 )
			return DBVHI_OVERLAP_UNDECIDED;
		o->component_of[i] = way[i] > 0 ? (uint32_t)( *count_out )++ : DBVHI_NONE;
	}
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		if ( way[i] > 0 )
			continue;
		if ( !dbvhi_overlap_expand( o ) )
			return DBVHI_OVERLAP_NO_MEMORY;
		const uint32_t outer = find_outer( o, way, i );
		if ( outer == DBVHI_NONE )
			return DBVHI_OVERLAP_UNDECIDED;
		o->component_of[i] = o->component_of[outer];
	}
	return DBVHI_OVERLAP_OK;
}

// ------------------------------------------------------------------------------------------------
// Kinds

static uint32_t component_of_face( const dbvh_overlap *o, uint32_t face ) {
	return o->component_of[o->surface_of[dbvhi_union_root( o->surface, face )]];
}

// Count different values in the lower half of the keys, for each component in the upper half.
static void count_keys( dbvh_overlap *o, size_t count, int what ) {
	dbvhi_sort_u64( o->scratch, count );
	for ( size_t i = 0; i < count; ++i ) {
		if ( i > 0 && o->scratch[i] == o->scratch[i - 1] )
			continue;
		dbvh_overlap_component *c = &o->components[o->scratch[i] >> 32];
		*( what == 0 ? &c->patches_a : what == 1 ? &c->patches_b : &c->loops ) += 1;
	}
}

// `body` is the caller's: 0 A, 1 B.
static bool count_patches( dbvh_overlap *o, int body ) {
	const uint32_t m = o->swapped ? !body : (uint32_t)body;
	if ( !DBVHI_ROOM( o, o->scratch, o->scratch_capacity, o->face_count ) )
		return false;
	size_t count = 0;
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		if ( o->faces[i].body == m && o->faces[i].side == DBVHI_FACE_IN )
			o->scratch[count++] = (uint64_t)component_of_face( o, i ) << 32 | dbvhi_union_root( o->patch, i );
	}
	count_keys( o, count, body );
	return true;
}

static bool count_loops( dbvh_overlap *o ) {
	const size_t points = o->found.point_count;
	if ( !DBVHI_ROOM( o, o->seam, o->seam_capacity, points ) ||
	     !DBVHI_ROOM( o, o->scratch, o->scratch_capacity, o->body[0].outline_count ) )
		return false;
	for ( uint32_t i = 0; i < points; ++i )
		o->seam[i] = i;
	for ( size_t i = 0; i < o->segment_count; ++i ) {
		if ( o->segments[i].seam )
			dbvhi_union_join( o->seam, o->segments[i].from, o->segments[i].to );
	}
	size_t count = 0;
	for ( size_t i = 0; i < o->body[0].outline_count; ++i ) {
		const dbvhi_outline *piece = &o->body[0].outline[i];
		if ( piece->segment != DBVHI_NONE && o->segments[piece->segment].seam &&
		     dbvhi_face_bounds( &o->faces[piece->face] ) )
			o->scratch[count++] = (uint64_t)component_of_face( o, piece->face ) << 32 |
			                      dbvhi_union_root( o->seam, o->segments[piece->segment].from );
	}
	count_keys( o, count, 2 );
	return true;
}

static dbvh_overlap_kind kind_of( const dbvh_overlap_component *c ) {
	if ( c->patches_a == 0 || c->patches_b == 0 )
		return c->patches_a != 0   ? DBVH_OVERLAP_KIND_A_IN_B
		       : c->patches_b != 0 ? DBVH_OVERLAP_KIND_B_IN_A
		                           : DBVH_OVERLAP_KIND_DUPLICATE;
	if ( c->patches_a > 1 )
		return c->patches_b > 1 ? DBVH_OVERLAP_KIND_MUTUAL : DBVH_OVERLAP_KIND_B_PIERCES_A;
	return c->patches_b > 1 ? DBVH_OVERLAP_KIND_A_PIERCES_B : DBVH_OVERLAP_KIND_PROTRUSION;
}

static dbvh_overlap_kind kind_of_all( const dbvh_overlap *o, size_t count ) {
	if ( count == 0 )
		return o->found.contact_count > 0 ? DBVH_OVERLAP_KIND_TOUCHING : DBVH_OVERLAP_KIND_NONE;
	bool outside[2] = { o->body[0].any_outside, o->body[1].any_outside }, inside[2] = { false, false };
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		outside[f->body] = outside[f->body] || f->side == DBVHI_FACE_OUT || f->side == DBVHI_FACE_OPPOSITE;
		inside[f->body] = inside[f->body] || f->side == DBVHI_FACE_IN;
	}
	const bool is_first = !outside[0] && !inside[1], is_second = !outside[1] && !inside[0];
	if ( is_first && is_second )
		return DBVH_OVERLAP_KIND_DUPLICATE;
	if ( is_first || is_second )
		return is_first != o->swapped ? DBVH_OVERLAP_KIND_A_IN_B : DBVH_OVERLAP_KIND_B_IN_A;
	bool a_pierces = false, b_pierces = false;
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_overlap_kind kind = o->components[i].kind;
		a_pierces = a_pierces || kind == DBVH_OVERLAP_KIND_A_PIERCES_B || kind == DBVH_OVERLAP_KIND_MUTUAL;
		b_pierces = b_pierces || kind == DBVH_OVERLAP_KIND_B_PIERCES_A || kind == DBVH_OVERLAP_KIND_MUTUAL;
	}
	if ( a_pierces )
		return b_pierces ? DBVH_OVERLAP_KIND_MUTUAL : DBVH_OVERLAP_KIND_A_PIERCES_B;
	return b_pierces ? DBVH_OVERLAP_KIND_B_PIERCES_A : DBVH_OVERLAP_KIND_PROTRUSION;
}

// ------------------------------------------------------------------------------------------------

static dbvhi_moments moments_of( const dbvh_overlap *o, uint32_t component, uint32_t *shells ) {
	dbvhi_moments sum = { .node = DBVHI_NONE };
	for ( uint32_t i = 0; i < o->surface_count; ++i ) {
		if ( component != DBVHI_NONE && o->component_of[i] != component )
			continue;
		*shells += 1;
		if ( *shells == 1 )
			sum = o->moments[i];
		else
			dbvhi_moments_join( &sum, &o->moments[i] );
	}
	return sum;
}

static bool fill_components( dbvh_overlap *o, size_t count, bool in_pairs ) {
	if ( !DBVHI_ROOM( o, o->components, o->component_capacity, count ) )
		return false;
	for ( uint32_t i = 0; i < count; ++i ) {
		dbvh_overlap_component *c = &o->components[i];
		*c = ( dbvh_overlap_component ){ .shells = 0 };
		const dbvhi_moments m = moments_of( o, i, &c->shells );
		dbvhi_moments_close( o, &m, in_pairs, &c->measure );
		dbvhi_node_in_a( o, m.node, c->point );
	}
	if ( !count_patches( o, 0 ) || !count_patches( o, 1 ) || !count_loops( o ) )
		return false;
	for ( size_t i = 0; i < count; ++i )
		o->components[i].kind = kind_of( &o->components[i] );
	return true;
}

static dbvhi_overlap_outcome sum_once( dbvh_overlap *o, bool in_pairs, size_t *count_out,
                                       dbvh_overlap_result *result ) {
	dbvhi_overlap_outcome outcome = dbvhi_overlap_sum( o, in_pairs );
	if ( outcome != DBVHI_OVERLAP_OK || o->surface_count == 0 )
		return outcome;
	uint32_t shells = 0;
	const dbvhi_moments all = moments_of( o, DBVHI_NONE, &shells );
	dbvhi_moments_close( o, &all, in_pairs, &result->measure );
	return number_components( o, in_pairs, count_out );
}

dbvhi_overlap_outcome dbvhi_overlap_components( dbvh_overlap *o, double relative_width, dbvh_overlap_result *result ) {
	size_t count = 0;
	bool in_pairs = false;
	dbvhi_overlap_outcome outcome = sum_once( o, false, &count, result );
	const dbvh_interval v = result->measure.volume;
	if ( outcome == DBVHI_OVERLAP_UNDECIDED ||
	     ( outcome == DBVHI_OVERLAP_OK && v.upper - v.lower > relative_width * v.upper ) ) {
		in_pairs = true;
		outcome = sum_once( o, true, &count, result );
	}
	if ( outcome == DBVHI_OVERLAP_UNDECIDED )
		result->reason = DBVH_OVERLAP_REASON_ARITHMETIC;
	if ( outcome != DBVHI_OVERLAP_OK )
		return outcome;
	if ( !fill_components( o, count, in_pairs ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	result->kind = kind_of_all( o, count );
	result->component_count = count;
	o->view.components = o->components;
	o->view.component_count = count;
	return DBVHI_OVERLAP_OK;
}
