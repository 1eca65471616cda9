// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Components that intersect nothing: each is inside the other mesh or outside of it as a whole. Also, components that
// open components of the other mesh might enclose.

#include "exact/point_in_box.h"
#include "query/relation/ball.h"
#include "query/relation/relation.h"

static dbvhi_ball ball_of_component( const dbvhi_placed *mesh, size_t component ) {
	return dbvhi_ball_of_box( mesh, mesh->tree->topology->bounds + 6 * component );
}

// Get the next triangle of a component that has an area and is no copy: the first one after *at, UINT32_MAX at the
// beginning. Returns false after the last.
static bool next_triangle( const dbvhi_topology *t, size_t component, uint32_t *at, size_t *left ) {
	uint32_t i = *at + 1;
	if ( *at == UINT32_MAX ) {
		i = (uint32_t)t->components[component].first_triangle;
		*left = t->components[component].triangle_count;
	}
	for ( ; *left > 0; ++i ) {
		DBVHI_ASSERT( i < t->triangle_count );
		if ( t->component[i] != component )
			continue;
		*left -= 1;
		if ( !t->degenerate[i] && t->winding[i] != DBVHI_WINDING_COPY ) {
			*at = i;
			return true;
		}
	}
	return false;
}

static bool has_volume( const double box[6] ) {
	return box[0] < box[3] && box[1] < box[4] && box[2] < box[5];
}

bool dbvhi_among_sheets( const dbvhi_placed *mesh, dbvhi_corner point ) {
	const dbvhi_topology *t = mesh->tree->topology;
	return t->has_sheets && has_volume( t->sheet_bounds ) &&
	       dbvhi_corner_in_box( point, t->sheet_bounds, mesh->moved, mesh->pose );
}

// True if the sheets of the other mesh might enclose the whole component: it is within their bounding box.
static bool may_be_held( const dbvhi_relating *r, int mesh, size_t component ) {
	const dbvhi_placed *own = &r->mesh[mesh], *other = &r->mesh[!mesh];
	const dbvhi_topology *t = own->tree->topology;
	const dbvhi_ball own_ball = ball_of_component( own, component ),
	                 sheets = dbvhi_ball_of_box( other, other->tree->topology->sheet_bounds );
	if ( dbvhi_balls_are_apart( &own_ball, &sheets ) )
		return false;
	bool any_area = false;
	size_t left = t->components[component].triangle_count;
	for ( size_t i = t->components[component].first_triangle; left > 0; ++i ) {
		DBVHI_ASSERT( i < t->triangle_count );
		if ( t->component[i] != component )
			continue;
		left -= 1;
		any_area = any_area || !t->degenerate[i];
		for ( size_t k = 0; k < 3; ++k ) {
			const double *p = t->position + 3 * (size_t)t->corner[3 * i + k];
			if ( !dbvhi_among_sheets( other, ( dbvhi_corner ){ p, own->moved } ) )
				return false;
		}
	}
	return any_area;
}

// Flags of a component in dbvhi_relation_memory.met.
enum {
	MET = 1,     // a triangle of it intersects the other mesh
	OUTSIDE = 2, // the whole component is outside the other mesh in the first reading; next bits: other readings
	ALL_OUTSIDE = OUTSIDE * ( ( 1 << DBVHI_READINGS ) - 1 ),
	HELD_KNOWN = OUTSIDE << DBVHI_READINGS, // HELD has been computed
	HELD = HELD_KNOWN << 1,                 // may_be_held()
};

// A sample beside a triangle, near the middle of an edge, where few other triangles of its mesh are.
typedef struct sample {
	dbvhi_exact_point point;
	dbvhi_vector along, across;
	dbvhi_vector_limbs limbs[2];
	dbvhi_perturbed_point perturbed;
} sample;

static void take_sample( const dbvhi_relating *r, int mesh, uint32_t triangle, sample *s ) {
	const dbvhi_placed *own = &r->mesh[mesh];
	dbvhi_target target;
	dbvhi_placed_target( own, own->tree->leaf[triangle], &target );
	dbvhi_exact_point_at_middle( &s->point, &target, 0 );
	dbvhi_vector_along( &s->along, &s->limbs[0], &target, 0, 1, r->pose );
	dbvhi_vector_along( &s->across, &s->limbs[1], &target, 0, 2, r->pose );
	int axis = 0;
	while ( axis < 2 && dbvhi_vector_det3( &s->along, &s->across, &dbvhi_unit_vector[axis] ) == 0 )
		axis += 1;
	s->perturbed = ( dbvhi_perturbed_point ){ .point = &s->point,
	                                          .level = { &s->across, &s->along, &dbvhi_unit_vector[axis] },
	                                          .sign = { 1, 1, 1 },
	                                          .level_count = 3 };
}

