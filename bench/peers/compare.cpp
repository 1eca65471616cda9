// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "compare.h"

#include "common/stats.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

extern "C" {
#include "support/oracle.h"
}

PeerMesh peer_mesh( const scene_mesh &mesh ) {
	return { mesh.positions, mesh.indices, mesh.view.vertex_count, mesh.view.triangle_count };
}

namespace {

// The exact answers, by the library; an engine's wrong answers are counted against them.
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

// An even subset of `wanted` of `count` poses.
std::vector<size_t> even_subset( size_t count, size_t wanted ) {
	std::vector<size_t> subset;
	wanted = std::min( count, std::max<size_t>( wanted, 1 ) );
	for ( size_t i = 0; i < wanted; ++i )
		subset.push_back( i * count / wanted );
	return subset;
}

Truth find_truth( Peer &exact, const scene_mesh &a, const scene_mesh &b, const Row &row, size_t oracle ) {
	Truth truth;
	for ( size_t i = 0; i < row.poses.size(); ++i ) {
		truth.pairs.emplace_back();
		truth.intersecting.push_back( exact.query( i, row.all, &truth.pairs.back() ) );
		truth.hits += truth.intersecting.back();
		truth.pair_count += truth.pairs.back().count;
	}
	for ( const size_t i : even_subset( row.poses.size(), oracle ) ) {
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
void check( Competitor &c, const Row &row, const Truth &truth, const CompareOptions &options ) {
	const double start = stats_thread_now();
	for ( const size_t i : even_subset( row.poses.size(), 4 ) )
		c.peer->query( i, row.all, nullptr );
	const double each = ( stats_thread_now() - start ) / (double)std::min<size_t>( row.poses.size(), 4 ) + 1e-9;
	const std::vector<size_t> asked = even_subset( row.poses.size(), (size_t)std::min( 1e9, options.check_s / each ) );
	for ( const size_t i : asked ) {
		PeerPairs pairs;
		const bool intersecting = c.peer->query( i, row.all, &pairs );
		c.wrong_hit += intersecting && !truth.intersecting[i];
		c.wrong_miss += !intersecting && truth.intersecting[i];
		c.wrong_list += row.all && c.peer->lists_pairs() &&
		                ( pairs.count != truth.pairs[i].count || pairs.sum != truth.pairs[i].sum );
	}
	c.checked = asked.size();
	c.timed = even_subset( row.poses.size(), (size_t)std::min( 1e9, std::max( options.round_s / each, 3.0 ) ) );
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

void print_row( const std::string &scene, const Row &row, const Truth &truth, const std::vector<Competitor> &all,
                size_t triangles, const CompareOptions &options ) {
	const double own = all[0].median;
	printf( "\n%s; %s, %s: %zu poses, %zu meet", scene.c_str(), row.name.c_str(),
	        row.all ? "all contacts" : "first contact", row.poses.size(), truth.hits );
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
		if ( c.checked < row.poses.size() )
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
			fprintf( options.csv, "\"%s\",\"%s\",%s,\"%s%s\",%zu,%zu,%.4f,%.3f,%.2f,%.1f,%zu,%zu,%zu,%s\n",
			         scene.c_str(), row.name.c_str(), row.all ? "all" : "first", c.peer->name(),
			         rigid ? ", without remaking its tree" : "", c.timed.size(), truth.hits, us, us / own,
			         c.build_s * 1e3, per_triangle, c.checked, c.wrong_hit, c.wrong_miss, lists.c_str() );
		}
	}
	fflush( stdout );
}

void add_to_summary( const std::string &scene, const Row &row, const std::vector<Competitor> &all, Summary &summary ) {
	SummaryRow out = { scene, row.name + ( row.all ? ", all contacts" : "" ), all[0].median, {} };
	for ( const Competitor &c : all ) {
		// An engine that lists no pairs has not answered the query for all of them.
		const bool right = c.wrong_hit + c.wrong_miss + c.wrong_list == 0 && ( !row.all || c.peer->lists_pairs() );
		if ( strncmp( c.peer->name(), "dualbvh", 7 ) != 0 )
			out.rivals.push_back( { c.peer->name(), c.median, right } );
	}
	summary.push_back( out );
}

} // namespace

bool compare_pairs( const std::string &scene, const scene_mesh &a, const scene_mesh &b, const std::vector<Row> &rows,
                    const PeerList &peers, const CompareOptions &options, Summary &summary ) {
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
			c.peer->set_poses( row.poses.data(), row.poses.size() );
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
		print_row( scene, row, truth, competitors, triangles, options );
		add_to_summary( scene, row, competitors, summary );
		good = good && truth.oracle_wrong == 0;
	}
	for ( Peer *peer : peers )
		peer->unload();
	return good;
}
