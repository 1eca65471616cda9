// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh-bench-traps: what every engine that this build has says of the traps in tests/support/traps.c, as a table.

#include "dualbvh/dualbvh.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "support/traps.h"
}

#ifdef PEER_FCL
#include <fcl/fcl.h>
#endif
#ifdef PEER_ODE
#include <ode/ode.h>
#endif
#ifdef PEER_GIMPACT
#include <btBulletCollisionCommon.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#endif
#ifdef PEER_EMBREE
#include <embree3/rtcore.h>
#endif

namespace {

// An engine's answer: whether the bodies interfere, and the text for the table.
struct Answer {
	bool yes;
	std::string text;
};

struct Engine {
	const char *name;
	Answer ( *ask )( const trap &t );
	bool sieve; // its "yes" is "perhaps"
	size_t wrong;
};

std::string format( const char *text, ... ) {
	char line[200];
	va_list arguments;
	va_start( arguments, text );
	vsnprintf( line, sizeof line, text, arguments );
	va_end( arguments );
	return line;
}

#ifdef PEER_FCL
using FclModel = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<FclModel> fcl_model( const shape &s ) {
	auto model = std::make_shared<FclModel>();
	std::vector<fcl::Vector3d> points;
	std::vector<fcl::Triangle> triangles;
	for ( size_t i = 0; i < s.vertex_count; ++i )
		points.emplace_back( s.positions[3 * i], s.positions[3 * i + 1], s.positions[3 * i + 2] );
	for ( size_t i = 0; i < s.triangle_count; ++i )
		triangles.emplace_back( s.indices[3 * i], s.indices[3 * i + 1], s.indices[3 * i + 2] );
	model->beginModel();
	model->addSubModel( points, triangles );
	model->endModel();
	return model;
}

Answer ask_fcl( const trap &t ) {
	fcl::Transform3d place = fcl::Transform3d::Identity();
	for ( int i = 0; i < 3; ++i ) {
		place.translation()[i] = t.pose.pos[i];
		for ( int j = 0; j < 3; ++j )
			place.linear()( i, j ) = t.pose.rot[i][j];
	}
	const auto a = fcl_model( t.a ), b = fcl_model( t.b );
	fcl::CollisionRequestd request( 1000, true );
	fcl::CollisionResultd result;
	fcl::collide( a.get(), fcl::Transform3d::Identity(), b.get(), place, request, result );
	if ( result.isCollision() ) {
		double depth = 0.0;
		for ( size_t i = 0; i < result.numContacts(); ++i )
			depth = std::max( depth, result.getContact( i ).penetration_depth );
		return { true, format( "yes, %zu, depth %.2g", result.numContacts(), depth ) };
	}
	fcl::DistanceRequestd distance_request( true );
	fcl::DistanceResultd distance_result;
	const double distance =
	    fcl::distance( a.get(), fcl::Transform3d::Identity(), b.get(), place, distance_request, distance_result );
	return { false, format( "no, distance %.3g", distance ) };
}
#endif

#ifdef PEER_ODE
void say_nothing( int, const char *, va_list ) {}

struct OdeMesh {
	std::vector<dReal> positions;
	std::vector<dTriIndex> indices;
	dTriMeshDataID data = dGeomTriMeshDataCreate();
	dGeomID geom = nullptr;

	explicit OdeMesh( const shape &s ) {
		for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
			positions.push_back( (dReal)s.positions[i] );
		indices.assign( s.indices, s.indices + 3 * s.triangle_count );
		dGeomTriMeshDataBuildDouble( data, positions.data(), 3 * sizeof( dReal ), (int)s.vertex_count, indices.data(),
		                             (int)indices.size(), 3 * sizeof( dTriIndex ) );
		static_assert( sizeof( dReal ) == sizeof( double ), "Debian builds ODE with double precision" );
		geom = dCreateTriMesh( nullptr, data, nullptr, nullptr, nullptr );
	}
	OdeMesh( const OdeMesh & ) = delete;
	OdeMesh &operator=( const OdeMesh & ) = delete;
	~OdeMesh() {
		dGeomDestroy( geom );
		dGeomTriMeshDataDestroy( data );
	}
};

Answer ask_ode( const trap &t ) {
	static const int once = dInitODE2( 0 );
	(void)once;
	dAllocateODEDataForThread( dAllocateMaskAll );
	dSetMessageHandler( say_nothing );
	OdeMesh a( t.a ), b( t.b );
	dMatrix3 rot = { 0 };
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			rot[4 * i + j] = (dReal)t.pose.rot[i][j];
	dGeomSetRotation( b.geom, rot );
	dGeomSetPosition( b.geom, (dReal)t.pose.pos[0], (dReal)t.pose.pos[1], (dReal)t.pose.pos[2] );
	std::vector<dContactGeom> contacts( 1000 );
	const int count = dCollide( a.geom, b.geom, (int)contacts.size(), contacts.data(), sizeof( dContactGeom ) );
	double depth = 0.0;
	for ( int i = 0; i < count; ++i )
		depth = std::max( depth, (double)contacts[(size_t)i].depth );
	return { count > 0, count > 0 ? format( "yes, %d, depth %.2g", count, depth ) : "no" };
}
#endif

#ifdef PEER_GIMPACT
class Sink : public btManifoldResult {
  public:
	Sink( const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b ) : btManifoldResult( a, b ) {}
	void addContactPoint( const btVector3 &, const btVector3 &, btScalar depth ) override {
		count += 1;
		deepest = std::min( deepest, (double)depth );
	}
	int count = 0;
	double deepest = 0.0;
};

struct BulletMesh {
	std::vector<btScalar> positions;
	std::vector<int> indices;
	std::unique_ptr<btTriangleIndexVertexArray> array;
	std::unique_ptr<btGImpactMeshShape> mesh;
	btCollisionObject object;

