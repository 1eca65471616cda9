// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A translation that separates two meshes. Any translation that separates is an upper bound, and each is verified
// exactly, so the search for a short one may be heuristic.

#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/relation.h"
#include "query/contact/contact.h"
#include "query/relation/relation.h"

#include <math.h>
#include <string.h>

#define LOOPS 8        // closed polylines of contact whose normals are tried: those of the largest area
#define GAIN 0x1p-10   // relative gain that another direction must bring to be worth a search
#define COARSE 0x1p-16 // relative precision of the length along a direction
#define FINE 0x1p-44   // and along the last one

typedef struct direction {
	double d[3]; // unit length
} direction;

typedef struct search {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	dbvh_workspace *workspace;
	dbvhi_meter *meter;
	dbvh_tree_stats stats_a, stats_b;
	dbvh_pose b_in_a;
	direction best_direction;
	double best; // the shortest length that is known to separate; INFINITY: none yet
	dbvh_pose best_pose;
	dbvh_status status;
} search;

// B's pose moved by `length` along a direction of A's frame.
static dbvh_pose moved( const search *s, const direction *way, double length ) {
	dbvh_pose pose = *s->pose_b;
	for ( int i = 0; i < 3; ++i ) {
		double x = 0.0;
		for ( int k = 0; k < 3; ++k )
			x += s->pose_a->rot[i][k] * ( way->d[k] * length );
		pose.pos[i] += x;
	}
	return pose;
}

static const dbvh_relate_query exactly = { .touch_gap = 0.0 };

// True if moving B by `length` separates the meshes. Records the shortest such translation.
static bool separates( search *s, const direction *way, double length ) {
	const dbvh_pose pose = moved( s, way, length );
	dbvh_relate_result result;
	const dbvh_status status = dbvhi_relate( s->a, s->pose_a, s->b, &pose, &exactly, s->workspace, s->meter, &result );
	if ( status != DBVH_OK ) {
		// note: a pose beyond the range of doubles separates nothing; any other error ends the search.
		if ( status != DBVH_NOT_FINITE )
			s->status = status;
		return false;
	}
	if ( result.relation != DBVH_RELATION_DISJOINT )
		return false;
	if ( length < s->best ) {
		s->best = length;
		s->best_direction = *way;
		s->best_pose = pose;
	}
	return true;
}

static double dot( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A little more than the overlap of the boxes of both meshes along a direction.
static double sufficient( const search *s, const direction *way ) {
	double b_way[3]; // the direction seen from B
	for ( int k = 0; k < 3; ++k )
		b_way[k] = s->b_in_a.rot[0][k] * way->d[0] + s->b_in_a.rot[1][k] * way->d[1] + s->b_in_a.rot[2][k] * way->d[2];
	const double a_centre = dot( way->d, s->stats_a.box.centre );
	const double b_centre = dot( way->d, s->b_in_a.pos ) + dot( b_way, s->stats_b.box.centre );
	double reach = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		reach += s->stats_a.box.half[k] * fabs( dot( way->d, s->stats_a.box.axis[k] ) );
		reach += s->stats_b.box.half[k] * fabs( dot( b_way, s->stats_b.box.axis[k] ) );
	}
	const double least = 0x1p-20 * ( s->stats_a.sphere.radius + s->stats_b.sphere.radius );
	return fmax( ( a_centre - b_centre + reach ) * ( 1.0 + 0x1p-20 ), least );
}

// Bisect between a length that does not separate and the best one that does.
static void bisect( search *s, const direction *way, double too_short, double closeness ) {
	const double *best = &s->best;
	for ( int i = 0; i < 64 && *best - too_short > closeness * *best && s->status == DBVH_OK; ++i ) {
		const double middle = too_short + 0.5 * ( *best - too_short );
		if ( !separates( s, way, middle ) )
			too_short = middle;
	}
}

// Search for a shorter length along a direction. True if there is one.
static bool try_direction( search *s, const direction *way ) {
	if ( s->status != DBVH_OK )
		return false;
	double length = sufficient( s, way );
	if ( isfinite( s->best ) ) {
		if ( !separates( s, way, fmin( length, s->best * ( 1.0 - GAIN ) ) ) )
			return false;
	} else {
		// The first direction. The overlap of the boxes suffices but for rounding and for sheets, whose boxes count.
		while ( !separates( s, way, length ) ) {
			length *= 2.0;
			if ( !isfinite( length ) || s->status != DBVH_OK )
				return false;
		}
	}
	bisect( s, way, 0.0, COARSE );
	return true;
}

