/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.fabric.region.EndpointHost;
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
 * @param buffers  most of one operation.
 * @param injected most bytes that are copied; 0 for none.
 */
record LaneSizes(int transmit, int receive, boolean hasRma, int buffers, int injected) {
    /** More would make each work request larger. */
    static final int MOST_BUFFERS = 4;

    static LaneSizes of(final EndpointOptions options, final EndpointHost host) {
        final TransmitAttributes attributes = host.info().transmitAttributes();
        // Two, where the device can, for memory of the library before the application's.
        final int buffers = Math.max(2, Math.min(MOST_BUFFERS, attributes.iovLimit()));
        return new LaneSizes(options.transmitSize(), options.receiveSize(), RmaLanes.isIn(host),
            Math.min(buffers, host.context().attributes().maxSge()), attributes.injectSize());
    }

    /** Slots of operations that go out. */
    int outSlots() {
        return rounded(transmit);
    }

    /** Each operation may be two work requests; and one looks keys up. */
    private int outWr() {
        return 2 * transmit + 1;
    }

    QpOptions messages(final CompletionQueue sendCq, final CompletionQueue receiveCq, final boolean injects) {
        return new QpOptions().sendCq(sendCq).receiveCq(receiveCq).maxSendWr(transmit).maxReceiveWr(receive)
            .maxSendSge(buffers).maxReceiveSge(buffers).maxInline(injects ? injected : 0);
    }

    QpOptions out(final CompletionQueue cq) {
        return new QpOptions().cq(cq).maxSendWr(outWr()).maxReceiveWr(1).maxSendSge(buffers);
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
