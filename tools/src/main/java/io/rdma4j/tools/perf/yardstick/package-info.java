/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Round trips between two threads without any device, to compare with: a cache line, two rings, TCP. */
package io.rdma4j.tools.perf.yardstick;
