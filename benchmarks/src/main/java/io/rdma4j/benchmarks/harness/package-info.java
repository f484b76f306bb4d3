/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What all sections share: command line, figures, the machine, other processes and pairs of threads. */
package io.rdma4j.benchmarks.harness;
