// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh-bench-peers: the same meshes and poses on every engine that this build has, in alternate rounds, one thread.

#include "common/path.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "distance.h"
#include "peer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <malloc.h>
#include <string>

extern "C" {
#include "support/oracle.h"
}

namespace {

struct Options {
	size_t sample = 480, rounds = 7;
	size_t oracle = 4;     // poses a row that are checked by brute force in exact arithmetic
	double round_s = 0.15; // a peer that is slower than that runs fewer poses of a row
	double check_s = 4.0;  // and answers fewer, where even once through them all takes longer
	const char *only = nullptr, *scene = nullptr;
	FILE *csv = nullptr;
};

struct Row {
	std::string name;
	const dbvh_pose *poses;
	size_t count;
	bool all;
};

// What the exact answer is, by the library; wrong answers are counted against it.
struct Truth {
	std::vector<bool> intersecting;
	std::vector<PeerPairs> pairs;
	size_t hits = 0, pair_count = 0, oracle_checked = 0, oracle_wrong = 0;
};

struct Competitor {
	Peer *peer;
	double build_s = 0.0, bytes = 0.0;
	std::vector<size_t> timed; // poses, an even subset of the row's
	size_t checked = 0, wrong_hit = 0, wrong_miss = 0, wrong_list = 0;
	std::vector<double> us, rigid_us; // a round each; rigid: without making trees anew
	double median = 0.0, rigid_median = 0.0;
};

size_t allocated() {
	const struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

PeerMesh peer_mesh( const scene_mesh &mesh ) {
	return { mesh.positions, mesh.indices, mesh.view.vertex_count, mesh.view.triangle_count };
}

// Every step-th of `count`, so that there are `wanted`.
std::vector<size_t> even_subset( size_t count, size_t wanted ) {
	std::vector<size_t> subset;
	wanted = std::min( count, std::max<size_t>( wanted, 1 ) );
	for ( size_t i = 0; i < wanted; ++i )
		subset.push_back( i * count / wanted );
	return subset;
}

Truth find_truth( Peer &exact, const scene_mesh &a, const scene_mesh &b, const Row &row, size_t oracle ) {
	Truth truth;
	for ( size_t i = 0; i < row.count; ++i ) {
		truth.pairs.emplace_back();
		truth.intersecting.push_back( exact.query( i, row.all, &truth.pairs.back() ) );
		truth.hits += truth.intersecting.back();
		truth.pair_count += truth.pairs.back().count;
	}
	for ( const size_t i : even_subset( row.count, oracle ) ) {
		dbvh_pair *list = nullptr;
		const size_t count = oracle_collide( &a.view, &b.view, &row.poses[i], &list );
		PeerPairs pairs;
		for ( size_t k = 0; k < count; ++k )
			pairs.add( list[k].a, list[k].b );
		free( list );
		const bool lists_equal = pairs.count == truth.pairs[i].count && pairs.sum == truth.pairs[i].sum;
		truth.oracle_checked += 1;
		truth.oracle_wrong += ( count > 0 ) != truth.intersecting[i] || ( row.all && !lists_equal );
	}
	return truth;
}

// Answers first, which warms the caches too; then how many poses fit into a round.
void check( Competitor &c, const Row &row, const Truth &truth, const Options &options ) {
	const double start = stats_thread_now();
	for ( const size_t i : even_subset( row.count, 4 ) )
		c.peer->query( i, row.all, nullptr );
	const double each = ( stats_thread_now() - start ) / (double)std::min<size_t>( row.count, 4 ) + 1e-9;
	const std::vector<size_t> asked = even_subset( row.count, (size_t)std::min( 1e9, options.check_s / each ) );
	for ( const size_t i : asked ) {
		PeerPairs pairs;
		const bool intersecting = c.peer->query( i, row.all, &pairs );
		c.wrong_hit += intersecting && !truth.intersecting[i];
		c.wrong_miss += !intersecting && truth.intersecting[i];
		c.wrong_list += row.all && c.peer->lists_pairs() &&
		                ( pairs.count != truth.pairs[i].count || pairs.sum != truth.pairs[i].sum );
	}
	c.checked = asked.size();
	c.timed = even_subset( row.count, (size_t)std::min( 1e9, std::max( options.round_s / each, 3.0 ) ) );
}

void time_round( Competitor &c, const Row &row ) {
	const double once = c.us.empty() ? 1.0 : c.us[0] * 1e-6 * (double)c.timed.size();
	const size_t repeats = 1 + (size_t)( STATS_ROUND / once );
	const double rebuild = c.peer->rebuild_seconds(), start = stats_thread_now();
	for ( size_t n = 0; n < repeats; ++n )
		for ( const size_t i : c.timed )
			c.peer->query( i, row.all, nullptr );
	const double queries = (double)( c.timed.size() * repeats ), spent = stats_thread_now() - start;
	c.us.push_back( spent / queries * 1e6 );
	c.rigid_us.push_back( ( spent - ( c.peer->rebuild_seconds() - rebuild ) ) / queries * 1e6 );
}

void print_row( const char *scene, const Row &row, const Truth &truth, const std::vector<Competitor> &all,
                size_t triangles, const Options &options ) {
	const double own = all[0].median;
	printf( "\n%s; %s, %s: %zu poses, %zu meet", scene, row.name.c_str(), row.all ? "all contacts" : "first contact",
	        row.count, truth.hits );
	if ( row.all )
		printf( ", %zu pairs of triangles", truth.pair_count );
	printf( "; brute force disagrees with dualbvh on %zu of %zu\n", truth.oracle_wrong, truth.oracle_checked );
	printf( "  %-27s %11s %9s %6s %9s %7s  %-22s %s\n", "", "us/query", "ratio", "poses", "build ms", "B/tri",
	        "wrong answers", "" );
	for ( const Competitor &c : all ) {
		const size_t wrong = c.wrong_hit + c.wrong_miss;
		char text[80] = "0";
		if ( wrong > 0 )
			snprintf( text, sizeof text, "%zu (%zu false, %zu lost)", wrong, c.wrong_hit, c.wrong_miss );
		if ( c.checked < row.count )
			snprintf( text + strlen( text ), sizeof text - strlen( text ), " of %zu", c.checked );
		if ( row.all && c.peer->lists_pairs() && c.wrong_list > 0 )
			snprintf( text + strlen( text ), sizeof text - strlen( text ), ", %zu lists", c.wrong_list );
		const double per_triangle = c.bytes / (double)triangles;
		const std::string lists = row.all && c.peer->lists_pairs() ? std::to_string( c.wrong_list ) : "";
		const bool rebuilds = c.rigid_median < 0.999 * c.median;
		printf( "  %-27s %11.3f %9.2f %6zu %9.1f %7.0f  %-22s %s\n", c.peer->name(), c.median, c.median / own,
		        c.timed.size(), c.build_s * 1e3, per_triangle, text, c.peer->note() );
		if ( rebuilds )
			printf( "  %-27s %11.3f %9.2f\n", "  without remaking its tree", c.rigid_median, c.rigid_median / own );
		if ( options.csv == nullptr )
			continue;
		for ( int rigid = 0; rigid < ( rebuilds ? 2 : 1 ); ++rigid ) {
			const double us = rigid ? c.rigid_median : c.median;
			fprintf( options.csv, "\"%s\",\"%s\",%s,\"%s%s\",%zu,%zu,%.4f,%.3f,%.2f,%.1f,%zu,%zu,%zu,%s\n", scene,
			         row.name.c_str(), row.all ? "all" : "first", c.peer->name(),
			         rigid ? ", without remaking its tree" : "", c.timed.size(), truth.hits, us, us / own,
			         c.build_s * 1e3, per_triangle, c.checked, c.wrong_hit, c.wrong_miss, lists.c_str() );
		}
	}
	fflush( stdout );
}

bool run_scene( const char *name, const scene_mesh &a, const scene_mesh &b, const std::vector<Row> &rows,
                const PeerList &peers, const Options &options ) {
	const size_t triangles = a.view.triangle_count + ( a.positions == b.positions ? 0 : b.view.triangle_count );
	std::vector<Competitor> competitors;
	for ( Peer *peer : peers ) {
		Competitor c = {};
		c.peer = peer;
		const size_t before = allocated();
		const double start = stats_thread_now();
		peer->load( peer_mesh( a ), peer_mesh( b ) );
		c.build_s = stats_thread_now() - start;
		c.bytes = (double)allocated() - (double)before + (double)peer->hidden_bytes();
		competitors.push_back( c );
	}
	bool good = true;
	for ( const Row &row : rows ) {
		for ( Competitor &c : competitors ) {
			c.peer->set_poses( row.poses, row.count );
			c.checked = c.wrong_hit = c.wrong_miss = c.wrong_list = 0;
			c.us.clear();
			c.rigid_us.clear();
		}
		const Truth truth = find_truth( *peers[0], a, b, row, options.oracle );
		for ( Competitor &c : competitors )
			check( c, row, truth, options );
		// The first round tells what needs repeating and is thrown away.
		for ( size_t round = 0; round <= options.rounds; ++round )
			for ( Competitor &c : competitors )
				time_round( c, row );
		for ( Competitor &c : competitors ) {
			c.median = stats_median( c.us.data() + 1, options.rounds );
			c.rigid_median = stats_median( c.rigid_us.data() + 1, options.rounds );
		}
		print_row( name, row, truth, competitors, triangles, options );
		good = good && truth.oracle_wrong == 0;
	}
	for ( Peer *peer : peers )
		peer->unload();
	return good;
}

bool wanted( const Options &options, const char *scene ) {
	return options.scene == nullptr || strcmp( options.scene, scene ) == 0;
}

bool run_buddha( const PeerList &peers, const Options &options ) {
	scene_mesh mesh = scene_buddha();
	dbvh_tree *tree = scene_tree( &mesh.view, nullptr );
	pose_set set = poses_by_sphere( tree, options.sample );
	dbvh_tree_destroy( tree );
	std::vector<Row> rows;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		rows.push_back( { std::to_string( level ) + " % of the diameter", set.rows[level], set.count, false } );
	rows.push_back( { "hits, 1 % inwards", set.rows[POSES_HITS], set.count, false } );
	rows.push_back( { "hits, 1 % inwards", set.rows[POSES_HITS], set.count, true } );
	const bool good = run_scene( mesh.label, mesh, mesh, rows, peers, options );
	pose_set_free( &set );
	scene_free( &mesh );
	return good;
}

bool run_spheres( const PeerList &peers, const Options &options ) {
	bool good = true;
	scene_mesh inner = scene_sphere( 1.0 );
	for ( const double gap : { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 } ) {
		scene_mesh outer = scene_sphere( 1.0 + gap );
		const dbvh_pose pose = dbvh_pose_identity();
		char name[64];
		snprintf( name, sizeof name, "gap %.0e", gap );
		good =
		    run_scene( "concentric spheres of 79,600", inner, outer, { { name, &pose, 1, false } }, peers, options ) &&
		    good;
		scene_free( &outer );
	}
	scene_free( &inner );
	return good;
}

bool run_hands( const PeerList &peers, const Options &options ) {
	constexpr size_t frames = 300;
	bool good = true;
	scene_mesh cabin = scene_cabin();
	double lower[3], upper[3];
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = std::numeric_limits<double>::infinity();
		upper[k] = -lower[k];
		for ( size_t i = 0; i < cabin.view.vertex_count; ++i ) {
			lower[k] = std::min( lower[k], cabin.positions[3 * i + (size_t)k] );
			upper[k] = std::max( upper[k], cabin.positions[3 * i + (size_t)k] );
		}
	}
	for ( int which = 0; which < 2; ++which ) {
		scene_mesh hand = scene_hand( which );
		std::vector<dbvh_pose> poses( frames );
		path_fly( lower, upper, 1998, frames, poses.data() );
		// The path is that of the hand's middle, wherever its own origin lies.
		double middle[3] = { 0, 0, 0 };
		for ( size_t i = 0; i < hand.view.vertex_count; ++i )
			for ( size_t k = 0; k < 3; ++k )
				middle[k] += hand.positions[3 * i + k] / (double)hand.view.vertex_count;
		for ( dbvh_pose &p : poses )
			for ( int k = 0; k < 3; ++k )
				p.pos[k] -= p.rot[k][0] * middle[0] + p.rot[k][1] * middle[1] + p.rot[k][2] * middle[2];
		const std::string name = std::string( hand.label ) + " in " + cabin.label;
		good = run_scene( name.c_str(), cabin, hand, { { "along a path", poses.data(), frames, true } }, peers,
		                  options ) &&
		       good;
		scene_free( &hand );
	}
	scene_free( &cabin );
	return good;
}

PeerList gather_peers( const Options &options ) {
	PeerList all, kept;
	add_dualbvh( all );
#ifdef PEER_FCL
	add_fcl( all );
	for ( int volume = 0; volume < 3; ++volume )
		all.push_back( peer_fcl_native( volume ) );
#else
	puts( "(FCL is not in this build)" );
#endif
#ifdef PEER_ODE
	add_ode( all );
#else
	puts( "(ODE is not in this build)" );
#endif
#ifdef PEER_GIMPACT
	add_gimpact( all );
#else
	puts( "(Bullet is not in this build)" );
#endif
#ifdef PEER_EMBREE
	add_embree( all );
#else
	puts( "(Embree is not in this build)" );
#endif
#ifdef PEER_CGAL
	add_cgal( all );
#else
	puts( "(CGAL is not in this build)" );
#endif
	// The first is dualbvh with its defaults, which everything is compared with.
	for ( size_t i = 0; i < all.size(); ++i )
		if ( i == 0 || options.only == nullptr || strstr( all[i]->name(), options.only ) != nullptr )
			kept.push_back( all[i] );
		else
			delete all[i];
	return kept;
}

int help( int status ) {
	puts( "dualbvh-bench-peers runs the same meshes and poses on dualbvh and on other libraries, on one thread.\n"
	      "\n"
	      "Usage: dualbvh-bench-peers [OPTION VALUE]...\n"
	      "\n"
	      "  --scene NAME    buddha, spheres, hands or distance alone\n"
	      "  --only TEXT     only peers whose name contains it, and dualbvh\n"
	      "  --sample N      poses of the Buddha at each distance (default 480)\n"
	      "  --rounds N      alternate rounds; medians are shown (default 7)\n"
	      "  --oracle N      poses of each row that are checked by brute force in exact arithmetic (default 4)\n"
	      "  --csv FILE      write the numbers as comma-separated values too\n"
	      "\n"
	      "Exit status: 0 done, 1 brute force disagrees with dualbvh, 2 a mistake in the command line or the input." );
	return status;
}

} // namespace

