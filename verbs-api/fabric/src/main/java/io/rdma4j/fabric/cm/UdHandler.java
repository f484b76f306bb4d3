/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import org.agrona.DirectBuffer;

/** Told of each datagram that arrived. */
@FunctionalInterface
public interface UdHandler {
    /**
     * A datagram. What it says may be anything.
     *
     * @param gidHigh first half of the sender's GID, as the device's header tells it; 0 with the other half if it does
     *                not.
     * @param gidLow  second half.
     * @param qpn     queue pair that it came from.
     * @param buffer  valid during the call only.
     * @param offset  first byte behind the header.
     * @param length  bytes, 0 or more.
     */
    void onMessage(long gidHigh, long gidLow, int qpn, DirectBuffer buffer, int offset, int length);
}
