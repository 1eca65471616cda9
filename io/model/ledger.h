// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ceiling in bytes on what a scene may make of its files. Everything is counted before it is made, so that a small
// file of instances, scales and includes cannot fill the memory. A zero-initialised ledger counts nothing.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The ceiling without an option: a base, and an amount for every byte of the files that are read, each counted once.
#define SCENE_CEILING_BASE ( UINT64_C( 1 ) << 27 )
#define SCENE_CEILING_PER_BYTE UINT64_C( 32 )

// The cost of a body beside its mesh and its path, of a vertex and of a triangle.
#define SCENE_BODY_COST UINT64_C( 256 )
#define SCENE_VERTEX_COST UINT64_C( 24 )
#define SCENE_TRIANGLE_COST UINT64_C( 12 )

// The cost of reading an included file beside its bytes: mostly time.
#define SCENE_INCLUDE_COST UINT64_C( 4096 )

typedef struct scene_ledger_file {
	uint64_t device, number;
} scene_ledger_file;

typedef struct scene_ledger {
	uint64_t allowed, spent; // allowed 0: nothing is counted
	bool is_over, is_stated; // is_stated: the user said how much
	scene_ledger_file *files;
	size_t file_count, file_capacity;
} scene_ledger;

// Sets the ceiling; 0 mebibytes: the default above.
void scene_ledger_open( scene_ledger *ledger, uint32_t mebibytes );
void scene_ledger_close( scene_ledger *ledger ); // `spent` stays readable

// A file of `count` bytes has been read: it raises the ceiling the first time.
void scene_ledger_credit( scene_ledger *ledger, uint64_t device, uint64_t number, uint64_t count );

// Is there room for so many bytes? If not, ledger->is_over.
bool scene_ledger_fits( scene_ledger *ledger, uint64_t bytes );
// scene_ledger_fits(), and the bytes are spent.
bool scene_ledger_spend( scene_ledger *ledger, uint64_t bytes );
