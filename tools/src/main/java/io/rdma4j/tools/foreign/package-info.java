/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What programs of other projects say over TCP before and after they move data:
 * {@link io.rdma4j.tools.foreign.PingpongHandshake} has the words of ibv_rc_pingpong and ibv_ud_pingpong,
 * {@link io.rdma4j.tools.foreign.PerftestHandshake} those of perftest. What is done with them is the part of {@code
 * io.rdma4j.tools.traffic}. Nobody at the other end is trusted: each message has a form, each number a range, each wait
 * a deadline.
 */
package io.rdma4j.tools.foreign;
