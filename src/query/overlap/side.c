// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The surroundings of a segment of the contact. The sheets of both meshes that meet there are sorted by angle; between
// two that follow each other, every point is inside the first solid or not, and inside the second or not. So each sheet
// is inside the other solid, outside of it, or lies on a sheet of it; and the wedges inside both show which faces bound
// the same part of the overlap.

#include "base/union_find.h"
#include "query/overlap/overlap.h"

// The axis of the sheets: the vertices of an edge that holds the segment, in the segment's direction.
typedef struct around {
	dbvh_overlap *o;
	const dbvhi_segment *segment; // NULL: an edge off the other mesh
	uint32_t number;
	dbvhi_node_id p, q;
	double at_p[3], along[3]; // rounded: p, and the way from p to q
	uint8_t exact;            // a bit a coordinate of p that is not rounded
	uint8_t flat;             // a bit a coordinate that p and q have in common, both without rounding
	size_t count;
} around;

static void set_axis( around *a, dbvhi_node_id p, dbvhi_node_id q ) {
	double at_q[3];
	a->p = p;
	a->q = q;
	dbvhi_node_position( a->o, p, a->at_p );
	dbvhi_node_position( a->o, q, at_q );
	a->exact = a->flat = 0;
	for ( int k = 0; k < 3; ++k ) {
		a->along[k] = at_q[k] - a->at_p[k];
		const int bit = 1 << k;
		if ( dbvhi_node_is_exact( a->o, k, p ) )
			a->exact = (uint8_t)( a->exact | bit );
		if ( ( a->exact & bit ) != 0 && a->along[k] == 0.0 && dbvhi_node_is_exact( a->o, k, q ) )
			a->flat = (uint8_t)( a->flat | bit );
	}
}

static bool bounds_its_solid( const dbvhi_overlap_body *b, uint32_t triangle ) {
	return b->solid->side[triangle] == DBVHI_SOLID_BELOW || b->solid->side[triangle] == DBVHI_SOLID_ABOVE;
}

