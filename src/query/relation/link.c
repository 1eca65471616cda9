// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Samples all round a corner. The triangles that contain the corner cut a small sphere about it in arcs, and regions of
// space in the faces between the arcs.
//
// Why the samples suffice. If arcs of the two meshes cross, triangles cross, and dbvhi_relate_crossing() has taken
// samples there. Otherwise, cut each arc at the ends of arcs of the other mesh: each piece ends at an end of an arc of
// either mesh, or is a full circle, and the regions on both sides of a piece do not change along it, as far as the
// other mesh is concerned. So samples are taken beside every arc at each of its ends, at the ends of other arcs that
// lie on it, and beside full circles.
//
// One ray from one sample is followed through the whole mesh. Other samples differ from it only by the triangles
// between them near the corner, which are counted by rays through the cones over the arcs.

#include "base/assert.h"
#include "query/relation/relation.h"

// A thin wedge of a triangle's plane at the corner: it begins at the direction u and opens towards w.
typedef struct half_plane {
	const dbvhi_vector *u, *w;
	int w_sign;
	const dbvhi_link_triangle *owner;
} half_plane;

typedef struct link {
	dbvhi_relating *r;
	const dbvhi_exact_point *point;
	dbvhi_link_triangle *triangles;
	size_t count;
	bool far_known[2];
	dbvhi_crossings far[2]; // crossings of a ray with each mesh beyond the cones
	// Sheets, if both meshes have some here: whether those of a mesh part the neighbourhood in two, and on which sides
	// of them (bits 1 and 2) sheets of the other mesh have been seen.
	bool parts[2], both_sheets;
	unsigned sides[2];
} link;

static int vector_count( const dbvhi_link_triangle *t ) {
	return t->feature < 3 ? 2 : 3;
}

// The number of vectors that are ends of the triangle's arc.
static int end_count( const dbvhi_link_triangle *t ) {
	return t->feature < DBVHI_FACE ? 2 : 0;
}

void dbvhi_link_make_vectors( dbvhi_link_triangle *t, const dbvhi_relating *r ) {
	DBVHI_ASSERT( t->feature >= 0 && t->feature <= DBVHI_FACE );
	dbvhi_target target;
	dbvhi_placed_target( &r->mesh[t->mesh], t->leaf, &target );
	int from[3] = { 0, 1, 2 }, to[3] = { 1, 2, 0 };
	if ( t->feature < 3 ) {
		from[0] = from[1] = t->feature;
		to[0] = ( t->feature + 1 ) % 3;
		to[1] = ( t->feature + 2 ) % 3;
	} else if ( t->feature < DBVHI_FACE ) {
		const int p = t->feature - 3, q = ( p + 1 ) % 3;
		from[0] = from[2] = to[1] = p;
		to[0] = from[1] = q;
		to[2] = ( p + 2 ) % 3;
	}
	for ( int i = 0; i < vector_count( t ); ++i )
		dbvhi_vector_along( &t->vector[i], &t->limbs[i], &target, from[i], to[i], r->pose );
}

// The sign of the ray's crossing of the cone over a triangle's arc: 1 along its normal, -1 against it, 0 for none.
// Consecutive vectors turn in the orientation of the triangle.
static int crosses_cone( const dbvhi_perturbed_point *perturbed, const dbvhi_link_triangle *t ) {
	const dbvhi_vector *v = t->vector;
	if ( t->feature < 3 )
		return dbvhi_perturbed_point_crosses_wedge( perturbed, DBVHI_RAY_AXIS, &v[0], &v[1] );
	if ( t->feature < DBVHI_FACE )
		return dbvhi_perturbed_point_crosses_wedge( perturbed, DBVHI_RAY_AXIS, &v[0], &v[2] ) +
		       dbvhi_perturbed_point_crosses_wedge( perturbed, DBVHI_RAY_AXIS, &v[2], &v[1] );
	int sign = 0;
	for ( int i = 0; i < 3; ++i )
		sign += dbvhi_perturbed_point_crosses_wedge( perturbed, DBVHI_RAY_AXIS, &v[i], &v[( i + 1 ) % 3] );
	return sign;
}

