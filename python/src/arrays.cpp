// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "arrays.h"

#include "errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace dualbvh_python {

std::string text_of( nb::handle object ) {
	return nb::cast<std::string>( nb::steal( PyObject_Str( object.ptr() ) ) );
}

buffer::~buffer() {
	if ( view.obj )
		PyBuffer_Release( &view );
}

bool buffer::borrow( nb::handle object, int flags ) {
	if ( !PyObject_CheckBuffer( object.ptr() ) )
		return false;
	if ( PyObject_GetBuffer( object.ptr(), &view, flags ) == 0 )
		return true;
	PyErr_Clear();
	view.obj = nullptr;
	return false;
}

char buffer::type() const {
	const char *letters = view.format;
	return letters && letters[0] && !letters[1] ? letters[0] : (char)0;
}

bool buffer::is_contiguous() const {
	return PyBuffer_IsContiguous( &view, 'C' );
}

namespace {

/// Converts an object by numpy to aligned doubles in C order.
nb::object converted( nb::handle object, const char *what ) {
	const nb::module_ numpy = nb::module_::import_( "numpy" );
	nb::object array = numpy.attr( "asarray" )( object );
	const std::string kind = nb::cast<std::string>( array.attr( "dtype" ).attr( "kind" ) );
	if ( kind != "f" && kind != "i" && kind != "u" && kind != "b" ) {
		const std::string text = std::string( what ) + " must be an array of real numbers, not of " +
		                         text_of( nb::object( array.attr( "dtype" ) ) );
		throw nb::type_error( text.c_str() );
	}
	return numpy.attr( "array" )( array, nb::arg( "dtype" ) = "f8", nb::arg( "order" ) = "C" );
}

std::string shape_text( const Py_buffer &view ) {
	std::string text = "(";
	for ( int i = 0; i < view.ndim; ++i )
		text += ( i ? ", " : "" ) + std::to_string( (long long)view.shape[i] );
	return text + ( view.ndim == 1 ? ",)" : ")" );
}

/// A quaternion and a translation, or many of either: a pair of arrays whose last extents are 4 and 3.
bool is_pair( nb::handle object ) {
	return PyTuple_Check( object.ptr() ) && nb::len( object ) == 2;
}

[[noreturn]] void refuse_shape( const char *what, const std::string &rule, const std::string &shape ) {
	raise( DBVH_INVALID_ARGUMENT, ( std::string( what ) + " must be " + rule + ", not of shape " + shape ).c_str() );
}

/// Checks the last row of a 4 x 4 matrix, which a pose does not keep: false where it has a NaN or an infinity. The
/// caller then puts that into the pose, where the library finds it, so that a batch can mark the element.
bool has_finite_last_row( const double *m ) {
	return std::all_of( m + 12, m + 16, []( double x ) { return std::isfinite( x ); } );
}

void expect_last_row( const double *m, const char *what, int64_t element ) {
	if ( m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1 )
		raise( DBVH_INVALID_ARGUMENT,
		       ( std::string( "the last row of a 4 x 4 matrix of " ) + what + " must be 0 0 0 1" ).c_str(), element );
}

/// Numbers a pose takes in an array whose last dimensions, from `first` on, are those of one pose; 0 for none.
size_t pose_width( const doubles &numbers, int first ) {
	const int rest = numbers.dimensions() - first;
	if ( rest == 1 && numbers.extent( first ) == 12 )
		return 12;
	if ( rest == 2 && numbers.extent( first + 1 ) == 4 &&
	     ( numbers.extent( first ) == 3 || numbers.extent( first ) == 4 ) )
		return 4 * numbers.extent( first );
	return 0;
}

dbvh_pose read_pose( const double *numbers, size_t width, const char *what, int64_t element ) {
	dbvh_pose pose = dbvh_pose_from_rows( numbers );
	if ( width == 16 && !has_finite_last_row( numbers ) )
		pose.pos[0] = NAN;
	else if ( width == 16 )
		expect_last_row( numbers, what, element );
	return pose;
}

std::unique_ptr<dbvh_pose[]> read_poses( const doubles &numbers, size_t count, size_t width, const char *what ) {
	std::unique_ptr<dbvh_pose[]> poses( new dbvh_pose[count] );
	for ( size_t i = 0; i < count; ++i )
		poses[i] = read_pose( numbers.data() + i * width, width, what, (int64_t)i );
	return poses;
}

const char pose_rule[] = "4 x 4, 3 x 4, 12 numbers, or a tuple of a quaternion (x, y, z, w) and a translation";
const char list_rule[] = "n x 4 x 4, n x 3 x 4, n x 12, or a tuple of quaternions n x 4 (x, y, z, w) and translations "
                         "n x 3";

} // namespace

