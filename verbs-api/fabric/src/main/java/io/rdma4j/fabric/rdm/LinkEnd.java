/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cm.Link;
import io.rdma4j.fabric.cm.Peer;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.fabric.endpoint.RmaLanes;
import io.rdma4j.verbs.Completion;

/**
 * The end of a connection under a channel, with the channel's memory. Pieces are posted to the queue pair from here,
 * and their completions come straight back; RMA has operations of its own, see {@link RmaLanes}.
 */
final class LinkEnd extends QpWire implements Link, ChannelEnd, CompletionPort {
    private final RcLink link;
    private final RdmCore core;
    private final Connections home;
    private final SlotArea area;
    private final LinkQueues.Pair queues;
    private final int number;
    private final Channel channel;
    /** Null for the endpoint itself. */
    private final Peer peer;
    private boolean isEstablished;
    private boolean isDoomed;
    private long since;
    private int looks;
    private boolean closed;
    /** The device may write to its slots: for ever if it keeps the queue pair. */
    private boolean isWritten = true;

    LinkEnd(
        final RcLink link, final RdmCore core, final Connections home, final SlotArea area,
        final LinkQueues.Pair queues, final int number, final PeerId id, final Peer peer) {
        super(link);
        this.link = link;
        this.core = core;
        this.home = home;
        this.area = area;
        this.queues = queues;
        this.number = number;
        this.peer = peer;
        link.join(this);
        joined(link);
        this.channel = new Channel(core, id, this, area, this);
    }

    Channel channel() {
        return channel;
    }

    Peer peer() {
        return peer;
    }

    LinkQueues.Pair queues() {
        return queues;
    }

    int number() {
        return number;
    }

    RcLink link() {
        return link;
    }

    RmaLanes rma() {
        return link.rma();
    }

    /** What RMA on it brings back. */
    long contextOf(final int op) {
        return arrivals(number) | op;
    }

    /** What the peer's writes on it bring along. */
    static long arrivals(final int number) {
        return (long) number << Integer.SIZE;
    }

    boolean isEstablished() {
        return isEstablished;
    }

    void established(final long now) {
        isEstablished = true;
        since = now;
    }

    boolean isConnected() {
        return link.isConnected();
    }

    /** Its end has come; false if it had before. */
    boolean doom() {
        final boolean first = !isDoomed;
        isDoomed = true;
        return first;
    }

    /** The first message of the other end has had this long to come, and was looked for more than once. */
    boolean isTooLong(final long now, final long timeout) {
        return ++looks > 1 && now - since >= timeout;
    }

    @Override
    public byte[] name() {
        return link.name();
    }

    @Override
    public void connect(final byte[] peerName) {
        link.connect(peerName);
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        if (what == WorkId.RECEIVE) {
            core.received(this, slot, completion);
        } else if (what == WorkId.SEND) {
            core.sent(this, slot, completion);
        } else {
            link.rma().completed(what, slot, completion);
        }
    }

    /** The queue pair of its messages does not work any more. */
    void lost(final String why) {
        link.lost(why);
    }

    @Override
    public boolean progress(final FabricCompletionQueue read) {
        return link.rma().progress();
    }

    @Override
    public int arm() {
        return link.rma().isMending() ? -FiErrno.FI_EAGAIN : 0;
    }

    @Override
    public long idleNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public Endpoint endpoint() {
        return core.endpoint();
    }

    /** Closes the connection; out of {@link Channel#close}, or for {@link Link}. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                link.close();
                isWritten = false;
            } finally {
                channel.close();
                home.gone(this);
            }
        }
    }

    @Override
    public void drained(final Channel one) {
        if (!isWritten) {
            home.drained(area);
        }
    }

    @Override
    public void settled(final Channel one) {
        home.settled(this);
    }

    /** Whether no message of it waits any more. */
    boolean isDrained() {
        return !channel.holds();
    }

    @Override
    public String toString() {
        return "link " + number + ", " + channel + ", " + link;
    }
}
