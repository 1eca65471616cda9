// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Components that meet nothing: each is inside the other mesh or outside of it as a whole.

#include "exact/box.h"
#include "math/vec.h"
#include "query/relation.h"

#include <math.h>

// A sphere about a box or a tree, in the frame of the query, rounded but never too small by more than is added in
// are_far_apart().
typedef struct ball {
	dbvhi_vec centre;
	double radius;
} ball;

static dbvhi_vec placed( const dbvhi_placed *mesh, dbvhi_vec x ) {
	if ( !mesh->moved )
		return x;
	dbvhi_vec out;
	for ( int k = 0; k < 3; ++k )
		out.v[k] = mesh->pose->rot[k][0] * x.v[0] + mesh->pose->rot[k][1] * x.v[1] + mesh->pose->rot[k][2] * x.v[2] +
		           mesh->pose->pos[k];
	return out;
}

static bool are_far_apart( const ball *a, const ball *b ) {
	const dbvhi_vec d = dbvhi_sub( a->centre, b->centre );
	const double size = fabs( a->centre.v[0] ) + fabs( a->centre.v[1] ) + fabs( a->centre.v[2] ) +
	                    fabs( b->centre.v[0] ) + fabs( b->centre.v[1] ) + fabs( b->centre.v[2] );
	// A pose stretches by some DBVH_POSE_TOLERANCE, far less than 1 %. The last term is more than what
	// denormal numbers lose, also in the volumes of a tree.
	const double reach = 1.01 * ( a->radius + b->radius ) + 0x1p-40 * size + 0x1p-1040;
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( d.v[k] ) > reach )
			return true;
	}
	return reach > 0x1p-400 && reach < 0x1p400 && dbvhi_dot( d, d ) > reach * reach;
}

static ball ball_of_component( const dbvhi_placed *mesh, size_t component ) {
	const double *box = mesh->tree->topology->bounds + 6 * component;
	dbvhi_vec middle, half;
	for ( int k = 0; k < 3; ++k ) {
		middle.v[k] = 0.5 * box[k] + 0.5 * box[3 + k];
		half.v[k] = 0.5 * box[3 + k] - 0.5 * box[k];
	}
	return ( ball ){ placed( mesh, middle ), fabs( half.v[0] ) + fabs( half.v[1] ) + fabs( half.v[2] ) };
}

static ball ball_of_tree( const dbvhi_placed *mesh ) {
	const dbvhi_node *root = &mesh->tree->nodes[0];
	return ( ball ){ placed( mesh, root->sphere_outside ), root->radius };
}

// The first triangle of a component that has an area; false if there is none.
static bool find_triangle( const dbvhi_topology *t, size_t component, uint32_t *triangle_out ) {
	size_t left = t->components[component].triangle_count;
	for ( uint32_t i = (uint32_t)t->components[component].first_triangle; left > 0; ++i ) {
		if ( t->component[i] != component )
			continue;
		left -= 1;
		if ( !t->degenerate[i] ) {
			*triangle_out = i;
			return true;
		}
	}
	return false;
}

bool dbvhi_among_sheets( const dbvhi_placed *mesh, dbvhi_corner point ) {
	const dbvhi_topology *t = mesh->tree->topology;
	return t->has_sheets && dbvhi_corner_in_box( point, t->sheet_bounds, mesh->moved, mesh->pose );
}

// Could the sheets of the other mesh hold the whole component?
static bool may_be_held( const dbvhi_relating *r, int mesh, size_t component ) {
	const dbvhi_placed *own = &r->mesh[mesh], *other = &r->mesh[!mesh];
	const dbvhi_topology *t = own->tree->topology;
	if ( !other->tree->topology->has_sheets )
		return false;
	size_t left = t->components[component].triangle_count;
	for ( size_t i = t->components[component].first_triangle; left > 0; ++i ) {
		if ( t->component[i] != component )
			continue;
		left -= 1;
		for ( size_t k = 0; k < 3; ++k ) {
			const double *p = t->position + 3 * (size_t)t->corner[3 * i + k];
			if ( !dbvhi_among_sheets( other, ( dbvhi_corner ){ p, own->moved } ) )
				return false;
		}
	}
	return true;
}

// What `met` says of a component.
enum {
	MET_NOTHING = 0, // and nothing more is known
	FOUND_OUTSIDE = 2,
};

// A sample beside a triangle, next to the middle of an edge, where few other triangles of its mesh are.
typedef struct sample {
	dbvhi_spot spot;
	dbvhi_vector along, across;
	dbvhi_vector_limbs limbs[2];
	dbvhi_probe probe;
} sample;

