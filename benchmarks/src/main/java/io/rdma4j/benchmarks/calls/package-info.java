/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** System calls through JNA and through the foreign function interface. */
package io.rdma4j.benchmarks.calls;