// Add the sheet of a triangle that lies on the left of the axis, seen from the tip of its normal, or on the right.
static bool add_sheet( around *a, int m, uint32_t triangle, uint32_t face, bool left, dbvhi_node_id witness ) {
	dbvh_overlap *o = a->o;
	if ( !DBVHI_ROOM( o, o->sheets, o->sheet_capacity, a->count + 1 ) )
		return false;
	// note: going round anticlockwise, a sheet on the left is passed from below to above.
	const bool below = o->body[m].solid->side[triangle] == DBVHI_SOLID_BELOW;
	dbvhi_sheet *s = &o->sheets[a->count++];
	*s = ( dbvhi_sheet ){
	    .body = (uint32_t)m, .triangle = triangle, .face = face, .witness = witness, .after = left != below };
	double at[3];
	dbvhi_node_position( o, witness, at );
	for ( int k = 0; k < 3; ++k ) {
		s->way[k] = at[k] - a->at_p[k];
		s->size = dbvhi_larger( s->size, dbvhi_larger( fabs( s->way[k] ), fabs( a->along[k] ) ) );
		if ( s->way[k] == 0.0 && ( a->flat & 1 << k ) != 0 && dbvhi_node_is_exact( o, k, witness ) )
			s->flat = (uint8_t)( s->flat | 1 << k );
	}
	dbvhi_cross_rounded( a->along, s->way, s->normal );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Angles

// The sign of a component of the normal.
static int normal_sign( const around *a, int axis, const dbvhi_sheet *s ) {
	const double n = s->normal[axis];
	if ( fabs( n ) > dbvhi_error_of_2d( a->o, s->size ) )
		return dbvhi_sign_of( n );
	return dbvhi_node_orient2d( a->o, axis, a->p, a->q, s->witness );
}

// Are two sheets in one plane on the same side of the axis?
static bool point_alike( const around *a, const dbvhi_sheet *r, const dbvhi_sheet *s ) {
	const int steepest = dbvhi_steepest( r->normal );
	for ( int k = 0; k < 3; ++k ) {
		const int axis = ( steepest + k ) % 3, one = normal_sign( a, axis, r );
		if ( one != 0 )
			return one == normal_sign( a, axis, s );
	}
	DBVHI_ASSERT( false );
	return true;
}

// The sign of the turn from one sheet to another one: positive if that is less than half a turn anticlockwise.
static int turn_between( const around *a, const dbvhi_sheet *r, const dbvhi_sheet *s ) {
	if ( r->witness == s->witness )
		return 0;
	const double det = r->normal[0] * s->way[0] + r->normal[1] * s->way[1] + r->normal[2] * s->way[2];
	if ( fabs( det ) > dbvhi_error_of_3d( a->o, dbvhi_larger( r->size, s->size ) ) )
		return dbvhi_sign_of( det );
	if ( ( r->flat & s->flat ) != 0 )
		return 0;
	return dbvhi_node_orient3d( a->o, a->p, a->q, r->witness, s->witness );
}

static uint8_t sector_of( const around *a, const dbvhi_sheet *first, const dbvhi_sheet *s ) {
	const int turn = turn_between( a, first, s );
	if ( turn != 0 )
		return turn > 0 ? 1 : 3;
	return first->witness == s->witness || point_alike( a, first, s ) ? 0 : 2;
}

static bool is_after( const around *a, const dbvhi_sheet *s, const dbvhi_sheet *t ) {
	if ( s->sector != t->sector )
		return s->sector > t->sector;
	return s->sector % 2 != 0 && turn_between( a, t, s ) > 0;
}

static bool coincide( const around *a, const dbvhi_sheet *s, const dbvhi_sheet *t ) {
	return s->sector == t->sector && ( s->sector % 2 == 0 || turn_between( a, s, t ) == 0 );
}

static void sort_sheets( const around *a ) {
	dbvhi_sheet *sheets = a->o->sheets;
	for ( size_t i = 0; i < a->count; ++i )
		sheets[i].sector = i == 0 ? 0 : sector_of( a, &sheets[0], &sheets[i] );
	for ( size_t i = 1; i < a->count; ++i ) {
		for ( size_t k = i; k > 1 && is_after( a, &sheets[k - 1], &sheets[k] ); --k ) {
			const dbvhi_sheet t = sheets[k];
			sheets[k] = sheets[k - 1];
			sheets[k - 1] = t;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Sheets

// The sheets of the triangles at an edge that holds the segment; sets the axis with the first.
static bool add_sheets_at_edge( around *a, int m, uint32_t edge ) {
	const dbvhi_overlap_body *b = &a->o->body[m];
	const dbvhi_topology *t = b->topology;
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t side = t->side[k], triangle = side / 3;
		const dbvhi_cut *cut = bounds_its_solid( b, triangle ) ? dbvhi_cut_of( b, triangle ) : NULL;
		if ( cut == NULL )
			continue;
		uint32_t entry = cut->side[side % 3];
		while ( entry < cut->side[side % 3 + 1] && b->outline[entry].segment != a->number )
			entry += 1;
		DBVHI_ASSERT( entry < cut->side[side % 3 + 1] );
		if ( entry == cut->side[side % 3 + 1] )
			continue;
		const bool along = b->outline[entry].node == a->segment->from;
		const dbvhi_node_id start = dbvhi_vertex_node( a->o, m, dbvhi_topology_start( t, side ) ),
		                    end = dbvhi_vertex_node( a->o, m, dbvhi_topology_end( t, side ) );
		if ( a->p == DBVHI_NONE )
			set_axis( a, along ? start : end, along ? end : start );
		const uint32_t third = t->corner[3 * (size_t)triangle + ( side % 3 + 2 ) % 3];
		if ( !add_sheet( a, m, triangle, b->outline[entry].face, along, dbvhi_vertex_node( a->o, m, third ) ) )
			return false;
	}
	return true;
}

// On which side of the axis, within a triangle that holds it, each corner lies: 1 left, -1 right, seen from the tip of
// the normal. The signs are those after dropping a coordinate in which the triangle keeps an area.
static void corner_sides( const around *a, int m, uint32_t triangle, const dbvhi_node_id corner[3], int out[3] ) {
	double at[3][3], u[3], v[3], n[3], size = 0.0;
	for ( int i = 0; i < 3; ++i )
		dbvhi_node_position( a->o, corner[i], at[i] );
	for ( int k = 0; k < 3; ++k ) {
		u[k] = at[1][k] - at[0][k];
		v[k] = at[2][k] - at[0][k];
		size = dbvhi_larger( size, dbvhi_larger( fabs( u[k] ), fabs( v[k] ) ) );
	}
	dbvhi_cross_rounded( u, v, n );
	int axis = dbvhi_steepest( n ), turn = dbvhi_sign_of( n[axis] );
	if ( !( fabs( n[axis] ) > dbvhi_error_of_2d( a->o, size ) ) )
		axis = dbvhi_node_projection( a->o, m, triangle, &turn );
	const int x = axis == 2 ? 0 : axis + 1, y = x == 2 ? 0 : x + 1;
	for ( int i = 0; i < 3; ++i ) {
		const double dx = at[i][x] - a->at_p[x], dy = at[i][y] - a->at_p[y];
		const double reach = dbvhi_larger( dbvhi_larger( fabs( dx ), fabs( dy ) ),
		                                   dbvhi_larger( fabs( a->along[x] ), fabs( a->along[y] ) ) );
		const double det = a->along[x] * dy - a->along[y] * dx;
		out[i] = turn * ( fabs( det ) > dbvhi_error_of_2d( a->o, reach )
		                      ? dbvhi_sign_of( det )
		                      : dbvhi_node_orient2d( a->o, axis, a->p, a->q, corner[i] ) );
	}
}

// The two sheets of a triangle that holds the segment inside.
static bool add_sheets_of_triangle( around *a, int m, uint32_t triangle ) {
	const dbvhi_overlap_body *b = &a->o->body[m];
	dbvhi_node_id corner[3];
	for ( size_t k = 0; k < 3; ++k )
		corner[k] = dbvhi_vertex_node( a->o, m, b->topology->corner[3 * (size_t)triangle + k] );
	int side[3];
	corner_sides( a, m, triangle, corner, side );
	for ( int right = 0; right < 2; ++right ) {
		const int wanted = right ? -1 : 1, found = side[0] == wanted ? 0 : side[1] == wanted ? 1 : 2;
		DBVHI_ASSERT( side[found] == wanted );
		const uint32_t face = b->outline[a->segment->outline[m] + (uint32_t)right].face;
		if ( side[found] == wanted && !add_sheet( a, m, triangle, face, !right, corner[found] ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Wedges

static void mark( dbvh_overlap *o, uint32_t face, dbvhi_face_side side ) {
	DBVHI_ASSERT( o->faces[face].side == DBVHI_FACE_UNKNOWN || o->faces[face].side == side );
	o->faces[face].side = (uint8_t)side;
}

// The sheets of one angle: at most one of each solid.
typedef struct stack {
	const dbvhi_sheet *of[2];
} stack;

static stack next_stack( const around *a, size_t *at ) {
	const dbvhi_sheet *sheets = a->o->sheets;
	stack s = { { NULL, NULL } };
	const size_t first = *at;
	for ( ; *at < a->count && ( *at == first || coincide( a, &sheets[first], &sheets[*at] ) ); *at += 1 )
		s.of[sheets[*at].body] = &sheets[*at];
	return s;
}

// Join the faces of a wedge inside both solids. Where they are faces of different meshes the segment is a seam.
static void join_wedge( const around *a, const dbvhi_sheet *s, const dbvhi_sheet *t ) {
	dbvhi_union_join( a->o->surface, s->face, t->face );
	if ( s->body != t->body )
		a->o->segments[a->number].seam = true;
}

// Go round, and tell the side of each sheet and the faces at the wedges inside both.
static void go_round( const around *a ) {
	dbvh_overlap *o = a->o;
	bool inside[2] = { false, false };
	for ( size_t i = 0; i < a->count; ++i )
		inside[o->sheets[i].body] = o->sheets[i].after;
	const dbvhi_sheet *open = NULL,
	                  *first_end = NULL; // sheets that open the present wedge, and that end one open at the start
	for ( size_t i = 0; i < a->count; ) {
		const stack s = next_stack( a, &i );
		const bool before = inside[0] && inside[1];
		for ( int m = 0; m < 2; ++m ) {
			if ( s.of[m] == NULL )
				continue;
			if ( s.of[!m] != NULL )
				mark( o, s.of[m]->face, s.of[0]->after == s.of[1]->after ? DBVHI_FACE_SAME : DBVHI_FACE_OPPOSITE );
			else
				mark( o, s.of[m]->face, inside[!m] ? DBVHI_FACE_IN : DBVHI_FACE_OUT );
		}
		for ( int m = 0; m < 2; ++m ) {
			if ( s.of[m] != NULL )
				inside[m] = s.of[m]->after;
		}
		const bool after = inside[0] && inside[1];
		const dbvhi_sheet *top = s.of[0] != NULL ? s.of[0] : s.of[1];
		if ( before && !after ) {
			if ( open != NULL )
				join_wedge( a, open, top );
			else
				first_end = top;
			open = NULL;
		}
		if ( !before && after )
			open = top;
	}
	if ( open != NULL && first_end != NULL )
		join_wedge( a, open, first_end );
}

static bool look_around( dbvh_overlap *o, uint32_t number ) {
	const dbvhi_segment *s = &o->segments[number];
	around a = { .o = o, .segment = s, .number = number, .p = DBVHI_NONE, .q = DBVHI_NONE };
	const bool in_edge[2] = { s->part[0] >> 32 == DBVH_FEATURE_KIND_EDGE, s->part[1] >> 32 == DBVH_FEATURE_KIND_EDGE };
	DBVHI_ASSERT( in_edge[0] || in_edge[1] );
	for ( int m = 0; m < 2; ++m ) {
		if ( in_edge[m] && !add_sheets_at_edge( &a, m, (uint32_t)s->part[m] ) )
			return false;
	}
	for ( int m = 0; m < 2; ++m ) {
		if ( !in_edge[m] && !add_sheets_of_triangle( &a, m, (uint32_t)s->part[m] ) )
			return false;
	}
	sort_sheets( &a );
	go_round( &a );
	return true;
}

// Two triangles cross. Along n_0 x n_1 the left of the first is below the second, and the left of the second above the
// first.
static void cross( dbvh_overlap *o, dbvhi_segment *s ) {
	const int8_t side[2] = { o->body[0].solid->side[(uint32_t)s->part[0]],
	                         o->body[1].solid->side[(uint32_t)s->part[1]] };
	DBVHI_ASSERT( s->turn == 1 || s->turn == -1 );
	const bool left_is_in[2] = { side[1] == s->turn, side[0] == -s->turn };
	uint32_t inner[2];
	for ( int m = 0; m < 2; ++m ) {
		const dbvhi_outline *entry = o->body[m].outline + s->outline[m];
		mark( o, entry[0].face, left_is_in[m] ? DBVHI_FACE_IN : DBVHI_FACE_OUT );
		mark( o, entry[1].face, left_is_in[m] ? DBVHI_FACE_OUT : DBVHI_FACE_IN );
		inner[m] = entry[left_is_in[m] ? 0 : 1].face;
	}
	dbvhi_union_join( o->surface, inner[0], inner[1] );
	s->seam = true;
}

// Give the outlines of one face the side that any of them has.
static void share_sides( dbvh_overlap *o ) {
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const uint32_t root = dbvhi_union_root( o->patch, i );
		if ( o->faces[i].side != DBVHI_FACE_UNKNOWN )
			mark( o, root, (dbvhi_face_side)o->faces[i].side );
	}
	for ( uint32_t i = 0; i < o->face_count; ++i )
		o->faces[i].side = o->faces[dbvhi_union_root( o->patch, i )].side;
}

dbvhi_overlap_outcome dbvhi_overlap_sides( dbvh_overlap *o ) {
	for ( uint32_t i = 0; i < o->segment_count; ++i ) {
		dbvhi_segment *s = &o->segments[i];
		const bool crossing =
		    s->part[0] >> 32 == DBVH_FEATURE_KIND_TRIANGLE && s->part[1] >> 32 == DBVH_FEATURE_KIND_TRIANGLE;
		if ( !dbvhi_overlap_charge( o, crossing ? 1 : 32 ) )
			return DBVHI_OVERLAP_STOPPED;
		if ( crossing )
			cross( o, s );
		else if ( !look_around( o, i ) )
			return DBVHI_OVERLAP_NO_MEMORY;
	}
	share_sides( o );
	return DBVHI_OVERLAP_OK;
}

bool dbvhi_overlap_join_wedges( dbvh_overlap *o, int m, uint32_t edge, const uint32_t *faces ) {
	const dbvhi_overlap_body *b = &o->body[m];
	const dbvhi_topology *t = b->topology;
	const uint32_t first = t->side[t->edge_begin[edge]];
	around a = { .o = o };
	set_axis( &a, dbvhi_vertex_node( o, m, dbvhi_topology_start( t, first ) ),
	          dbvhi_vertex_node( o, m, dbvhi_topology_end( t, first ) ) );
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t side = t->side[k];
		if ( !bounds_its_solid( b, side / 3 ) )
			continue;
		const bool along = dbvhi_topology_start( t, side ) == dbvhi_topology_start( t, first );
		const uint32_t third = t->corner[3 * (size_t)( side / 3 ) + ( side % 3 + 2 ) % 3];
		if ( !add_sheet( &a, m, side / 3, faces[a.count], along, dbvhi_vertex_node( o, m, third ) ) )
			return false;
	}
	sort_sheets( &a );
	for ( size_t i = 0; i < a.count; ++i ) {
		if ( o->sheets[i].after )
			dbvhi_union_join( o->surface, o->sheets[i].face, o->sheets[i + 1 == a.count ? 0 : i + 1].face );
	}
	return true;
}
