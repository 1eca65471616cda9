// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "dualbvh/contact.h"

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace dualbvh_python {

struct contacts_deleter {
	void operator()( dbvh_contacts *contacts ) const {
		dbvh_contacts_destroy( contacts );
	}
};

using contacts_arrays = std::tuple<std::vector<dbvh_contact>, std::vector<uint32_t>, std::vector<dbvh_contact_point>,
                                   std::vector<dbvh_polyline>, std::vector<dbvh_path_entry>, std::vector<dbvh_cluster>>;

/// The contacts that one call found, an object that is not searched with again, so that its arrays stay valid; or the
/// arrays of a pickle.
struct contacts {
	std::unique_ptr<dbvh_contacts, contacts_deleter> owned;
	std::unique_ptr<const contacts_arrays> restored;
	int32_t status = 0; ///< the dbvh_status of a batch that keeps refused elements

	contacts();
	explicit contacts( contacts_arrays from ) : restored( new contacts_arrays( std::move( from ) ) ) {}
	dbvh_contacts_view view() const;
};

} // namespace dualbvh_python
