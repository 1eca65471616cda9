// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes beside other libraries:
//
//   dualbvh-bench-scene-peers boxes [COUNT...]    cubes in random motion: all pairs that overlap, after every step
//   dualbvh-bench-scene-peers edits [COUNT...]    cubes that are moved or replaced one by one, and asked about
//   dualbvh-bench-scene-peers arm FOLDER          the Panda in 100,000 random configurations; FOLDER has link0.stl ...
//
// Every answer is compared. Where verdicts about the arm differ, the oracle of the tests decides: rational arithmetic
// on every pair of triangles.

#include "common/stats.h"
#include "scene_peer.h"

extern "C" {
#include "shapes/shapes.h"
#include "support/oracle.h"
}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

void in_parts( size_t count, unsigned threads, void ( *part )( void *context, size_t begin, size_t end ),
               void *context ) {
	std::vector<std::thread> others;
	for ( unsigned i = 1; i < threads; ++i )
		others.emplace_back( part, context, count * i / threads, count * ( i + 1 ) / threads );
	part( context, 0, count / threads );
	for ( std::thread &other : others )
		other.join();
}

namespace {

void must( dbvh_status status, const dbvh_error &error ) {
	if ( status == DBVH_OK )
		return;
	std::fprintf( stderr, "dualbvh-bench-scene-peers: %s\n", error.text );
	std::exit( 2 );
}

double next_number( uint64_t *state ) {
	*state = *state * UINT64_C( 6364136223846793005 ) + UINT64_C( 1442695040888963407 );
	return (double)( *state >> 11 ) * 0x1p-53;
}

// ------------------------------------------------------------------------------------------------
// Boxes

class OwnBoxes : public BoxPeer {
	dbvh_tree *cube = nullptr;
	dbvh_scene *scene = nullptr;
	std::vector<dbvh_pose> poses;
	std::vector<dbvh_body_pair> found;
	dbvh_error error;

	void place( const std::vector<double> &centres ) {
		for ( size_t i = 0; i < poses.size(); ++i )
			std::memcpy( poses[i].pos, &centres[3 * i], sizeof poses[i].pos );
	}

  public:
	~OwnBoxes() override {
		dbvh_scene_destroy( scene );
		dbvh_tree_destroy( cube );
	}
	const char *name() const override {
		return "dualbvh";
	}
	void load( const std::vector<double> &centres ) override {
		shape mesh = {};
		shape_add_box( &mesh, 0.5, 0.5, 0.5, 1 );
		const dbvh_mesh_view view = shape_view( &mesh );
		must( dbvh_tree_build( &view, nullptr, nullptr, &cube, &error ), error );
		shape_free( &mesh );
		must( dbvh_scene_create( nullptr, &scene, &error ), error );
		poses.assign( centres.size() / 3, dbvh_pose_identity() );
		place( centres );
		for ( const dbvh_pose &pose : poses ) {
			uint32_t body;
			must( dbvh_scene_add_body( scene, cube, &pose, nullptr, &body, &error ), error );
		}
		found.resize( 8 * poses.size() + 1000 );
		list( nullptr );
	}
	void move( const std::vector<double> &centres ) override {
		place( centres );
		must( dbvh_scene_set_poses( scene, nullptr, poses.data(), poses.size(), &error ), error );
	}
	size_t list( PeerPairs *pairs ) override {
		dbvh_scene_result result;
		must( dbvh_scene_pairs( scene, pairs != nullptr ? found.data() : nullptr, pairs != nullptr ? found.size() : 0,
		                        &result, &error ),
		      error );
		for ( size_t i = 0; pairs != nullptr && i < result.written_count; ++i )
			pairs->add( found[i].a, found[i].b );
		return result.pair_count;
	}

