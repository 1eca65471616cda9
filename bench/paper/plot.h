// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Plots of time, through gnuplot.

#pragma once

#include "paper/report.h"

// "<folder>/<stem>.svg": microseconds a query over the rows' x, one curve an algorithm; only rows that the paper has.
// Where there is no gnuplot, says so and does nothing. Returns false where gnuplot is there and fails.
bool plot_report( const report *r, const char *folder, const char *stem );
