/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Posting and polling at the level of the rings, beside a C program that makes the same stores. */
package io.rdma4j.benchmarks.rings;