static bool normalise( direction *way ) {
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	const double length = dbvhi_distance( zero, way->d );
	if ( !( length > 0x1p-1000 && length < 0x1p1000 ) )
		return false;
	for ( int k = 0; k < 3; ++k )
		way->d[k] /= length;
	return true;
}

static void try_both_ways( search *s, direction way ) {
	if ( !normalise( &way ) )
		return;
	try_direction( s, &way );
	for ( int k = 0; k < 3; ++k )
		way.d[k] = -way.d[k];
	try_direction( s, &way );
}

// The mean normal of the surface that a loop bounds, times twice its area: the sum of p x q over its steps.
static direction loop_normal( const dbvh_contacts_view *v, const dbvh_polyline *line ) {
	direction out = { { 0.0, 0.0, 0.0 } };
	const double *o = v->points[v->path[line->first].point].position;
	for ( size_t i = 1; i + 1 < line->point_count; ++i ) {
		const double *p = v->points[v->path[line->first + i].point].position;
		const double *q = v->points[v->path[line->first + i + 1].point].position;
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			out.d[k] += ( p[x] - o[x] ) * ( q[y] - o[y] ) - ( p[y] - o[y] ) * ( q[x] - o[x] );
		}
	}
	return out;
}

static void try_loops( search *s, const dbvh_contacts_view *v ) {
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	direction largest[LOOPS] = { { { 0.0, 0.0, 0.0 } } };
	double size[LOOPS] = { 0.0 };
	int count = 0;
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const direction normal = loop_normal( v, &v->polylines[i] );
		const double area = dbvhi_distance( zero, normal.d );
		int at = count;
		while ( at > 0 && size[at - 1] < area )
			at -= 1;
		if ( at == LOOPS )
			continue;
		count = count < LOOPS ? count + 1 : LOOPS;
		for ( int k = count - 1; k > at; --k ) {
			largest[k] = largest[k - 1];
			size[k] = size[k - 1];
		}
		largest[at] = normal;
		size[at] = area;
	}
	for ( int i = 0; i < count; ++i )
		try_both_ways( s, largest[i] );
}

// Tilt the best direction a little, as long as that helps.
static void refine( search *s ) {
	double angle = 0.25;
	for ( int round = 0; round < 32 && angle > 0.002 && s->status == DBVH_OK; ++round ) {
		const direction from = s->best_direction;
		const int least = fabs( from.d[0] ) <= fabs( from.d[1] ) && fabs( from.d[0] ) <= fabs( from.d[2] ) ? 0
		                  : fabs( from.d[1] ) <= fabs( from.d[2] )                                         ? 1
		                                                                                                   : 2;
		direction across[2];
		for ( int k = 0; k < 3; ++k )
			across[0].d[k] = ( k == least ? 1.0 : 0.0 ) - from.d[least] * from.d[k];
		normalise( &across[0] );
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			across[1].d[k] = from.d[x] * across[0].d[y] - from.d[y] * across[0].d[x];
		}
		bool better = false;
		for ( int i = 0; i < 4 && !better; ++i ) {
			direction way;
			for ( int k = 0; k < 3; ++k )
				way.d[k] = from.d[k] + ( i < 2 ? angle : -angle ) * across[i % 2].d[k];
			better = normalise( &way ) && try_direction( s, &way );
		}
		if ( !better )
			angle *= 0.5;
	}
}

