// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "step_writer.h"

#include <BRep_Builder.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <gp_Ax1.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_PrinterOStream.hxx>
#include <Standard_Failure.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopoDS_Compound.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

namespace {

const double right_angle = 1.5707963267948966;

TDF_Label named( const TDF_Label &label, const char *name ) {
	TDataStd_Name::Set( label, name );
	return label;
}

gp_Trsf moved( double x, double y, double z ) {
	gp_Trsf t;
	t.SetTranslation( gp_Vec( x, y, z ) );
	return t;
}

Handle( TDocStd_Document ) new_document() {
	Handle( TDocStd_Document ) document;
	Message::DefaultMessenger()->RemovePrinters( STANDARD_TYPE( Message_PrinterOStream ) );
	XCAFApp_Application::GetApplication()->NewDocument( "MDTV-XCAF", document );
	return document;
}

bool write( const Handle( TDocStd_Document ) & document, const char *path ) {
	STEPCAFControl_Writer writer;
	writer.SetNameMode( true );
	return writer.Transfer( document ) && writer.Write( path ) == IFSelect_RetDone;
}

bool write_stand( const char *path ) {
	const Handle( TDocStd_Document ) document = new_document();
	const Handle( XCAFDoc_ShapeTool ) shapes = XCAFDoc_DocumentTool::ShapeTool( document->Main() );
	const TDF_Label plate = named( shapes->AddShape( BRepPrimAPI_MakeBox( 40, 40, 5 ).Shape(), false ), "plate" );
	const TDF_Label pin = named( shapes->AddShape( BRepPrimAPI_MakeCylinder( 5, 20 ).Shape(), false ), "pin" );
	gp_Trsf turn;
	turn.SetRotation( gp_Ax1( gp_Pnt( 0, 0, 0 ), gp_Dir( 1, 0, 0 ) ), -right_angle ); // z to y
	const TDF_Label pins = named( shapes->NewShape(), "pins" );
	named( shapes->AddComponent( pins, pin, TopLoc_Location( moved( 2, 10, 0 ) ) ), "upright" );
	named( shapes->AddComponent( pins, pin, TopLoc_Location( moved( 20, 0, 0 ) * turn ) ), "lying" );
	const TDF_Label stand = named( shapes->NewShape(), "stand" );
	named( shapes->AddComponent( stand, plate, TopLoc_Location() ), "plate" );
	named( shapes->AddComponent( stand, pins, TopLoc_Location( moved( 10, 10, 5 ) ) ), "pins" );
	shapes->UpdateAssemblies();
	return write( document, path );
}

bool write_round( const char *path ) {
	const Handle( TDocStd_Document ) document = new_document();
	TopoDS_Compound both;
	BRep_Builder builder;
	builder.MakeCompound( both );
	builder.Add( both, BRepPrimAPI_MakeSphere( 10 ).Shape() );
	TopoDS_Shape ring = BRepPrimAPI_MakeTorus( 20, 5 ).Shape();
	ring.Location( TopLoc_Location( moved( 40, 0.1, 0.3 ) ) );
	builder.Add( both, ring );
	named( XCAFDoc_DocumentTool::ShapeTool( document->Main() )->AddShape( both, false ), "ball and ring" );
	return write( document, path );
}

template <typename function> bool without_exceptions( function what ) {
	try {
		return what();
	} catch ( const Standard_Failure & ) {
		return false;
	}
}

} // namespace

extern "C" bool step_write_stand( const char *path ) {
	return without_exceptions( [path] { return write_stand( path ); } );
}

extern "C" bool step_write_round( const char *path ) {
	return without_exceptions( [path] { return write_round( path ); } );
}
