/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/** One end of a connection that keeps order and loses nothing: a queue pair, or what tests put in its place. */
interface Wire extends AutoCloseable {
    /** Receives into some slots, all or none, by one doorbell; a code. */
    int receive(Slot[] slots, int count, SlotArea area);

    /** Sends a header, with its payload behind it. The piece is known by its number when it is over. */
    int send(int piece, long address, int length, int lkey);

    /** Sends a header, and payload from elsewhere. */
    int gather(int piece, long address, int lkey, long payload, int payloadLength, int payloadKey);

    /** Nothing completes any more. */
    @Override
    void close();
}
