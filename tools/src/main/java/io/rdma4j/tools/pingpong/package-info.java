/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The ping-pong: two QPs that do the same over and over and measure it, in one process or in two.
 *
 * <p>{@link io.rdma4j.tools.pingpong.PingPong} plays with an end of its own process, on one thread or on two, or with
 * {@link io.rdma4j.tools.pingpong.Answering} in another one. An {@code Endpoint} is one QP; a {@code Turn} is what an
 * end does in each round trip, with an implementation for each {@link io.rdma4j.tools.pingpong.Operation};
 * {@code Initiator} and {@code Responder} are the two parts to play. {@code Pattern} tells every byte of every message,
 * {@code AtomicModel} every value. Nothing is allocated from one round trip to the next.
 */
package io.rdma4j.tools.pingpong;
