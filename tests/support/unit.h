// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// cmocka with what it wants included before it, in an order that no formatter changes, and the main() of its tests.

#pragma once

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

// int main( int argc, char **argv ) { static const struct CMUnitTest tests[] = ...; return test_main( argc, argv, tests
// ); } runs the tests that the command line chooses (command_line.h) and returns the number of those that failed.
#define test_main( argc, argv, tests ) test_main_run( argc, argv, tests, sizeof( tests ) / sizeof( tests )[0] )

int test_main_run( int argc, char **argv, const struct CMUnitTest *tests, size_t count );
