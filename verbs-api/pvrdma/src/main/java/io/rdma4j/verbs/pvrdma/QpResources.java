/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.QpType;

/**
 * What a QP is put together from.
 *
 * @param type       transport.
 * @param handle     what the device knows it by.
 * @param qpn        what peers know it by.
 * @param sizes      of its queues.
 * @param queues     who sees its completions.
 * @param sends      posts to its send queue.
 * @param receives   posts to its receive queue.
 * @param memory     holds both, and payloads.
 * @param entry      what others see of it; its counters are the queues'.
 */
record QpResources(
    QpType type, int handle, int qpn, QpSizes sizes, Queues queues, SendPath sends, ReceivePath receives,
    QpMemory memory, LiveEntry entry) {
    /**
     * The queues of other kinds that a QP uses.
     *
     * @param sendCq     completes sends.
     * @param receiveCq  completes receives.
     * @param srq        gives receives, or null.
     * @param sendUse    what it wants of the first.
     * @param receiveUse what it wants of the second; the same where the CQs are the same.
     */
    record Queues(PvrdmaCq sendCq, PvrdmaCq receiveCq, PvrdmaSrq srq, CqUse sendUse, CqUse receiveUse) {
    }

    PvrdmaCq sendCq() {
        return queues.sendCq;
    }

    PvrdmaCq receiveCq() {
        return queues.receiveCq;
    }

    PvrdmaSrq srq() {
        return queues.srq;
    }

    CqUse sendUse() {
        return queues.sendUse;
    }

    CqUse receiveUse() {
        return queues.receiveUse;
    }
}
