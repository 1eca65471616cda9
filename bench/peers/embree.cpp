// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Embree's rtcCollide(): candidates from two trees of boxes in a common frame, tested here. Trees do not move, so that
// of B is made anew for each pose.

#include "common/stats.h"
#include "peer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <embree3/rtcore.h>

namespace {

struct Side {
	std::vector<double> corners; // nine a triangle, in the common frame
	RTCScene scene = nullptr;
	RTCGeometry geometry = nullptr;
};

// Float bounds that enclose the doubles: one step outwards each.
void bounds( const RTCBoundsFunctionArguments *arguments ) {
	const double *c = ( (const Side *)arguments->geometryUserPtr )->corners.data() + 9 * (size_t)arguments->primID;
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = std::fmin( c[k], std::fmin( c[3 + k], c[6 + k] ) );
		high[k] = std::fmax( c[k], std::fmax( c[3 + k], c[6 + k] ) );
	}
	RTCBounds *out = arguments->bounds_o;
	out->lower_x = std::nextafterf( (float)low[0], -INFINITY );
	out->lower_y = std::nextafterf( (float)low[1], -INFINITY );
	out->lower_z = std::nextafterf( (float)low[2], -INFINITY );
	out->upper_x = std::nextafterf( (float)high[0], INFINITY );
	out->upper_y = std::nextafterf( (float)high[1], INFINITY );
	out->upper_z = std::nextafterf( (float)high[2], INFINITY );
}

// Are all corners of `q` surely on one side of the plane of `p`? A quick filter before the exact test.
bool plane_parts( const double *p, const double *q ) {
	const double u[3] = { p[3] - p[0], p[4] - p[1], p[5] - p[2] }, v[3] = { p[6] - p[0], p[7] - p[1], p[8] - p[2] };
	const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	double low = INFINITY, high = -INFINITY, size = 0.0;
	for ( int i = 0; i < 9; i += 3 ) {
		const double w[3] = { q[i] - p[0], q[i + 1] - p[1], q[i + 2] - p[2] };
		const double h = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
		low = std::fmin( low, h );
		high = std::fmax( high, h );
		size = std::fmax( size, std::fabs( w[0] ) + std::fabs( w[1] ) + std::fabs( w[2] ) );
	}
	const double reach = ( std::fabs( u[0] ) + std::fabs( u[1] ) + std::fabs( u[2] ) ) *
	                     ( std::fabs( v[0] ) + std::fabs( v[1] ) + std::fabs( v[2] ) ) * size;
	const double error = 1e-13 * reach;
	return low > error || high < -error;
}

struct Collision {
	const Side *a, *b;
	bool all, intersecting;
	PeerPairs *pairs;
};

void candidates( void *user, RTCCollision *list, unsigned int count ) {
	Collision &c = *(Collision *)user;
	for ( unsigned int i = 0; i < count; ++i ) {
		// There is no way to stop the traversal; further candidates are at least not looked at.
		if ( c.intersecting && !c.all )
			return;
		const double *p = c.a->corners.data() + 9 * (size_t)list[i].primID0;
		const double *q = c.b->corners.data() + 9 * (size_t)list[i].primID1;
		if ( plane_parts( p, q ) || plane_parts( q, p ) )
			continue;
		bool meet = false;
		if ( dbvh_triangles_intersect( (const dbvh_triangle *)p, (const dbvh_triangle *)q, nullptr, &meet, NULL ) !=
		         DBVH_OK ||
		     !meet )
			continue;
		c.intersecting = true;
		if ( c.pairs != nullptr )
			c.pairs->add( list[i].primID0, list[i].primID1 );
	}
}

class Embree : public Peer {
  public:
	Embree() {
		device_ = rtcNewDevice( "threads=1" );
		if ( device_ == nullptr )
			exit( 2 );
		rtcSetDeviceMemoryMonitorFunction( device_, count_memory, this );
	}

	~Embree() override {
		unload();
		rtcReleaseDevice( device_ );
	}

	const char *name() const override {
		return "Embree";
	}
	const char *note() const override {
		return "B's tree made anew for each pose; no early exit";
	}
	bool lists_pairs() const override {
		return true;
	}

	void unload() override {
		for ( Side *side : { &a_, &b_ } ) {
			if ( side->geometry != nullptr )
				rtcReleaseGeometry( side->geometry );
			if ( side->scene != nullptr )
				rtcReleaseScene( side->scene );
			*side = Side();
		}
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		source_ = gather( b );
		a_.corners = gather( a );
		b_.corners = source_;
		make( a_, a.triangle_count, RTC_BUILD_QUALITY_HIGH, RTC_SCENE_FLAG_ROBUST );
		make( b_, b.triangle_count, RTC_BUILD_QUALITY_LOW, RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST );
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		poses_.assign( poses, poses + count );
	}

	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		const double start = stats_thread_now();
		const dbvh_pose &p = poses_[pose];
		for ( size_t i = 0; i < source_.size(); i += 3 )
			for ( size_t k = 0; k < 3; ++k )
				b_.corners[i + k] =
				    p.rot[k][0] * source_[i] + p.rot[k][1] * source_[i + 1] + p.rot[k][2] * source_[i + 2] + p.pos[k];
		rtcCommitGeometry( b_.geometry );
		rtcCommitScene( b_.scene );
		rebuild_ += stats_thread_now() - start;
		Collision c = { &a_, &b_, all, false, pairs };
		rtcCollide( a_.scene, b_.scene, candidates, &c );
		return c.intersecting;
	}

	double rebuild_seconds() const override {
		return rebuild_;
	}
	size_t hidden_bytes() const override {
		return memory_ > 0 ? (size_t)memory_ : 0;
	}

  private:
	static bool count_memory( void *self, ssize_t bytes, bool ) {
		( (Embree *)self )->memory_ += bytes;
		return true;
	}

	static std::vector<double> gather( const PeerMesh &mesh ) {
		std::vector<double> corners;
		corners.reserve( 9 * mesh.triangle_count );
		for ( size_t i = 0; i < 3 * mesh.triangle_count; ++i )
			for ( size_t k = 0; k < 3; ++k )
				corners.push_back( mesh.positions[3 * (size_t)mesh.indices[i] + k] );
		return corners;
	}

	void make( Side &side, size_t count, RTCBuildQuality quality, RTCSceneFlags flags ) {
		side.scene = rtcNewScene( device_ );
		rtcSetSceneBuildQuality( side.scene, quality );
		rtcSetSceneFlags( side.scene, flags );
		side.geometry = rtcNewGeometry( device_, RTC_GEOMETRY_TYPE_USER ); // scenes of triangles are not taken
		rtcSetGeometryBuildQuality( side.geometry, quality );
		rtcSetGeometryUserPrimitiveCount( side.geometry, (unsigned int)count );
		rtcSetGeometryUserData( side.geometry, &side );
		rtcSetGeometryBoundsFunction( side.geometry, bounds, nullptr );
		rtcCommitGeometry( side.geometry );
		rtcAttachGeometry( side.scene, side.geometry );
		rtcCommitScene( side.scene );
	}

	RTCDevice device_;
	Side a_, b_;
	std::vector<double> source_;
	std::vector<dbvh_pose> poses_;
	double rebuild_ = 0.0;
	long long memory_ = 0;
};

} // namespace

void add_embree( PeerList &list ) {
	list.push_back( new Embree() );
}
