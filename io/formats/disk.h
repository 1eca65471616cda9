// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of the disk as a source for readers.

#pragma once

#include "formats/files.h"

// A source whose names stand beside `path`, as the reader of that file would open them; those of "package://name/..."
// stand in the folder that is given for the package, else in one of that name that holds the file itself, as robots'
// descriptions lie in their packages; "file:///..." is an absolute name.
//
// A regular file may be named that is, links followed, in the folder of `path` or below it, in the package around that
// (the nearest folder with a package.xml), or in a folder that was given for a package: the file may be a stranger's.
// With options->trust.allow_outside any may. `options` may be NULL. `ledger` is told what is read. The arguments must
// live as long as the source.
typedef struct scene_disk {
	const char *path;
	const scene_read_options *options;
	scene_ledger *ledger;
} scene_disk;
scene_source scene_disk_source( scene_disk *disk );
