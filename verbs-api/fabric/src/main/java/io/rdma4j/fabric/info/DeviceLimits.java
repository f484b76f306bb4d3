/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.RdmaContext;

/**
 * Sizes of a device.
 *
 * @param regions     most regions.
 * @param queues      most completion queues.
 * @param queuePairs  most QPs.
 * @param sends       most operations under way.
 * @param receives    most receives under way.
 * @param messageSize most bytes of a message.
 * @param mtu         most bytes of a datagram.
 * @param sges        buffers that a work request can have.
 * @param handles     ways to peers' ports, for datagrams.
 */
record DeviceLimits(
    int regions, int queues, int queuePairs, int sends, int receives, long messageSize, int mtu, int sges,
    int handles) {
    /** Buffers of one operation (iov_limit), where the device has so many. */
    static final int IOV_LIMIT = 4;
    /** With those of the provider. */
    private static final int MOST_PARTS = IOV_LIMIT + 2;

    static DeviceLimits of(final RdmaContext context) {
        final DeviceAttributes a = context.attributes();
        final PortAttributes port = context.queryPort(1);
        final long message = Math.min(Integer.MAX_VALUE, port.maxMessageSize());
        // Work requests with all the buffers that they can have take more room in their queues.
        final int sges = Math.min(a.maxSge(), MOST_PARTS);
        return new DeviceLimits(a.maxMr(), a.usableCqs(), a.usableQps(), a.maxSendWr(sges),
            a.maxReceiveWr(sges), message, port.activeMtu().bytes(), sges, a.maxAh());
    }
}
