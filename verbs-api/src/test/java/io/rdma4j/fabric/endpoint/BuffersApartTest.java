/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.OpFlags;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.TimeUnit;

/** A region of buffers that lie anywhere (checklist 2): the device has it as several, the application as one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BuffersApartTest {
    private static final MrAccess[] LOCAL = {MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE};
    /** Begin and length; the second and the third share pages, nothing begins or ends at one. */
    private static final int[][] BUFFERS = {{24584, 100}, {8200, 40}, {8400, 3000}, {4104, 16}};

    @RegisterExtension
    final Sides sides = new Sides();

    private static MrAttributes apart(final Side side) {
        final MrAttributes attributes = new MrAttributes().requestedKey(7);
        for (final int[] buffer : BUFFERS) {
            attributes.buffer(side.at(buffer[0]), buffer[1], side.memory);
        }
        return attributes;
    }

    private static void fill(final Side side, final int offset, final int length) {
        for (int i = 0; i < length; i++) {
            side.bytes.putByte(offset + i, (byte) (i * 7 + 1));
        }
    }

    private static void expect(final Side side, final int offset, final int from, final int length) {
        for (int i = 0; i < length; i++) {
            assertThat(side.bytes.getByte(offset + i)).as("byte %d", from + i).isEqualTo((byte) ((from + i) * 7 + 1));
        }
    }

    @Test
    void eachBufferIsSentReceivedReadAndWrittenByTheOneDescriptor() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion here = a.keep(a.domain.register(apart(a).access(LOCAL)));
        final MemoryRegion there = b.keep(b.domain.register(apart(b).access(LOCAL)));
        final MemoryRegion whole = b.register(9);
        for (final int[] buffer : BUFFERS) {
            final int at = buffer[0];
            final int length = buffer[1];
            fill(a, at, length);
            b.post(() -> b.ep.receive(b.at(at), length, there, 1));
            a.succeeds(() -> a.ep.send(a.at(at), length, here, 2));
            assertThat(b.next().length()).isEqualTo(length);
            expect(b, at, 0, length);
            a.succeeds(() -> a.ep.write(a.at(at), length, here, whole.base() + 40_000, whole.key(), 3));
            expect(b, 40_000, 0, length);
            a.bytes.setMemory(at, length, (byte) 0);
            a.succeeds(() -> a.ep.read(a.at(at), length, here, whole.base() + 40_000, whole.key(), 4));
            expect(a, at, 0, length);
            assertThat(a.ep.send(a.at(at), length + 1, here, 5)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.send(a.at(at - 1), length, here, 5)).isEqualTo(-FiErrno.FI_EINVAL);
        }
    }

    @Test
    void aMessageMayHaveSeveralOfThem() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion here = a.keep(a.domain.register(apart(a).access(LOCAL)));
        final MemoryRegion there = b.keep(b.domain.register(apart(b).access(LOCAL)));
        fill(a, 8200, 40);
        fill(a, 8410, 60);
        b.bytes.setMemory(0, 30_000, (byte) 0);
        b.post(() -> b.ep.receiveMessage(new Message(2).add(b.at(24_600), 50, there).add(b.at(8400), 50, there), 0));
        a.succeeds(() -> a.ep.sendMessage(new Message(2).add(a.at(8200), 40, here).add(a.at(8410), 60, here),
            OpFlags.COMPLETION));
        assertThat(b.next().length()).isEqualTo(100);
        expect(b, 24_600, 0, 40);
        expect(b, 24_640, 0, 10);
        expect(b, 8400, 10, 50);
    }
}
