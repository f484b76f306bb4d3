/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

/**
 * The functions of a device's own library that post and poll: addresses from its context. Devices of one make have the
 * same ones.
 *
 * @param postSend    of {@code post_send}.
 * @param postRecv    of {@code post_recv}.
 * @param postSrqRecv of {@code post_srq_recv}.
 * @param pollCq      of {@code poll_cq}.
 * @param reqNotifyCq of {@code req_notify_cq}.
 */
public record CallTable(long postSend, long postRecv, long postSrqRecv, long pollCq, long reqNotifyCq) {
}
