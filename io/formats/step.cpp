// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STEP, as OpenCASCADE reads it: the instances of parts become bodies, named by the assembly tree, each part one mesh
// that stays within a sag of its surfaces. No exception leaves this file.

#include <algorithm>
#include <BRep_Tool.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <Interface_Check.hxx>
#include <Interface_InterfaceModel.hxx>
#include <istream>
#include <map>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_PrinterOStream.hxx>
#include <new>
#include <Poly_Triangulation.hxx>
#include <Standard_Failure.hxx>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <STEPCAFControl_Reader.hxx>
#include <streambuf>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <TDataStd_Name.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <unistd.h>
#include <vector>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

extern "C" {
#include "formats/files.h"
#include "model/baked.h"
#include "model/placement.h"
#include "model/refuse.h"
}

namespace {

const int most_depth = 256;
const size_t most_places = (size_t)1 << 22; // an assembly of assemblies of two doubles with each level
const double usual_sag = 0.1;               // millimetres
const double most_angle = 0.5; // angle of a chord, radians: with a sag above the radius a circle still gets 13 sides

// Thrown to end the reading: the sentence is in *error.
struct refused {};

// Bytes in memory as a stream, without a copy.
class memory_buffer : public std::streambuf {
  public:
	memory_buffer( const unsigned char *bytes, size_t count ) {
		char *begin = const_cast<char *>( reinterpret_cast<const char *>( bytes ) );
		setg( begin, begin, begin + count );
	}
};

struct part {
	std::vector<double> positions;
	std::vector<uint32_t> corners;
	uint32_t number = 0;
	double sag = 0.0;
};

struct import {
	const scene_source *source;
	scene_model *model;
	dbvh_error *error;
	double sag;
	std::map<std::string, part> parts; // by the entry of their label
	scene_baked baked = {};
	size_t places = 0, bodies = 0, without_faces = 0, faces_left_out = 0;

	~import() {
		scene_baked_free( &baked );
	}
};

[[noreturn]] void refuse( import &m, dbvh_status status, const char *text ) {
	scene_refuse( m.error, status, "%s", text );
	throw refused();
}

// ------------------------------------------------------------------------------------------------
// Parts

bool same_place( const part &p, uint32_t a, uint32_t b ) {
	return std::equal( &p.positions[3 * a], &p.positions[3 * a] + 3, &p.positions[3 * b] );
}

// Triangles that are a line or a point, as at the poles of spheres, leave the rest as closed as it was.
void add_triangle( part &p, uint32_t a, uint32_t b, uint32_t c ) {
	if ( !same_place( p, a, b ) && !same_place( p, b, c ) && !same_place( p, c, a ) )
		p.corners.insert( p.corners.end(), { a, b, c } );
}

void add_face( import &m, part &p, const TopoDS_Face &face ) {
	TopLoc_Location place;
	const Handle( Poly_Triangulation ) mesh = BRep_Tool::Triangulation( face, place );
	if ( mesh.IsNull() || mesh->NbTriangles() == 0 ) {
		++m.faces_left_out;
		return;
	}
	const bool is_moved = !place.IsIdentity();
	const gp_Trsf move = place.Transformation();
	const bool is_turned = ( face.Orientation() == TopAbs_REVERSED ) != ( is_moved && move.IsNegative() );
	const size_t begin = p.positions.size() / 3;
	if ( begin + (size_t)mesh->NbNodes() > DBVH_MAX_ELEMENTS )
		refuse( m, DBVH_LIMIT, "a part has more than 2^30 vertices" );
	for ( int i = 1; i <= mesh->NbNodes(); ++i ) {
		gp_Pnt at = mesh->Node( i );
		if ( is_moved )
			at.Transform( move );
		p.positions.insert( p.positions.end(), { at.X(), at.Y(), at.Z() } );
	}
	for ( int i = 1; i <= mesh->NbTriangles(); ++i ) {
		int a, b, c;
		mesh->Triangle( i ).Get( a, b, c );
		if ( is_turned )
			std::swap( b, c );
		add_triangle( p, (uint32_t)( begin + (size_t)a - 1 ), (uint32_t)( begin + (size_t)b - 1 ),
		              (uint32_t)( begin + (size_t)c - 1 ) );
	}
	p.sag = std::max( p.sag, mesh->Deflection() );
}

part &part_of( import &m, const TDF_Label &label, const TopoDS_Shape &shape ) {
	TCollection_AsciiString entry;
	TDF_Tool::Entry( label, entry );
	const auto known = m.parts.find( entry.ToCString() );
	if ( known != m.parts.end() )
		return known->second;
	part &p = m.parts[entry.ToCString()];
	p.number = (uint32_t)m.parts.size();
	p.sag = m.sag;
	BRepMesh_IncrementalMesh( shape, m.sag, false, most_angle, false );
	for ( TopExp_Explorer face( shape, TopAbs_FACE ); face.More(); face.Next() )
		add_face( m, p, TopoDS::Face( face.Current() ) );
	return p;
}

// ------------------------------------------------------------------------------------------------
// The tree

std::string text_of( const TDF_Label &label ) {
	Handle( TDataStd_Name ) name;
	if ( !label.FindAttribute( TDataStd_Name::GetID(), name ) )
		return std::string();
	return TCollection_AsciiString( name->Get() ).ToCString();
}

// Is it a name that programs give an instance without one: "NAUO12", "12", "=>[0:1:1:2]"?
bool is_made_up( const std::string &name ) {
	if ( name.compare( 0, 2, "=>" ) == 0 )
		return true;
	const size_t begin = name.compare( 0, 4, "NAUO" ) == 0 ? 4 : 0;
	return name.find_first_not_of( "0123456789", begin ) == std::string::npos;
}

void add_body( import &m, const TDF_Label &label, const TopoDS_Shape &shape, const TopLoc_Location &place,
               const std::string &path ) {
	part &p = part_of( m, label, shape );
	if ( p.corners.empty() ) {
		++m.without_faces;
		return;
	}
	double linear[3][3];
	dbvh_pose pose;
	bool is_rigid;
	dbvh_error inner;
	scene_affine world;
	const gp_Trsf map = place.Transformation();
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 4; ++k )
			world.row[i][k] = map.Value( i + 1, k + 1 );
	if ( !scene_split_affine( world.row, &pose, linear, &is_rigid ) ) {
		scene_refuse( m.error, DBVH_MALFORMED, "'%.100s' is placed by a matrix that flattens it", path.c_str() );
		throw refused();
	}
	dbvh_mesh_view view = {};
	view.positions = p.positions.data();
	view.vertex_count = p.positions.size() / 3;
	view.indices = p.corners.data();
	view.triangle_count = p.corners.size() / 3;
	const uint32_t mesh = scene_baked_mesh( &m.baked, m.model, p.number, &view, linear, path.c_str(), &inner );
	if ( mesh == SCENE_NONE ) {
		scene_refuse( m.error, inner.status, "'%.60s': %.170s", path.c_str(), inner.text );
		throw refused();
	}
	const uint32_t body = scene_add_body( m.model, path.c_str(), mesh, &pose );
	if ( body == SCENE_NONE )
		throw std::bad_alloc();
	m.model->bodies[body].sag = p.sag * std::fabs( map.ScaleFactor() );
	++m.bodies;
}

