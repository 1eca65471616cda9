// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rays and nearest points beside Embree (floats, robust mode), one thread, one query at a time:
//
//   dualbvh-bench-rays MESH...
//
// Origins are on a sphere of twice the mesh's radius, rays aimed at random points of its ball, and points are random in
// the ball. Everything is given in floats, so that both see the same numbers; an answer of Embree's is wrong where it
// says hit for miss or the reverse, names a triangle that is not the first, or a distance that is off by more than a
// millionth of the mesh.

#include "common/stats.h"
#include "dualbvh/dualbvh.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <embree3/rtcore.h>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr size_t COUNT = 20000;
constexpr int ROUNDS = 5;

struct Nearest {
	const float *positions;
	const uint32_t *indices;
	float squared;
	uint32_t triangle;
};

// The distance of a triangle (Ericson 2005, section 5.1.5), as users of Embree write it.
float squared_distance( const float *p, const float *a, const float *b, const float *c ) {
	float ab[3], ac[3], ap[3], bp[3], cp[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = b[k] - a[k];
		ac[k] = c[k] - a[k];
		ap[k] = p[k] - a[k];
		bp[k] = p[k] - b[k];
		cp[k] = p[k] - c[k];
	}
	const auto dot = []( const float *x, const float *y ) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
	const float d1 = dot( ab, ap ), d2 = dot( ac, ap ), d3 = dot( ab, bp ), d4 = dot( ac, bp ), d5 = dot( ab, cp ),
	            d6 = dot( ac, cp );
	float v = 0, w = 0;
	const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
	if ( d1 <= 0 && d2 <= 0 ) {
	} else if ( d3 >= 0 && d4 <= d3 ) {
		v = 1;
	} else if ( vc <= 0 && d1 >= 0 && d3 <= 0 ) {
		v = d1 / ( d1 - d3 );
	} else if ( d6 >= 0 && d5 <= d6 ) {
		w = 1;
	} else if ( vb <= 0 && d2 >= 0 && d6 <= 0 ) {
		w = d2 / ( d2 - d6 );
	} else if ( va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0 ) {
		w = ( d4 - d3 ) / ( ( d4 - d3 ) + ( d5 - d6 ) );
		v = 1 - w;
	} else {
		const float scale = 1 / ( va + vb + vc );
		v = vb * scale;
		w = vc * scale;
	}
	float sum = 0;
	for ( int k = 0; k < 3; ++k ) {
		const float x = ap[k] - v * ab[k] - w * ac[k];
		sum += x * x;
	}
	return sum;
}

bool compare_nearest( RTCPointQueryFunctionArguments *arguments ) {
	Nearest *n = (Nearest *)arguments->userPtr;
	const uint32_t *t = n->indices + 3 * (size_t)arguments->primID;
	const float p[3] = { arguments->query->x, arguments->query->y, arguments->query->z };
	const float d = squared_distance( p, n->positions + 3 * t[0], n->positions + 3 * t[1], n->positions + 3 * t[2] );
	if ( !( d < n->squared ) )
		return false;
	n->squared = d;
	n->triangle = arguments->primID;
	arguments->query->radius = std::sqrt( d );
	return true;
}

