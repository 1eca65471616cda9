// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/outcome.hpp
/// Return types of functions: a value, or an error. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_OUTCOME_HPP
#define DUALBVH_CPP_OUTCOME_HPP

#include "dualbvh/cpp/types.hpp"

#include <cassert>
#include <cstdio>
#include <type_traits>
#include <utility>

#ifdef DUALBVH_EXCEPTIONS
#include <stdexcept>
#endif

/// The namespace that tells the two forms apart in one program.
#ifdef DUALBVH_EXCEPTIONS
#define DUALBVH_HPP_FORM exceptions
#else
#define DUALBVH_HPP_FORM results
#endif

namespace dualbvh {

namespace common {

inline Error no_error() noexcept {
	Error error;
	error.status = DBVH_OK;
	error.line = 0;
	error.byte = error.element = -1;
	error.text[0] = '\0';
	return error;
}

// Fills in an error that this header finds itself.
inline Status refuse( Error &error, Status status, const char *text ) noexcept {
	error = no_error();
	error.status = status;
	std::snprintf( error.text, sizeof( error.text ), "%s", text );
	return status;
}

} // namespace common

inline namespace DUALBVH_HPP_FORM {

#ifdef DUALBVH_EXCEPTIONS
/// The exception that functions throw; what() is error().text.
class Exception : public std::runtime_error {
  public:
	explicit Exception( const Error &error ) : std::runtime_error( error.text ), error_( error ) {}
	const Error &error() const noexcept {
		return error_;
	}
	Status status() const noexcept {
		return error_.status;
	}

  private:
	Error error_;
};

template <class T> using Outcome = T;

namespace detail {

using namespace common;

// Calls ask( value, error ), which returns a status.
template <class T, class F> T outcome_of( F &&ask ) {
	Error error = no_error();
	if constexpr ( std::is_void_v<T> ) {
		if ( ask( error ) != DBVH_OK )
			throw Exception( error );
	} else {
		T value{};
		if ( ask( value, error ) != DBVH_OK )
			throw Exception( error );
		return value;
	}
}

} // namespace detail
#else
template <class T> class Result;

namespace detail {

using namespace common;

template <class T, class F> Result<T> outcome_of( F &&ask );

} // namespace detail

/// A value or an error. On an error left() is the value that the call left behind: all zero or empty, except for a
/// query that was ended early (DBVH_BUDGET_SPENT, DBVH_CANCELLED), which then holds what was known by that time.
template <class T> class [[nodiscard]] Result {
  public:
	explicit operator bool() const noexcept {
		return ok();
	}
	bool ok() const noexcept {
		return error_.status == DBVH_OK;
	}
	Status status() const noexcept {
		return error_.status;
	}
	/// The error; its text is "" where there is a value.
	const Error &error() const noexcept {
		return error_;
	}
	/// The value. An assert fails where there is none.
	T &operator*() &noexcept {
		assert( ok() );
		return value_;
	}
	const T &operator*() const &noexcept {
		assert( ok() );
		return value_;
	}
	T &&operator*() &&noexcept {
		assert( ok() );
		return std::move( value_ );
	}
	T *operator->() noexcept {
		assert( ok() );
		return &value_;
	}
	const T *operator->() const noexcept {
		assert( ok() );
		return &value_;
	}
	template <class U> T value_or( U &&other ) && {
		return ok() ? std::move( value_ ) : static_cast<T>( std::forward<U>( other ) );
	}
	const T &left() const noexcept {
		return value_;
	}

  private:
	template <class U, class F> friend Result<U> detail::outcome_of( F &&ask );
	Result() noexcept = default;

	T value_{};
	Error error_ = common::no_error();
};

/// The outcome of a function without a value: true on success.
template <> class [[nodiscard]] Result<void> {
  public:
	explicit operator bool() const noexcept {
		return ok();
	}
	bool ok() const noexcept {
		return error_.status == DBVH_OK;
	}
	Status status() const noexcept {
		return error_.status;
	}
	const Error &error() const noexcept {
		return error_;
	}

  private:
	template <class U, class F> friend Result<U> detail::outcome_of( F &&ask );
	Result() noexcept = default;

	Error error_ = common::no_error();
};

template <class T> using Outcome = Result<T>;

namespace detail {

// Calls ask( value, error ), which returns a status. The result is built where the caller wants it, and never copied.
template <class T, class F> Result<T> outcome_of( F &&ask ) {
	Result<T> result;
	if constexpr ( std::is_void_v<T> )
		result.error_.status = ask( result.error_ );
	else
		result.error_.status = ask( result.value_, result.error_ );
	return result;
}

} // namespace detail
#endif

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_OUTCOME_HPP
