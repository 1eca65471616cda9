// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/contact.hpp
/// Points and curves of contact. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_CONTACT_HPP
#define DUALBVH_CPP_CONTACT_HPP

#include "dualbvh/cpp/query.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// Points and curves of contact: see contact.h. Each search replaces what was there.
class Contacts : public detail::Owner<dbvh_contacts, dbvh_contacts_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Contacts> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Contacts>( [&]( Contacts &contacts, Error &error ) {
			return dbvh_contacts_create( allocator, &contacts.object_, &error );
		} );
	}
	Outcome<void> find( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                    const ContactsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			return dbvh_contacts_find( a.get(), &pose_a, b.get(), &pose_b, &query, object_, &error );
		} );
	}
	/// See dbvh_separating_translation().
	Outcome<Separation> separate( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                              const ContactsQuery &query = {} ) {
		return detail::outcome_of<Separation>( [&]( Separation &separation, Error &error ) {
			return dbvh_separating_translation( a.get(), &pose_a, b.get(), &pose_b, &query, object_, &separation,
			                                    &error );
		} );
	}
	/// The extents of the common points of A and B along directions, three doubles each: extents[i] along direction i.
	/// False where there is no common point. See dbvh_overlap_extents().
	Outcome<bool> overlap_extents( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                               span<const double> directions, span<Extent> extents,
	                               const ContactsQuery &query = {} ) {
		return detail::outcome_of<bool>( [&]( bool &common, Error &error ) {
			if ( directions.size() != 3 * extents.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "extents: there must be one for each direction" );
			return dbvh_overlap_extents( a.get(), &pose_a, b.get(), &pose_b, directions.data(), extents.size(), &query,
			                             object_, extents.data(), &common, &error );
		} );
	}
	// The arrays of dbvh_contacts_view, valid until the next search.
	span<const dbvh_contact> contacts() const {
		const dbvh_contacts_view v = view();
		return { v.contacts, v.contact_count };
	}
	span<const dbvh_contact_point> points() const {
		const dbvh_contacts_view v = view();
		return { v.points, v.point_count };
	}
	span<const dbvh_polyline> polylines() const {
		const dbvh_contacts_view v = view();
		return { v.polylines, v.polyline_count };
	}
	span<const dbvh_path_entry> path() const {
		const dbvh_contacts_view v = view();
		return { v.path, v.path_count };
	}
	span<const dbvh_cluster> clusters() const {
		const dbvh_contacts_view v = view();
		return { v.clusters, v.cluster_count };
	}
	dbvh_contacts_view view() const {
		return object_ != nullptr ? dbvh_contacts_get( object_ ) : dbvh_contacts_view{};
	}
};

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_CONTACT_HPP