int run( const char *path ) {
	dbvh_error error;
	dbvh_mesh *mesh = nullptr;
	if ( dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, nullptr, &mesh, &error ) != DBVH_OK ) {
		std::fprintf( stderr, "%s: %s\n", path, error.text );
		return 1;
	}
	const dbvh_mesh_view given = dbvh_mesh_get_view( mesh );
	std::vector<float> positions( 3 * given.vertex_count );
	for ( size_t i = 0; i < positions.size(); ++i )
		positions[i] = (float)( (const double *)given.positions )[i];
	dbvh_mesh_view view = given;
	view.positions = positions.data();
	view.position_type = DBVH_POSITION_TYPE_FLOAT32;
	dbvh_tree *tree = nullptr;
	dbvh_workspace *workspace = nullptr;
	if ( dbvh_tree_build( &view, nullptr, nullptr, &tree, &error ) != DBVH_OK ||
	     dbvh_workspace_create( nullptr, &workspace, NULL ) != DBVH_OK )
		return 1;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );

	RTCDevice device = rtcNewDevice( "threads=1" );
	RTCScene scene = rtcNewScene( device );
	rtcSetSceneFlags( scene, RTC_SCENE_FLAG_ROBUST );
	rtcSetSceneBuildQuality( scene, RTC_BUILD_QUALITY_HIGH );
	RTCGeometry geometry = rtcNewGeometry( device, RTC_GEOMETRY_TYPE_TRIANGLE );
	std::memcpy(
	    rtcSetNewGeometryBuffer( geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, view.vertex_count ),
	    positions.data(), 12 * view.vertex_count );
	std::memcpy(
	    rtcSetNewGeometryBuffer( geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, view.triangle_count ),
	    view.indices, 12 * view.triangle_count );
	Nearest nearest = { positions.data(), (const uint32_t *)view.indices, 0, 0 };
	rtcSetGeometryPointQueryFunction( geometry, compare_nearest );
	rtcCommitGeometry( geometry );
	rtcAttachGeometry( scene, geometry );
	rtcCommitScene( scene );

	std::mt19937_64 random( 20261121 );
	std::uniform_real_distribution<double> uniform( -1.0, 1.0 );
	const auto in_ball = [&]( double *out ) {
		double square;
		do {
			square = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				out[k] = uniform( random );
				square += out[k] * out[k];
			}
		} while ( square > 1.0 || square < 1e-6 );
		return std::sqrt( square );
	};
	std::vector<dbvh_ray> rays( COUNT );
	std::vector<float> points( 3 * COUNT );
	for ( size_t i = 0; i < COUNT; ++i ) {
		double from[3], to[3], at[3];
		const double length = in_ball( from );
		in_ball( to );
		in_ball( at );
		for ( int k = 0; k < 3; ++k ) {
			const double c = stats.sphere.centre[k], r = stats.sphere.radius;
			rays[i].from[k] = (float)( c + 2.0 * r * from[k] / length );
			rays[i].direction[k] = (float)( c + r * to[k] - rays[i].from[k] );
			points[3 * i + (size_t)k] = (float)( c + r * at[k] );
		}
	}

	std::vector<dbvh_raycast_result> ours( COUNT ), ours_any( COUNT );
	std::vector<dbvh_closest_point_result> ours_nearest( COUNT );
	std::vector<uint32_t> theirs( COUNT ), theirs_any( COUNT );
	std::vector<float> theirs_distance( COUNT );
	const dbvh_raycast_query first = { DBVH_FIND_CLOSEST, nullptr, 0 };
	double times[6][ROUNDS];
	for ( int round = 0; round < ROUNDS; ++round ) {
		double start = stats_thread_now();
		for ( size_t i = 0; i < COUNT; ++i )
			dbvh_raycast( tree, nullptr, &rays[i], &first, workspace, &ours[i], NULL );
		times[0][round] = stats_thread_now() - start;
		start = stats_thread_now();
		RTCIntersectContext context;
		rtcInitIntersectContext( &context );
		for ( size_t i = 0; i < COUNT; ++i ) {
			RTCRayHit hit = {};
			hit.ray.org_x = (float)rays[i].from[0];
			hit.ray.org_y = (float)rays[i].from[1];
			hit.ray.org_z = (float)rays[i].from[2];
			hit.ray.dir_x = (float)rays[i].direction[0];
			hit.ray.dir_y = (float)rays[i].direction[1];
			hit.ray.dir_z = (float)rays[i].direction[2];
			hit.ray.tfar = std::numeric_limits<float>::infinity();
			hit.ray.mask = ~0u;
			hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
			hit.hit.primID = ~0u;
			rtcIntersect1( scene, &context, &hit );
			theirs[i] = hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? ~0u : hit.hit.primID;
		}
		times[1][round] = stats_thread_now() - start;
		start = stats_thread_now();
		for ( size_t i = 0; i < COUNT; ++i )
			dbvh_raycast( tree, nullptr, &rays[i], nullptr, workspace, &ours_any[i], NULL );
		times[2][round] = stats_thread_now() - start;
		start = stats_thread_now();
		for ( size_t i = 0; i < COUNT; ++i ) {
			RTCRay ray = {};
			ray.org_x = (float)rays[i].from[0];
			ray.org_y = (float)rays[i].from[1];
			ray.org_z = (float)rays[i].from[2];
			ray.dir_x = (float)rays[i].direction[0];
			ray.dir_y = (float)rays[i].direction[1];
			ray.dir_z = (float)rays[i].direction[2];
			ray.tfar = std::numeric_limits<float>::infinity();
			ray.mask = ~0u;
			rtcOccluded1( scene, &context, &ray );
			theirs_any[i] = ray.tfar < 0.0f;
		}
		times[3][round] = stats_thread_now() - start;
		start = stats_thread_now();
		for ( size_t i = 0; i < COUNT; ++i ) {
			const double point[3] = { (double)points[3 * i], (double)points[3 * i + 1], (double)points[3 * i + 2] };
			dbvh_closest_point( tree, nullptr, point, NULL, workspace, &ours_nearest[i], NULL );
		}
		times[4][round] = stats_thread_now() - start;
		start = stats_thread_now();
		for ( size_t i = 0; i < COUNT; ++i ) {
			RTCPointQueryContext point_context;
			rtcInitPointQueryContext( &point_context );
			RTCPointQuery query = {};
			query.x = points[3 * i];
			query.y = points[3 * i + 1];
			query.z = points[3 * i + 2];
			query.radius = std::numeric_limits<float>::infinity();
			nearest.squared = std::numeric_limits<float>::infinity();
			rtcPointQuery( scene, &query, &point_context, nullptr, &nearest );
			theirs_distance[i] = std::sqrt( nearest.squared );
		}
		times[5][round] = stats_thread_now() - start;
	}
	size_t hits = 0, wrong = 0, wrong_any = 0, wrong_distance = 0;
	for ( size_t i = 0; i < COUNT; ++i ) {
		hits += ours[i].intersects;
		wrong +=
		    ( theirs[i] != ~0u ) != ours[i].intersects || ( ours[i].intersects && theirs[i] != ours[i].first.triangle );
		wrong_any += ( theirs_any[i] != 0 ) != ours[i].intersects;
		wrong_distance +=
		    !( std::fabs( (double)theirs_distance[i] - ours_nearest[i].distance ) <= 1e-6 * stats.sphere.radius );
	}
	const char *name = std::strrchr( path, '/' );
	std::printf( "%s: %zu triangles, %zu of %zu rays hit\n", name != nullptr ? name + 1 : path, view.triangle_count,
	             hits, COUNT );
	static const char *const what[3] = { "first hit", "any hit", "nearest" };
	const size_t mistakes[3] = { wrong, wrong_any, wrong_distance };
	for ( int k = 0; k < 3; ++k ) {
		const double mine = *std::min_element( times[2 * k], times[2 * k] + ROUNDS );
		const double other = *std::min_element( times[2 * k + 1], times[2 * k + 1] + ROUNDS );
		std::printf( "  %-9s  dualbvh %7.3f us, Embree %7.3f us (%zu wrong)\n", what[k], 1e6 * mine / COUNT,
		             1e6 * other / COUNT, mistakes[k] );
	}
	rtcReleaseGeometry( geometry );
	rtcReleaseScene( scene );
	rtcReleaseDevice( device );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( tree );
	dbvh_mesh_destroy( mesh );
	return 0;
}

} // namespace

int main( int count, char **arguments ) {
	if ( count < 2 ) {
		std::fprintf( stderr, "usage: dualbvh-bench-rays MESH...\n" );
		return 2;
	}
	int failed = 0;
	for ( int i = 1; i < count; ++i )
		failed |= run( arguments[i] );
	return failed;
}