doubles::doubles( nb::handle object, const char *name ) : what( name ) {
	if ( view.borrow( object, PyBUF_STRIDES | PyBUF_FORMAT ) ) {
		if ( view.type() == 'd' && view.is_contiguous() && (uintptr_t)view.get().buf % alignof( double ) == 0 )
			return;
		view.~buffer();
		new ( &view ) buffer;
	}
	if ( !view.borrow( converted( object, what ), PyBUF_STRIDES | PyBUF_FORMAT ) )
		throw nb::type_error( "numpy gave an array that lends no memory" );
}

void doubles::expect( std::initializer_list<long> shape ) const {
	bool fits = (size_t)dimensions() == shape.size();
	int i = 0;
	std::string rule;
	for ( long extent : shape ) {
		fits = fits && ( extent < 0 || this->extent( i ) == (size_t)extent );
		rule += ( i++ ? " x " : "" ) + ( extent < 0 ? std::string( "n" ) : std::to_string( extent ) );
	}
	if ( !fits )
		refuse_shape( what, shape.size() == 1 ? rule + " numbers" : rule, shape_text( view.get() ) );
}

rows::rows( nb::handle object, const char *name, size_t width_in )
    : what( name ), numbers( object, name ), width( width_in ) {
	const int one = width == 9 ? 2 : width == 1 ? 0 : 1;
	shared = numbers.dimensions() == one;
	if ( width == 9 )
		shared ? numbers.expect( { 3, 3 } ) : numbers.expect( { -1, 3, 3 } );
	else if ( width == 1 )
		shared ? numbers.expect( {} ) : numbers.expect( { -1 } );
	else
		shared ? numbers.expect( { (long)width } ) : numbers.expect( { -1, (long)width } );
}

void rows::expect( size_t count ) const {
	if ( !shared )
		numbers.expect( { (long)count, (long)width } );
}

size_t common_count( std::initializer_list<const rows *> columns ) {
	const rows *first = nullptr;
	for ( const rows *column : columns ) {
		if ( column->shared )
			continue;
		if ( !first )
			first = column;
		if ( column->numbers.extent( 0 ) != first->numbers.extent( 0 ) )
			raise( DBVH_INVALID_ARGUMENT, ( std::string( first->what ) + " and " + column->what +
			                                " must be as many, not " + std::to_string( first->numbers.extent( 0 ) ) +
			                                " and " + std::to_string( column->numbers.extent( 0 ) ) )
			                                  .c_str() );
	}
	return first ? first->numbers.extent( 0 ) : 1;
}

vector3::vector3( nb::handle object, const char *what ) {
	const doubles numbers( object, what );
	numbers.expect( { 3 } );
	std::memcpy( x, numbers.data(), sizeof x );
}

