/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** One end of a channel, with an endpoint that writes down what it is told. */
final class ModelEnd implements ChannelHost, ChannelEnd {
    static final int IOV = 3;

    /** What a receive got. */
    record Got(long context, int rxIndex, int length, long overflow, boolean hasData, int data) {
    }

    /** What became of a message that was sent. */
    record Sent(long context, int errno, boolean delivered) {
    }

    final List<Got> got = new ArrayList<>();
    final List<Sent> sent = new ArrayList<>();
    final Deque<Channel> wanting = new ArrayDeque<>();
    final Matcher[] contexts;
    final SendTable table;
    final Channel channel;
    final PipeWire wire = new PipeWire();
    final int slots;
    String broken;
    boolean greeted;
    boolean left;
    int drained;
    int unfinished;
    private final boolean initiator;

    ModelEnd(final boolean initiator, final int contextCount, final int slots, final int bytes, final int ops) {
        this.initiator = initiator;
        this.slots = slots;
        contexts = new Matcher[contextCount];
        for (int i = 0; i < contextCount; i++) {
            contexts[i] = new Matcher(i, 8, IOV, false, false);
        }
        table = new SendTable(area(ops + 5, Header.LENGTH + 64), ops, IOV, 4);
        channel = new Channel(this, new PeerId(1, 2, initiator ? 3 : 4, 5), wire,
            area(slots + Channel.CONTROL_SLOTS, bytes + Header.LENGTH), this);
    }

    static SlotArea area(final int count, final int stride) {
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(count * stride, 64);
        final UnsafeBuffer buffer = new UnsafeBuffer(memory);
        return new SlotArea(buffer, buffer.addressOffset(), 7, stride);
    }

    static void connect(final ModelEnd a, final ModelEnd b) {
        a.wire.peer = b.wire;
        b.wire.peer = a.wire;
        assertThat(a.channel.prepare() && b.channel.prepare()).isTrue();
        (a.initiator ? a : b).channel.greet();
    }

    void completed(final int piece) {
        if (piece == table.probe()) {
            channel.probed();
            return;
        }
        final SendOp op = table.opOf(piece);
        table.giveBackPiece(piece);
        channel.sent(piece, op);
    }

    void progress() {
        for (int left = wanting.size(); left > 0; left--) {
            final Channel one = wanting.poll();
            one.isWanting = false;
            if (one.progress()) {
                wants(one);
            }
        }
    }

    int send(
        final int rxIndex, final long address, final int length, final Integer data, final boolean delivery,
        final long context) {
        final int flags = (data == null ? 0 : Header.HAS_DATA) | (delivery ? Header.DELIVERY : 0);
        final int refusal = channel.check(rxIndex, flags & Header.AGREED_FLAGS);
        if (refusal != 0) {
            return refusal;
        }
        final SendOp op = table.claimOp(OperationKind.SEND, context, true);
        if (op == null) {
            return -1;
        }
        op.flagsAndIndex = Header.flagsAndIndex(flags, rxIndex);
        op.data = data == null ? 0 : data;
        final int half = length / 2;
        op.add(address, half, address, 9, null, null);
        op.add(address + half, 0, address, 9, null, null);
        op.add(address + half, length - half, address + half, 9, null, null);
        final int code = channel.outbound().start(op);
        if (code != 0) {
            table.giveBack(op);
        }
        return code;
    }

    boolean receive(final int rxIndex, final long address, final int length, final PeerId from, final long context) {
        final Matcher matcher = contexts[rxIndex];
        final Receive receive = matcher.claim(context);
        if (receive == null) {
            return false;
        }
        final int third = length / 3;
        receive.add(address, third, 0, null, null);
        receive.add(address + third, length - third, 0, null, null);
        if (from != null) {
            final PeerAddress source = new PeerAddress();
            source.set(from.gidHigh(), from.gidLow(), from.qpn(), from.qkey(), 0);
            receive.from(source, 1);
        }
        final Slot first = matcher.messageFor(receive);
        if (first == null) {
            matcher.post(receive);
        } else {
            first.channel.deliver(first, receive);
        }
        return true;
    }

    @Override
    public Matcher context(final int rxIndex) {
        return rxIndex < contexts.length ? contexts[rxIndex] : null;
    }

    @Override
    public int contexts() {
        return contexts.length;
    }

    @Override
    public SendTable sends() {
        return table;
    }

    @Override
    public void received(final Receive receive, final Channel from) {
        got.add(new Got(receive.context, receive.home.index(), (int) receive.taken(), receive.overflow(),
            receive.hasData, receive.data));
        receive.home.giveBack(receive);
    }

    @Override
    public void found(final Receive receive, final Slot first) {
        throw new AssertionError("nobody looks");
    }

    @Override
    public void unfinished(final Receive receive) {
        unfinished++;
        receive.home.postAgain(receive);
    }

    @Override
    public void sent(final SendOp op, final int errno) {
        sent.add(new Sent(op.context, errno, op.wantsDelivery()));
        table.giveBack(op);
    }

    @Override
    public void greeted(final Channel one) {
        greeted = true;
        if (!initiator) {
            one.greet();
        }
    }

    @Override
    public void resume(final Connection connection) {
        throw new AssertionError("nothing waits");
    }

    @Override
    public void wants(final Channel one) {
        one.isWanting = true;
        wanting.add(one);
    }

    @Override
    public void broken(final Channel one, final String why) {
        broken = why;
    }

    @Override
    public void left(final Channel one) {
        left = true;
        one.close();
    }

    @Override
    public void drained(final Channel one) {
        drained++;
    }

    @Override
    public void settled(final Channel one) {
        // Nobody waits for it.
    }

    @Override
    public String toString() {
        return channel + ", " + table + ", broken: " + broken + ", left: " + left + ", got " + got.size();
    }
}
