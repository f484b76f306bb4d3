/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.device.memory.DmaList;
import io.rdma4j.queues.Padded;

/**
 * What one work request says to the responder: the header fields, and the payload as the sender's checked memory. Each
 * send queue has one and reuses it; it is filled and delivered under that queue's lock. Fields are open because this is
 * a message on the data path, not an object with a behaviour.
 */
public final class Message extends Padded {
    /** What to do. */
    public Operation operation;
    /** Whether this is a datagram: unconnected, unacknowledged. */
    public boolean datagram;
    /** GID of the sender, first half, big endian. */
    public long sourceGidHigh;
    /** GID of the sender, second half. */
    public long sourceGidLow;
    /** GID of the responder, first half. */
    public long destGidHigh;
    /** GID of the responder, second half. */
    public long destGidLow;
    /** Type of the sender's GID, which decides the network header: 1 RoCE v1, 2 RoCE v2. */
    public int gidType;
    /** MAC of the sender, 6 bytes, not to be changed. */
    public byte[] sourceMac;
    /** QP number of the sender. */
    public int sourceQpn;
    /** QP number of the responder. */
    public int destQpn;
    /** Q_Key of a datagram. */
    public int qkey;
    /** Sequence number of the first packet, 24 bits. */
    public int psn;
    /** How many sequence numbers the message takes. */
    public int packets;
    /** Whether there is immediate data. */
    public boolean immediate;
    /** Immediate data, in the byte order in which it stands in the WQE. */
    public int immData;
    /** Whether a key of the responder is to be invalidated. */
    public boolean invalidates;
    /** The key to invalidate. */
    public int invalidateKey;
    /** Whether the receiver asked to be woken by such messages should be. */
    public boolean solicited;
    /** Traffic class of the GRH. */
    public int trafficClass;
    /** Flow label of the GRH. */
    public int flowLabel;
    /** Hop limit of the GRH. */
    public int hopLimit;
    /** Remote memory. */
    public long remoteAddress;
    /** Key of the remote memory. */
    public int rkey;
    /** Expected value, or what to add. */
    public long compareAdd;
    /** Value to put. */
    public long swap;
    /** Which bits must be as expected. */
    public long compareMask;
    /** Which bits to put. */
    public long swapMask;
    /** The top bits of the fields to add to. */
    public long fieldBoundary;
    /** Bytes of payload. */
    public long length;
    /** Where the payload is, of a message to a {@link Destination}, or of a datagram that came over a wire. */
    public long host;
    /** The payload: source of SEND and WRITE, destination of READ. Null if it came over a wire. */
    public final DmaList payload;
    /** Set by the responder of an atomic: the value before. */
    public long original;
    /** Set by the responder with {@link Ack#RNR_NAK}: how long it asks the sender to wait. */
    public long rnrNanos;
    /** Runs the sender's queue again; may be called by any thread that holds no lock of a device. */
    public final Waiter resume;

    /**
     * The message of one send queue.
     *
     * @param payload of the queue.
     * @param resume  runs the queue again.
     */
    public Message(DmaList payload, Waiter resume) {
        this.payload = payload;
        this.resume = resume;
    }

    @Override
    public String toString() {
        return String.format("%s qpn 0x%x -> 0x%x psn %d length %d", operation, sourceQpn, destQpn, psn, length);
    }
}
