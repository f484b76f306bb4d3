/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

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
     * {@return whether the device can be reached at all; whoever changes that calls {@link Link#reroute()}}
     */
    boolean isUp();
}