	explicit BulletMesh( const shape &s ) {
		for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
			positions.push_back( (btScalar)s.positions[i] );
		indices.assign( s.indices, s.indices + 3 * s.triangle_count );
		btIndexedMesh part;
		part.m_numTriangles = (int)s.triangle_count;
		part.m_triangleIndexBase = (const unsigned char *)indices.data();
		part.m_triangleIndexStride = 3 * sizeof( int );
		part.m_numVertices = (int)s.vertex_count;
		part.m_vertexBase = (const unsigned char *)positions.data();
		part.m_vertexStride = 3 * sizeof( btScalar );
		part.m_indexType = PHY_INTEGER;
		part.m_vertexType = sizeof( btScalar ) == sizeof( double ) ? PHY_DOUBLE : PHY_FLOAT;
		array.reset( new btTriangleIndexVertexArray() );
		array->addIndexedMesh( part, PHY_INTEGER );
		mesh.reset( new btGImpactMeshShape( array.get() ) );
		mesh->setMargin( 0 );
		mesh->updateBound();
		object.setCollisionShape( mesh.get() );
		object.setWorldTransform( btTransform::getIdentity() );
	}
};

Answer ask_gimpact( const trap &t ) {
	static btDefaultCollisionConfiguration configuration;
	static btCollisionDispatcher dispatcher( &configuration );
	static const bool once = ( btGImpactCollisionAlgorithm::registerAlgorithm( &dispatcher ), true );
	(void)once;
	BulletMesh a( t.a ), b( t.b );
	const auto &r = t.pose.rot;
	btTransform place;
	place.setBasis( btMatrix3x3( (btScalar)r[0][0], (btScalar)r[0][1], (btScalar)r[0][2], (btScalar)r[1][0],
	                             (btScalar)r[1][1], (btScalar)r[1][2], (btScalar)r[2][0], (btScalar)r[2][1],
	                             (btScalar)r[2][2] ) );
	place.setOrigin( btVector3( (btScalar)t.pose.pos[0], (btScalar)t.pose.pos[1], (btScalar)t.pose.pos[2] ) );
	b.object.setWorldTransform( place );
	const btCollisionObjectWrapper wrap_a( nullptr, a.mesh.get(), &a.object, a.object.getWorldTransform(), -1, -1 );
	const btCollisionObjectWrapper wrap_b( nullptr, b.mesh.get(), &b.object, b.object.getWorldTransform(), -1, -1 );
	Sink sink( &wrap_a, &wrap_b );
	btCollisionAlgorithm *algorithm =
	    dispatcher.findAlgorithm( &wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS );
	btDispatcherInfo info;
	algorithm->processCollision( &wrap_a, &wrap_b, info, &sink );
	algorithm->~btCollisionAlgorithm();
	dispatcher.freeCollisionAlgorithm( algorithm );
	return { sink.count > 0, sink.count > 0 ? format( "yes, %d, depth %.2g", sink.count, -sink.deepest ) : "no" };
}
#endif

#ifdef PEER_EMBREE
struct EmbreeMesh {
	std::vector<float> box; // six a triangle
	RTCScene scene = nullptr;

