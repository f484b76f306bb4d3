/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Gid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/** Names come from peers: nothing in them is believed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PeerNameTest {
    private static final PeerName NAME = new PeerName(PeerName.RMA | PeerName.MENDS, 0x11, 0x0102_0304_0506_0708L,
        Gid.parse("fe80::1"), 0xabcdef, 0x12, 0x13, 0x14, 0x1000, -5, -6, 4096);

    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void whatWasWrittenIsRead() {
        assertThat(PeerName.decode(NAME.encode())).isEqualTo(NAME);
        assertThat(NAME.encode()).hasSize(88).startsWith('R', 'F', 'E', 'P', 1, 0, 88, 0, 9, 0, 0, 0, 0x11, 0);
    }

    private static byte[] altered(final Consumer<UnsafeBuffer> change) {
        final byte[] bytes = NAME.encode();
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        change.accept(buffer);
        buffer.putInt(PeerName.CRC_OFFSET, PeerName.crc(bytes), ByteOrder.LITTLE_ENDIAN);
        return bytes;
    }

    @Test
    void numbersThatNoEndpointHasAreRefused() {
        for (final int offset : new int[] {12, 40, 44, 48, 52}) {
            assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putInt(offset, 1 << 24))));
        }
        for (final int capacity : new int[] {-1, 3, 1 << 25, Integer.MIN_VALUE}) {
            assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putInt(76, capacity))));
        }
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putInt(8, 1 << 20))));
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putInt(80, 1))));
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.setMemory(24, 16, (byte) 0))));
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putByte(24, (byte) 0xff))));
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putShort(6, (short) 87))));
        assertRefused(FiErrno.FI_EINVAL, () -> PeerName.decode(altered(b -> b.putShort(4, (short) 2))));
    }

    @Test
    void garbageTruncatedAndAlteredNamesConnectNobody() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        final byte[] name = b.ep.name();
        assertRefused(FiErrno.FI_EINVAL, () -> a.ep.connect(null));
        for (int length = 0; length < name.length; length++) {
            final byte[] part = Arrays.copyOf(name, length);
            assertRefused(FiErrno.FI_EINVAL, () -> a.ep.connect(part));
        }
        assertRefused(FiErrno.FI_EINVAL, () -> a.ep.connect(Arrays.copyOf(name, name.length + 1)));
        for (int i = 0; i < name.length * 8; i++) {
            final byte[] changed = name.clone();
            changed[i / 8] ^= (byte) (1 << i % 8);
            assertRefused(FiErrno.FI_EINVAL, () -> a.ep.connect(changed));
        }
        final Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            final byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            assertRefused(FiErrno.FI_EINVAL, () -> a.ep.connect(garbage));
        }
        assertThat(a.ep.isConnected()).isFalse();
        Side.connect(a, b);
        assertThat(a.ep.isConnected()).isTrue();
        assertRefused(FiErrno.FI_EISCONN, () -> a.ep.connect(name));
    }

    @Test
    void textSaysWhatIsWrong() {
        try {
            PeerName.decode(altered(b -> b.putShort(4, (short) 2)));
        } catch (final FabricException e) {
            assertThat(e).hasMessageContaining("version 2, known is 1").hasMessageContaining("MsgEndpoint.name()");
            return;
        }
        throw new AssertionError("not refused");
    }
}
