/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The slowest of many round trips, with a busy heap beside them and without. */
package io.rdma4j.benchmarks.tail;
