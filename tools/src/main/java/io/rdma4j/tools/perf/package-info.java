/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * {@code rdma4j perf}: latency, bandwidth and message rate in the manner of perftest. {@link
 * io.rdma4j.tools.perf.PerfRun} is what a run found, {@link io.rdma4j.tools.perf.PerfFile} keeps it.
 */
package io.rdma4j.tools.perf;
