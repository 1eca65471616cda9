// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The extent of the common volume of two meshes along directions. That volume is bounded by faces whose corners are
// points of contact, or vertices of one mesh inside the other. An edge without a point of contact lies wholly inside or
// wholly outside the other mesh, so one ray decides for all vertices that such edges connect.

#include "base/fpenv.h"
#include "base/status.h"
#include "base/union_find.h"
#include "query/common/arguments.h"
#include "query/contact/contact.h"
#include "query/relation/inside.h"
#include "query/relation/relation.h"

#include <math.h>
#include <string.h>

typedef struct range {
	const double *directions;
	size_t count;
	dbvh_extent *extents;
	bool any;
} range;

static void extend( range *r, const double x[3] ) {
	for ( size_t i = 0; i < r->count; ++i ) {
		const double *d = r->directions + 3 * i;
		const double at = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
		dbvh_extent *e = &r->extents[i];
		e->min = r->any ? fmin( e->min, at ) : at;
		e->max = r->any ? fmax( e->max, at ) : at;
	}
	r->any = true;
}

// The side of a group of connected vertices.
enum { UNKNOWN, OUTSIDE, INSIDE };

// Extend the range by the vertices of one mesh inside the other. `own_pose` takes them to the frame of A (NULL: the
// identity).
static dbvh_status add_vertices( dbvh_contacts *c, bool of_a, const dbvhi_placed *own, const dbvhi_placed *other,
                                 const dbvh_pose *own_pose, range *r, dbvhi_meter *meter ) {
	const dbvhi_topology *t = own->tree->topology;
	uint32_t *parent = dbvhi_contacts_room( c, DBVHI_STORE_PARENT, t->point_count, sizeof *parent );
	uint8_t *met = dbvhi_contacts_room( c, DBVHI_STORE_MET, t->point_count + t->edge_count, 1 );
	uint8_t *known = dbvhi_contacts_room( c, DBVHI_STORE_KNOWN, t->point_count, 1 );
	if ( parent == NULL || met == NULL || known == NULL )
		return DBVH_OUT_OF_MEMORY;
	if ( !dbvhi_meter_charge( meter, ( t->point_count + t->edge_count ) / 4 ) )
		return dbvhi_purse_status( meter->purse );
	memset( met, 0, t->point_count + t->edge_count );
	memset( known, UNKNOWN, t->point_count );
	const dbvhi_point_key *keys = c->stores[DBVHI_STORE_KEYS].memory;
	for ( size_t i = 0; i < c->view.point_count; ++i ) {
		const dbvhi_part part = of_a ? keys[i].a : keys[i].b;
		const uint32_t kind = (uint32_t)( part >> 32 ), number = (uint32_t)part;
		if ( kind == DBVH_FEATURE_KIND_VERTEX )
			met[number] = 1;
		else if ( kind == DBVH_FEATURE_KIND_EDGE )
			met[t->point_count + number] = 1;
	}
	// note: a triangle without an area names points only on its long side, but they may lie on a short side, too.
	for ( size_t i = 0; i < c->view.contact_count; ++i ) {
		const uint32_t triangle = of_a ? c->view.contacts[i].pair.a : c->view.contacts[i].pair.b;
		for ( size_t k = 0; k < 3 && t->degenerate[triangle] != 0; ++k ) {
			const uint32_t edge = t->edge[3 * (size_t)triangle + k];
			if ( edge != DBVHI_NO_EDGE )
				met[t->point_count + edge] = 1;
		}
	}
	for ( uint32_t i = 0; i < t->point_count; ++i )
		parent[i] = i;
	for ( size_t i = 0; i < t->edge_count; ++i ) {
		const uint32_t side = t->side[t->edge_begin[i]];
		const uint32_t p = dbvhi_topology_start( t, side ), q = dbvhi_topology_end( t, side );
		if ( met[t->point_count + i] != 0 || met[p] != 0 || met[q] != 0 )
			continue;
		dbvhi_union_join( parent, p, q );
	}
	for ( uint32_t i = 0; i < t->point_count; ++i ) {
		if ( met[i] != 0 )
			continue; // a point of contact
		const double *at = t->position + 3 * (size_t)i;
		const uint32_t root = dbvhi_union_root( parent, i );
		if ( known[root] == UNKNOWN ) {
			if ( !dbvhi_meter_charge( meter, 256 ) )
				return dbvhi_purse_status( meter->purse );
			dbvhi_exact_point exact;
			dbvhi_exact_point_at_corner( &exact, ( dbvhi_corner ){ at, own->moved }, own->pose, own->error );
			const dbvhi_perturbed_point perturbed = { .point = &exact, .level_count = 0 };
			known[root] =
			    ( dbvhi_is_inside( other, &perturbed, DBVHI_RAY_AXIS ) & DBVHI_ENCLOSED ) != 0 ? INSIDE : OUTSIDE;
		}
		if ( known[root] == OUTSIDE )
			continue;
		double x[3];
		for ( int k = 0; k < 3; ++k ) {
			x[k] = at[k];
			if ( own_pose != NULL )
				x[k] = own_pose->rot[k][0] * at[0] + own_pose->rot[k][1] * at[1] + own_pose->rot[k][2] * at[2] +
				       own_pose->pos[k];
		}
		extend( r, x );
	}
	return DBVH_OK;
}

