// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bullet's GIMPACT meshes, through the collision algorithm that a world's dispatcher picks for them.

#include "peer.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <memory>

namespace {

// Sees contact points as they are found, instead of a manifold that keeps four of them.
class Sink : public btManifoldResult {
  public:
	Sink( const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b ) : btManifoldResult( a, b ) {}

	void setShapeIdentifiersA( int, int index ) override {
		a_ = index;
	}
	void setShapeIdentifiersB( int, int index ) override {
		b_ = index;
	}

	void addContactPoint( const btVector3 &, const btVector3 &, btScalar ) override {
		// All points of one pair of triangles come one after the other.
		if ( pairs != nullptr && ( count == 0 || a_ != last_a_ || b_ != last_b_ ) )
			pairs->add( (uint32_t)a_, (uint32_t)b_ );
		last_a_ = a_;
		last_b_ = b_;
		count += 1;
	}

	size_t count = 0;
	PeerPairs *pairs = nullptr;

  private:
	int a_ = -1, b_ = -1, last_a_ = -1, last_b_ = -1;
};

class Gimpact : public Peer {
  public:
	Gimpact( const char *name, double scale ) : name_( name ), scale_( scale ), dispatcher_( &configuration_ ) {
		btGImpactCollisionAlgorithm::registerAlgorithm( &dispatcher_ );
	}

	const char *name() const override {
		return name_;
	}
	const char *note() const override {
		return "always computes every contact";
	}
	bool lists_pairs() const override {
		return true;
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		build( a, meshes_[0] );
		const bool same = a.positions == b.positions;
		if ( !same )
			build( b, meshes_[1] );
		for ( int i = 0; i < 2; ++i ) {
			objects_[i].setCollisionShape( meshes_[same ? 0 : i].shape.get() );
			objects_[i].setWorldTransform( btTransform::getIdentity() );
		}
	}

	void unload() override {
		for ( Mesh &mesh : meshes_ )
			mesh = Mesh();
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		transforms_.resize( count );
		for ( size_t p = 0; p < count; ++p ) {
			const dbvh_pose &q = poses[p];
			transforms_[p].setBasis( btMatrix3x3( (btScalar)q.rot[0][0], (btScalar)q.rot[0][1], (btScalar)q.rot[0][2],
			                                      (btScalar)q.rot[1][0], (btScalar)q.rot[1][1], (btScalar)q.rot[1][2],
			                                      (btScalar)q.rot[2][0], (btScalar)q.rot[2][1],
			                                      (btScalar)q.rot[2][2] ) );
			transforms_[p].setOrigin( btVector3( (btScalar)( scale_ * q.pos[0] ), (btScalar)( scale_ * q.pos[1] ),
			                                     (btScalar)( scale_ * q.pos[2] ) ) );
		}
	}

	bool query( size_t pose, bool, PeerPairs *pairs ) override {
		btCollisionObject &a = objects_[0], &b = objects_[1];
		b.setWorldTransform( transforms_[pose] );
		const btCollisionObjectWrapper wrap_a( nullptr, a.getCollisionShape(), &a, a.getWorldTransform(), -1, -1 );
		const btCollisionObjectWrapper wrap_b( nullptr, b.getCollisionShape(), &b, b.getWorldTransform(), -1, -1 );
		Sink sink( &wrap_a, &wrap_b );
		sink.pairs = pairs;
		btCollisionAlgorithm *algorithm =
		    dispatcher_.findAlgorithm( &wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS );
		btDispatcherInfo info;
		algorithm->processCollision( &wrap_a, &wrap_b, info, &sink );
		algorithm->~btCollisionAlgorithm();
		dispatcher_.freeCollisionAlgorithm( algorithm );
		return sink.count > 0;
	}

  private:
	struct Mesh {
		std::vector<btScalar> positions;
		std::vector<int> indices;
		std::unique_ptr<btTriangleIndexVertexArray> array;
		std::unique_ptr<btGImpactMeshShape> shape;
	};

	void build( const PeerMesh &mesh, Mesh &out ) {
		out.shape.reset();
		out.positions.resize( 3 * mesh.vertex_count );
		for ( size_t i = 0; i < out.positions.size(); ++i )
			out.positions[i] = (btScalar)( scale_ * mesh.positions[i] );
		out.indices.assign( mesh.indices, mesh.indices + 3 * mesh.triangle_count );
		btIndexedMesh part;
		part.m_numTriangles = (int)mesh.triangle_count;
		part.m_triangleIndexBase = (const unsigned char *)out.indices.data();
		part.m_triangleIndexStride = 3 * sizeof( int );
		part.m_numVertices = (int)mesh.vertex_count;
		part.m_vertexBase = (const unsigned char *)out.positions.data();
		part.m_vertexStride = 3 * sizeof( btScalar );
		part.m_indexType = PHY_INTEGER;
		part.m_vertexType = sizeof( btScalar ) == sizeof( double ) ? PHY_DOUBLE : PHY_FLOAT;
		out.array.reset( new btTriangleIndexVertexArray() );
		out.array->addIndexedMesh( part, PHY_INTEGER );
		out.shape.reset( new btGImpactMeshShape( out.array.get() ) );
		out.shape->setMargin( 0 ); // with its default of 0.04, things that far apart touch
		out.shape->updateBound();
	}

	const char *name_;
	double scale_;
	btDefaultCollisionConfiguration configuration_;
	btCollisionDispatcher dispatcher_;
	Mesh meshes_[2];
	btCollisionObject objects_[2];
	std::vector<btTransform> transforms_;
};

} // namespace

void add_gimpact( PeerList &list ) {
	// GIMPACT's epsilons are absolute, like ODE's.
	list.push_back( new Gimpact( sizeof( btScalar ) == 8 ? "GIMPACT (double)" : "GIMPACT (float)", 1.0 ) );
	list.push_back(
	    new Gimpact( sizeof( btScalar ) == 8 ? "GIMPACT (double), x 1024" : "GIMPACT (float), x 1024", 1024.0 ) );
}
