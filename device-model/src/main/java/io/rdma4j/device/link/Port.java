/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.device.wire.Lane;

/** A device as its peers see it. */
public interface Port {
    /**
     * Carries out a message, on the calling thread, which holds the lock of the send queue that the message comes from.
     *
     * @param message filled by the sender; the answer's fields are filled by the responder.
     * @return one of {@link Ack}; senders of datagrams ignore all but
     *         {@link Ack#PAYLOAD_LOST}.
     */
    int deliver(Message message);

    /**
     * Finds a queue pair.
     *
     * @param qpn its number.
     * @return where messages may be tried first; null if there is no such queue pair.
     */
    Destination find(int qpn);

    /**
     * The way of packets to a device of another process or host, which does not carry out messages on the caller's
     * thread.
     *
     * @param sourceHigh GID that they come from, first half.
     * @param sourceLow  second half.
     * @return the way; null if there is none, or messages are {@linkplain #deliver delivered}.
     */
    default Lane lane(long sourceHigh, long sourceLow) {
        return null;
    }

    /**
     * {@return whether connections send packets there}
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * {@return whether the device can be reached at all; whoever changes that calls {@link Link#reroute()}}
     */
    boolean isUp();
}
