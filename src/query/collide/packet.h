// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A packet: up to sixteen poses of one pair of trees that share a traversal, as rays do in a packet of rays. The boxes
// of a vector belong to different poses, so that vectors are full where the search of one pose would leave them half
// empty, and no pose waits for its own last step.

#pragma once

#include "query/common/packed_run.h"
#include "simd/isa.h"

#define DBVHI_PACKET 16

// Capacity of the stack of pairs, and its height from which poses leave the packet. A batch of boxes adds at most
// sixteen pairs.
#define DBVHI_PACKET_STACK 1024
#define DBVHI_PACKET_HIGH ( DBVHI_PACKET_STACK - DBVHI_BOX_QUEUE )

#define DBVHI_PACKET_LEAVES 64

typedef struct dbvhi_packet {
	// The poses, one a lane.
	float turn[4][DBVHI_PACKET], turn_scale[DBVHI_PACKET], rot[9][DBVHI_PACKET];
	float margin[DBVHI_PACKET], margin_relative[DBVHI_PACKET];
	uint32_t live;        // poses whose search goes on, a bit each
	uint32_t with_leaves; // poses whose run is set up for leaves
	uint32_t stopped;     // dbvhi_packet_stop
	// Pairs of nodes whose children are to be compared, as in dbvhi_packed_run; `stack_lanes` has the pose in its upper
	// 16 bits.
	uint32_t stack_count;
	int32_t stack_a[DBVHI_PACKET_STACK], stack_b[DBVHI_PACKET_STACK], stack_lanes[DBVHI_PACKET_STACK];
	uint32_t box_end;
	dbvhi_box_queue queue;
	uint32_t queue_pose[DBVHI_BOX_QUEUE];
	uint32_t leaf_count;
	int32_t leaf_a[DBVHI_PACKET_LEAVES], leaf_b[DBVHI_PACKET_LEAVES], leaf_pose[DBVHI_PACKET_LEAVES];
	// The run of each pose: for spheres and leaves, and its counters. Its stack and leaf queue are not used.
	dbvhi_packed_run run[DBVHI_PACKET];
} dbvhi_packet;

// Why a shared traversal has stopped, for the pose packet.stopped.
typedef enum dbvhi_packet_stop {
	DBVHI_PACKET_OVER,           // nothing is left, of no pose
	DBVHI_PACKET_CANDIDATES,     // there are candidates or contacts to decide
	DBVHI_PACKET_LEAVES_REACHED, // for the first time: its run has to be set up for leaves
	DBVHI_PACKET_LEFT,           // it has to leave: run.node_tests has reached run.pause, or the stack is high
} dbvhi_packet_stop;

// Continue a shared traversal.
typedef dbvhi_packet_stop dbvhi_packet_kernel( dbvhi_packet *packet );

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_packet_kernel *const dbvhi_packet_kernel_table[DBVHI_ISA_COUNT];
