/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * InfiniBand verbs in Java, device-neutral.
 *
 * <p>{@link io.rdma4j.verbs.RdmaDevices} opens an {@link io.rdma4j.verbs.RdmaContext}; from it come
 * {@link io.rdma4j.verbs.ProtectionDomain}s with their {@link io.rdma4j.verbs.MemoryRegion}s,
 * {@link io.rdma4j.verbs.QueuePair}s, {@link io.rdma4j.verbs.SharedReceiveQueue}s and
 * {@link io.rdma4j.verbs.AddressHandle}s, and {@link io.rdma4j.verbs.CompletionQueue}s.
 *
 * <p>Completions are polled, or waited for: {@link io.rdma4j.verbs.CompletionWaiter} spins, yields or sleeps; a
 * {@link io.rdma4j.verbs.CompletionChannel} lets one thread sleep for several queues.
 *
 * <p>Rules that hold everywhere. Control calls (create, modify, query, register, close) are thread-safe and throw
 * {@link io.rdma4j.RdmaException}. Data-path calls (post, poll) are for one thread per queue, never throw for a
 * condition of the device or the queue, and return the codes of {@link io.rdma4j.verbs.ReturnCode}. Closing an object
 * closes what was made from it, in reverse order; closing twice is harmless; a closed object answers with
 * {@link io.rdma4j.verbs.ReturnCode#CLOSED} or EBADFD. Lengths and addresses are {@code long} where regions are
 * concerned; keys, QP numbers and PSNs are unsigned and travel as {@code int}.
 */
package io.rdma4j.verbs;
