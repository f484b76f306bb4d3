/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Traces: what a driver exchanges with its devices, written to a file while it happens, for
 * {@code rdma4j replay} and for people. {@link io.rdma4j.verbs.pvrdma.trace.Traces} says where to,
 * {@link io.rdma4j.verbs.pvrdma.trace.DeviceTrace} is told by driver and queues,
 * {@link io.rdma4j.verbs.pvrdma.trace.TraceFormat} is what the lines look like.
 */
package io.rdma4j.verbs.pvrdma.trace;