static void take_sample( const dbvhi_relating *r, int mesh, uint32_t triangle, sample *s ) {
	const dbvhi_placed *own = &r->mesh[mesh];
	dbvhi_target target;
	dbvhi_placed_target( own, own->tree->leaf[triangle], &target );
	dbvhi_spot_at_middle( &s->spot, &target, 0 );
	dbvhi_vector_along( &s->along, &s->limbs[0], &target, 0, 1, r->pose );
	dbvhi_vector_along( &s->across, &s->limbs[1], &target, 0, 2, r->pose );
	int axis = 0;
	while ( axis < 2 && dbvhi_vector_det3( &s->along, &s->across, &dbvhi_unit_vector[axis] ) == 0 )
		axis += 1;
	s->probe = ( dbvhi_probe ){ .spot = &s->spot,
	                            .level = { &s->across, &s->along, &dbvhi_unit_vector[axis] },
	                            .sign = { 1, 1, 1 },
	                            .level_count = 3 };
}

// One side of a component or the other is inside of its own mesh.
static void look_at_sides( dbvhi_relating *r, int mesh, sample *s, bool inside_other ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	const unsigned other_only = mesh == 0 ? DBVHI_ONLY_MOVED : DBVHI_ONLY_FIXED;
	for ( int side = 0; side < 2; ++side ) {
		s->probe.sign[2] = side == 0 ? 1 : -1;
		const bool inside_own = dbvhi_is_inside( &r->mesh[mesh], &s->probe, DBVHI_RAY_AXIS );
		if ( inside_other )
			r->known |= inside_own ? DBVHI_BOTH : other_only;
		else if ( inside_own )
			r->known |= own_only;
	}
}

// Is a component inside the other mesh? One that is outside is left for later: mostly nobody will ask.
static void look_at_component( dbvhi_relating *r, int mesh, size_t component, const ball *other_ball ) {
	const unsigned other_only = mesh == 0 ? DBVHI_ONLY_MOVED : DBVHI_ONLY_FIXED;
	const dbvhi_placed *own = &r->mesh[mesh], *other = &r->mesh[!mesh];
	const dbvhi_topology *t = own->tree->topology;
	uint32_t triangle;
	const ball own_ball = ball_of_component( own, component );
	if ( !are_far_apart( &own_ball, other_ball ) && find_triangle( t, component, &triangle ) ) {
		sample s;
		take_sample( r, mesh, triangle, &s );
		if ( r->solid[!mesh] && dbvhi_is_inside( other, &s.probe, DBVHI_RAY_AXIS ) ) {
			if ( !t->even[component] )
				r->known |= DBVHI_BOTH | other_only;
			else if ( ( r->known & DBVHI_BOTH ) == 0 || ( r->known & other_only ) == 0 )
				look_at_sides( r, mesh, &s, true );
			return;
		}
		if ( may_be_held( r, mesh, component ) )
			r->held[mesh] = true;
	}
	r->memory->met[mesh][component] = FOUND_OUTSIDE;
}

// Whether a mesh has points outside the other matters only where there are points inside both.
static void look_at_outsiders( dbvhi_relating *r, int mesh ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	const dbvhi_topology *t = r->mesh[mesh].tree->topology;
	for ( size_t c = 0; c < t->component_count && ( r->known & own_only ) == 0; ++c ) {
		uint32_t triangle;
		if ( r->memory->met[mesh][c] != FOUND_OUTSIDE || !find_triangle( t, c, &triangle ) )
			continue;
		sample s;
		if ( !t->even[c] ) {
			r->known |= own_only;
		} else {
			take_sample( r, mesh, triangle, &s );
			look_at_sides( r, mesh, &s, false );
		}
	}
}

void dbvhi_relate_parts( dbvhi_relating *r ) {
	const ball ball_fixed = ball_of_tree( &r->mesh[0] ), ball_moved = ball_of_tree( &r->mesh[1] );
	if ( are_far_apart( &ball_fixed, &ball_moved ) )
		return; // nothing is inside both
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		const dbvhi_topology *t = r->mesh[mesh].tree->topology;
		const ball other = mesh == 0 ? ball_moved : ball_fixed;
		for ( size_t c = 0; c < t->component_count && !dbvhi_relating_done( r ); ++c ) {
			if ( r->memory->met[mesh][c] == MET_NOTHING )
				look_at_component( r, mesh, c, &other );
		}
	}
	for ( int mesh = 0; mesh < 2 && ( r->known & DBVHI_BOTH ) != 0; ++mesh )
		look_at_outsiders( r, mesh );
}