	EmbreeMesh( RTCDevice device, const shape &s, const dbvh_pose &pose ) {
		for ( size_t i = 0; i < s.triangle_count; ++i ) {
			double low[3] = { 0, 0, 0 }, high[3] = { 0, 0, 0 };
			for ( int c = 0; c < 3; ++c ) {
				const double *p = s.positions + 3 * (size_t)s.indices[3 * i + (size_t)c];
				for ( int k = 0; k < 3; ++k ) {
					const double x =
					    pose.rot[k][0] * p[0] + pose.rot[k][1] * p[1] + pose.rot[k][2] * p[2] + pose.pos[k];
					low[k] = c == 0 ? x : std::min( low[k], x );
					high[k] = c == 0 ? x : std::max( high[k], x );
				}
			}
			for ( int k = 0; k < 6; ++k )
				box.push_back( (float)( k < 3 ? low[k] : high[k - 3] ) );
		}
		scene = rtcNewScene( device );
		RTCGeometry geometry = rtcNewGeometry( device, RTC_GEOMETRY_TYPE_USER );
		rtcSetGeometryUserPrimitiveCount( geometry, (unsigned)s.triangle_count );
		rtcSetGeometryUserData( geometry, this );
		rtcSetGeometryBoundsFunction(
		    geometry,
		    []( const RTCBoundsFunctionArguments *arguments ) {
			    const float *c = ( (const EmbreeMesh *)arguments->geometryUserPtr )->box.data() + 6 * arguments->primID;
			    *arguments->bounds_o = { c[0], c[1], c[2], 0, c[3], c[4], c[5], 0 };
		    },
		    nullptr );
		rtcCommitGeometry( geometry );
		rtcAttachGeometry( scene, geometry );
		rtcReleaseGeometry( geometry );
		rtcCommitScene( scene );
	}
	EmbreeMesh( const EmbreeMesh & ) = delete;
	EmbreeMesh &operator=( const EmbreeMesh & ) = delete;
	~EmbreeMesh() {
		rtcReleaseScene( scene );
	}
};

Answer ask_embree( const trap &t ) {
	static const RTCDevice device = rtcNewDevice( "threads=1" );
	EmbreeMesh a( device, t.a, dbvh_pose_identity() ), b( device, t.b, t.pose );
	size_t count = 0;
	rtcCollide(
	    a.scene, b.scene, []( void *user, RTCCollision *, unsigned int n ) { *(size_t *)user += n; }, &count );
	return { count > 0, format( "%zu candidates", count ) };
}
#endif

void check( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench-traps: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

dbvh_tree *build( const shape &s ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *tree = nullptr;
	check( dbvh_tree_build( &view, &options, nullptr, &tree, nullptr ) );
	return tree;
}

std::string spelled( dbvh_relation relation ) {
	static const char *const words[] = { "apart",  "touching",  "overlapping", "A in B",
	                                     "B in A", "identical", "undecidable" };
	return words[relation];
}

} // namespace

int main() {
	std::vector<Engine> engines;
#ifdef PEER_FCL
	engines.push_back( { "FCL OBBRSS, double", ask_fcl, false, 0 } );
#endif
#ifdef PEER_ODE
	engines.push_back( { "ODE, double", ask_ode, false, 0 } );
#endif
#ifdef PEER_GIMPACT
	engines.push_back(
	    { sizeof( btScalar ) == 8 ? "Bullet GIMPACT, double, margin 0" : "Bullet GIMPACT, float, margin 0", ask_gimpact,
	      false, 0 } );
#endif
#ifdef PEER_EMBREE
	engines.push_back( { "Embree rtcCollide", ask_embree, true, 0 } );
#endif
	printf( "| case | truth | dualbvh |" );
	for ( const Engine &e : engines )
		printf( " %s |", e.name );
	printf( "\n|---|---|---|" );
	for ( size_t i = 0; i < engines.size(); ++i )
		printf( "---|" );
	printf( "\n" );
	size_t asked = 0, own_wrong = 0;
	for ( size_t i = 0; i < trap_count(); ++i ) {
		trap t = trap_make( i );
		dbvh_tree *a = build( t.a ), *b = build( t.b );
		dbvh_relate_result result;
		check( dbvh_relate( a, nullptr, b, &t.pose, &t.tolerances, nullptr, &result, NULL ) );
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		own_wrong += result.relation != t.truth;
		printf( "| %s | %s | %s%s |", t.name, spelled( t.truth ).c_str(), spelled( result.relation ).c_str(),
		        result.relation == t.truth ? "" : " **wrong**" );
		// The answer expected of an engine that supports rotations and answers yes or no: yes if the bodies share a
		// point.
		const bool tolerant = t.tolerances.touch_gap > 0.0 || t.tolerances.touch_overlap > 0.0;
		double deviation = 0.0;
		check( dbvh_pose_check( &t.pose, &deviation, NULL ) );
		const bool asked_of_all = t.truth != DBVH_RELATION_UNDECIDABLE && !tolerant && deviation < 1e-12;
		asked += asked_of_all;
		for ( Engine &e : engines ) {
			const Answer answer = e.ask( t );
			const bool wrong =
			    asked_of_all && answer.yes != ( t.truth != DBVH_RELATION_DISJOINT ) && !( e.sieve && answer.yes );
			e.wrong += wrong;
			printf( " %s%s |", answer.text.c_str(), wrong ? " **wrong**" : "" );
		}
		printf( "\n" );
		fflush( stdout );
		trap_free( &t );
	}
	printf( "| wrong yes or no, of %zu | | %zu |", asked, own_wrong );
	for ( const Engine &e : engines )
		printf( " %zu |", e.wrong );
	printf( "\n" );
	return own_wrong == 0 ? 0 : 1;
}
