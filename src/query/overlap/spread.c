// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// From the faces inside the other solid over all triangles that hang together with them, across every piece of an edge
// that is not on the other mesh. Only what is inside is visited. Shells that no segment cuts are asked about one by
// one.

#include "base/union_find.h"
#include "query/overlap/overlap.h"
#include "query/relation/ball.h"

#include <string.h>

#define RAY_AXIS 0
typedef struct spreading {
	dbvh_overlap *o;
	dbvhi_overlap_body *b;
	int m;
	size_t count; // length of the queue of faces; the triangles of `inner` are another queue
	size_t done;  // of `inner`: so many have been spread from
	size_t units_done;
	bool crossed; // came to a triangle that another one crosses
	bool no_memory;
	uint32_t at; // the face from which is spread
} spreading;

static bool is_boundary( const dbvhi_overlap_body *b, uint32_t triangle ) {
	return b->solid->side[triangle] != DBVHI_SOLID_NEITHER;
}

static void push( spreading *s, uint32_t item ) {
	dbvh_overlap *o = s->o;
	if ( !DBVHI_ROOM( o, o->queue, o->queue_capacity, s->count + 1 ) )
		s->no_memory = true;
	else
		o->queue[s->count++] = item;
}

static uint32_t add_inner_face( spreading *s ) {
	dbvh_overlap *o = s->o;
	const size_t n = o->face_count;
	if ( !DBVHI_ROOM( o, o->faces, o->face_capacity, n + 1 ) || !DBVHI_ROOM( o, o->patch, o->patch_capacity, n + 1 ) ||
	     !DBVHI_ROOM( o, o->surface, o->surface_capacity, n + 1 ) ) {
		s->no_memory = true;
		return s->at;
	}
	o->faces[n] =
	    ( dbvhi_face ){ .body = (uint32_t)s->m, .cut = DBVHI_NONE, .start = DBVHI_NONE, .side = DBVHI_FACE_IN };
	o->patch[n] = o->surface[n] = (uint32_t)n;
	o->face_count = n + 1;
	return (uint32_t)n;
}

// The largest cluster with a triangle that is not cut; DBVHI_NO_CLUSTER: none.
static inline uint32_t cluster_of( const dbvhi_overlap_body *b, uint32_t triangle ) {
	if ( b->clusters == NULL )
		return DBVHI_NO_CLUSTER;
	uint32_t at = b->clusters->cluster_of[triangle];
	if ( at == DBVHI_NO_CLUSTER || dbvhi_is_touched( b, at ) )
		return DBVHI_NO_CLUSTER;
	for ( uint32_t up; ( up = b->clusters->parent[at] ) != DBVHI_NO_CLUSTER && !dbvhi_is_touched( b, up ); )
		at = up;
	return at;
}

// The face of a cluster, as visit() has it of a triangle.
static uint32_t visit_cluster( spreading *s, uint32_t cluster, uint32_t face ) {
	dbvhi_overlap_body *b = s->b;
	const size_t at = b->cluster_where[cluster];
	if ( at >= b->touched_count && at - b->touched_count < b->unit_count &&
	     b->units[at - b->touched_count].cluster == cluster )
		return b->units[at - b->touched_count].face;
	if ( !DBVHI_ROOM( s->o, b->units, b->unit_capacity, b->unit_count + 1 ) ) {
		s->no_memory = true;
		return s->at;
	}
	if ( face == DBVHI_NONE )
		face = add_inner_face( s );
	b->cluster_where[cluster] = (uint32_t)( b->touched_count + b->unit_count );
	b->units[b->unit_count++] = ( dbvhi_unit ){ cluster, face, 0.0 };
	return face;
}

// The face of a triangle that is not cut: the one that it was reached from, or `face`, from which it is reached now.
// DBVHI_NONE: a face of its own.
static uint32_t visit( spreading *s, uint32_t triangle, uint32_t face ) {
	dbvhi_overlap_body *b = s->b;
	const uint32_t cluster = cluster_of( b, triangle );
	if ( cluster != DBVHI_NO_CLUSTER )
		return visit_cluster( s, cluster, face );
	const size_t at = b->where[triangle];
	if ( at >= b->cut_count && at - b->cut_count < b->inner_count && b->inner[at - b->cut_count].triangle == triangle )
		return b->inner[at - b->cut_count].face;
	if ( !DBVHI_ROOM( s->o, b->inner, b->inner_capacity, b->inner_count + 1 ) ) {
		s->no_memory = true;
		return s->at;
	}
	if ( face == DBVHI_NONE )
		face = add_inner_face( s );
	b->where[triangle] = (uint32_t)( b->cut_count + b->inner_count );
	b->inner[b->inner_count] = ( dbvhi_inner ){ triangle, face };
	b->inner_count += 1;
	return face;
}

