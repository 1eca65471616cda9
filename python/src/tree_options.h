// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The options of a tree as arguments in Python: every function that builds a tree takes all of them.

#pragma once

#include "dualbvh/tree.h"

#define DUALBVH_TREE_OPTIONS                                                                                           \
	bool topology, bool reference, dbvh_quality quality, dbvh_fill_rule fill, dbvh_ellipsoids ellipsoids,              \
	    dbvh_fragments fragments, uint32_t leaf_size, dbvh_node_sphere sphere_fit, dbvh_box_fit box_fit,               \
	    dbvh_split split, thread_count threads

/// Makes a dbvh_tree_options from those arguments.
#define DUALBVH_TREE_OPTIONS_GIVEN                                                                                     \
	dualbvh_python::tree_options( topology, reference, quality, fill, ellipsoids, fragments, leaf_size, sphere_fit,    \
	                              box_fit, split, threads )

#define DUALBVH_TREE_OPTION_ARGUMENTS                                                                                  \
	nb::arg( "topology" ) = true, nb::arg( "reference" ) = false, nb::arg( "quality" ) = DBVH_QUALITY_BEST,            \
	                    nb::arg( "fill" ) = DBVH_FILL_RULE_NONZERO, nb::arg( "ellipsoids" ) = DBVH_ELLIPSOIDS_NONE,    \
	                    nb::arg( "fragments" ) = DBVH_FRAGMENTS_FEW, nb::arg( "leaf_size" ) = 0,                       \
	                    nb::arg( "sphere_fit" ) = DBVH_NODE_SPHERE_SMALLEST, nb::arg( "box_fit" ) = DBVH_BOX_FIT_BEST, \
	                    nb::arg( "split" ) = DBVH_SPLIT_COST, nb::arg( "threads" ) = 0

#define DUALBVH_TREE_OPTION_SIGNATURE                                                                                  \
	"topology: bool = True, reference: bool = False, quality: Quality = Quality.BEST, fill: FillRule = "               \
	"FillRule.NONZERO, ellipsoids: Ellipsoids = Ellipsoids.NONE, fragments: Fragments = Fragments.FEW, leaf_size: "    \
	"int = 0, sphere_fit: SphereFit = SphereFit.SMALLEST, box_fit: BoxFit = BoxFit.BEST, split: Split = Split.COST, "  \
	"threads: int = 0"

namespace dualbvh_python {

inline dbvh_tree_options tree_options( DUALBVH_TREE_OPTIONS ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = topology;
	options.reference = reference;
	options.quality = quality;
	options.fill = fill;
	options.ellipsoids = ellipsoids;
	options.fragments = fragments;
	options.leaf_size = leaf_size;
	options.sphere_fit = sphere_fit;
	options.box_fit = box_fit;
	options.split = split;
	options.thread_count = threads;
	return options;
}

} // namespace dualbvh_python
