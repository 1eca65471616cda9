// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Writes the stand of step_writer.h, for tests of the command: write_step FILE

#include "step_writer.h"

int main( int argc, char **argv ) {
	return argc == 2 && step_write_stand( argv[1] ) ? 0 : 2;
}