void add_label( import &m, const TDF_Label &instance, const TopLoc_Location &outer, const std::string &above,
                int depth ) {
	if ( depth > most_depth )
		refuse( m, DBVH_LIMIT, "assemblies are nested more than 256 deep" );
	if ( ++m.places > most_places )
		refuse( m, DBVH_LIMIT, "it has more than 2^22 instances of parts and assemblies" );
	TDF_Label label = instance;
	std::string name = text_of( instance );
	TopLoc_Location place = outer;
	if ( XCAFDoc_ShapeTool::IsReference( instance ) ) {
		place = place * XCAFDoc_ShapeTool::GetLocation( instance );
		if ( !XCAFDoc_ShapeTool::GetReferredShape( instance, label ) )
			refuse( m, DBVH_MALFORMED, "an instance is of nothing" );
		const std::string product = text_of( label );
		if ( is_made_up( name ) && !product.empty() )
			name = product;
	}
	const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape( label );
	if ( shape.IsNull() )
		return;
	place = place * shape.Location();
	std::string path = above;
	path += above.empty() ? "" : "/";
	path += name.empty() ? "unnamed" : name;
	if ( !XCAFDoc_ShapeTool::IsAssembly( label ) ) {
		add_body( m, label, shape.Located( TopLoc_Location() ), place, path );
		return;
	}
	TDF_LabelSequence children;
	XCAFDoc_ShapeTool::GetComponents( label, children, false );
	for ( int i = 1; i <= children.Length(); ++i )
		add_label( m, children.Value( i ), place, path, depth + 1 );
}

// ------------------------------------------------------------------------------------------------

void add_note( import &m, size_t count, const char *one, const char *many ) {
	if ( count > 0 && !scene_add_note( m.model, "%s: %zu %s", m.source->name, count, count == 1 ? one : many ) )
		throw std::bad_alloc();
}

// The entities of the file that OpenCASCADE did not understand.
struct damage {
	size_t count = 0;
	std::string first;
};

