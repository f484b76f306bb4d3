/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The differential test: one script of raw commands, doorbells and work requests, played on two devices, every answer
 * and every completion compared field by field.
 *
 * <p>{@link io.rdma4j.conformance.differential.DiffScript} is the script as text;
 * {@link io.rdma4j.conformance.differential.DifferentialMain} plays it and writes a
 * {@link io.rdma4j.conformance.differential.DiffRecording}, also text;
 * {@link io.rdma4j.conformance.differential.DiffComparison} compares two recordings and allows the differences that
 * {@link io.rdma4j.conformance.differential.KnownDifferences} names, each with its reason. An allowed difference that
 * does not occur is stale, and as bad as an unknown one.
 *
 * <p>All this stands below the driver: it sets up the device itself, works around nothing and sends what the script
 * says. Scripts must therefore keep to what the weakest device survives.
 */
package io.rdma4j.conformance.differential;
