// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of one pair of bodies by their numbers, also of pairs that the rules exclude.

#include "base/fpenv.h"
#include "base/status.h"
#include "scene/rounded.h"

#include <string.h>

typedef struct named_pair {
	const dbvhi_body *a, *b;
} named_pair;

static dbvh_status name_pair( const dbvh_scene *scene, uint32_t a, uint32_t b, named_pair *out, dbvh_error *error ) {
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	if ( a == b )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "a and b are the same body, %u", (unsigned)a );
	out->a = dbvhi_scene_body( scene, a );
	out->b = dbvhi_scene_body( scene, b );
	if ( out->a == NULL || out->b == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "there is no body %u",
		                        (unsigned)( out->a == NULL ? a : b ) );
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_relate( dbvh_scene *scene, uint32_t a, uint32_t b,
                                                      const dbvh_budget *budget, dbvh_relate_result *result_out,
                                                      dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	named_pair pair = { 0 };
	DBVHI_TRY( name_pair( scene, a, b, &pair, error ) );
	if ( dbvhi_rounded_reach( pair.a, pair.b ) > 0.0 )
		return dbvhi_refuse_rounded( scene, "dbvh_scene_relate()", error );
	const dbvh_relate_query query = dbvhi_scene_relate_query( scene, a, b, budget );
	return dbvh_relate( pair.a->tree, &pair.a->pose, pair.b->tree, &pair.b->pose, &query, scene->workspace, result_out,
	                    error );
}

dbvh_status dbvh_scene_relate( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_budget *budget,
                               dbvh_relate_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_relate( scene, a, b, budget, result_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_pair_distance( dbvh_scene *scene, uint32_t a, uint32_t b,
                                                             const dbvh_distance_query *query,
                                                             dbvh_distance_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	named_pair pair = { 0 };
	DBVHI_TRY( name_pair( scene, a, b, &pair, error ) );
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( pair.a, pair.b );
	return dbvhi_rounded_distance( &of, query, scene->workspace, result_out, error );
}

dbvh_status dbvh_scene_pair_distance( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_distance_query *query,
                                      dbvh_distance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_pair_distance( scene, a, b, query, result_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_contacts( dbvh_scene *scene, uint32_t a, uint32_t b,
                                                        const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	named_pair pair = { 0 };
	dbvh_status status = name_pair( scene, a, b, &pair, error );
	if ( status == DBVH_OK && dbvhi_rounded_reach( pair.a, pair.b ) > 0.0 )
		status = dbvhi_refuse_rounded( scene, "dbvh_scene_contacts()", error );
	if ( status != DBVH_OK ) {
		if ( contacts != NULL )
			dbvh_contacts_find( NULL, NULL, NULL, NULL, NULL, contacts, NULL ); // refused, which empties them
		return status;
	}
	return dbvh_contacts_find( pair.a->tree, &pair.a->pose, pair.b->tree, &pair.b->pose, query, contacts, error );
}

dbvh_status dbvh_scene_contacts( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_contacts_query *query,
                                 dbvh_contacts *contacts, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_contacts( scene, a, b, query, contacts, error ) );
}
