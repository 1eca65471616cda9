// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/paper.h"

static const struct {
	const char *name;
	double seconds[4]; // RAPID, QuickCD, SAT lite, Dual
	double rapid[2], lite[2], dual[3];
} rows[PAPER_ROWS] = {
    { "I, 0 %",
      { 27.2540, 50.5709, 25.3296, 20.6053 },
      { 56228398, 2301207 },
      { 65976730, 3141544 },
      { 59980606, 47996655, 2353391 } },
    { "I, 1 %",
      { 14.0696, 36.4444, 13.2419, 10.1924 },
      { 32878322, 253521 },
      { 39583946, 435413 },
      { 34891432, 26718220, 272417 } },
    { "I, 2 %",
      { 8.6457, 26.2898, 8.1142, 5.8939 },
      { 20601212, 10717 },
      { 24899942, 22324 },
      { 21004422, 15453244, 12507 } },
    { "I, 3 %",
      { 6.2860, 19.6893, 5.8670, 4.0741 },
      { 15053514, 1842 },
      { 18128188, 3670 },
      { 14671214, 10563698, 2122 } },
    { "I, 4 %",
      { 4.9193, 15.4700, 4.5779, 3.0381 },
      { 11830858, 834 },
      { 14215850, 1586 },
      { 11018180, 7823461, 972 } },
    { "I, 5 %", { 4.0032, 12.7353, 3.7149, 2.3816 }, { 9656554, 504 }, { 11568194, 752 }, { 8691784, 6105813, 546 } },
    { "II, 1e-1", { 0.0012, 0.0112, 0.0010, 0.0013 }, { 2735, 0 }, { 2879, 0 }, { 3778, 3081, 0 } },
    { "II, 1e-2", { 0.0138, 0.4909, 0.0113, 0.0131 }, { 34195, 0 }, { 35283, 0 }, { 44522, 35895, 0 } },
    { "II, 1e-3", { 0.1754, 0.8663, 0.1418, 0.1653 }, { 445727, 0 }, { 460279, 0 }, { 591726, 477699, 0 } },
    { "II, 1e-4",
      { 0.9418, 0.9339, 0.7621, 0.7074 },
      { 2224243, 89284 },
      { 2299687, 102236 },
      { 2373534, 1981233, 89286 } },
    { "II, 1e-5",
      { 1.1858, 0.9409, 0.9682, 0.8973 },
      { 2780453, 136796 },
      { 2874967, 184672 },
      { 2972484, 2498341, 146129 } },
    { "III",
      { 0.9640, 0.5816, 0.9935, 0.8690 },
      { 1760646, 168962 },
      { 2208346, 264964 },
      { 2055120, 1922216, 170038 } },
};

const char *paper_row_name( size_t row ) {
	return rows[row].name;
}

size_t paper_queries( size_t row ) {
	return row < PAPER_ROW_2 ? PAPER_CONFIGURATIONS : row < PAPER_ROW_3 ? 1 : PAPER_FRAMES;
}

double paper_seconds( size_t row, paper_column column ) {
	return column == PAPER_NONE ? 0.0 : rows[row].seconds[column - PAPER_RAPID];
}

int paper_table2( size_t row, paper_column column, paper_counts *out ) {
	const double *two = column == PAPER_RAPID ? rows[row].rapid : rows[row].lite;
	switch ( column ) {
	case PAPER_RAPID:
	case PAPER_SAT_LITE:
		*out = ( paper_counts ){ 0.0, two[0], two[1] };
		return 1;
	case PAPER_DUAL:
		*out = ( paper_counts ){ rows[row].dual[0], rows[row].dual[1], rows[row].dual[2] };
		return 1;
	default:
		*out = ( paper_counts ){ 0.0, 0.0, 0.0 };
		return 0;
	}
}