static void find_separation( search *s, const dbvh_contacts_view *v ) {
	direction way;
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		for ( int axis = 0; axis < 3; ++axis ) {
			const double *d = ( mesh == 0 ? &s->stats_a : &s->stats_b )->box.axis[axis];
			for ( int k = 0; k < 3; ++k )
				way.d[k] = mesh == 0 ? d[k] : dot( s->b_in_a.rot[k], d );
			try_both_ways( s, way );
		}
	}
	for ( int k = 0; k < 3; ++k )
		way.d[k] = dot( s->b_in_a.rot[k], s->stats_b.box.centre ) + s->b_in_a.pos[k] - s->stats_a.box.centre[k];
	try_both_ways( s, way );
	try_loops( s, v );
	refine( s );
	if ( s->status == DBVH_OK && isfinite( s->best ) ) {
		// note: the coarse search has found that a little less does not separate.
		direction last = s->best_direction;
		bisect( s, &last, s->best * ( 1.0 - 2.0 * COARSE ), FINE );
	}
}

static dbvh_status separate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                             const dbvh_contacts_query *query, dbvh_contacts *contacts, dbvhi_meter *meter,
                             dbvh_separation *separation_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_contacts_find( a, pose_a, b, pose_b, query, contacts, meter, error ) );
	dbvhi_relative_pose relative;
	dbvh_relate_result result;
	DBVHI_TRY( dbvhi_pose_relate( pose_a, pose_b, &relative ) );
	DBVHI_TRY( dbvhi_relate( a, pose_a, b, pose_b, &exactly, contacts->workspace, meter, &result ) );
	const dbvh_pose identity = dbvh_pose_identity();
	search s = {
	    .a = a,
	    .b = b,
	    .pose_a = pose_a != NULL ? pose_a : &identity,
	    .pose_b = pose_b != NULL ? pose_b : &identity,
	    .workspace = contacts->workspace,
	    .meter = meter,
	    .stats_a = dbvh_tree_get_stats( a ),
	    .stats_b = dbvh_tree_get_stats( b ),
	    .b_in_a = dbvhi_b_in_a( &relative ),
	    .best = INFINITY,
	};
	if ( result.relation == DBVH_RELATION_DISJOINT ) {
		separation_out->disjoint = true;
		separation_out->pose_b = *s.pose_b;
		return DBVH_OK;
	}
	find_separation( &s, &contacts->view );
	const bool is_cut_short = dbvhi_purse_status( meter->purse ) != DBVH_OK;
	if ( s.status != DBVH_OK && !( is_cut_short && isfinite( s.best ) ) )
		return s.status;
	if ( !isfinite( s.best ) )
		return dbvhi_error_set( error, DBVH_LIMIT, "no translation within the range of doubles separates the meshes" );
	separation_out->pose_b = s.best_pose;
	// note: the pose has been verified, so the translation is computed from the pose.
	dbvh_pose turned = identity, shift = identity;
	memcpy( turned.rot, s.pose_a->rot, sizeof turned.rot );
	for ( int k = 0; k < 3; ++k )
		shift.pos[k] = s.best_pose.pos[k] - s.pose_b->pos[k];
	const dbvh_pose seen = dbvh_pose_relative( &turned, &shift );
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	memcpy( separation_out->translation, seen.pos, sizeof seen.pos );
	separation_out->length = dbvhi_distance( zero, seen.pos );
	return s.status;
}

static DBVHI_NOINLINE_FP dbvh_status do_separating_translation( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                                const dbvh_tree *b, const dbvh_pose *pose_b,
                                                                const dbvh_contacts_query *query,
                                                                dbvh_contacts *contacts,
                                                                dbvh_separation *separation_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( separation_out == NULL )
		return dbvhi_error_null( error, "separation_out" );
	// note: a pose may lie in *separation_out, so both are copied.
	dbvh_pose copy_a, copy_b;
	if ( pose_a != NULL )
		pose_a = memcpy( &copy_a, pose_a, sizeof copy_a );
	if ( pose_b != NULL )
		pose_b = memcpy( &copy_b, pose_b, sizeof copy_b );
	memset( separation_out, 0, sizeof *separation_out );
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, query != NULL ? query->budget : NULL );
	const dbvh_status status = separate( a, pose_a, b, pose_b, query, contacts, &meter, separation_out, error );
	dbvhi_meter_close( &meter );
	return status;
}

dbvh_status dbvh_separating_translation( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *pose_b, const dbvh_contacts_query *query,
                                         dbvh_contacts *contacts, dbvh_separation *separation_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_separating_translation( a, pose_a, b, pose_b, query, contacts,
	                                                                              separation_out, error ) ) );
}