pose_argument::pose_argument( nb::handle object, const char *what ) : given( !object.is_none() ) {
	if ( !given )
		return;
	if ( is_pair( object ) ) {
		const doubles quaternion( object[0], what ), translation( object[1], what );
		if ( quaternion.dimensions() != 1 || quaternion.extent( 0 ) != 4 || translation.dimensions() != 1 ||
		     translation.extent( 0 ) != 3 )
			refuse_shape( what, pose_rule, "other than (4,) and (3,)" );
		pose = dbvh_pose_from_quaternion( quaternion.data(), translation.data() );
		return;
	}
	const doubles numbers( object, what );
	const size_t width = pose_width( numbers, 0 );
	if ( width == 0 )
		raise( DBVH_INVALID_ARGUMENT, ( std::string( what ) + " must be " + pose_rule ).c_str() );
	pose = read_pose( numbers.data(), width, what, -1 );
}

pose_list::pose_list( nb::handle object, const char *what ) {
	if ( is_pair( object ) ) {
		const doubles quaternions( object[0], what ), translations( object[1], what );
		if ( quaternions.dimensions() == 2 && quaternions.extent( 1 ) == 4 && translations.dimensions() == 2 &&
		     translations.extent( 1 ) == 3 && quaternions.extent( 0 ) == translations.extent( 0 ) ) {
			number = quaternions.extent( 0 );
			poses.reset( new dbvh_pose[number] );
			for ( size_t i = 0; i < number; ++i )
				poses[i] = dbvh_pose_from_quaternion( quaternions.data() + 4 * i, translations.data() + 3 * i );
			return;
		}
	}
	const doubles numbers( object, what );
	const size_t width = numbers.dimensions() > 1 ? pose_width( numbers, 1 ) : 0;
	if ( width == 0 )
		raise( DBVH_INVALID_ARGUMENT, ( std::string( what ) + " must be " + list_rule ).c_str() );
	number = numbers.extent( 0 );
	poses = read_poses( numbers, number, width, what );
}

configuration_list::configuration_list( nb::handle object, const char *what ) {
	const doubles numbers( object, what );
	const size_t width = numbers.dimensions() > 2 ? pose_width( numbers, 2 ) : 0;
	if ( width == 0 )
		raise( DBVH_INVALID_ARGUMENT,
		       ( std::string( what ) + " must be n x m x 4 x 4, n x m x 3 x 4 or n x m x 12" ).c_str() );
	number = numbers.extent( 0 );
	per_configuration = numbers.extent( 1 );
	poses = read_poses( numbers, number * per_configuration, width, what );
}

nb::object pose_to_array( const dbvh_pose &pose ) {
	new_array rows( 12, format( "f8" ) );
	for ( int r = 0; r < 3; ++r ) {
		for ( int c = 0; c < 3; ++c )
			rows.data<double>()[4 * r + c] = pose.rot[r][c];
		rows.data<double>()[4 * r + 3] = pose.pos[r];
	}
	return rows.release().attr( "reshape" )( 3, 4 );
}

// ------------------------------------------------------------------------------------------------
// Answers

nb::object format( const char *text ) {
	return nb::str( text );
}

nb::object format( const char *text, long count ) {
	return nb::make_tuple( text, count );
}

nb::object make_dtype( std::initializer_list<field> fields, size_t itemsize ) {
	nb::list names, formats, offsets;
	for ( const field &f : fields ) {
		names.append( f.name );
		formats.append( f.format );
		offsets.append( f.offset );
	}
	nb::dict layout;
	layout["names"] = names;
	layout["formats"] = formats;
	layout["offsets"] = offsets;
	layout["itemsize"] = itemsize;
	return nb::module_::import_( "numpy" ).attr( "dtype" )( layout );
}

new_array::new_array( size_t count, nb::handle dtype )
    : array( nb::module_::import_( "numpy" ).attr( "empty" )( count, dtype ) ) {
	buffer lent;
	if ( !lent.borrow( array, PyBUF_WRITABLE ) )
		throw nb::type_error( "numpy gave an array that lends no memory" );
	memory = lent.get().buf;
}

nb::object to_object( const array3 &numbers ) {
	new_array array( 3, format( "f8" ) );
	std::memcpy( array.data<void>(), numbers.x, sizeof numbers.x );
	return array.release();
}

} // namespace dualbvh_python
