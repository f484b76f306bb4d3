/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Two ends that play traffic and measure it, in one process or in two: what {@code pingpong}, {@code perf} and {@code
 * fi_pingpong} do.
 *
 * <p>QPs meet with a {@code Meeting}, of one process or over TCP, endpoints of the fabric with a {@code FabricMeeting}.
 * All wait with {@code Patience}; {@code OtherEnd} is where the end that answers plays,
 * {@link io.rdma4j.tools.traffic.Answering} that end in a process of its own, and {@code Recorder} takes the times.
 *
 * <p>{@link io.rdma4j.tools.traffic.PingPong} checks what it sends. {@code PingPongEnd} is one QP; a {@code QpTurn} is
 * what it does in each round trip, with an implementation for each {@link io.rdma4j.tools.traffic.Operation}.
 * {@link io.rdma4j.tools.traffic.FiPingPong} does the same with endpoints: {@code FabricEnd} is one, and its {@code
 * Turn}. {@code Initiator} and {@code Responder} are the two parts to play, for both. {@code Pattern} tells every byte
 * of every message, {@code AtomicModel} every value.
 *
 * <p>{@link io.rdma4j.tools.traffic.Perf} checks nothing, and has nothing else to do while the clock runs. {@code
 * PerfEnd} has a {@code Lane} for each QP and a {@code ControlChannel} for words; a {@code Volley} is what its ends do
 * in a latency test, {@code BandwidthMeasurement} fills all lanes. Nothing is allocated from one message to the next.
 *
 * <p>With programs of other projects, whose words {@code io.rdma4j.tools.foreign} has, {@code IbverbsTurn} plays the
 * ping-pong and {@link io.rdma4j.tools.traffic.PerftestPeer} measures.
 */
package io.rdma4j.tools.traffic;
