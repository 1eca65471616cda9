// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "dualbvh/contact.h"

#include <memory>

namespace dualbvh_python {

struct contacts_deleter {
	void operator()( dbvh_contacts *contacts ) const {
		dbvh_contacts_destroy( contacts );
	}
};

/// What one call found; it is not asked again, so that its arrays stay.
struct contacts {
	std::unique_ptr<dbvh_contacts, contacts_deleter> owned;

	contacts();
	dbvh_contacts_view view() const {
		return dbvh_contacts_get( owned.get() );
	}
};

} // namespace dualbvh_python
