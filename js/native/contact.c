// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts: found into one dbvh_contacts, then written list by list as doubles.

#include "web.h"

static dbvh_contacts *contacts;

static dbvh_contacts *get( void ) {
	if ( contacts == NULL )
		dbvh_contacts_create( NULL, &contacts, &web_error );
	return contacts;
}

// Finds the contacts and writes the length of each list: contacts, corners, points, polylines, path, clusters.
dbvh_status WEB_EXPORT( web_contacts )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b,
                                        const double *pose_b, double max_work, double *out ) {
	dbvh_pose rooms[2];
	const dbvh_budget budget = { .max_work = (uint64_t)max_work };
	const dbvh_contacts_query query = { .budget = max_work > 0 ? &budget : NULL };
	if ( get() == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = dbvh_contacts_find( a, web_pose( pose_a, &rooms[0] ), b, web_pose( pose_b, &rooms[1] ),
	                                               &query, contacts, &web_error );
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	const size_t counts[] = { view.contact_count,  view.corner_count, view.point_count,
	                          view.polyline_count, view.path_count,   view.cluster_count };
	for ( int i = 0; i < 6; ++i )
		out[i] = (double)counts[i];
	return status;
}

// Three doubles a point.
void WEB_EXPORT( web_contact_positions )( double *out ) {
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < view.point_count; ++i )
		out = web_put( out, view.points[i].position, 3 );
}

// Six numbers a contact: a, b, kind, first corner, corner count, cluster.
void WEB_EXPORT( web_contact_records )( uint32_t *out ) {
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < view.contact_count; ++i ) {
		const dbvh_contact *c = &view.contacts[i];
		*out++ = c->pair.a;
		*out++ = c->pair.b;
		*out++ = (uint32_t)c->kind;
		*out++ = (uint32_t)c->first_corner;
		*out++ = c->corner_count;
		*out++ = c->cluster;
	}
}

// The corners, then the points of the path.
void WEB_EXPORT( web_contact_indices )( uint32_t *out ) {
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < view.corner_count; ++i )
		*out++ = view.corners[i];
	for ( size_t i = 0; i < view.path_count; ++i )
		*out++ = view.path[i].point;
}

// Seven numbers a polyline: first, point count, length, kind, cluster, closed, directed.
void WEB_EXPORT( web_contact_polylines )( double *out ) {
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < view.polyline_count; ++i ) {
		const dbvh_polyline *line = &view.polylines[i];
		*out++ = (double)line->first;
		*out++ = (double)line->point_count;
		*out++ = line->length;
		*out++ = line->kind;
		*out++ = line->cluster;
		*out++ = line->closed;
		*out++ = line->directed;
	}
}

// Eleven numbers a cluster: bounds, length, area, and the numbers of contacts, points and polylines.
void WEB_EXPORT( web_contact_clusters )( double *out ) {
	const dbvh_contacts_view view = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < view.cluster_count; ++i ) {
		const dbvh_cluster *cluster = &view.clusters[i];
		out = web_put( out, cluster->bounds.min, 3 );
		out = web_put( out, cluster->bounds.max, 3 );
		*out++ = cluster->length;
		*out++ = cluster->area;
		*out++ = (double)cluster->contact_count;
		*out++ = (double)cluster->point_count;
		*out++ = (double)cluster->polyline_count;
	}
}

// Writes disjoint, the translation of B, its length.
dbvh_status WEB_EXPORT( web_separating_translation )( const dbvh_tree *a, const double *pose_a, const dbvh_tree *b,
                                                      const double *pose_b, double max_work, double *out ) {
	dbvh_pose rooms[2];
	const dbvh_budget budget = { .max_work = (uint64_t)max_work };
	const dbvh_contacts_query query = { .budget = max_work > 0 ? &budget : NULL };
	dbvh_separation separation;
	if ( get() == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = dbvh_separating_translation(
	    a, web_pose( pose_a, &rooms[0] ), b, web_pose( pose_b, &rooms[1] ), &query, contacts, &separation, &web_error );
	*out++ = separation.disjoint;
	out = web_put( out, separation.translation, 3 );
	*out = separation.length;
	return status;
}