// True if nothing can be learned of a component for which dbvhi_is_inside() the other mesh is `inside`.
static bool shows_nothing_new( const dbvhi_relating *r, int mesh, unsigned inside ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	for ( int k = 0; k < r->reading_count; ++k ) {
		const unsigned news = dbvhi_reads( k, !mesh, inside ) ? DBVHI_EVERYTHING & ~own_only : own_only;
		if ( ( news & r->enough & ~r->known[k] ) != 0 )
			return false;
	}
	return true;
}

// Learn of a component for which dbvhi_is_inside() the other mesh is `inside`, from samples on both sides of its
// triangles. A triangle that has its own mesh on one side alone tells all; if bodies of the mesh overlap, others may
// tell more.
static void look_at_sides( dbvhi_relating *r, int mesh, size_t component, sample *s, unsigned inside ) {
	const dbvhi_topology *t = r->mesh[mesh].tree->topology;
	const bool sheet = !t->even[component];
	uint32_t triangle = UINT32_MAX;
	size_t left;
	while ( !shows_nothing_new( r, mesh, inside ) && next_triangle( t, component, &triangle, &left ) &&
	        dbvhi_relating_charge( r, 256 ) ) {
		unsigned seen[2];
		take_sample( r, mesh, triangle, s );
		for ( int side = 0; side < 2; ++side ) {
			s->perturbed.sign[2] = side == 0 ? 1 : -1;
			seen[side] = dbvhi_relate_is_inside( r, mesh, &s->perturbed );
			dbvhi_relate_learn( r,
			                    ( unsigned[2] ){ mesh == 0 ? seen[side] : inside, mesh == 0 ? inside : seen[side] } );
		}
		if ( sheet )
			dbvhi_relate_learn_sheet( r, mesh, ( unsigned[2] ){ inside, inside }, false );
		if ( ( seen[0] ^ seen[1] ) == ( DBVHI_ENCLOSED | DBVHI_ENCLOSED_OTHERWISE ) )
			return;
	}
}

// Find whether a component is inside the other mesh. Samples of one that is outside are left for look_at_outsiders():
// mostly they do not matter.
static void look_at_component( dbvhi_relating *r, int mesh, size_t component, const dbvhi_ball *other_ball ) {
	const dbvhi_topology *t = r->mesh[mesh].tree->topology;
	uint8_t *met = &r->memory->met[mesh][component];
	uint32_t triangle = UINT32_MAX;
	size_t left;
	const dbvhi_ball own_ball = ball_of_component( &r->mesh[mesh], component );
	*met |= ALL_OUTSIDE;
	if ( !r->solid[!mesh] || dbvhi_balls_are_apart( &own_ball, other_ball ) ||
	     !next_triangle( t, component, &triangle, &left ) )
		return;
	sample s;
	take_sample( r, mesh, triangle, &s );
	const unsigned inside = dbvhi_relate_is_inside( r, !mesh, &s.perturbed );
	if ( inside == 0 )
		return;
	for ( int k = 0; k < DBVHI_READINGS; ++k ) {
		if ( dbvhi_reads( k, !mesh, inside ) )
			*met &= ( uint8_t ) ~( OUTSIDE << k );
	}
	look_at_sides( r, mesh, component, &s, inside );
}

// Take samples at components outside the other mesh. They only matter if there are points inside both.
static void look_at_outsiders( dbvhi_relating *r, int mesh ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	const dbvhi_topology *t = r->mesh[mesh].tree->topology;
	for ( size_t c = 0; c < t->component_count && !dbvhi_relating_done( r ); ++c ) {
		bool wanted = false;
		for ( int k = 0; k < r->reading_count; ++k )
			wanted = wanted || ( ( r->memory->met[mesh][c] & OUTSIDE << k ) != 0 && ( r->known[k] & DBVHI_BOTH ) != 0 &&
			                     ( r->known[k] & own_only ) == 0 );
		if ( !wanted )
			continue;
		sample s;
		unsigned inside = DBVHI_ENCLOSED | DBVHI_ENCLOSED_OTHERWISE;
		for ( int k = 0; k < DBVHI_READINGS; ++k ) {
			if ( ( r->memory->met[mesh][c] & OUTSIDE << k ) != 0 )
				inside &= ~( k == DBVHI_FIXED_OTHERWISE + !mesh ? DBVHI_ENCLOSED_OTHERWISE : DBVHI_ENCLOSED );
		}
		look_at_sides( r, mesh, c, &s, inside );
	}
}

