/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cm.Link;
import io.rdma4j.fabric.cm.Peer;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.InternalEndpoint;
import io.rdma4j.verbs.ReturnCode;

/** A connected endpoint under a channel, with the channel's memory. */
final class LinkEnd implements Link, Wire, ChannelEnd {
    private final InternalEndpoint endpoint;
    private final Connections home;
    private final SlotArea area;
    private final FabricCompletionQueue queue;
    /** Its place among the channels, in what completions bring back. */
    private final long number;
    private final Channel channel;
    /** Null for the endpoint itself. */
    private final Peer peer;
    private boolean isEstablished;
    private long since;
    private int looks;
    private boolean closed;

    LinkEnd(
        final InternalEndpoint endpoint, final Connections home, final SlotArea area,
        final FabricCompletionQueue queue, final int number, final ChannelHost host, final PeerId id, final Peer peer) {
        this.endpoint = endpoint;
        this.home = home;
        this.area = area;
        this.queue = queue;
        this.number = (long) number << Integer.SIZE;
        this.peer = peer;
        this.channel = new Channel(host, id, this, area, this);
    }

    InternalEndpoint endpoint() {
        return endpoint;
    }

    Channel channel() {
        return channel;
    }

    Peer peer() {
        return peer;
    }

    FabricCompletionQueue queue() {
        return queue;
    }

    int number() {
        return (int) (number >>> Integer.SIZE);
    }

    /** What an operation on it brings back. */
    long contextOf(final int slot) {
        return number | slot;
    }

    boolean isEstablished() {
        return isEstablished;
    }

    void established(final long now) {
        isEstablished = true;
        since = now;
    }

    /** The first message of the other end has had this long to come, and was looked for more than once. */
    boolean isTooLong(final long now, final long timeout) {
        return ++looks > 1 && now - since >= timeout;
    }

    @Override
    public byte[] name() {
        return endpoint.name();
    }

    @Override
    public void connect(final byte[] peerName) {
        endpoint.connect(peerName);
    }

    @Override
    public int receive(final int slot, final long address, final int length, final int lkey) {
        return code(endpoint.receiveKnown(address, length, lkey, number | slot));
    }

    @Override
    public int send(final int piece, final long address, final int length, final int lkey) {
        return code(endpoint.sendKnown(address, length, lkey, number | piece));
    }

    @Override
    public int gather(
        final int piece, final long address, final int lkey, final long payload, final int payloadLength,
        final int payloadKey) {
        return code(endpoint.sendKnown(address, Header.LENGTH, lkey, payload, payloadLength, payloadKey,
            number | piece));
    }

    private static int code(final int errno) {
        return errno == 0 ? ReturnCode.OK
            : errno == -FiErrno.FI_EAGAIN ? ReturnCode.QUEUE_FULL : ReturnCode.WRONG_STATE;
    }

    /** Closes the connection; out of {@link Channel#close}, or for {@link Link}. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                endpoint.close();
            } finally {
                channel.close();
                home.gone(this);
            }
        }
    }

    @Override
    public void drained(final Channel one) {
        home.giveBack(area);
    }

    @Override
    public String toString() {
        return "link " + number() + ", " + channel + ", " + endpoint;
    }
}
