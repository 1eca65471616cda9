// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "summary.h"

#include <algorithm>
#include <cstdio>

namespace {

std::string library_of( const std::string &engine ) {
	return engine.substr( 0, engine.find_first_of( " ," ) );
}

// The fastest one without a wrong answer, else the fastest; of a library's engines, or of all for "". Null if none.
const SummaryCell *fastest( const SummaryRow &row, const std::string &library ) {
	const SummaryCell *best = nullptr;
	for ( const SummaryCell &cell : row.rivals ) {
		if ( library.empty() ? !cell.right : library_of( cell.engine ) != library )
			continue;
		if ( best == nullptr || ( cell.right && !best->right ) || ( cell.right == best->right && cell.us < best->us ) )
			best = &cell;
	}
	return best;
}

} // namespace

void summary_print( const Summary &summary ) {
	std::vector<std::string> libraries;
	for ( const SummaryRow &row : summary )
		for ( const SummaryCell &cell : row.rivals )
			if ( std::find( libraries.begin(), libraries.end(), library_of( cell.engine ) ) == libraries.end() )
				libraries.push_back( library_of( cell.engine ) );
	printf( "\nA rival's time over dualbvh's; of each library its fastest right engine, * where none is right\n" );
	printf( "%-64s %10s", "", "dualbvh us" );
	for ( const std::string &library : libraries )
		printf( " %8s", library.c_str() );
	printf( "  %7s by\n", "fastest" );
	size_t slower = 0;
	std::string scene;
	for ( const SummaryRow &row : summary ) {
		if ( row.scene != scene )
			printf( "%s\n", row.scene.c_str() );
		scene = row.scene;
		printf( "  %-62.62s %10.3f", row.name.c_str(), row.us );
		for ( const std::string &library : libraries ) {
			const SummaryCell *cell = fastest( row, library );
			if ( cell == nullptr )
				printf( " %8s", "" );
			else
				printf( " %7.2f%c", cell->us / row.us, cell->right ? ' ' : '*' );
		}
		const SummaryCell *best = fastest( row, "" );
		if ( best == nullptr )
			printf( "  %7s none is right\n", "" );
		else
			printf( "  %7.2f %s\n", best->us / row.us, best->engine.c_str() );
		slower += best != nullptr && best->us < row.us;
	}
	printf( "%zu rows; a right rival is faster in %zu\n", summary.size(), slower );
}