static dbvhi_crossings local_crossings( const link *l, const dbvhi_perturbed_point *perturbed, int mesh ) {
	const dbvh_tree *tree = l->r->mesh[mesh].tree;
	dbvhi_crossings near = { 0, 0, 0 };
	for ( size_t i = 0; i < l->count; ++i ) {
		const dbvhi_link_triangle *t = &l->triangles[i];
		if ( t->mesh == mesh && !t->sheet )
			dbvhi_count_twins( &near, tree, t->leaf, crosses_cone( perturbed, t ) );
	}
	return near;
}

// The side of a sample, odd or even, for a mesh whose sheets part the neighbourhood.
static bool side_of_sheets( const link *l, const dbvhi_perturbed_point *perturbed, int mesh ) {
	bool odd = false;
	for ( size_t i = 0; i < l->count; ++i ) {
		const dbvhi_link_triangle *t = &l->triangles[i];
		if ( t->mesh == mesh && t->sheet )
			odd = odd != ( crosses_cone( perturbed, t ) != 0 );
	}
	return odd;
}

static unsigned is_inside( link *l, const dbvhi_perturbed_point *perturbed, int mesh ) {
	if ( !l->r->solid[mesh] )
		return 0;
	dbvhi_crossings near = local_crossings( l, perturbed, mesh ), *far = &l->far[mesh];
	if ( !l->far_known[mesh] ) {
		const dbvhi_crossings all = dbvhi_crossings_of( &l->r->mesh[mesh], perturbed, DBVHI_RAY_AXIS );
		// note: the unsigned counts may wrap around; only their parity matters.
		*far = ( dbvhi_crossings ){ all.winding - near.winding, all.parity - near.parity, all.stored - near.stored };
		l->far_known[mesh] = true;
	}
	near.winding += far->winding;
	near.parity += far->parity;
	near.stored += far->stored;
	return dbvhi_inside_by( l->r->mesh[mesh].tree, &near );
}

// True if u points into the triangle from the corner, and is no end of its arc.
static bool contains( const dbvhi_link_triangle *t, const dbvhi_vector *u ) {
	const dbvhi_vector *p = &t->vector[0], *q = &t->vector[t->feature < 3 || t->feature == DBVHI_FACE ? 1 : 2];
	if ( dbvhi_vector_det3( p, q, u ) != 0 )
		return false;
	if ( t->feature == DBVHI_FACE )
		return true;
	int axis = 0, turn = 0;
	while ( ( turn = dbvhi_vector_det2( axis, p, q ) ) == 0 )
		axis += 1;
	if ( dbvhi_vector_det2( axis, p, u ) != turn )
		return false;
	return t->feature >= 3 || dbvhi_vector_det2( axis, u, q ) == turn;
}

static bool are_parallel( const dbvhi_vector *p, const dbvhi_vector *q ) {
	return dbvhi_vector_det2( 0, p, q ) == 0 && dbvhi_vector_det2( 1, p, q ) == 0 && dbvhi_vector_det2( 2, p, q ) == 0;
}

// True if p and q are on the same side of u, in a plane that contains all three.
static bool on_one_side( const dbvhi_vector *u, const dbvhi_vector *p, const dbvhi_vector *q ) {
	for ( int axis = 0; axis < 3; ++axis ) {
		const int turn = dbvhi_vector_det2( axis, u, p );
		if ( turn != 0 )
			return dbvhi_vector_det2( axis, u, q ) == turn;
	}
	return false;
}

bool dbvhi_link_covers( const dbvhi_link_triangle *t, const dbvhi_vector *u, const dbvhi_vector *w ) {
	const dbvhi_vector *p = &t->vector[0], *q = &t->vector[t->feature < 3 || t->feature == DBVHI_FACE ? 1 : 2];
	if ( dbvhi_vector_det3( p, q, u ) != 0 || dbvhi_vector_det3( p, q, w ) != 0 )
		return false;
	if ( contains( t, u ) )
		return true;
	for ( int e = 0; e < end_count( t ); ++e ) {
		if ( dbvhi_vector_same_way( &t->vector[e], u ) )
			return on_one_side( u, t->feature >= 3 ? &t->vector[2] : &t->vector[!e], w );
	}
	return false;
}

