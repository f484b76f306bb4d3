/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/** Messages, connected ones and datagrams. The farewell is a message of another size. */
class SendTurn implements QpTurn {
    private static final int GRH_BYTES = 40;

    private final PingPongEnd end;
    private final PingPongOptions options;
    private final int headerBytes;
    private final RegisteredMemory outgoing;
    private final RegisteredMemory[] incoming = new RegisteredMemory[PingPongEnd.RECEIVES];
    private final ReceiveRequest[] receives = new ReceiveRequest[PingPongEnd.RECEIVES];
    private final SendRequest send = new SendRequest();

    SendTurn(final PingPongEnd end) {
        this.end = end;
        options = end.options();
        headerBytes = options.transport() == QpType.UD ? GRH_BYTES : 0;
        outgoing = new RegisteredMemory(end.pd(), Math.max(farewellBytes(), options.size()));
        send.sge(outgoing.address(), options.size(), outgoing.lkey());
        for (int i = 0; i < PingPongEnd.RECEIVES; i++) {
            final int length = headerBytes + Math.max(farewellBytes(), options.size());
            incoming[i] = new RegisteredMemory(end.pd(), length);
            receives[i] = new ReceiveRequest().wrId(i).sge(incoming[i].address(), length, incoming[i].lkey());
        }
    }

    private int farewellBytes() {
        return options.size() == 0 ? 1 : 0;
    }

    @Override
    public void meet(final QpAddress peer, final List<RemoteMemory> memory) {
        if (options.transport() == QpType.UD) {
            send.to(end.pd().createAh(AhAttributes.to(peer.gid())), peer.qpn(), peer.qkey());
        }
        for (final ReceiveRequest receive : receives) {
            end.post(receive);
        }
    }

    @Override
    public boolean isReady() {
        return end.hasMessage() && end.isIdle() && !isFarewell();
    }

    @Override
    public void take(final long iteration) {
        final int arrived = end.arrivedBytes();
        if (arrived != headerBytes + options.size()) {
            throw end.corrupted(end.wayHere(), iteration, "%d bytes arrived, %d were sent", arrived - headerBytes,
                options.size());
        }
        final int slot = end.take();
        if (options.validate()) {
            check(incoming[slot].buffer(), headerBytes, iteration);
        }
        end.post(receives[slot]);
    }

    /** Throws if a message is not what it should be. */
    void check(final UnsafeBuffer message, final int from, final long iteration) {
        end.check(message, from, options.size(), options.size(),
            Pattern.messageNumber(iteration, !end.repliesOnly()), end.wayHere(), iteration);
    }

    /** What the next message of this end is, or the last one was. */
    UnsafeBuffer outgoing() {
        return outgoing.buffer();
    }

    PingPongEnd end() {
        return end;
    }

    @Override
    public void move(final long iteration) {
        if (options.validate()) {
            fill(iteration);
        }
        end.post(send);
    }

    /** Writes the next message. */
    void fill(final long iteration) {
        Pattern.fill(outgoing.buffer(), 0, options.size(), Pattern.messageNumber(iteration, end.repliesOnly()));
    }

    @Override
    public void sayFarewell() {
        end.post(send.sge(outgoing.address(), farewellBytes(), outgoing.lkey()));
    }

    @Override
    public boolean isFarewell() {
        return end.hasMessage() && end.arrivedBytes() == headerBytes + farewellBytes();
    }

    @Override
    public String waitingFor() {
        return end.waitingFor(true);
    }
}