// The face of a triangle beside piece `piece` of `pieces` along one of its sides, counted along that side.
static uint32_t face_beside( spreading *s, uint32_t side, uint32_t piece, uint32_t face ) {
	const uint32_t triangle = side / 3;
	const dbvhi_cut *cut = dbvhi_cut_of( s->b, triangle );
	if ( cut == NULL )
		return visit( s, triangle, face );
	const uint32_t found = s->b->outline[cut->side[side % 3] + piece].face;
	dbvhi_face *f = &s->o->faces[found];
	DBVHI_ASSERT( cut->side[side % 3] + piece < cut->side[side % 3 + 1] );
	DBVHI_ASSERT( f->side == DBVHI_FACE_IN || f->side == DBVHI_FACE_UNKNOWN );
	if ( f->side == DBVHI_FACE_UNKNOWN ) {
		f->side = DBVHI_FACE_IN;
		push( s, found );
	}
	return found;
}

// At an edge with more than two triangles, each begins a face of its own, as they may bound different wedges.
static void spread_over_fan( spreading *s, uint32_t edge, uint32_t side, uint32_t piece, uint32_t pieces ) {
	dbvh_overlap *o = s->o;
	const dbvhi_topology *t = s->b->topology;
	const uint32_t start = dbvhi_topology_start( t, side );
	size_t count = 0, most = t->edge_begin[edge + 1] - t->edge_begin[edge];
	if ( !DBVHI_ROOM( o, o->table, o->table_capacity, most ) ) {
		s->no_memory = true;
		return;
	}
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t other = t->side[k];
		if ( !is_boundary( s->b, other / 3 ) )
			continue;
		const bool along = dbvhi_topology_start( t, other ) == start;
		o->table[count++] = face_beside( s, other, along ? piece : pieces - 1 - piece, DBVHI_NONE );
	}
	for ( size_t i = 1; i < count; ++i )
		dbvhi_union_join( o->patch, o->table[0], o->table[i] );
	if ( !dbvhi_overlap_join_wedges( o, s->m, edge, o->table ) )
		s->no_memory = true;
}

// Spread across a piece of a side, from the face s->at.
static void spread_over( spreading *s, uint32_t side, uint32_t piece, uint32_t pieces ) {
	const dbvhi_topology *t = s->b->topology;
	const uint32_t edge = t->edge[side];
	uint32_t other = DBVHI_NONE, count = 0, lowest = side / 3;
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t triangle = t->side[k] / 3;
		if ( t->side[k] == side || !is_boundary( s->b, triangle ) )
			continue;
		s->crossed = s->crossed || s->b->solid->side[triangle] == DBVHI_SOLID_CROSSED;
		other = t->side[k];
		lowest = triangle < lowest ? triangle : lowest;
		count += 1;
	}
	if ( s->crossed )
		return;
	DBVHI_ASSERT( count % 2 == 1 );
	if ( count == 1 ) {
		const bool along = dbvhi_topology_start( t, other ) == dbvhi_topology_start( t, side );
		const uint32_t face = face_beside( s, other, along ? piece : pieces - 1 - piece, s->at );
		if ( face != s->at ) {
			dbvhi_union_join( s->o->patch, s->at, face );
			dbvhi_union_join( s->o->surface, s->at, face );
		}
		return;
	}
	spread_over_fan( s, edge, side, piece, pieces );
}

static void spread_from_outline( spreading *s, const dbvhi_face *f ) {
	const dbvhi_cut *cut = &s->b->cuts[f->cut];
	uint32_t entry = f->start;
	do {
		const dbvhi_outline *piece = &s->b->outline[entry];
		if ( entry < cut->side[3] && piece->segment == DBVHI_NONE ) {
			const uint32_t k = entry >= cut->side[2] ? 2 : entry >= cut->side[1] ? 1 : 0;
			spread_over( s, 3 * cut->triangle + k, entry - cut->side[k], cut->side[k + 1] - cut->side[k] );
		}
		entry = s->b->outline[entry].next;
	} while ( entry != f->start );
}