// True if a triangle of the other mesh covers the wedge; only those of sheets count if `by_sheets` is set.
static bool is_covered( const link *l, const half_plane *at, bool by_sheets ) {
	const dbvhi_vector w = dbvhi_vector_signed( at->w, at->w_sign );
	for ( size_t i = 0; i < l->count; ++i ) {
		const dbvhi_link_triangle *t = &l->triangles[i];
		if ( ( t->sheet || !by_sheets ) && t->mesh != at->owner->mesh && dbvhi_link_covers( t, at->u, &w ) )
			return true;
	}
	return false;
}

// Learn of a point of a sheet from the samples on both of its sides: if these agree, the point is inside or outside the
// other mesh like them; else it lies on the other's surface.
static void look_at_sheet( link *l, const half_plane *at, const unsigned inside_other[2], bool side_of_other ) {
	const int mesh = at->owner->mesh;
	const unsigned side = side_of_other ? 2 : 1;
	const bool new_side = l->both_sheets && l->parts[!mesh] && ( l->sides[!mesh] & side ) == 0;
	// note: is_covered() costs the most, so it comes last.
	const bool covered = dbvhi_relate_is_news_of_sheet( l->r, mesh, inside_other ) && is_covered( l, at, false );
	dbvhi_relate_learn_sheet( l->r, mesh, inside_other, covered );
	if ( new_side && !is_covered( l, at, true ) ) {
		l->sides[!mesh] |= side;
		if ( l->sides[!mesh] == 3 )
			dbvhi_relate_sheets_cross( l->r );
	}
}

// Take two samples beside a wedge of a triangle, one on either side of it.
static void look( link *l, const half_plane *at ) {
	dbvhi_relating *r = l->r;
	int axis = 0;
	while ( axis < 2 && dbvhi_vector_det3( at->u, at->w, &dbvhi_unit_vector[axis] ) == 0 )
		axis += 1;
	unsigned inside[2][2];           // dbvhi_is_inside() by mesh and sample
	bool side[2] = { false, false }; // side_of_sheets() by mesh: the same for both samples
	for ( int s = 0; s < 2; ++s ) {
		const dbvhi_perturbed_point perturbed = { .point = l->point,
		                                          .level = { at->u, at->w, &dbvhi_unit_vector[axis] },
		                                          .sign = { 1, at->w_sign, s == 0 ? -1 : 1 },
		                                          .level_count = 3 };
		for ( int mesh = 0; mesh < 2; ++mesh ) {
			inside[mesh][s] = is_inside( l, &perturbed, mesh );
			if ( at->owner->sheet && at->owner->mesh != mesh && l->both_sheets && l->parts[mesh] )
				side[mesh] = side_of_sheets( l, &perturbed, mesh );
		}
		dbvhi_relate_learn( r, ( unsigned[2] ){ inside[0][s], inside[1][s] } );
	}
	const int own = at->owner->mesh;
	if ( !at->owner->sheet && ( ( inside[own][0] ^ inside[own][1] ) & DBVHI_ENCLOSED ) == 0 )
		r->murky[own] = true;
	if ( at->owner->sheet ) {
		const int other = !at->owner->mesh;
		look_at_sheet( l, at, inside[other], side[other] );
	}
}

// True if the sheets of a mesh part the small sphere: at each end of their arcs an even number of them ends.
static bool sheets_part( const link *l, int mesh ) {
	bool any = false;
	for ( size_t i = 0; i < l->count; ++i ) {
		const dbvhi_link_triangle *t = &l->triangles[i];
		if ( t->mesh != mesh || !t->sheet )
			continue;
		any = true;
		for ( int e = 0; e < end_count( t ); ++e ) {
			size_t ends = 0;
			for ( size_t j = 0; j < l->count; ++j ) {
				const dbvhi_link_triangle *o = &l->triangles[j];
				for ( int k = 0; o->mesh == mesh && o->sheet && k < end_count( o ); ++k )
					ends += dbvhi_vector_same_way( &t->vector[e], &o->vector[k] );
			}
			if ( ends % 2 != 0 )
				return false;
		}
	}
	return any;
}

