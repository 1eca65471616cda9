// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One table of all rows: by how much each library is slower than dualbvh, and which right one is fastest.

#pragma once

#include <string>
#include <vector>

struct SummaryCell {
	std::string engine; // its library is the first word
	double us;          // a query
	bool right;         // every answer in the row is right, and whole
};

struct SummaryRow {
	std::string scene, name;
	double us; // dualbvh's
	std::vector<SummaryCell> rivals;
};

using Summary = std::vector<SummaryRow>;

void summary_print( const Summary &summary );
