/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Many messages one way: how many a second, and how many bytes. */
package io.rdma4j.benchmarks.flow;
