// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two meshes, on the same poses, in alternate rounds.

#include "dualbvh/distance.h"

#include "common/stats.h"
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

class Dualbvh : public DistancePeer {
  public:
	Dualbvh( const char *name, double relative_error ) : name_( name ) {
		query_.relative_error = relative_error;
		check( dbvh_workspace_create( nullptr, &workspace_, NULL ) );
	}
	~Dualbvh() override {
		unload();
		dbvh_workspace_destroy( workspace_ );
	}
	const char *name() const override {
		return name_;
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		unload();
		a_ = build( a );
		b_ = a.positions == b.positions ? a_ : build( b );
		check( dbvh_workspace_reserve( workspace_, a_, b_, 0, NULL ) );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		poses_.assign( poses, poses + count );
	}
	double query( size_t pose ) override {
		dbvh_distance_result result;
		check( dbvh_distance( a_, nullptr, b_, &poses_[pose], &query_, workspace_, &result, NULL ) );
		return result.distance;
	}

  private:
	static void check( dbvh_status status ) {
		if ( status == DBVH_OK )
			return;
		fprintf( stderr, "dualbvh: %s\n", dbvh_status_text( status ) );
		exit( 2 );
	}
	static dbvh_tree *build( const PeerMesh &mesh ) {
		dbvh_mesh_view view = {};
		view.positions = mesh.positions;
		view.vertex_count = mesh.vertex_count;
		view.indices = mesh.indices;
		view.triangle_count = mesh.triangle_count;
		return scene_tree( &view, nullptr );
	}
	void unload() {
		if ( b_ != a_ )
			dbvh_tree_destroy( b_ );
		dbvh_tree_destroy( a_ );
		a_ = b_ = nullptr;
	}

	const char *name_;
	dbvh_tree *a_ = nullptr, *b_ = nullptr;
	dbvh_distance_query query_ = {};
	dbvh_workspace *workspace_ = nullptr;
	std::vector<dbvh_pose> poses_;
};

struct Competitor {
	DistancePeer *peer;
	std::vector<size_t> timed;       // poses, an even subset of the row's
	std::vector<double> us, least;   // a round each; a pose each, the least of the rounds
	size_t checked = 0, wrong = 0;   // off by more than 1e-9 of the size
	double worst = 0.0;              // error
	double mean = 0.0, median = 0.0; // over the poses: of the rounds' medians; of `least`
};

double size_of( const scene_mesh &mesh ) {
	double size = 0.0;
	for ( size_t i = 0; i < 3 * mesh.view.vertex_count; ++i )
		size = std::max( size, std::fabs( mesh.positions[i] ) );
	return size;
}

std::vector<size_t> even_subset( size_t count, double wanted ) {
	const size_t some = std::min( count, (size_t)std::min( 1e9, std::max( wanted, 3.0 ) ) );
	std::vector<size_t> subset;
	for ( size_t i = 0; i < some; ++i )
		subset.push_back( i * count / some );
	return subset;
}

void check_answers( Competitor &c, const std::vector<double> &truth, double size, const CompareOptions &options ) {
	const double start = stats_thread_now();
	for ( const size_t i : even_subset( truth.size(), 4 ) )
		c.peer->query( i );
	const double each = ( stats_thread_now() - start ) / (double)std::min<size_t>( truth.size(), 4 ) + 1e-9;
	const std::vector<size_t> asked = even_subset( truth.size(), options.check_s / each );
	for ( const size_t i : asked ) {
		// FCL returns -1 for meshes that intersect, at distance 0.
		const double off = std::fabs( std::max( c.peer->query( i ), 0.0 ) - truth[i] ) / size;
		c.worst = std::max( c.worst, off );
		c.wrong += !( off <= 1e-9 );
	}
	c.checked = asked.size();
	c.timed = even_subset( truth.size(), options.round_s / each );
	c.least.assign( c.timed.size(), HUGE_VAL );
}

void time_round( Competitor &c ) {
	double sum = 0.0;
	for ( size_t k = 0; k < c.timed.size(); ++k ) {
		const double start = stats_thread_now();
		c.peer->query( c.timed[k] );
		const double spent = ( stats_thread_now() - start ) * 1e6;
		sum += spent;
		c.least[k] = std::min( c.least[k], spent );
	}
	c.us.push_back( sum / (double)c.timed.size() );
}

void print( const std::string &scene, const Row &row, const std::vector<Competitor> &all,
            const CompareOptions &options ) {
	printf( "\n%s; %s, distance and nearest points: %zu poses\n  %-27s %11s %9s %11s %9s %6s %6s %9s\n", scene.c_str(),
	        row.name.c_str(), row.poses.size(), "", "us, mean", "ratio", "us, median", "ratio", "poses", "wrong",
	        "worst" );
	for ( const Competitor &c : all ) {
		printf( "  %-27s %11.2f %9.2f %11.2f %9.2f %6zu %6zu %9.1e\n", c.peer->name(), c.mean, c.mean / all[0].mean,
		        c.median, c.median / all[0].median, c.timed.size(), c.wrong, c.worst );
		if ( options.csv != nullptr )
			fprintf( options.csv, "\"%s\",\"%s\",distance,\"%s\",%zu,,%.4f,%.3f,,,%zu,,,%zu\n", scene.c_str(),
			         row.name.c_str(), c.peer->name(), c.timed.size(), c.mean, c.mean / all[0].mean, c.checked,
			         c.wrong );
	}
	fflush( stdout );
}

} // namespace

void add_distance_dualbvh( DistancePeerList &list ) {
	list.emplace_back( new Dualbvh( "dualbvh", 0.0 ) );
	list.emplace_back( new Dualbvh( "dualbvh, error 1e-3", 1e-3 ) );
}

void compare_distances( const std::string &scene, const scene_mesh &a, const scene_mesh &b,
                        const std::vector<Row> &rows, const DistancePeerList &peers, const CompareOptions &options,
                        Summary &summary ) {
	for ( const auto &peer : peers )
		peer->load( peer_mesh( a ), peer_mesh( b ) );
	const double size = std::max( size_of( a ), size_of( b ) );
	for ( const Row &row : rows ) {
		if ( row.all || row.poses.empty() )
			continue;
		std::vector<Competitor> all;
		std::vector<double> truth;
		for ( const auto &peer : peers ) {
			Competitor c = {};
			c.peer = peer.get();
			c.peer->set_poses( row.poses.data(), row.poses.size() );
			all.push_back( c );
		}
		for ( size_t i = 0; i < row.poses.size(); ++i )
			truth.push_back( peers[0]->query( i ) );
		for ( Competitor &c : all )
			check_answers( c, truth, size, options );
		for ( size_t round = 0; round < options.rounds; ++round )
			for ( Competitor &c : all )
				time_round( c );
		SummaryRow out = { scene, row.name + ", distance", 0.0, {} };
		for ( Competitor &c : all ) {
			c.mean = stats_median( c.us.data(), c.us.size() );
			c.median = stats_median( c.least.data(), c.least.size() );
			if ( strncmp( c.peer->name(), "dualbvh", 7 ) != 0 )
				out.rivals.push_back( { c.peer->name(), c.mean, c.wrong == 0 } );
		}
		out.us = all[0].mean;
		print( scene, row, all, options );
		summary.push_back( out );
	}
}
