/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The ping-pong: two QPs that send one message to and fro.
 *
 * <p>{@link io.rdma4j.tools.pingpong.PingPong} sets both ends up and runs them on one thread or on two; an
 * {@code Endpoint} is one QP with its memory; {@code Initiator} and {@code Responder} are the two parts to play; a
 * {@code Pattern} tells every byte of every message. Nothing is allocated from one message to the next.
 */
package io.rdma4j.tools.pingpong;
