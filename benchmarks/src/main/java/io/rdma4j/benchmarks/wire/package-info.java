/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Devices of two processes, beside what else carries messages between them. */
package io.rdma4j.benchmarks.wire;
