/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpOptions;

import org.agrona.BitUtil;

/**
 * How large the queues of an endpoint's lanes are, and how much room they need where they complete. Queue pairs round
 * their sizes up to powers of two.
 *
 * @param transmit sends under way; RMA and atomics under way.
 * @param receive  receives under way.
 * @param hasRma   whether there are lanes for RMA.
 */
record LaneSizes(int transmit, int receive, boolean hasRma) {
    LaneSizes(final EndpointOptions options, final boolean hasRma) {
        this(options.transmitSize(), options.receiveSize(), hasRma);
    }

    /** Each operation may be two work requests; and one looks keys up. */
    private int outWr() {
        return 2 * transmit + 1;
    }

    QpOptions messages(final CompletionQueue sendCq, final CompletionQueue receiveCq) {
        return new QpOptions().sendCq(sendCq).receiveCq(receiveCq).maxSendWr(transmit).maxReceiveWr(receive);
    }

    QpOptions out(final CompletionQueue cq) {
        return new QpOptions().cq(cq).maxSendWr(outWr()).maxReceiveWr(1);
    }

    /** Entries of the transmit queue. */
    int transmits() {
        return rounded(transmit) + (hasRma ? rounded(outWr()) + 1 : 0);
    }

    /** Entries of the receive queue. */
    int receives() {
        return rounded(receive);
    }

    private static int rounded(final int count) {
        return BitUtil.findNextPositivePowerOfTwo(count);
    }
}
