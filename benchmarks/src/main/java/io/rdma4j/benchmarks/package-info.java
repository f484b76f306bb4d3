/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What data path and control path cost, beside the yardsticks that were measured in the same run.
 * {@code benchmarks/run.sh} runs everything and writes the tables of {@code docs/performance.md}. Each package below
 * measures one subject and leaves figures; here they are held against what was aimed at.
 */
package io.rdma4j.benchmarks;
