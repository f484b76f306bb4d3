/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Messages there and back: between two threads, by what other programs use and through a device. */
package io.rdma4j.benchmarks.roundtrip;