void dbvhi_relate_itself( dbvhi_relating *r ) {
	const dbvhi_topology *t = r->mesh[0].tree->topology;
	for ( size_t c = 0; c < t->component_count && !dbvhi_relating_done( r ); ++c ) {
		uint32_t triangle = UINT32_MAX;
		size_t left;
		if ( !next_triangle( t, c, &triangle, &left ) )
			continue;
		sample s;
		take_sample( r, 0, triangle, &s );
		for ( int side = 0; side < 2; ++side ) {
			s.perturbed.sign[2] = side == 0 ? 1 : -1;
			// note: the two trees may have different fill rules.
			dbvhi_relate_learn( r, ( unsigned[2] ){ dbvhi_relate_is_inside( r, 0, &s.perturbed ),
			                                        dbvhi_relate_is_inside( r, 1, &s.perturbed ) } );
		}
	}
}

// Take samples at all triangles of the components that intersect the other mesh. If closed surfaces of a mesh overlap
// or coincide, the region beside a surface may change between inside and outside without any contact with the other
// mesh; otherwise the samples near the contact hold for the whole component.
static void look_everywhere( dbvhi_relating *r, int mesh ) {
	const dbvhi_topology *t = r->mesh[mesh].tree->topology;
	for ( uint32_t i = 0; i < t->triangle_count && !dbvhi_relating_done( r ); ++i ) {
		const uint32_t c = t->component[i];
		if ( ( r->memory->met[mesh][c] & MET ) == 0 || !t->even[c] || t->degenerate[i] ||
		     t->winding[i] == DBVHI_WINDING_COPY )
			continue;
		// note: the caller notices that the budget is spent.
		if ( !dbvhi_relating_charge( r, 256 ) )
			return;
		sample s;
		take_sample( r, mesh, i, &s );
		for ( int side = 0; side < 2; ++side ) {
			s.perturbed.sign[2] = side == 0 ? 1 : -1;
			dbvhi_relate_learn( r, ( unsigned[2] ){ dbvhi_relate_is_inside( r, 0, &s.perturbed ),
			                                        dbvhi_relate_is_inside( r, 1, &s.perturbed ) } );
		}
	}
}

void dbvhi_relate_parts( dbvhi_relating *r ) {
	const dbvhi_ball ball_fixed = dbvhi_ball_of_tree( &r->mesh[0] ), ball_moved = dbvhi_ball_of_tree( &r->mesh[1] );
	if ( dbvhi_balls_are_apart( &ball_fixed, &ball_moved ) )
		return; // nothing is inside both
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		const dbvhi_topology *t = r->mesh[mesh].tree->topology;
		const dbvhi_ball other = mesh == 0 ? ball_moved : ball_fixed;
		for ( size_t c = 0; c < t->component_count && !dbvhi_relating_done( r ); ++c ) {
			if ( r->memory->met[mesh][c] == 0 )
				look_at_component( r, mesh, c, &other );
		}
	}
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		if ( r->murky[mesh] )
			look_everywhere( r, mesh );
	}
	bool both = false;
	for ( int k = 0; k < r->reading_count; ++k )
		both = both || ( r->known[k] & DBVHI_BOTH ) != 0;
	for ( int mesh = 0; mesh < 2 && both; ++mesh )
		look_at_outsiders( r, mesh );
}

size_t dbvhi_relate_doubt( dbvhi_relating *r, int mesh, int reading ) {
	const dbvhi_topology *t = r->mesh[mesh].tree->topology, *other = r->mesh[!mesh].tree->topology;
	if ( !other->has_sheets || !has_volume( other->sheet_bounds ) )
		return SIZE_MAX;
	const bool all = ( r->known[reading] & DBVHI_BOTH ) == 0;
	for ( size_t c = 0; c < t->component_count; ++c ) {
		uint8_t *met = &r->memory->met[mesh][c];
		if ( !all && ( *met & OUTSIDE << reading ) == 0 )
			continue;
		if ( ( *met & HELD_KNOWN ) == 0 )
			*met |= (uint8_t)( HELD_KNOWN | ( may_be_held( r, mesh, c ) ? HELD : 0 ) );
		if ( ( *met & HELD ) != 0 )
			return c;
	}
	return SIZE_MAX;
}
