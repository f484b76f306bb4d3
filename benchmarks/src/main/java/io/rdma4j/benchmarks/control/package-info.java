/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What is not the data path: registration, its cache, address vectors, and flushing. */
package io.rdma4j.benchmarks.control;
