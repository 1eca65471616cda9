// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The side from which a clash is looked at.

#pragma once

#include "picture/picture.h"

// The direction from the point of a clash to the eye: from above, the front and one side, where nothing speaks for
// another one. (2, -2, 1.55) by its components, not of unit length.
extern const double viewpoint_default[3];

// Chooses, of 49 directions, the one from which the bodies of a clash and their contact are seen best: rays to the
// bodies' trees tell which of the two fills how much of the picture, and which points of contact nothing hides. The
// shortest way between two bodies is looked at from its side. Cost: some 10,000 rays. The default where a body has no
// tree.
void viewpoint_choose( const picture *p, uint32_t clash, dbvh_workspace *workspace, double out[3] );
