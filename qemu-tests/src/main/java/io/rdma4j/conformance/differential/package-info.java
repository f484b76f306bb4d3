/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The differential test as a program: {@link io.rdma4j.conformance.differential.DifferentialMain} plays the suite's
 * script, or another one, on a device. What a script is, and how it is played and compared, is in
 * {@link io.rdma4j.tools.replay}.
 */
package io.rdma4j.conformance.differential;
