// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// ODE's trimesh collider (OPCODE trees of float boxes).

#include "peer.h"

#include <cstdarg>
#include <ode/ode.h>

namespace {

class Ode : public Peer {
  public:
	// ODE's epsilons are absolute, so the scale of the coordinates matters. A power of two loses no bit of them.
	Ode( const char *name, double scale ) : name_( name ), scale_( scale ), contacts_( 0xffff ) {
		static const int once = dInitODE2( 0 );
		(void)once;
		dAllocateODEDataForThread( dAllocateMaskAll );
		dSetMessageHandler( say_nothing ); // ODE reports full hash tables, while the clock runs
	}

	~Ode() override {
		unload();
	}

	const char *name() const override {
		return name_;
	}
	const char *note() const override {
		return "contacts are merged: no list of pairs";
	}
	bool lists_pairs() const override {
		return false;
	}

	void unload() override {
		for ( int i = 0; i < 2; ++i ) {
			if ( geoms_[i] != nullptr )
				dGeomDestroy( geoms_[i] );
			if ( meshes_[i].data != nullptr )
				dGeomTriMeshDataDestroy( meshes_[i].data );
			geoms_[i] = nullptr;
			meshes_[i] = Mesh();
		}
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		build( a, meshes_[0] );
		const bool same = a.positions == b.positions;
		if ( !same )
			build( b, meshes_[1] );
		geoms_[0] = dCreateTriMesh( nullptr, meshes_[0].data, nullptr, nullptr, nullptr );
		geoms_[1] = dCreateTriMesh( nullptr, meshes_[same ? 0 : 1].data, nullptr, nullptr, nullptr );
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		poses_.resize( count );
		for ( size_t p = 0; p < count; ++p )
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					poses_[p].rot[4 * i + j] = (dReal)poses[p].rot[i][j];
				poses_[p].rot[4 * i + 3] = 0;
				poses_[p].pos[i] = (dReal)( scale_ * poses[p].pos[i] );
			}
	}

	bool query( size_t pose, bool all, PeerPairs * ) override {
		dGeomSetRotation( geoms_[1], poses_[pose].rot );
		dGeomSetPosition( geoms_[1], poses_[pose].pos[0], poses_[pose].pos[1], poses_[pose].pos[2] );
		// "Unimportant" skips the refining of contacts: the cheapest question that it knows.
		const int flags = all ? (int)contacts_.size() : (int)( CONTACTS_UNIMPORTANT | 1 );
		return dCollide( geoms_[0], geoms_[1], flags, contacts_.data(), sizeof( dContactGeom ) ) > 0;
	}

  private:
	static void say_nothing( int, const char *, va_list ) {}

	struct Mesh {
		std::vector<dReal> positions;
		std::vector<dTriIndex> indices;
		dTriMeshDataID data = nullptr;
	};

	struct Pose {
		dMatrix3 rot;
		dReal pos[3];
	};

	void build( const PeerMesh &mesh, Mesh &out ) {
		// ODE keeps pointers to the caller's arrays.
		out.positions.resize( 3 * mesh.vertex_count );
		for ( size_t i = 0; i < out.positions.size(); ++i )
			out.positions[i] = (dReal)( scale_ * mesh.positions[i] );
		out.indices.assign( mesh.indices, mesh.indices + 3 * mesh.triangle_count );
		out.data = dGeomTriMeshDataCreate();
		dGeomTriMeshDataBuildDouble( out.data, out.positions.data(), 3 * sizeof( dReal ), (int)mesh.vertex_count,
		                             out.indices.data(), (int)out.indices.size(), 3 * sizeof( dTriIndex ) );
		static_assert( sizeof( dReal ) == sizeof( double ), "Debian builds ODE with double precision" );
	}

	const char *name_;
	double scale_;
	Mesh meshes_[2];
	dGeomID geoms_[2] = { nullptr, nullptr };
	std::vector<Pose> poses_;
	std::vector<dContactGeom> contacts_;
};

} // namespace

void add_ode( PeerList &list ) {
	list.push_back( new Ode( "ODE", 1.0 ) );
	list.push_back( new Ode( "ODE, x 1024", 1024.0 ) );
}
