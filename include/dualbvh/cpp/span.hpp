// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/span.hpp
/// Views of the caller's arrays, and arrays that functions return. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_SPAN_HPP
#define DUALBVH_CPP_SPAN_HPP

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dualbvh {

template <class T> class span;

namespace common {

template <class T> struct is_span : std::false_type {};
template <class T> struct is_span<span<T>> : std::true_type {};

template <class C> using data_of = std::remove_pointer_t<decltype( std::declval<C &>().data() )>;

// True for a C with data() and size() whose elements are those of T, perhaps without const.
template <class C, class T, class = void> struct holds : std::false_type {};
template <class C, class T>
struct holds<C, T, std::void_t<data_of<C>, decltype( std::declval<C &>().size() )>>
    : std::is_convertible<data_of<C> ( * )[], T ( * )[]> {};

} // namespace common

/// A pointer and a count, as std::span in C++20. Borrowed; copying it is free.
template <class T> class span {
  public:
	constexpr span() noexcept = default;
	constexpr span( T *data, std::size_t size ) noexcept : data_( data ), size_( size ) {}
	template <std::size_t n> constexpr span( T ( &array )[n] ) noexcept : data_( array ), size_( n ) {}
	template <class C, class = std::enable_if_t<!common::is_span<std::decay_t<C>>::value &&
	                                            common::holds<std::remove_reference_t<C>, T>::value &&
	                                            ( std::is_lvalue_reference_v<C> || std::is_const_v<T> )>>
	constexpr span( C &&container ) noexcept
	    : data_( container.data() ), size_( static_cast<std::size_t>( container.size() ) ) {}
	template <class U, class = std::enable_if_t<std::is_convertible_v<U ( * )[], T ( * )[]>>>
	constexpr span( span<U> other ) noexcept : data_( other.data() ), size_( other.size() ) {}
	constexpr T *data() const noexcept {
		return data_;
	}
	constexpr std::size_t size() const noexcept {
		return size_;
	}
	constexpr bool empty() const noexcept {
		return size_ == 0;
	}
	constexpr T *begin() const noexcept {
		return data_;
	}
	constexpr T *end() const noexcept {
		return data_ + size_;
	}
	constexpr T &operator[]( std::size_t i ) const noexcept {
		return data_[i];
	}

  private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

/// An array that a function here returns: plain data, owned, moved and not copied, from malloc().
template <class T> class Array {
	static_assert( std::is_trivially_copyable_v<T>, "an Array holds plain data" );

  public:
	Array() noexcept = default;
	Array( Array &&other ) noexcept
	    : data_( std::exchange( other.data_, nullptr ) ), size_( std::exchange( other.size_, 0 ) ) {}
	Array &operator=( Array &&other ) noexcept {
		std::swap( data_, other.data_ );
		std::swap( size_, other.size_ );
		return *this;
	}
	~Array() {
		std::free( data_ );
	}
	T *data() noexcept {
		return data_;
	}
	const T *data() const noexcept {
		return data_;
	}
	std::size_t size() const noexcept {
		return size_;
	}
	bool empty() const noexcept {
		return size_ == 0;
	}
	T *begin() noexcept {
		return data_;
	}
	T *end() noexcept {
		return data_ + size_;
	}
	const T *begin() const noexcept {
		return data_;
	}
	const T *end() const noexcept {
		return data_ + size_;
	}
	T &operator[]( std::size_t i ) noexcept {
		return data_[i];
	}
	const T &operator[]( std::size_t i ) const noexcept {
		return data_[i];
	}
	/// Replaces the content by `size` elements, all zero. Returns false without memory: the array is empty then.
	bool assign_zero( std::size_t size ) noexcept {
		std::free( data_ );
		data_ = size == 0 ? nullptr : static_cast<T *>( std::calloc( size, sizeof( T ) ) );
		size_ = data_ != nullptr ? size : 0;
		return size_ == size;
	}
	/// Forgets all elements from `size` on.
	void truncate( std::size_t size ) noexcept {
		size_ = size < size_ ? size : size_;
	}

  private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

} // namespace dualbvh

#endif // DUALBVH_CPP_SPAN_HPP