static void join_face( const spreading *s, uint32_t face ) {
	if ( face == s->at )
		return;
	dbvhi_union_join( s->o->patch, s->at, face );
	dbvhi_union_join( s->o->surface, s->at, face );
}

// Spread over a side that is not cut.
static void spread_over_side( spreading *s, uint32_t side ) {
	const uint32_t across = s->b->solid->across[side];
	if ( across == DBVHI_NO_SIDE || dbvhi_cut_of( s->b, across / 3 ) != NULL )
		spread_over( s, side, 0, 1 );
	else
		join_face( s, visit( s, across / 3, s->at ) );
}

static void spread_from_triangle( spreading *s, dbvhi_inner from ) {
	s->at = from.face;
	for ( uint32_t k = 0; k < 3 && !s->crossed && !s->no_memory; ++k )
		spread_over_side( s, 3 * from.triangle + k );
}

static double side_length( const dbvhi_topology *t, uint32_t side ) {
	const double *p = t->position + 3 * (size_t)dbvhi_topology_start( t, side ),
	             *q = t->position + 3 * (size_t)dbvhi_topology_end( t, side );
	return fabs( p[0] - q[0] ) + fabs( p[1] - q[1] ) + fabs( p[2] - q[2] );
}

static bool spread_from_unit( spreading *s, size_t unit ) {
	const dbvhi_clusters *c = s->b->clusters;
	const dbvhi_cluster *cluster = &c->clusters[s->b->units[unit].cluster];
	double outline = 0.0;
	s->at = s->b->units[unit].face;
	for ( uint32_t k = 0; k < cluster->side_count && !s->crossed && !s->no_memory; ++k ) {
		const uint32_t side = c->sides[cluster->first_side + k], across = s->b->solid->across[side],
		               beyond = across == DBVHI_NO_SIDE ? DBVHI_NO_CLUSTER : cluster_of( s->b, across / 3 );
		if ( beyond != DBVHI_NO_CLUSTER ) {
			join_face( s, visit_cluster( s, beyond, s->at ) );
			continue;
		}
		outline += side_length( s->b->topology, side );
		spread_over_side( s, side );
	}
	s->b->units[unit].outline = outline;
	return dbvhi_overlap_charge( s->o, cluster->side_count / 8 );
}

