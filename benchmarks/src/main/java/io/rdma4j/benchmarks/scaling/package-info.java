/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What a message costs with many queue pairs, many regions, and by its length. */
package io.rdma4j.benchmarks.scaling;
