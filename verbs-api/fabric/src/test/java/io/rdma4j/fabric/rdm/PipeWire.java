/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.ReturnCode;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/** A connection without a device: keeps order, loses nothing, takes so many messages at once. */
final class PipeWire implements Wire {
    static final int MOST_SENDS = 12;

    /** What one side sent. */
    private record Sent(int piece, byte[] bytes) {
    }

    /** Where one side receives. */
    private record Posted(int slot, long address, int length) {
    }

    final Deque<Sent> sent = new ArrayDeque<>();
    final Deque<Posted> posted = new ArrayDeque<>();
    PipeWire peer;
    boolean closed;
    /** What the device says to each message from now on. */
    int answer = ReturnCode.OK;
    /** The sender may overrun its peer: the message waits then, as on a device. */
    boolean mayOverrun;

    @Override
    public int receive(final Slot[] slots, final int count, final SlotArea area) {
        for (int i = 0; i < count; i++) {
            posted.add(new Posted(slots[i].index, area.address() + slots[i].offset, area.stride()));
        }
        return ReturnCode.OK;
    }

    @Override
    public int send(final int piece, final long address, final int length, final int lkey) {
        return gather(piece, address, lkey, 0, length - Header.LENGTH, -1);
    }

    @Override
    public int gather(
        final int piece, final long address, final int lkey, final long payload, final int payloadLength,
        final int payloadKey) {
        if (sent.size() == MOST_SENDS) {
            return ReturnCode.QUEUE_FULL;
        }
        if (answer != ReturnCode.OK) {
            return answer;
        }
        final byte[] bytes = new byte[Header.LENGTH + payloadLength];
        if (payloadKey == -1) {
            copy(address, bytes, 0, bytes.length);
        } else {
            copy(address, bytes, 0, Header.LENGTH);
            copy(payload, bytes, Header.LENGTH, payloadLength);
        }
        sent.add(new Sent(piece, bytes));
        return ReturnCode.OK;
    }

    private static void copy(final long from, final byte[] to, final int offset, final int length) {
        final UnsafeBuffer view = new UnsafeBuffer(0, 0);
        view.wrap(from, length);
        view.getBytes(0, to, offset, length);
    }

    /** Moves one message to the other end, if that has a receive; false if none moved. */
    boolean move(final ModelEnd from, final ModelEnd to) {
        if (sent.isEmpty() || closed) {
            return false;
        }
        if (mayOverrun && peer.posted.isEmpty()) {
            return false;
        }
        final Sent message = sent.poll();
        final Posted receive = peer.posted.poll();
        assertThat(receive).as("a slot for what was sent").isNotNull();
        if (mayOverrun && message.bytes().length > receive.length()) {
            // A peer that lied about its slots: the device ends the connection at both ends.
            from.broken = "a message is longer than its slot";
            to.broken = from.broken;
            return true;
        }
        assertThat(message.bytes().length).isLessThanOrEqualTo(receive.length());
        final UnsafeBuffer view = new UnsafeBuffer(0, 0);
        view.wrap(receive.address(), receive.length());
        view.putBytes(0, message.bytes());
        from.completed(message.piece());
        to.channel.arrived(receive.slot(), message.bytes().length);
        return true;
    }

    /** How many messages of this type the other end has not taken. */
    int underWay(final int type) {
        return (int) sent.stream().filter(one -> one.bytes()[0] == type).count();
    }

    /** The next message comes with another header. */
    void alter(final Consumer<UnsafeBuffer> how) {
        how.accept(new UnsafeBuffer(sent.element().bytes()));
    }

    /** Something else comes in place of the next message, or before it. */
    void tamper(final Random random) {
        final Sent next = sent.peek();
        if (next == null || closed || next.bytes().length == 0) {
            return;
        }
        final byte[] bytes = next.bytes();
        switch (random.nextInt(3)) {
            case 0 -> bytes[random.nextInt(Math.min(bytes.length, Header.LENGTH))] = (byte) random.nextInt();
            case 1 -> bytes[random.nextInt(Math.min(bytes.length, Header.LENGTH))] ^= (byte) (1 << random.nextInt(8));
            default -> {
                sent.poll();
                final byte[] other = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
                if (random.nextBoolean()) {
                    random.nextBytes(other);
                    if (other.length > 0) {
                        other[0] = (byte) random.nextInt(Header.DELIVERED + 2);
                    }
                }
                sent.addFirst(new Sent(next.piece(), other));
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        sent.clear();
        posted.clear();
    }
}