static bool drain( spreading *s ) {
	for ( size_t i = 0; i < s->count || s->done < s->b->inner_count || s->units_done < s->b->unit_count; ) {
		if ( s->units_done < s->b->unit_count ) {
			if ( !spread_from_unit( s, s->units_done++ ) )
				return false;
		} else if ( i < s->count ) {
			s->at = s->o->queue[i++];
			const dbvhi_face f = s->o->faces[s->at];
			spread_from_outline( s, &f );
		} else {
			spread_from_triangle( s, s->b->inner[s->done++] );
		}
		if ( s->crossed || s->no_memory || !dbvhi_overlap_charge( s->o, 1 ) )
			return false;
	}
	s->count = 0;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Shells

// True if the other solid encloses the points beside the middle of the triangle's first side, within the triangle.
static bool is_inside( const dbvh_overlap *o, int m, uint32_t triangle ) {
	const dbvhi_placed *own = &o->body[m].placed;
	const dbvh_pose *pose = &o->relative.frame_from_moved;
	dbvhi_target target;
	dbvhi_placed_target( own, own->tree->leaf[triangle], &target );
	dbvhi_exact_point point;
	dbvhi_vector along, across;
	dbvhi_vector_limbs limbs[2];
	dbvhi_exact_point_at_middle( &point, &target, 0 );
	dbvhi_vector_along( &along, &limbs[0], &target, 0, 1, pose );
	dbvhi_vector_along( &across, &limbs[1], &target, 0, 2, pose );
	int axis = 0;
	while ( axis < 2 && dbvhi_vector_det3( &along, &across, &dbvhi_unit_vector[axis] ) == 0 )
		axis += 1;
	const dbvhi_perturbed_point perturbed = { .point = &point,
	                                          .level = { &across, &along, &dbvhi_unit_vector[axis] },
	                                          .sign = { 1, 1, 1 },
	                                          .level_count = 3 };
	return ( dbvhi_is_inside( &o->body[!m].placed, &perturbed, RAY_AXIS ) & DBVHI_ENCLOSED ) != 0;
}

// Ask about the shells that no segment cuts.
static bool ask_shells( spreading *s ) {
	dbvh_overlap *o = s->o;
	const dbvhi_solid_sides *solid = s->b->solid;
	if ( !DBVHI_ROOM( o, o->table, o->table_capacity, solid->shell_count ) )
		return false;
	memset( o->table, 0, solid->shell_count * sizeof *o->table );
	for ( size_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		if ( f->body == (uint32_t)s->m && f->start != DBVHI_NONE && f->side != DBVHI_FACE_UNKNOWN )
			o->table[solid->shell[s->b->cuts[f->cut].triangle]] = 1;
	}
	const dbvhi_ball other = dbvhi_ball_of_tree( &o->body[!s->m].placed );
	for ( size_t i = 0; i < solid->shell_count; ++i ) {
		if ( o->table[i] != 0 )
			continue;
		const dbvhi_ball own = dbvhi_ball_of_box( &s->b->placed, solid->bounds + 6 * i );
		if ( dbvhi_balls_are_apart( &own, &other ) || !is_inside( o, s->m, solid->first[i] ) ) {
			s->b->any_outside = true;
			o->table[i] = 1;
		}
		if ( !dbvhi_overlap_charge( o, 64 ) )
			return false;
	}
	return true;
}

static bool spread_over_shells( spreading *s ) {
	dbvh_overlap *o = s->o;
	const dbvhi_solid_sides *solid = s->b->solid;
	if ( !ask_shells( s ) )
		return false;
	for ( size_t i = 0; i < solid->shell_count; ++i ) {
		const uint32_t first = solid->first[i];
		// note: the table is used again for fans, only after the last look at it for shells below i.
		if ( o->table[i] != 0 )
			continue;
		if ( solid->side[first] == DBVHI_SOLID_CROSSED ) {
			s->crossed = true;
			return false;
		}
		face_beside( s, 3 * first, 0, DBVHI_NONE );
	}
	return drain( s );
}

static bool expand( dbvh_overlap *o, dbvhi_overlap_body *b, uint32_t cluster, uint32_t face ) {
	const dbvhi_clusters *c = b->clusters;
	const dbvhi_cluster *from = &c->clusters[cluster];
	for ( uint32_t i = 0; from->level > 0 && i < from->count; ++i ) {
		if ( !expand( o, b, c->members[from->first + i], face ) )
			return false;
	}
	if ( from->level > 0 )
		return true;
	if ( !DBVHI_ROOM( o, b->inner, b->inner_capacity, b->inner_count + from->count ) )
		return false;
	for ( uint32_t i = 0; i < from->count; ++i )
		b->inner[b->inner_count++] = ( dbvhi_inner ){ c->members[from->first + i], face };
	return true;
}

bool dbvhi_overlap_expand( dbvh_overlap *o ) {
	for ( int m = 0; m < 2; ++m ) {
		dbvhi_overlap_body *b = &o->body[m];
		for ( size_t i = 0; i < b->unit_count; ++i ) {
			if ( !expand( o, b, b->units[i].cluster, b->units[i].face ) )
				return false;
		}
		b->unit_count = 0;
	}
	return true;
}

dbvhi_overlap_outcome dbvhi_overlap_spread( dbvh_overlap *o, dbvh_overlap_result *result ) {
	for ( int m = 0; m < 2; ++m ) {
		spreading s = { .o = o, .b = &o->body[m], .m = m };
		for ( uint32_t i = 0; i < o->face_count; ++i ) {
			const dbvhi_face *f = &o->faces[i];
			if ( f->body == (uint32_t)m && f->start != DBVHI_NONE && f->side == DBVHI_FACE_IN )
				push( &s, i );
		}
		if ( drain( &s ) && spread_over_shells( &s ) )
			continue;
		if ( s.crossed ) {
			result->reason = DBVH_OVERLAP_REASON_SELF_INTERSECTION;
			result->body = (uint32_t)m;
			return DBVHI_OVERLAP_UNDECIDED;
		}
		return dbvhi_purse_status( o->meter->purse ) != DBVH_OK ? DBVHI_OVERLAP_STOPPED : DBVHI_OVERLAP_NO_MEMORY;
	}
	return DBVHI_OVERLAP_OK;
}
