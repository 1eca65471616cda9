// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two meshes: dualbvh beside FCL as Debian compiled it, on the same poses, in alternate rounds.

#include "distance.h"

#include "common/poses.h"
#include "common/stats.h"
#include "dualbvh/distance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>
#include <memory>
#include <vector>

namespace {

class Measure {
  public:
	virtual ~Measure() = default;
	virtual const char *name() const = 0;
	virtual double query( const dbvh_pose &pose, size_t index ) = 0;
};

void check( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

class Dualbvh : public Measure {
  public:
	Dualbvh( const char *name, const dbvh_tree *tree, dbvh_distance_query query )
	    : name_( name ), tree_( tree ), query_( query ) {
		check( dbvh_workspace_create( nullptr, &workspace_, NULL ) );
		check( dbvh_workspace_reserve( workspace_, tree, tree, 0, NULL ) );
	}
	~Dualbvh() override {
		dbvh_workspace_destroy( workspace_ );
	}
	const char *name() const override {
		return name_;
	}
	double query( const dbvh_pose &pose, size_t ) override {
		dbvh_distance_result result;
		check( dbvh_distance( tree_, nullptr, tree_, &pose, &query_, workspace_, &result, NULL ) );
		return result.distance;
	}

  private:
	const char *name_;
	const dbvh_tree *tree_;
	dbvh_distance_query query_;
	dbvh_workspace *workspace_ = nullptr;
};

template <typename Volume> class Fcl : public Measure {
  public:
	Fcl( const char *name, const scene_mesh &mesh, const pose_set &set, int row ) : name_( name ) {
		std::vector<fcl::Vector3d> points( mesh.view.vertex_count );
		std::vector<fcl::Triangle> triangles( mesh.view.triangle_count );
		for ( size_t i = 0; i < points.size(); ++i )
			points[i] = { mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] };
		for ( size_t i = 0; i < triangles.size(); ++i )
			triangles[i].set( mesh.indices[3 * i], mesh.indices[3 * i + 1], mesh.indices[3 * i + 2] );
		model_ = std::make_shared<fcl::BVHModel<Volume>>();
		model_->beginModel( (int)triangles.size(), (int)points.size() );
		model_->addSubModel( points, triangles );
		model_->endModel();
		// Converted beforehand, so that only queries are timed.
		transforms_.assign( set.count, fcl::Transform3d::Identity() );
		for ( size_t p = 0; p < set.count; ++p )
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					transforms_[p].linear()( i, j ) = set.rows[row][p].rot[i][j];
				transforms_[p].translation()[i] = set.rows[row][p].pos[i];
			}
	}
	const char *name() const override {
		return name_;
	}
	double query( const dbvh_pose &, size_t index ) override {
		// Nearest points are asked for, as dualbvh always gives them.
		const fcl::DistanceRequestd request( true );
		fcl::DistanceResultd result;
		fcl::distance( model_.get(), identity_, model_.get(), transforms_[index], request, result );
		return result.min_distance;
	}

  private:
	const char *name_;
	std::shared_ptr<fcl::BVHModel<Volume>> model_;
	const fcl::Transform3d identity_ = fcl::Transform3d::Identity();
	std::vector<fcl::Transform3d> transforms_;
};

struct Result {
	std::vector<double> mean, least; // microseconds: a round each; a pose each, the least of the rounds
	size_t wrong = 0;
	double worst = 0.0;
};

} // namespace

void bench_distance_peers( const scene_mesh &mesh, size_t sample, size_t rounds, FILE *csv ) {
	dbvh_tree *tree = scene_tree( &mesh.view, nullptr );
	pose_set set = poses_by_sphere( tree, sample );
	printf( "\n%s; distance and nearest points, %zu poses a row; microseconds a query: mean over the poses (median of\n"
	        "the rounds) and median over the poses (of the least of the rounds); ratios to dualbvh; answers that are\n"
	        "off by more than 1e-9 of the diameter, and the worst\n",
	        mesh.label, set.count );
	for ( const int row : { 0, 1, 2, 3, 5 } ) {
		std::vector<std::unique_ptr<Measure>> all;
		all.push_back( std::make_unique<Dualbvh>( "dualbvh", tree, dbvh_distance_query{} ) );
		dbvh_distance_query nearly = {};
		nearly.relative_error = 1e-3;
		all.push_back( std::make_unique<Dualbvh>( "dualbvh, error 1e-3", tree, nearly ) );
		all.push_back( std::make_unique<Fcl<fcl::RSSd>>( "FCL RSS (Debian)", mesh, set, row ) );
		all.push_back( std::make_unique<Fcl<fcl::OBBRSSd>>( "FCL OBBRSS (Debian)", mesh, set, row ) );
		all.push_back( std::make_unique<Fcl<fcl::kIOSd>>( "FCL kIOS (Debian)", mesh, set, row ) );
		std::vector<double> truth( set.count );
		for ( size_t i = 0; i < set.count; ++i )
			truth[i] = all[0]->query( set.rows[row][i], i );
		std::vector<Result> results( all.size() );
		for ( size_t round = 0; round < rounds; ++round )
			for ( size_t c = 0; c < all.size(); ++c ) {
				Result &r = results[c];
				r.least.resize( set.count, HUGE_VAL );
				r.wrong = 0;
				double sum = 0.0;
				for ( size_t i = 0; i < set.count; ++i ) {
					const double start = stats_thread_now();
					const double distance = all[c]->query( set.rows[row][i], i );
					const double spent = ( stats_thread_now() - start ) * 1e6;
					sum += spent;
					r.least[i] = std::min( r.least[i], spent );
					const double off = std::fabs( distance - truth[i] ) / set.diameter;
					r.worst = std::max( r.worst, off );
					r.wrong += off > 1e-9;
				}
				r.mean.push_back( sum / (double)set.count );
			}
		double own_mean = 0.0, own_median = 0.0;
		for ( size_t c = 0; c < all.size(); ++c ) {
			Result &r = results[c];
			const double mean = stats_median( r.mean.data(), rounds );
			const double median = stats_median( r.least.data(), set.count );
			own_mean = c == 0 ? mean : own_mean;
			own_median = c == 0 ? median : own_median;
			printf( "%d %%  %-22s %10.2f %8.2f %10.2f %8.2f %6zu %9.1e\n", row, all[c]->name(), mean, mean / own_mean,
			        median, median / own_median, r.wrong, r.worst );
			if ( csv != nullptr )
				fprintf( csv, "\"%s\",\"%d %%, distance\",,\"%s\",%zu,,%.4f,%.3f,,,%zu,,,%zu\n", mesh.label, row,
				         all[c]->name(), set.count, mean, mean / own_mean, set.count, r.wrong );
		}
		fflush( stdout );
	}
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
}