dbvh_pose dbvhi_b_in_a( const dbvhi_relative_pose *relative ) {
	if ( !relative->a_moves )
		return relative->frame_from_moved;
	const dbvh_pose identity = dbvh_pose_identity();
	return dbvh_pose_relative( &relative->frame_from_moved, &identity );
}

static dbvh_status measure( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                            const double *directions, size_t direction_count, const dbvh_contacts_query *query,
                            dbvh_contacts *contacts, dbvhi_meter *meter, dbvh_extent *extents_out, bool *common_out,
                            dbvh_error *error ) {
	DBVHI_TRY( dbvhi_contacts_find( a, pose_a, b, pose_b, query, contacts, meter, error ) );
	dbvhi_relative_pose relative;
	DBVHI_TRY( dbvhi_pose_relate( pose_a, pose_b, &relative ) );
	range r = { directions, direction_count, extents_out, false };
	for ( size_t i = 0; i < contacts->view.point_count; ++i )
		extend( &r, contacts->view.points[i].position );
	const dbvhi_placed in_a = dbvhi_place( a, &relative.frame_from_moved, relative.a_moves );
	const dbvhi_placed in_b = dbvhi_place( b, &relative.frame_from_moved, !relative.a_moves );
	const dbvh_pose to_a = dbvhi_b_in_a( &relative );
	dbvh_status status = add_vertices( contacts, true, &in_a, &in_b, NULL, &r, meter );
	if ( status == DBVH_OK )
		status = add_vertices( contacts, false, &in_b, &in_a, &to_a, &r, meter );
	if ( status != DBVH_OK ) {
		contacts->view = ( dbvh_contacts_view ){ 0 };
		if ( direction_count > 0 )
			memset( extents_out, 0, direction_count * sizeof *extents_out );
		return status;
	}
	if ( common_out != NULL )
		*common_out = r.any;
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_overlap_extents( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                         const dbvh_tree *b, const dbvh_pose *pose_b,
                                                         const double *directions, size_t direction_count,
                                                         const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                                         dbvh_extent *extents_out, bool *common_out,
                                                         dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( common_out != NULL )
		*common_out = false;
	dbvh_status status = DBVH_OK;
	if ( contacts != NULL )
		contacts->view = ( dbvh_contacts_view ){ 0 };
	if ( direction_count > 0 ) {
		status = dbvhi_check_given( extents_out, "extents_out", error );
		if ( status != DBVH_OK )
			return status;
		memset( extents_out, 0, direction_count * sizeof *extents_out );
		status = dbvhi_check_given( directions, "directions", error );
	}
	if ( status == DBVH_OK && direction_count > 0 )
		status = dbvhi_check_finite( directions, 3 * direction_count, "directions", error );
	if ( status != DBVH_OK )
		return status;
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, query != NULL ? query->budget : NULL );
	status = measure( a, pose_a, b, pose_b, directions, direction_count, query, contacts, &meter, extents_out,
	                  common_out, error );
	dbvhi_meter_close( &meter );
	return status;
}

dbvh_status dbvh_overlap_extents( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const double *directions, size_t direction_count,
                                  const dbvh_contacts_query *query, dbvh_contacts *contacts, dbvh_extent *extents_out,
                                  bool *common_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_overlap_extents( a, pose_a, b, pose_b, directions, direction_count, query,
	                                                   contacts, extents_out, common_out, error ) ) );
}
