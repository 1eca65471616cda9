// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "moveit_stub.hpp"
