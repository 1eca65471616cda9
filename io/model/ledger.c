// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/ledger.h"

#include "text/grow.h"

#include <stdlib.h>

void scene_ledger_open( scene_ledger *ledger, uint32_t mebibytes ) {
	*ledger = ( scene_ledger ){ .allowed = mebibytes > 0 ? (uint64_t)mebibytes << 20 : SCENE_CEILING_BASE,
	                            .is_stated = mebibytes > 0 };
}

void scene_ledger_close( scene_ledger *ledger ) {
	free( ledger->files );
	ledger->files = NULL;
	ledger->file_count = ledger->file_capacity = 0;
}

void scene_ledger_credit( scene_ledger *ledger, uint64_t device, uint64_t number, uint64_t count ) {
	if ( ledger->allowed == 0 || ledger->is_stated )
		return;
	for ( size_t i = 0; i < ledger->file_count; ++i )
		if ( ledger->files[i].device == device && ledger->files[i].number == number )
			return;
	if ( !scene_grow( &ledger->files, &ledger->file_capacity, ledger->file_count, sizeof *ledger->files ) )
		return;
	ledger->files[ledger->file_count++] = ( scene_ledger_file ){ device, number };
	ledger->allowed += SCENE_CEILING_PER_BYTE * count;
}

bool scene_ledger_fits( scene_ledger *ledger, uint64_t bytes ) {
	if ( ledger->allowed == 0 || ( ledger->spent <= ledger->allowed && bytes <= ledger->allowed - ledger->spent ) )
		return true;
	ledger->is_over = true;
	return false;
}

bool scene_ledger_spend( scene_ledger *ledger, uint64_t bytes ) {
	if ( !scene_ledger_fits( ledger, bytes ) )
		return false;
	ledger->spent += bytes;
	return true;
}