int main( int argc, char **argv ) {
	Options options;
	for ( int i = 1; i < argc; i += 2 ) {
		const std::string name = argv[i];
		if ( name == "--help" )
			return help( 0 );
		if ( i + 1 == argc )
			return help( 2 );
		const char *value = argv[i + 1];
		if ( name == "--scene" )
			options.scene = value;
		else if ( name == "--only" )
			options.only = value;
		else if ( name == "--sample" )
			options.sample = strtoul( value, nullptr, 10 );
		else if ( name == "--rounds" )
			options.rounds = std::max<size_t>( strtoul( value, nullptr, 10 ), 1 );
		else if ( name == "--oracle" )
			options.oracle = std::max<size_t>( strtoul( value, nullptr, 10 ), 1 );
		else if ( name != "--csv" || ( options.csv = fopen( value, "w" ) ) == nullptr )
			return help( 2 );
	}
	stats_print_machine( stdout, "" );
	printf( "one thread, its CPU time; medians of %zu alternate rounds; ratio: to dualbvh with its defaults\n",
	        options.rounds );
	if ( options.csv != nullptr ) {
		stats_print_machine( options.csv, "# " );
		fprintf( options.csv,
		         "# one thread, its CPU time; medians of %zu alternate rounds; poses: how many were timed\n"
		         "scene,row,find,engine,poses,intersecting,us_per_query,ratio_to_dualbvh,build_ms,"
		         "bytes_per_triangle,checked,false_contacts,lost_contacts,wrong_lists\n",
		         options.rounds );
	}
	const PeerList peers = gather_peers( options );
	bool good = true;
	if ( wanted( options, "buddha" ) )
		good = run_buddha( peers, options ) && good;
	if ( wanted( options, "spheres" ) )
		good = run_spheres( peers, options ) && good;
	if ( wanted( options, "hands" ) )
		good = run_hands( peers, options ) && good;
#ifdef PEER_FCL
	if ( wanted( options, "distance" ) ) {
		scene_mesh mesh = scene_buddha();
		bench_distance_peers( mesh, options.sample, options.rounds, options.csv );
		scene_free( &mesh );
	}
#endif
	for ( Peer *peer : peers )
		delete peer;
	if ( options.csv != nullptr && fclose( options.csv ) != 0 )
		return 2;
	return good ? 0 : 1;
}
