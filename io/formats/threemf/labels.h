// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The labels that slicers keep beside the models of a package: names of objects and of their parts, and which parts are
// no bodies but change how others are printed (modifiers, negative parts, supports). Bambu Studio and OrcaSlicer write
// Metadata/model_settings.config, PrusaSlicer Metadata/Slic3r_PE_model.config with names of objects alone. No standard
// defines these files: unknown content is skipped.

#pragma once

#include "formats/archive.h"
#include "formats/threemf/part.h"

typedef struct threemf_label {
	char key[24];   // "object part", or "object" alone
	char *name;     // NULL: none
	bool is_helper; // no body
} threemf_label;

// All zero is empty.
typedef struct threemf_labels {
	threemf_label *list;
	size_t count, capacity;
	scene_names numbers; // numbers of keys
} threemf_labels;

void threemf_labels_free( threemf_labels *labels );

// Reads them where the archive has some. A file that cannot be read has none. False where there is no memory.
bool threemf_labels_read( scene_archive *archive, threemf_labels *labels );

// The label of an object of the root, or of the component of it that is object number `part`; NULL: none.
const threemf_label *threemf_label_of_object( const threemf_labels *labels, uint32_t object );
const threemf_label *threemf_label_of_part( const threemf_labels *labels, uint32_t object, uint32_t part );
