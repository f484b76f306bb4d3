/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;

import java.util.List;

/** Messages, connected ones and datagrams. The farewell is a message of another size. */
final class SendTurn implements Turn {
    private static final int GRH_BYTES = 40;

    private final Endpoint end;
    private final PingPongOptions options;
    private final int headerBytes;
    private final Slot outgoing;
    private final Slot[] incoming = new Slot[Endpoint.RECEIVES];
    private final ReceiveRequest[] receives = new ReceiveRequest[Endpoint.RECEIVES];
    private final SendRequest send = new SendRequest();

    SendTurn(final Endpoint end) {
        this.end = end;
        options = end.options();
        headerBytes = options.transport() == QpType.UD ? GRH_BYTES : 0;
        outgoing = new Slot(end.pd(), Math.max(farewellBytes(), options.size()));
        send.sge(outgoing.address(), options.size(), outgoing.lkey());
        for (int i = 0; i < Endpoint.RECEIVES; i++) {
            final int length = headerBytes + Math.max(farewellBytes(), options.size());
            incoming[i] = new Slot(end.pd(), length);
            receives[i] = new ReceiveRequest().wrId(i).sge(incoming[i].address(), length, incoming[i].lkey());
        }
    }

    private int farewellBytes() {
        return options.size() == 0 ? 1 : 0;
    }

    @Override
    public List<RemoteMemory> lends() {
        return List.of();
    }

    @Override
    public int borrows() {
        return 0;
    }

    @Override
    public void meet(final Peer peer) {
        if (options.transport() == QpType.UD) {
            final QpAddress address = peer.address();
            send.to(end.pd().createAh(AhAttributes.to(address.gid())), address.qpn(), address.qkey());
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
            throw end.corrupted(way(), iteration, "%d bytes arrived, %d were sent", arrived - headerBytes,
                options.size());
        }
        final int slot = end.take();
        if (options.validate()) {
            validate(incoming[slot], iteration);
        }
        end.post(receives[slot]);
    }

    private void validate(final Slot slot, final long iteration) {
        final long message = Pattern.messageNumber(iteration, !end.repliesOnly());
        final int place = Pattern.firstDifference(slot.buffer(), headerBytes, options.size(), message);
        if (place != Pattern.NONE) {
            throw end.corrupted(way(), iteration, "%s",
                Pattern.describe(slot.buffer(), headerBytes, options.size(), message, place));
        }
    }

    private String way() {
        return end.repliesOnly() ? "way out of" : "way back of";
    }

    @Override
    public void move(final long iteration) {
        if (options.validate()) {
            Pattern.fill(outgoing.buffer(), 0, options.size(), Pattern.messageNumber(iteration, end.repliesOnly()));
        }
        end.post(send);
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