	bool has_edits() const override {
		return true;
	}
	void move_one( size_t i, const double *centre ) override {
		std::memcpy( poses[i].pos, centre, sizeof poses[i].pos );
		must( dbvh_scene_set_pose( scene, (uint32_t)i, &poses[i], &error ), error );
	}
	void replace_one( size_t i, const double *centre ) override {
		uint32_t body;
		std::memcpy( poses[i].pos, centre, sizeof poses[i].pos );
		must( dbvh_scene_remove_body( scene, (uint32_t)i, &error ), error );
		must( dbvh_scene_add_body( scene, cube, &poses[i], nullptr, &body, &error ), error );
	}
	size_t ask_one( size_t i ) override {
		dbvh_scene_query query = dbvh_scene_query_default();
		dbvh_scene_result result;
		query.find = DBVH_FIND_ALL;
		query.has_body = true;
		query.body = (uint32_t)i;
		query.thread_count = 1;
		must( dbvh_scene_collide( scene, &query, nullptr, 0, &result, &error ), error );
		return result.found_count;
	}
};

constexpr int STEPS = 7;

void step( std::vector<double> &centres, uint64_t *state ) {
	for ( double &x : centres )
		x += 0.1 * ( next_number( state ) - 0.5 );
}

bool compare_boxes( size_t count ) {
	BoxPeers peers;
	ArmPeers unused;
	peers.emplace_back( new OwnBoxes );
#ifdef PEER_FCL
	add_scene_fcl( peers, unused );
#endif
#ifdef PEER_COAL
	add_scene_coal( peers, unused );
#endif
#ifdef PEER_BULLET
	add_scene_bullet( peers );
	// Its cache takes seconds a step there, and minutes to be filled.
	if ( count > 200000 )
		peers.erase( std::remove_if( peers.begin(), peers.end(),
		                             []( const std::unique_ptr<BoxPeer> &peer ) {
			                             return std::string( peer->name() ).rfind( "Bullet,", 0 ) == 0 ||
			                                    peer->name() == std::string( "Bullet" );
		                             } ),
		             peers.end() );
#endif
	uint64_t state = 1;
	std::vector<double> centres( 3 * count );
	for ( double &x : centres )
		x = std::cbrt( (double)count ) * next_number( &state );
	for ( const auto &peer : peers )
		peer->load( centres );
	std::vector<std::vector<double>> moving( peers.size() ), still( peers.size() );
	bool same = true;
	size_t pairs = 0;
	for ( int n = 0; n < STEPS; ++n ) {
		step( centres, &state );
		PeerPairs truth;
		for ( size_t i = 0; i < peers.size(); ++i ) {
			double start = stats_thread_now();
			peers[i]->move( centres );
			pairs = peers[i]->list( nullptr );
			moving[i].push_back( stats_thread_now() - start );
			start = stats_thread_now();
			peers[i]->list( nullptr );
			still[i].push_back( stats_thread_now() - start );
			PeerPairs listed;
			peers[i]->list( &listed );
			if ( i == 0 )
				truth = listed;
			if ( listed.count != truth.count || listed.sum != truth.sum ) {
				std::printf( "%s finds %zu pairs, dualbvh %zu\n", peers[i]->name(), listed.count, truth.count );
				same = false;
			}
		}
		pairs = truth.count;
	}
	std::printf( "\n%zu boxes, %zu pairs, %d steps\n%-16s %12s %8s %18s\n", count, pairs, STEPS, "", "step, ms",
	             "times", "nothing moved, ms" );
	double own = 0.0;
	for ( size_t i = 0; i < peers.size(); ++i ) {
		const double time = stats_median( moving[i].data(), STEPS ), idle = stats_median( still[i].data(), STEPS );
		own = i == 0 ? time : own;
		std::printf( "%-16s %12.2f %8.2f %18.4f\n", peers[i]->name(), 1e3 * time, time / own, 1e3 * idle );
	}
	return same;
}

// Cubes that are edited one by one, each edit followed by the question what the cube collides with.
bool compare_edits( size_t count ) {
	// At most so many edits, and so many seconds: FCL and coal measure the height of the tree after every move.
	constexpr size_t EDITS = 20000;
	constexpr double SECONDS = 2.0;
	BoxPeers peers;
	ArmPeers unused;
	peers.emplace_back( new OwnBoxes );
#ifdef PEER_FCL
	add_scene_fcl( peers, unused );
#endif
#ifdef PEER_COAL
	add_scene_coal( peers, unused );
#endif
	uint64_t state = 1;
	const double room = 2.0 * std::cbrt( (double)count ); // a cube collides with one other in the mean
	std::vector<double> centres( 3 * count );
	for ( double &x : centres )
		x = room * next_number( &state );
	std::printf( "\n%zu cubes, up to %zu edits: microseconds\n%-16s %12s %12s %16s %12s\n", count, EDITS, "", "ask",
	             "move, ask", "replace, ask", "collide" );
	std::vector<size_t> truth;
	bool same = true;
	for ( const auto &peer : peers ) {
		if ( !peer->has_edits() )
			continue;
		peer->load( centres );
		double time[3];
		size_t found = 0, asked = 0;
		for ( size_t kind = 0; kind < 3; ++kind ) {
			uint64_t mine = 7;
			size_t i = 0;
			// All engines make the same edits: questions have the same answers until an engine runs out of time.
			const bool is_first = peer == peers[0];
			peer->ask_one( 0 );
			const double start = stats_thread_now();
			for ( ; i < EDITS && stats_thread_now() - start < SECONDS; ++i ) {
				const size_t number = (size_t)( next_number( &mine ) * (double)count );
				double to[3];
				for ( double &x : to )
					x = room * next_number( &mine );
				if ( kind == 1 )
					peer->move_one( number, to );
				else if ( kind == 2 )
					peer->replace_one( number, to );
				const size_t meets = peer->ask_one( number );
				if ( is_first )
					truth.push_back( meets );
				else if ( asked == i + kind * EDITS && asked < truth.size() )
					same = same && meets == truth[asked];
				asked += asked == i + kind * EDITS;
				found += meets;
			}
			time[kind] = 1e6 * ( stats_thread_now() - start ) / (double)i;
		}
		std::printf( "%-16s %12.2f %12.2f %16.2f %12zu of %zu compared\n", peer->name(), time[0], time[1], time[2],
		             found, asked );
		std::fflush( stdout );
	}
	return same;
}

// ------------------------------------------------------------------------------------------------
// The Panda

constexpr int LINKS = 10, CONFIGURATIONS = 100000, ROUNDS = 3;
const char *const LINK_NAMES[LINKS] = { "link0", "link1", "link2", "link3", "link4",
                                        "link5", "link6", "link7", "hand",  "finger" };

// The pose of a link in the frame of the one before it: a turn about x, a translation, then a turn about z by the
// joint. (Franka's own description of the arm; angles are whole quarters.)
struct Joint {
	int quarters;
	double at[3];
	double lower, upper;
};
const Joint JOINTS[LINKS - 1] = {
    { 0, { 0, 0, 0.333 }, -2.8973, 2.8973 },
    { -1, { 0, 0, 0 }, -1.7628, 1.7628 },
    { 1, { 0, -0.316, 0 }, -2.8973, 2.8973 },
    { 1, { 0.0825, 0, 0 }, -3.0718, 0.0175 },
    { -1, { -0.0825, 0.384, 0 }, -2.8973, 2.8973 },
    { 1, { 0, 0, 0 }, -0.0175, 3.7525 },
    { 1, { 0.088, 0, 0 }, -2.8973, 2.8973 },
    { 0, { 0, 0, 0.107 }, -0.785398163397, -0.785398163397 },
    { 0, { 0, 0.02, 0.0584 }, 0, 0 }, // the left finger, half open
};

dbvh_pose follow( const dbvh_pose &before, const Joint &joint, double angle ) {
	const double c = std::cos( angle ), s = std::sin( angle ), q = joint.quarters, p = joint.quarters == 0 ? 1.0 : 0.0;
	// The turn about x by quarters, times that about z.
	const double turn[3][3] = { { c, -s, 0 }, { p * s, p * c, -q }, { q * s, q * c, p } };
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i ) {
		out.pos[i] = before.pos[i];
		for ( int k = 0; k < 3; ++k )
			out.pos[i] += before.rot[i][k] * joint.at[k];
		for ( int j = 0; j < 3; ++j ) {
			out.rot[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				out.rot[i][j] += before.rot[i][k] * turn[k][j];
		}
	}
	return out;
}

std::vector<dbvh_pose> random_configurations() {
	uint64_t state = 1;
	std::vector<dbvh_pose> poses;
	for ( int c = 0; c < CONFIGURATIONS; ++c ) {
		dbvh_pose at = dbvh_pose_identity();
		poses.push_back( at );
		for ( const Joint &joint : JOINTS ) {
			at = follow( at, joint, joint.lower + ( joint.upper - joint.lower ) * next_number( &state ) );
			poses.push_back( at );
		}
	}
	return poses;
}

dbvh_mesh_view view_of( const PeerMesh &mesh ) {
	dbvh_mesh_view view = {};
	view.positions = mesh.positions;
	view.vertex_count = mesh.vertex_count;
	view.indices = mesh.indices;
	view.triangle_count = mesh.triangle_count;
	return view;
}

class OwnArm : public ArmPeer {
	dbvh_scene *scene = nullptr;
	std::vector<dbvh_tree *> trees;
	const std::vector<dbvh_pose> *poses = nullptr;
	std::vector<dbvh_configuration_result> results;
	dbvh_error error;

