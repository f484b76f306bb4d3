/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that Linux' SoftRoCE sent or took, and single bits. */
class IcrcTest {
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP = 8;

    private final Icrc icrc = new Icrc();

    /** IP and UDP header; what follows. */
    @ParameterizedTest
    @CsvSource({
        "4500003c000040004011b6adc0000202c000020112b712b70028843d, "
            + "6440ffff000000350000000011111111000012346162636465666768479cf594",
        "60072fc900281140fd000002000000000000000000000002fd00000200000000000000000000000112b712b70028fa41, "
            + "6440ffff000000360000000011111111000012346162636465666768e623e02c",
        "450000309844400040111e75c0000201c0000202ef0212b7001c0000, 1100ffff0000432100fffff01f0000019554275e",
        "4500003ca93c400040110d71c0000201c0000202de1b12b700280000, "
            + "0c00ffff00005a5a8008f36e00007f001234500000c0ffee0000001e7f6a8182",
        "45000050000040004011b699c0000202c000020112b712b7003c8451, "
            + "1060ffff000000390008f36e1f000001" + "00000000000000000000000000000000"
            + "00000000000000000000000000000000" + "9043ac65",
        "45000048af9e400040110703c0000201c0000202f87412b700340000, "
            + "1400ffff00005a5a80333c9200007f001234500000c0ffee000000000000000100000000000000006dc54865",
        "45000038b0c14000401105f0c0000201c0000202ed0d12b700240000, "
            + "1200ffff00005a5a000001001f00000155f22b00ba68d83803993eab",
        "4500005cb1bf4000401104cec0000201c0000202c76512b700480000, "
            + "0a20ffff00005a5a800f62b000007f001234500000c0ffee0000001e"
            + "0000000000000000000000000000000000000000000000000000000000010000" + "4b6bdb49"
    })
    void ofPacketsOfLinux(final String headers, final String rest) {
        final ByteBuffer ip = ByteBuffer.wrap(HexFormat.of().parseHex(headers));
        final ByteBuffer packet = ByteBuffer.wrap(HexFormat.of().parseHex(rest));
        final int came = packet.order(ByteOrder.LITTLE_ENDIAN).getInt(packet.limit() - Icrc.LENGTH);
        packet.limit(packet.limit() - Icrc.LENGTH);
        if (headers.startsWith("6")) {
            assertThat(ip.remaining()).isEqualTo(IPV6 + UDP);
            assertThat(icrc.ofIpv6(ip.getLong(8), ip.getLong(16), ip.getLong(24), ip.getLong(32),
                ip.getShort(IPV6), packet)).isEqualTo(came);
        } else {
            final int identification = ip.getShort(4) & 0xffff;
            final int port = ip.getShort(IPV4);
            assertThat(icrc.ofIpv4(ip.getInt(12), ip.getInt(16), identification, port, packet)).isEqualTo(came);
            final int unseen = icrc.ofIpv4(ip.getInt(12), ip.getInt(16), 0, port, packet);
            assertThat(icrc.identification(came ^ unseen, packet.remaining())).isEqualTo(identification);
        }
        assertThat(packet.position()).isZero();
    }

    private static ByteBuffer packet(final int length) {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return ByteBuffer.allocateDirect(length).put(bytes).flip();
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16, 100, 1044, 4096 + 44, Icrc.MAX_LENGTH})
    void findsEveryIdentification(final int length) {
        final ByteBuffer packet = packet(length);
        final int zero = icrc.ofIpv4(1, 2, 0, 3, packet);
        for (int id = 0; id < 1 << Short.SIZE; id += 241) {
            assertThat(icrc.identification(zero ^ icrc.ofIpv4(1, 2, id, 3, packet), length)).isEqualTo(id);
        }
        assertThat(icrc.identification(zero ^ icrc.ofIpv4(1, 2, 0xffff, 3, packet), length)).isEqualTo(0xffff);
    }

    /** One bit that changed is never taken for another identification, but in the fifth byte, which may change. */
    @ParameterizedTest
    @ValueSource(ints = {12, 64, 1044})
    void noticesABitAnywhere(final int length) {
        final ByteBuffer packet = packet(length);
        final int right = icrc.ofIpv4(1, 2, 0, 3, packet);
        for (int bit = 0; bit < length * Byte.SIZE; bit++) {
            final int at = bit / Byte.SIZE;
            packet.put(at, (byte) (packet.get(at) ^ 1 << bit % Byte.SIZE));
            final int wrong = icrc.ofIpv4(1, 2, 0, 3, packet);
            if (at == 4) {
                assertThat(wrong).isEqualTo(right);
            } else {
                assertThat(icrc.identification(wrong ^ right, length)).as("bit %d", bit).isEqualTo(-1);
            }
            packet.put(at, (byte) (packet.get(at) ^ 1 << bit % Byte.SIZE));
        }
    }

    @Test
    void noticesTheAddressesAndThePort() {
        final ByteBuffer packet = packet(64);
        final int right = icrc.ofIpv4(1, 2, 0, 3, packet);
        assertThat(icrc.ofIpv4(2, 1, 0, 3, packet)).isNotEqualTo(right);
        assertThat(icrc.ofIpv4(1, 2, 0, 4, packet)).isNotEqualTo(right);
        assertThat(new Icrc(Icrc.PORT + 1).ofIpv4(1, 2, 0, 3, packet)).isNotEqualTo(right);
        assertThat(icrc.ofIpv6(0, 1, 0, 2, 3, packet)).isNotEqualTo(right);
        assertThat(icrc.ofIpv6(1, 1, 0, 2, 3, packet)).isNotEqualTo(icrc.ofIpv6(0, 1, 1, 2, 3, packet));
    }
}