static bool has_sheet( const link *l, int mesh ) {
	for ( size_t i = 0; i < l->count; ++i ) {
		if ( l->triangles[i].mesh == mesh && l->triangles[i].sheet )
			return true;
	}
	return false;
}

// The half planes of sheets about one direction from the corner.
typedef struct fan {
	const link *l;
	const dbvhi_vector *u;
} fan;

// Get the half planes about u of triangle i of the link, each by a vector in it. Returns their number: 0, 1 or 2.
static int half_planes( const fan *f, size_t i, dbvhi_vector out[2] ) {
	const dbvhi_link_triangle *t = &f->l->triangles[i];
	for ( int e = 0; e < end_count( t ); ++e ) {
		if ( dbvhi_vector_same_way( &t->vector[e], f->u ) ) {
			out[0] = t->vector[t->feature >= 3 ? 2 : !e];
			return 1;
		}
	}
	if ( !contains( t, f->u ) )
		return 0;
	const dbvhi_vector *w = are_parallel( &t->vector[0], f->u ) ? &t->vector[1] : &t->vector[0];
	out[0] = *w;
	out[1] = dbvhi_vector_signed( w, -1 );
	return 2;
}

// True if the half planes bounded by u that contain p and q are the same.
static bool coincide( const dbvhi_vector *u, const dbvhi_vector *p, const dbvhi_vector *q ) {
	return dbvhi_vector_det3( u, p, q ) == 0 && on_one_side( u, p, q );
}

// True if h is passed on the way round u from p to q, counterclockwise. It must be different from both.
static bool is_between( const dbvhi_vector *u, const dbvhi_vector *p, const dbvhi_vector *h, const dbvhi_vector *q ) {
	const int way = dbvhi_vector_det3( u, p, q );
	if ( way > 0 )
		return dbvhi_vector_det3( u, p, h ) > 0 && dbvhi_vector_det3( u, h, q ) > 0;
	if ( way < 0 )
		return !( dbvhi_vector_det3( u, q, h ) > 0 && dbvhi_vector_det3( u, h, p ) > 0 );
	return !on_one_side( u, p, q ) && dbvhi_vector_det3( u, p, h ) > 0;
}

// The side of q relative to p, 0 (the same) or 1 (the other), if the half planes of a mesh's sheets part the space
// about u in two; -1 if q is on one of them, -2 if they do not part it.
static int side_about( const fan *f, int mesh, const dbvhi_vector *p, const dbvhi_vector *q ) {
	size_t count = 0;
	int side = 0;
	dbvhi_vector h[2];
	for ( size_t i = 0; i < f->l->count; ++i ) {
		if ( f->l->triangles[i].mesh != mesh || !f->l->triangles[i].sheet )
			continue;
		const int planes = half_planes( f, i, h );
		count += (size_t)planes;
		for ( int k = 0; k < planes; ++k ) {
			if ( coincide( f->u, &h[k], q ) )
				return -1;
			side ^= is_between( f->u, p, &h[k], q );
		}
	}
	return count > 0 && count % 2 == 0 ? side : -2;
}

// True if the sheets of one mesh part the space about u, and sheets of the other are on both sides.
static bool sheets_cross_about( const link *l, const dbvhi_vector *u ) {
	const fan f = { l, u };
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		dbvhi_vector from = *u, h[2];
		bool any = false;
		for ( size_t i = 0; i < l->count; ++i ) {
			if ( l->triangles[i].mesh == mesh || !l->triangles[i].sheet )
				continue;
			const int planes = half_planes( &f, i, h );
			for ( int k = 0; k < planes; ++k ) {
				const int side = side_about( &f, mesh, any ? &from : &h[k], &h[k] );
				if ( side == 1 )
					return true;
				if ( side == 0 && !any ) {
					from = h[k];
					any = true;
				}
			}
		}
	}
	return false;
}

