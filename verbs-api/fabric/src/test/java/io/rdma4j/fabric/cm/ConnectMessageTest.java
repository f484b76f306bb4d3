/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.verbs.Gid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;

import org.agrona.concurrent.UnsafeBuffer;

/** Datagrams of the handshakes: what was written is read, and nothing else. */
@Timeout(60)
final class ConnectMessageTest {
    private static final PeerId SOURCE = new PeerId(0xfe80L << 48, 0x1234, 0xabcdef, 0x8765_4321);
    private static final ConnectIds IDS = new ConnectIds(-1, 2, 3, Long.MIN_VALUE);
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[UdEnd.MAX_MESSAGE]);

    private static ConnectMessage message(final ConnectType type) {
        return ConnectMessage.of(type, EndpointType.RDM, IDS, SOURCE).withReason(Reason.BUSY);
    }

    private static byte[] bytes(final int length, final int seed) {
        final byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private ConnectMessage decode(final int length) {
        return ConnectMessage.decode(buffer, 0, length);
    }

    /** As if its maker had meant it. */
    private void sign(final int length) {
        buffer.putInt(ConnectMessage.CRC_OFFSET, 0);
        final CRC32 crc = new CRC32();
        crc.update(buffer.byteArray(), 0, length);
        buffer.putInt(ConnectMessage.CRC_OFFSET, (int) crc.getValue(), ByteOrder.LITTLE_ENDIAN);
    }

    @ParameterizedTest
    @EnumSource(ConnectType.class)
    void whatWasWrittenIsRead(final ConnectType type) {
        final byte[] name = bytes(ConnectMessage.MAX_NAME, 1);
        final byte[] data = bytes(ConnectMessage.MAX_DATA, 2);
        final int length = message(type).withName(name, 5_000_000_000L).withData(data).encode(buffer);
        assertThat(length).isEqualTo(ConnectMessage.MAX_LENGTH).isLessThanOrEqualTo(UdEnd.MAX_MESSAGE);
        final ConnectMessage read = decode(length);
        assertThat(read.type()).isEqualTo(type);
        assertThat(read.reason()).isEqualTo(Reason.BUSY);
        assertThat(read.kind()).isEqualTo(EndpointType.RDM);
        assertThat(read.ids()).isEqualTo(IDS);
        assertThat(read.source()).isEqualTo(SOURCE);
        assertThat(read.waitMillis()).isEqualTo(5_000);
        assertThat(read.name()).isEqualTo(name);
        assertThat(read.data()).isEqualTo(data);
        assertThat(read.version()).isEqualTo(ConnectMessage.VERSION);
    }

    @Test
    void anEmptyOneIsItsHeader() {
        assertThat(message(ConnectType.BYE).encode(buffer)).isEqualTo(ConnectMessage.HEADER);
        assertThat(decode(ConnectMessage.HEADER).data()).isEmpty();
    }

    @Test
    void anyBitThatChangedIsFoundOut() {
        final int length = message(ConnectType.REQUEST).withName(bytes(88, 3), 1).withData(bytes(20, 4)).encode(buffer);
        for (int bit = 0; bit < 8 * length; bit++) {
            buffer.putByte(bit / 8, (byte) (buffer.getByte(bit / 8) ^ 1 << bit % 8));
            assertThat(decode(length)).as("bit %d", bit).isNull();
            buffer.putByte(bit / 8, (byte) (buffer.getByte(bit / 8) ^ 1 << bit % 8));
        }
        assertThat(decode(length)).isNotNull();
        for (int shorter = 0; shorter < length; shorter++) {
            assertThat(decode(shorter)).as("%d bytes", shorter).isNull();
        }
        assertThat(decode(length + 1)).isNull();
    }

    /** With a checksum that fits: what is read makes sense, or nothing is. */
    @Test
    void whateverIsSaidIsChecked() {
        final Random random = new Random(5);
        int read = 0;
        for (int i = 0; i < 200_000; i++) {
            int length = message(ConnectType.REPLY).withName(bytes(random.nextInt(161), i), 1)
                .withData(bytes(random.nextInt(257), i)).encode(buffer);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                buffer.putByte(random.nextInt(ConnectMessage.HEADER), (byte) random.nextInt(256));
            }
            length = random.nextInt(4) == 0 ? ConnectMessage.HEADER + random.nextInt(433) : length;
            buffer.putInt(0, 0x4d43_4652, ByteOrder.LITTLE_ENDIAN);
            sign(length);
            final ConnectMessage message = decode(length);
            if (message != null) {
                read++;
                assertThat(message.type()).isNotNull();
                assertThat(message.reason()).isNotNull();
                assertThat(message.kind()).isNotNull();
                assertThat(message.ids().life()).isNotZero();
                assertThat(message.source().gid().isZero() || message.source().gid().isMulticast()).isFalse();
                assertThat(message.source().qpn()).isBetween(0, 0xff_ffff);
                assertThat(message.waitMillis()).isNotNegative();
                assertThat(message.version() == ConnectMessage.VERSION
                    ? ConnectMessage.HEADER + message.name().length + message.data().length : length)
                    .isEqualTo(length);
            }
        }
        assertThat(read).as("some must make sense, or nothing was shown").isGreaterThan(10_000);
    }

    @Test
    void garbageIsNothing() {
        final Random random = new Random(6);
        for (int i = 0; i < 200_000; i++) {
            random.nextBytes(buffer.byteArray());
            if (i % 2 == 0) {
                buffer.putInt(0, 0x4d43_4652, ByteOrder.LITTLE_ENDIAN);
            }
            assertThat(decode(random.nextInt(buffer.capacity() + 1))).isNull();
        }
        Arrays.fill(buffer.byteArray(), (byte) 0);
        assertThat(decode(ConnectMessage.HEADER)).isNull();
    }

    @Test
    void ofAnotherVersionThereIsTheFixedPart() {
        final int length = message(ConnectType.REQUEST).withName(bytes(88, 3), 1).encode(buffer);
        buffer.putShort(ConnectMessage.VERSION_OFFSET, (short) 2, ByteOrder.LITTLE_ENDIAN);
        sign(length + 9);
        final ConnectMessage message = decode(length + 9);
        assertThat(message.version()).isEqualTo(2);
        assertThat(message.ids()).isEqualTo(IDS);
        assertThat(message.name()).isEmpty();
    }

    @Test
    void aSourceFitsWhatTheDeviceSays() {
        assertThat(SOURCE.fits(SOURCE.gidHigh(), SOURCE.gidLow(), SOURCE.qpn())).isTrue();
        assertThat(SOURCE.fits(0, 0, SOURCE.qpn())).isTrue();
        assertThat(SOURCE.fits(0, 0, 1)).isFalse();
        assertThat(SOURCE.fits(SOURCE.gidHigh(), 1, SOURCE.qpn())).isFalse();
    }

    @Test
    void headersOfAllKindsTellTheSource() {
        final UnsafeBuffer header = new UnsafeBuffer(new byte[80]);
        final GlobalHeader reader = new GlobalHeader();
        header.putByte(20, (byte) 0x60);
        header.putBytes(28, Gid.parse("fe80::1:2").bytes());
        reader.read(header, 20);
        assertThat(new Gid(reader.high(), reader.low())).isEqualTo(Gid.parse("fe80::1:2"));
        GlobalHeader.clear(header, 20);
        header.putByte(40, (byte) 0x45);
        header.putBytes(52, new byte[] {10, 0, (byte) 200, 3});
        reader.read(header, 20);
        assertThat(new Gid(reader.high(), reader.low())).isEqualTo(Gid.parse("10.0.200.3"));
        GlobalHeader.clear(header, 20);
        reader.read(header, 20);
        assertThat(reader.high() | reader.low()).isZero();
    }
}