  public:
	~OwnArm() override {
		dbvh_scene_destroy( scene );
		for ( dbvh_tree *tree : trees )
			dbvh_tree_destroy( tree );
	}
	const char *name() const override {
		return "dualbvh";
	}
	void load( const Arm &arm ) override {
		must( dbvh_scene_create( nullptr, &scene, &error ), error );
		for ( const PeerMesh &mesh : arm.links ) {
			const dbvh_mesh_view view = view_of( mesh );
			dbvh_tree *tree;
			uint32_t body;
			must( dbvh_tree_build( &view, nullptr, nullptr, &tree, &error ), error );
			trees.push_back( tree );
			must( dbvh_scene_add_body( scene, tree, nullptr, nullptr, &body, &error ), error );
		}
		dbvh_pair_rule allowed = dbvh_pair_rule_default();
		allowed.may_collide = true;
		must( dbvh_scene_set_default_rule( scene, &allowed, &error ), error );
		const dbvh_pair_rule strict = dbvh_pair_rule_default();
		for ( const auto &pair : arm.pairs )
			must( dbvh_scene_set_pair_rule( scene, pair.first, pair.second, &strict, &error ), error );
	}
	void set_configurations( const std::vector<dbvh_pose> &given ) override {
		poses = &given;
		results.resize( given.size() / trees.size() );
	}
	void check( unsigned threads, std::vector<uint8_t> &verdicts_out ) override {
		dbvh_configurations_query query = dbvh_configurations_query_default();
		query.thread_count = threads;
		must( dbvh_scene_collide_batch( scene, poses->data(), results.size(), &query, results.data(), &error ), error );
		for ( size_t i = 0; i < results.size(); ++i )
			verdicts_out[i] = results[i].verdict == DBVH_INTERSECTING;
	}
};

// The oracle in exact arithmetic, with the second mesh in the frame of the first, as a query has it.
bool oracle_says( const Arm &arm, const dbvh_pose *poses ) {
	for ( const auto &pair : arm.pairs ) {
		const PeerMesh &a = arm.links[pair.first], &b = arm.links[pair.second];
		const dbvh_mesh_view of_a = view_of( a ), of_b = view_of( b );
		const dbvh_pose relative = dbvh_pose_relative( &poses[pair.first], &poses[pair.second] );
		if ( oracle_collide( &of_a, &of_b, &relative, nullptr ) > 0 )
			return true;
	}
	return false;
}

// Neighbours always meet; and those that do in nearly every configuration say nothing.
std::vector<std::pair<uint32_t, uint32_t>> pairs_of_panda() {
	std::vector<std::pair<uint32_t, uint32_t>> pairs;
	for ( uint32_t i = 0; i < LINKS; ++i ) {
		for ( uint32_t j = i + 2; j < LINKS; ++j ) {
			const bool always =
			    ( i == 5 && j == 7 ) || ( i >= 6 && j >= 8 ) || ( i <= 1 && j <= 3 ) || ( i == 7 && j == 9 );
			if ( !always )
				pairs.emplace_back( i, j );
		}
	}
	return pairs;
}

int compare_arms( const std::string &folder ) {
	ArmPeers peers;
	BoxPeers unused;
	peers.emplace_back( new OwnArm );
#ifdef PEER_FCL
	add_scene_fcl( unused, peers );
#endif
#ifdef PEER_COAL
	add_scene_coal( unused, peers );
#endif
	Arm arm;
	size_t triangles = 0;
	std::vector<dbvh_mesh *> meshes;
	for ( const char *name : LINK_NAMES ) {
		dbvh_mesh *mesh;
		dbvh_error error;
		const std::string path = folder + "/" + name + ".stl";
		must( dbvh_mesh_load( path.c_str(), DBVH_MESH_FORMAT_AUTO, nullptr, &mesh, &error ), error );
		meshes.push_back( mesh );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		arm.links.push_back( { (const double *)view.positions, (const uint32_t *)view.indices, view.vertex_count,
		                       view.triangle_count } );
		triangles += view.triangle_count;
	}
	arm.pairs = pairs_of_panda();
	const std::vector<dbvh_pose> poses = random_configurations();
	for ( const auto &peer : peers ) {
		peer->load( arm );
		peer->set_configurations( poses );
	}
	std::vector<std::vector<double>> times( 2 * peers.size() );
	std::vector<std::vector<uint8_t>> verdicts( peers.size(), std::vector<uint8_t>( CONFIGURATIONS ) );
	for ( int round = 0; round < ROUNDS; ++round ) {
		for ( unsigned threads = 1; threads <= 2; ++threads ) {
			for ( size_t i = 0; i < peers.size(); ++i ) {
				const double start = threads == 1 ? stats_thread_now() : stats_now();
				peers[i]->check( threads, verdicts[i] );
				times[2 * i + threads - 1].push_back( ( threads == 1 ? stats_thread_now() : stats_now() ) - start );
			}
		}
	}
	size_t colliding = 0;
	for ( uint8_t meets : verdicts[0] )
		colliding += meets;
	std::printf( "\nPanda: %d links, %zu triangles, %zu pairs, %d configurations, of which %zu collide\n", LINKS,
	             triangles, arm.pairs.size(), CONFIGURATIONS, colliding );
	std::printf( "%-16s %16s %8s %16s %8s %12s %12s\n", "", "one thread, /s", "slower", "two threads, /s", "slower",
	             "differ", "are wrong" );
	double own[2] = { 0.0, 0.0 };
	size_t own_wrong = 0;
	for ( size_t i = 0; i < peers.size(); ++i ) {
		size_t differ = 0, wrong = 0;
		for ( int c = 0; c < CONFIGURATIONS; ++c ) {
			if ( verdicts[i][c] == verdicts[0][c] )
				continue;
			const bool truth = oracle_says( arm, &poses[(size_t)c * LINKS] );
			differ += 1;
			wrong += verdicts[i][c] != truth;
			own_wrong += verdicts[0][c] != truth;
		}
		double median[2];
		for ( int k = 0; k < 2; ++k ) {
			median[k] = stats_median( times[2 * i + (size_t)k].data(), ROUNDS );
			own[k] = i == 0 ? median[k] : own[k];
		}
		std::printf( "%-16s %16.0f %8.2f %16.0f %8.2f %12zu %12zu\n", peers[i]->name(), CONFIGURATIONS / median[0],
		             median[0] / own[0], CONFIGURATIONS / median[1], median[1] / own[1], differ, wrong );
	}
	std::printf( "where they differ, dualbvh is wrong %zu times\n", own_wrong );
	peers.clear();
	for ( dbvh_mesh *mesh : meshes )
		dbvh_mesh_destroy( mesh );
	return own_wrong == 0 ? 0 : 1;
}

} // namespace

int main( int argc, char **argv ) {
	const std::string what = argc > 1 ? argv[1] : "";
	if ( ( what != "boxes" && what != "edits" && what != "arm" ) || ( what == "arm" && argc != 3 ) ) {
		std::fprintf( stderr, "usage: dualbvh-bench-scene-peers boxes [COUNT...] | edits [COUNT...] | arm FOLDER\n" );
		return 2;
	}
	stats_print_machine( stdout, "# " );
	if ( what == "arm" )
		leave( compare_arms( argv[2] ) );
	std::vector<size_t> counts;
	for ( int i = 2; i < argc; ++i )
		counts.push_back( std::strtoul( argv[i], nullptr, 10 ) );
	if ( counts.empty() )
		counts = { 100000, 1000000 };
	bool same = true;
	for ( size_t count : counts )
		same = ( what == "boxes" ? compare_boxes( count ) : compare_edits( count ) ) && same;
	leave( same ? 0 : 1 );
}