bool dbvhi_link_sheets_cross( const dbvhi_relating *r, size_t link_count, const dbvhi_vector *u ) {
	const link l = { .point = NULL, .triangles = r->memory->link, .count = link_count };
	for ( size_t i = 0; i < link_count; ++i )
		dbvhi_link_make_vectors( &l.triangles[i], r );
	return sheets_cross_about( &l, u );
}

// True if the direction of end e of triangle t is an end of an earlier triangle, too.
static bool is_repeated( const link *l, const dbvhi_link_triangle *t, int e ) {
	for ( const dbvhi_link_triangle *o = l->triangles; o < t; ++o ) {
		for ( int k = 0; o->sheet && k < end_count( o ); ++k ) {
			if ( dbvhi_vector_same_way( &t->vector[e], &o->vector[k] ) )
				return true;
		}
	}
	return false;
}

// Take samples beside the arc of a triangle at its own ends, or beside a full circle.
static void look_along( link *l, const dbvhi_link_triangle *t ) {
	const dbvhi_vector *v = t->vector;
	if ( t->feature == DBVHI_FACE ) {
		look( l, &( half_plane ){ &v[0], &v[1], 1, t } );
		return;
	}
	const dbvhi_vector *w[2] = { t->feature < 3 ? &v[1] : &v[2], t->feature < 3 ? &v[0] : &v[2] };
	for ( int e = 0; e < 2; ++e ) {
		look( l, &( half_plane ){ &v[e], w[e], 1, t } );
		if ( l->both_sheets && t->sheet && !dbvhi_relate_knows_both( l->r ) && !is_repeated( l, t, e ) &&
		     sheets_cross_about( l, &v[e] ) )
			dbvhi_relate_sheets_cross( l->r );
	}
}

// Take samples beside the arc of a triangle at u, the end of another arc that lies on it.
static void look_across( link *l, const dbvhi_link_triangle *t, const dbvhi_vector *u ) {
	const dbvhi_vector *w = are_parallel( &t->vector[0], u ) ? &t->vector[1] : &t->vector[0];
	look( l, &( half_plane ){ u, w, 1, t } );
	look( l, &( half_plane ){ u, w, -1, t } );
}

void dbvhi_relate_link( dbvhi_relating *r, const dbvhi_exact_point *point, size_t link_count ) {
	DBVHI_ASSERT( link_count > 0 && link_count <= r->memory->link_capacity );
	link l = { .r = r, .point = point, .triangles = r->memory->link, .count = link_count };
	for ( size_t i = 0; i < link_count; ++i )
		dbvhi_link_make_vectors( &l.triangles[i], r );
	l.both_sheets = has_sheet( &l, 0 ) && has_sheet( &l, 1 );
	for ( int mesh = 0; mesh < 2 && l.both_sheets; ++mesh )
		l.parts[mesh] = sheets_part( &l, mesh );
	for ( size_t i = 0; i < link_count && !dbvhi_relating_done( r ); ++i ) {
		const dbvhi_link_triangle *t = &l.triangles[i];
		// note: the caller notices that the budget is spent.
		if ( !dbvhi_relating_charge( r, 16 * link_count ) )
			return;
		look_along( &l, t );
		for ( size_t j = 0; j < link_count && !dbvhi_relating_done( r ); ++j ) {
			const dbvhi_link_triangle *o = &l.triangles[j];
			for ( int e = 0; j != i && e < end_count( o ); ++e ) {
				if ( contains( t, &o->vector[e] ) )
					look_across( &l, t, &o->vector[e] );
			}
			if ( !dbvhi_relating_charge( r, 1 ) )
				return;
		}
	}
}

unsigned dbvhi_relate_is_inside( const dbvhi_relating *r, int mesh, const dbvhi_perturbed_point *perturbed ) {
	return r->solid[mesh] ? dbvhi_is_inside( &r->mesh[mesh], perturbed, DBVHI_RAY_AXIS ) : 0;
}
