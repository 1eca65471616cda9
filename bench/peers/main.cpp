// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh-bench-peers: the same meshes and poses on every engine that this build has, in alternate rounds, one thread.

#include "common/stats.h"
#include "compare.h"
#include "rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

struct Options {
	CompareOptions compare;
	const char *only = nullptr, *scenes = nullptr, *mesh = nullptr;
	bool distance = true, collide = true;
};

// Is `word` one of those between the commas of `list`?
bool is_in( const char *list, const char *word ) {
	const size_t length = strlen( word );
	for ( const char *at = list; at != nullptr; at = strchr( at, ',' ) ) {
		at += *at == ',';
		if ( strncmp( at, word, length ) == 0 && ( at[length] == ',' || at[length] == '\0' ) )
			return true;
	}
	return false;
}

// Does the name contain one of the texts between the commas?
bool is_chosen( const Options &options, const char *name ) {
	if ( options.only == nullptr )
		return true;
	const std::string list = options.only, text = name;
	for ( size_t begin = 0; begin <= list.size(); ) {
		const size_t end = std::min( list.find( ',', begin ), list.size() );
		if ( end > begin && text.find( list.substr( begin, end - begin ) ) != std::string::npos )
			return true;
		begin = end + 1;
	}
	return false;
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
#ifdef PEER_COAL
	add_coal( all );
#else
	puts( "(coal is not in this build)" );
#endif
#ifdef PEER_PARRY
	add_parry( all );
#else
	puts( "(parry is not in this build)" );
#endif
#ifdef PEER_RAPID
	all.push_back( peer_rapid() );
#else
	puts( "(RAPID is not in this build)" );
#endif
#ifdef PEER_PQP
	all.push_back( peer_pqp() );
#else
	puts( "(PQP is not in this build)" );
#endif
#ifdef PEER_OPCODE
	for ( int quantized = 0; quantized < 2; ++quantized )
		all.push_back( peer_opcode( quantized ) );
#else
	puts( "(OPCODE is not in this build)" );
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
		if ( i == 0 || is_chosen( options, all[i]->name() ) )
			kept.push_back( all[i] );
		else
			delete all[i];
	return kept;
}

DistancePeerList gather_distance_peers( const Options &options ) {
	DistancePeerList all, kept;
	add_distance_dualbvh( all );
#ifdef PEER_FCL
	add_distance_fcl( all );
	all.emplace_back( peer_fcl_native_distance() );
#endif
#ifdef PEER_COAL
	add_distance_coal( all );
#endif
#ifdef PEER_PQP
	all.emplace_back( peer_pqp_distance() );
#endif
	for ( auto &peer : all )
		if ( kept.empty() || is_chosen( options, peer->name() ) )
			kept.push_back( std::move( peer ) );
	return kept;
}

int help( int status ) {
	puts( "dualbvh-bench-peers runs the same meshes and poses on dualbvh and on other libraries, on one thread.\n"
	      "\n"
	      "Usage: dualbvh-bench-peers [OPTION VALUE]...\n"
	      "\n"
	      "  --scenes LIST   of small, plates, robots, gears, buddha, scans, spheres, hands and far, with commas "
	      "between\n"
	      "  --mesh FILE     this mesh against itself instead\n"
	      "  --what W        collide or distance alone\n"
	      "  --only LIST     only peers whose names contain one of these, and dualbvh\n"
	      "  --sample N      poses of a row, at most (default 480)\n"
	      "  --rounds N      alternate rounds; medians are shown (default 7)\n"
	      "  --oracle N      poses of each row that are checked by brute force in exact arithmetic (default 4)\n"
	      "  --csv FILE      write the numbers as comma-separated values too\n"
	      "\n"
	      "Exit status: 0 done, 1 brute force disagrees with dualbvh, 2 a mistake in the command line or the input." );
	return status;
}

bool scenes_are_known( const char *list ) {
	for ( std::string rest = list; !rest.empty(); ) {
		const size_t end = std::min( rest.find( ',' ), rest.size() );
		const std::string word = rest.substr( 0, end );
		const auto named = [&]( const SceneGroup &group ) { return word == group.name; };
		if ( std::none_of( scene_groups.begin(), scene_groups.end(), named ) )
			return false;
		rest.erase( 0, end + 1 );
	}
	return true;
}

bool set_option( Options &options, const std::string &name, const char *value ) {
	if ( name == "--only" )
		options.only = value;
	else if ( name == "--mesh" )
		options.mesh = value;
	else if ( name == "--scenes" && scenes_are_known( value ) )
		options.scenes = value;
	else if ( name == "--what" && strcmp( value, "collide" ) == 0 )
		options.distance = false;
	else if ( name == "--what" && strcmp( value, "distance" ) == 0 )
		options.collide = false;
	else if ( name == "--sample" )
		options.compare.sample = std::max<size_t>( strtoul( value, nullptr, 10 ), 1 );
	else if ( name == "--rounds" )
		options.compare.rounds = std::max<size_t>( strtoul( value, nullptr, 10 ), 1 );
	else if ( name == "--oracle" )
		options.compare.oracle = std::max<size_t>( strtoul( value, nullptr, 10 ), 1 );
	else
		return name == "--csv" && ( options.compare.csv = fopen( value, "w" ) ) != nullptr;
	return true;
}

bool run( const Options &options ) {
	const PeerList peers = gather_peers( options );
	const DistancePeerList distance_peers = gather_distance_peers( options );
	Summary summary, distances;
	bool good = true;
	const TakeScene take = [&]( const PairScene &s ) {
		if ( options.collide )
			good = compare_pairs( s.name, s.a, s.b, s.rows, peers, options.compare, summary ) && good;
		if ( options.distance && s.distance )
			compare_distances( s.name, s.a, s.b, s.rows, distance_peers, options.compare, distances );
	};
	if ( options.mesh != nullptr )
		make_file_scene( options.mesh, options.compare.sample, take );
	for ( const SceneGroup &group : scene_groups )
		if ( options.mesh == nullptr && ( options.scenes == nullptr || is_in( options.scenes, group.name ) ) )
			group.make( options.compare.sample, take );
	for ( Peer *peer : peers )
		delete peer;
	summary.insert( summary.end(), distances.begin(), distances.end() );
	summary_print( summary );
	return good;
}

} // namespace

int main( int argc, char **argv ) {
	Options options;
	for ( int i = 1; i < argc; i += 2 ) {
		if ( strcmp( argv[i], "--help" ) == 0 )
			leave( help( 0 ) );
		if ( i + 1 == argc || !set_option( options, argv[i], argv[i + 1] ) )
			leave( help( 2 ) );
	}
	FILE *csv = options.compare.csv;
	stats_print_machine( stdout, "" );
	printf( "one thread, its CPU time; medians of %zu alternate rounds; ratio: to dualbvh with its defaults\n",
	        options.compare.rounds );
	if ( csv != nullptr ) {
		stats_print_machine( csv, "# " );
		fprintf( csv,
		         "# one thread, its CPU time; medians of %zu alternate rounds; poses: how many were timed\n"
		         "scene,row,find,engine,poses,intersecting,us_per_query,ratio_to_dualbvh,build_ms,"
		         "bytes_per_triangle,checked,false_contacts,lost_contacts,wrong_lists\n",
		         options.compare.rounds );
	}
	const bool good = run( options );
	if ( csv != nullptr && fclose( csv ) != 0 )
		return 2;
	leave( good ? 0 : 1 );
}
