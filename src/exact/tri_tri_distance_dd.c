// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/tri_tri_distance_dd.h"

static const dbvhi_distance_dd *in_use( void ) {
	return dbvhi_distance_dd_table[dbvhi_isa_level()];
}

bool dbvhi_triangles_no_nearer( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance ) {
	return in_use()->no_nearer( pair, gap, distance );
}

bool dbvhi_triangles_rounded_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double *distance ) {
	return in_use()->rounded_near( pair, gap, distance );
}

bool dbvhi_triangles_distance_near( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
                                    dbvhi_witness *out ) {
	return in_use()->distance_near( pair, gap, limit, out );
}

bool dbvhi_triangles_find_place( const dbvhi_posed_pair *pair, dbvhi_tri_tri_bounds *gap ) {
	return in_use()->find_place( pair, gap );
}

bool dbvhi_distance_planes_init( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance,
                                 dbvhi_distance_planes *out ) {
	return in_use()->planes_init( pair, gap, distance, out );
}

double dbvhi_height_beyond( const dbvhi_distance_planes *planes, const double triangle[9], bool moved ) {
	return in_use()->height_beyond( planes, triangle, moved );
}
