/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Pages that show what was measured: one self-contained HTML file with SVG charts, without scripts and without anything
 * from the network. {@link io.rdma4j.tools.plot.PerfPage} shows runs of {@code rdma4j perf} side by side.
 */
package io.rdma4j.tools.plot;
