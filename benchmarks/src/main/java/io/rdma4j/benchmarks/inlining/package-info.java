/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the compiler made of the data path. */
package io.rdma4j.benchmarks.inlining;
