// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts: clusters, the connected parts of the intersection.

#include "base/sort.h"
#include "base/union_find.h"
#include "query/contact/contact.h"

#include <math.h>

// The area of a convex polygon.
static double area_of( const dbvh_contact_point *points, const uint32_t *corner, uint32_t count ) {
	const double *o = points[corner[0]].position;
	double sum[3] = { 0.0, 0.0, 0.0 };
	for ( uint32_t i = 1; i + 1 < count; ++i ) {
		const double *p = points[corner[i]].position, *q = points[corner[i + 1]].position;
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			sum[k] += ( p[x] - o[x] ) * ( q[y] - o[y] ) - ( p[y] - o[y] ) * ( q[x] - o[x] );
		}
	}
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	return 0.5 * dbvhi_distance( zero, sum );
}

static void add_points( dbvh_contacts *c, dbvh_cluster *clusters, uint32_t *parent ) {
	dbvh_contact_point *points = c->stores[DBVHI_STORE_POINTS].memory;
	for ( uint32_t i = 0; i < c->view.point_count; ++i ) {
		// note: a root is the lowest point of its cluster, so its cluster is set already.
		points[i].cluster = points[dbvhi_union_root( parent, i )].cluster;
		dbvh_cluster *cluster = &clusters[points[i].cluster];
		cluster->point_count += 1;
		for ( int k = 0; k < 3; ++k ) {
			cluster->bounds.min[k] = fmin( cluster->bounds.min[k], points[i].position[k] );
			cluster->bounds.max[k] = fmax( cluster->bounds.max[k], points[i].position[k] );
		}
	}
}

static void add_contacts( dbvh_contacts *c, dbvh_cluster *clusters, uint64_t *sorted ) {
	dbvh_contact *contacts = c->stores[DBVHI_STORE_CONTACTS].memory;
	const dbvh_contacts_view *v = &c->view;
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const uint32_t *corner = v->corners + contacts[i].first_corner;
		contacts[i].cluster = v->points[corner[0]].cluster;
		dbvh_cluster *cluster = &clusters[contacts[i].cluster];
		cluster->contact_count += 1;
		if ( contacts[i].kind == DBVH_CONTACT_KIND_POLYGON )
			cluster->area += area_of( v->points, corner, contacts[i].corner_count );
	}
	for ( int side = 0; side < 2; ++side ) {
		for ( size_t i = 0; i < v->contact_count; ++i )
			sorted[i] = (uint64_t)contacts[i].cluster << 32 | ( side == 0 ? contacts[i].pair.a : contacts[i].pair.b );
		dbvhi_sort_u64( sorted, v->contact_count );
		for ( size_t i = 0; i < v->contact_count; ++i ) {
			if ( i > 0 && sorted[i] == sorted[i - 1] )
				continue;
			dbvh_cluster *cluster = &clusters[sorted[i] >> 32];
			*( side == 0 ? &cluster->triangle_count_a : &cluster->triangle_count_b ) += 1;
		}
	}
}

static void add_polylines( dbvh_contacts *c, dbvh_cluster *clusters, dbvh_polyline *polylines ) {
	dbvh_polyline *traced = c->stores[DBVHI_STORE_TRACED].memory;
	const dbvh_contacts_view *v = &c->view;
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		traced[i].cluster = v->points[v->path[traced[i].first].point].cluster;
		clusters[traced[i].cluster].polyline_count += 1;
		clusters[traced[i].cluster].length += traced[i].length;
	}
	size_t first = 0;
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		clusters[i].first_polyline = first;
		first += clusters[i].polyline_count;
		clusters[i].polyline_count = 0;
	}
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		dbvh_cluster *cluster = &clusters[traced[i].cluster];
		polylines[cluster->first_polyline + cluster->polyline_count++] = traced[i];
	}
}

bool dbvhi_contacts_cluster( dbvh_contacts *c ) {
	dbvh_contacts_view *v = &c->view;
	uint32_t *parent = dbvhi_contacts_room( c, DBVHI_STORE_PARENT, v->point_count, sizeof *parent );
	uint64_t *sorted = dbvhi_contacts_room( c, DBVHI_STORE_SORTED, v->contact_count, sizeof *sorted );
	dbvh_polyline *polylines = dbvhi_contacts_room( c, DBVHI_STORE_POLYLINES, v->polyline_count, sizeof *polylines );
	if ( parent == NULL || sorted == NULL || polylines == NULL )
		return false;
	for ( uint32_t i = 0; i < v->point_count; ++i )
		parent[i] = i;
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const uint32_t *corner = v->corners + v->contacts[i].first_corner;
		for ( uint32_t k = 1; k < v->contacts[i].corner_count; ++k )
			dbvhi_union_join( parent, corner[0], corner[k] );
	}
	// note: points are numbered by contact, so the order of roots is that of the lowest contacts.
	dbvh_contact_point *points = c->stores[DBVHI_STORE_POINTS].memory;
	size_t count = 0;
	for ( uint32_t i = 0; i < v->point_count; ++i ) {
		if ( parent[i] == i )
			points[i].cluster = (uint32_t)count++;
	}
	dbvh_cluster *clusters = dbvhi_contacts_room( c, DBVHI_STORE_CLUSTERS, count, sizeof *clusters );
	if ( clusters == NULL )
		return false;
	for ( size_t i = 0; i < count; ++i )
		clusters[i] = ( dbvh_cluster ){
		    .bounds.min = { INFINITY, INFINITY, INFINITY },
		    .bounds.max = { -INFINITY, -INFINITY, -INFINITY },
		};
	v->cluster_count = count;
	add_points( c, clusters, parent );
	add_contacts( c, clusters, sorted );
	add_polylines( c, clusters, polylines );
	v->clusters = clusters;
	v->polylines = polylines;
	return true;
}