damage damage_of( const Handle( Interface_InterfaceModel ) & model ) {
	damage d;
	for ( int i = 1; i <= model->NbEntities(); ++i ) {
		const Handle( Interface_Check ) check = model->Check( i, true );
		if ( check.IsNull() || !check->HasFailed() )
			continue;
		if ( d.count++ == 0 )
			d.first = std::string( model->StringLabel( model->Value( i ) )->ToCString() ) + ": " + check->CFail( 1 );
	}
	return d;
}

void read_shapes( import &m, STEPCAFControl_Reader &reader ) {
	const Handle( XCAFApp_Application ) application = XCAFApp_Application::GetApplication();
	Handle( TDocStd_Document ) document;
	application->NewDocument( "MDTV-XCAF", document );
	if ( !reader.Transfer( document ) )
		refuse( m, DBVH_MALFORMED, "OpenCASCADE finds no shape in it" );
	TDF_LabelSequence roots;
	XCAFDoc_DocumentTool::ShapeTool( document->Main() )->GetFreeShapes( roots );
	for ( int i = 1; i <= roots.Length(); ++i )
		add_label( m, roots.Value( i ), TopLoc_Location(), std::string(), 0 );
	application->Close( document );
}

// Damaged entities are null in OpenCASCADE's model, and it may dereference one. So another process tries first.
bool survives( import &m, STEPCAFControl_Reader &reader ) {
	const pid_t child = fork();
	if ( child == 0 ) {
		for ( const int fatal : { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT } )
			signal( fatal, SIG_DFL );
		const rlimit no_core = { 0, 0 };
		setrlimit( RLIMIT_CORE, &no_core );
		try {
			read_shapes( m, reader );
		} catch ( ... ) {
		}
		_exit( 0 );
	}
	int status = 0;
	while ( child > 0 && waitpid( child, &status, 0 ) < 0 && errno == EINTR ) {
	}
	return child > 0 && WIFEXITED( status ) && WEXITSTATUS( status ) == 0;
}

void read_document( import &m, const unsigned char *bytes, size_t count ) {
	// Silence OpenCASCADE, which would print its opinion of the file.
	Message::DefaultMessenger()->RemovePrinters( STANDARD_TYPE( Message_PrinterOStream ) );
	memory_buffer buffer( bytes, count );
	std::istream stream( &buffer );
	STEPCAFControl_Reader reader;
	reader.SetColorMode( false );
	reader.SetLayerMode( false );
	reader.SetNameMode( true );
	if ( reader.ChangeReader().ReadStream( m.source->name, stream ) != IFSelect_RetDone )
		refuse( m, DBVH_MALFORMED, "OpenCASCADE cannot read it as STEP" );
	const damage d = damage_of( reader.ChangeReader().Model() );
	if ( d.count > 0 && !survives( m, reader ) ) {
		scene_refuse( m.error, DBVH_MALFORMED, "OpenCASCADE breaks down at it; %.200s", d.first.c_str() );
		throw refused();
	}
	read_shapes( m, reader );
	if ( m.bodies == 0 )
		refuse( m, DBVH_EMPTY, "no part in it has a face" );
	if ( d.count > 0 &&
	     !scene_add_note( m.model, "%s: %zu damaged entit%s left out, with what needs %s; the first is %.100s",
	                      m.source->name, d.count, d.count == 1 ? "y is" : "ies are", d.count == 1 ? "it" : "them",
	                      d.first.c_str() ) )
		throw std::bad_alloc();
	add_note( m, m.without_faces, "part without faces is left out", "parts without faces are left out" );
	add_note( m, m.faces_left_out, "face has no triangulation, and is left out",
	          "faces have no triangulation, and are left out" );
	m.model->metres = 0.001;
}

} // namespace

extern "C" dbvh_status scene_read_step( const unsigned char *bytes, size_t count, const scene_source *source,
                                        double sag, scene_model *model, dbvh_error *error ) {
	dbvh_error own = {};
	own.byte = own.element = -1;
	try {
import m;
		m.source = source;
		m.model = model;
		m.error = &own;
		m.sag = sag > 0.0 ? sag : usual_sag;
		read_document( m, bytes, count );
	} catch ( const refused & ) {
	} catch ( const std::bad_alloc & ) {
		scene_refuse_memory( &own );
	} catch ( const Standard_Failure &failure ) {
		scene_refuse( &own, DBVH_MALFORMED, "OpenCASCADE gives up: %.100s %.100s", failure.DynamicType()->Name(),
		              failure.GetMessageString() );
	} catch ( const std::exception &failure ) {
		scene_refuse( &own, DBVH_MALFORMED, "OpenCASCADE gives up: %.200s", failure.what() );
	} catch ( ... ) {
		scene_refuse( &own, DBVH_MALFORMED, "OpenCASCADE gives up" );
	}
	if ( error != nullptr )
		*error = own;
	return own.status;
}
