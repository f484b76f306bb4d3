/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What data path and control path cost, beside the yardsticks that were measured in the same run.
 * {@code benchmarks/run.sh} runs everything and writes the tables of {@code docs/performance.md}.
 */
package io.rdma4j.benchmarks;
