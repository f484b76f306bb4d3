/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Scripts of raw commands, doorbells and work requests, played on devices, every answer and every completion compared
 * field by field: the differential test, and {@code rdma4j replay}, which makes such a script of a trace.
 *
 * <p>{@link io.rdma4j.tools.replay.DiffScript} is the script as text; {@link io.rdma4j.tools.replay.DiffExecutor} plays
 * it and makes a {@link io.rdma4j.tools.replay.DiffRecording}, also text;
 * {@link io.rdma4j.tools.replay.DiffComparison} compares two recordings and allows the differences that
 * {@link io.rdma4j.tools.replay.KnownDifferences} names, each with its reason. An allowed difference that does not
 * occur is stale. {@link io.rdma4j.tools.replay.Replay} makes script and recording of a trace.
 *
 * <p>All this stands below the driver: it sets up the device itself, works around nothing and sends what the script
 * says. Scripts must therefore keep to what the weakest device survives; those that are made of traces leave out what a
 * device is known to lack.
 */
package io.rdma4j.tools.replay;
