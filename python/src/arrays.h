// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Conversion of numbers: arrays and poses that callers pass, and arrays that results are written to.

#pragma once

#include "dualbvh/base.h"

#include <initializer_list>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace dualbvh_python {

namespace nb = nanobind;

/// str( object ).
std::string text_of( nb::handle object );

/// A buffer borrowed from an object, which cannot be resized meanwhile.
class buffer {
  public:
	buffer() = default;
	buffer( const buffer & ) = delete;
	buffer &operator=( const buffer & ) = delete;
	~buffer();

	/// Borrows; false, without an exception, where the object lends none with these flags (PyBUF_...).
	bool borrow( nb::handle object, int flags );
	/// The one letter of struct's notation that its elements have; 0 for any other format.
	char type() const;
	bool is_contiguous() const;
	const Py_buffer &get() const {
		return view;
	}

  private:
	Py_buffer view{};
};

/// Doubles in C order with a shape: borrowed where the caller's are so, else converted. Arrays of anything but real
/// numbers are refused; `what` is the name of the argument, for the message.
class doubles {
  public:
	doubles( nb::handle object, const char *what );

	const double *data() const {
		return static_cast<const double *>( view.get().buf );
	}
	int dimensions() const {
		return view.get().ndim;
	}
	size_t extent( int dimension ) const {
		return (size_t)view.get().shape[dimension];
	}
	/// Throws unless the shape is this; -1 stands for any number.
	void expect( std::initializer_list<long> shape ) const;

  private:
	const char *what;
	buffer view;
};

/// Many rows of as many doubles, or one row that stands for each of many.
class rows {
  public:
	/// n x `width`, or `width`; with `width` 9, n x 3 x 3 or 3 x 3; with 1, n or a number alone.
	rows( nb::handle object, const char *what, size_t width );
	/// Throws unless there are so many, or one for all.
	void expect( size_t count ) const;
	/// Row i.
	const double *row( size_t i ) const {
		return numbers.data() + ( shared ? 0 : i * width );
	}

  private:
	friend size_t common_count( std::initializer_list<const rows *> columns );
	const char *what;
	doubles numbers;
	size_t width;
	bool shared;
};

/// Returns the common number of rows of several columns: a column of one row fits any number. Throws where they do not
/// fit.
size_t common_count( std::initializer_list<const rows *> columns );

/// Three doubles, as of a point.
struct vector3 {
	double x[3];
	vector3( nb::handle object, const char *what );
};

/// A pose that an argument gives: None (the identity), 4 x 4, 3 x 4, 12 numbers, or a quaternion (x, y, z, w) with a
/// translation.
class pose_argument {
  public:
	pose_argument( nb::handle object, const char *what );
	/// NULL for None.
	const dbvh_pose *get() const {
		return given ? &pose : nullptr;
	}

  private:
	dbvh_pose pose;
	bool given;
};

/// Many poses that an argument gives: n x 4 x 4, n x 3 x 4, n x 12, or n x 4 quaternions with n x 3 translations.
class pose_list {
  public:
	pose_list( nb::handle object, const char *what );
	size_t count() const {
		return number;
	}
	const dbvh_pose *data() const {
		return poses.get();
	}

  private:
	size_t number = 0;
	std::unique_ptr<dbvh_pose[]> poses;
};

/// Poses of several bodies in many configurations: n x m x 4 x 4, n x m x 3 x 4 or n x m x 12.
class configuration_list {
  public:
	configuration_list( nb::handle object, const char *what );
	size_t count() const {
		return number;
	}
	size_t bodies() const {
		return per_configuration;
	}
	const dbvh_pose *data() const {
		return poses.get();
	}

  private:
	size_t number = 0, per_configuration = 0;
	std::unique_ptr<dbvh_pose[]> poses;
};

/// A new n x 12 array, or one of 3 x 4 for one pose, with the rows of [R|t].
nb::object pose_to_array( const dbvh_pose &pose );

/// The most threads of a call: 0 is the library's choice (see base.h); Python also accepts -1, all cores.
struct thread_count {
	uint32_t number = 0;
	operator uint32_t() const {
		return number;
	}
};

/// Returns the number of threads that OpenMP would use: OMP_NUM_THREADS, else the cores that this process may run on;
/// at most 256.
uint32_t all_threads();

// ------------------------------------------------------------------------------------------------
// Answers

/// One field of a numpy.dtype over a structure of the library.
struct field {
	const char *name;
	nb::object format;
	size_t offset;
};

nb::object make_dtype( std::initializer_list<field> fields, size_t itemsize );
nb::object format( const char *text );             ///< "<i4" and the like, in the machine's own order
nb::object format( const char *text, long count ); ///< an array of them

/// Offset of the byte of an enumeration with values 0 and 1 that can be read as a bool.
constexpr size_t bool_in_int = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof( int ) - 1 : 0;

/// A new array of `count` elements of a dtype, and a pointer to them, which is valid as long as the array.
class new_array {
  public:
	new_array( size_t count, nb::handle dtype );
	template <class T> T *data() const {
		return static_cast<T *>( memory );
	}
	nb::object release() {
		return std::move( array );
	}

  private:
	nb::object array;
	void *memory;
};

/// Three doubles that become a new array.
struct array3 {
	double x[3];
};

inline array3 to_array( const double ( &x )[3] ) {
	return { { x[0], x[1], x[2] } };
}

nb::object to_object( const array3 &numbers );

} // namespace dualbvh_python

namespace nanobind::detail {

template <> struct type_caster<dualbvh_python::array3> {
	NB_TYPE_CASTER( dualbvh_python::array3, const_name( "NDArray[np.float64]" ) )
	bool from_python( handle, uint8_t, cleanup_list * ) noexcept {
		return false;
	}
	static handle from_cpp( const dualbvh_python::array3 &numbers, rv_policy, cleanup_list * ) {
		return dualbvh_python::to_object( numbers ).release();
	}
};

template <> struct type_caster<dualbvh_python::thread_count> {
	NB_TYPE_CASTER( dualbvh_python::thread_count, const_name( "int" ) )
	bool from_python( handle object, uint8_t flags, cleanup_list *cleanup ) noexcept {
		make_caster<int64_t> number;
		if ( !number.from_python( object, flags, cleanup ) || number.value < -1 || number.value > UINT32_MAX )
			return false;
		value.number = number.value < 0 ? dualbvh_python::all_threads() : (uint32_t)number.value;
		return true;
	}
};

} // namespace nanobind::detail
