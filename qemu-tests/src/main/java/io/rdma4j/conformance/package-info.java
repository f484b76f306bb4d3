/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The conformance suite: what any RDMA device must do under {@link io.rdma4j.verbs}, as a plain program.
 *
 * <p>{@link io.rdma4j.conformance.ConformanceMain} runs it on a device address. Read {@code ConformanceSuite} for the
 * list of areas, one {@code *Cases} class for the cases of an area, and {@code ConformanceRunner} for how a case is
 * run: on a thread of its own with a deadline, its objects closed in reverse, its memory accounted for. A case names
 * the {@link io.rdma4j.verbs.Feature}s that it needs; where a device lacks one the case is skipped with the device's
 * own reason. Nothing here depends on a test framework, so that the suite runs where starting one is too slow.
 */
package io.rdma4j.conformance;
