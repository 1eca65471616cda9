// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// cmocka with what it wants included before it, in an order that no formatter changes.

#pragma once

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
