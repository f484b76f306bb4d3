/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers, against packets of Linux' SoftRoCE. */
class PacketTest {
    private static UnsafeBuffer bytes(final String hex) {
        return new UnsafeBuffer(HexFormat.of().parseHex(hex));
    }

    private static String hex(final UnsafeBuffer buffer, final int length) {
        final byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void datagram() {
        final String packet = "6440ffff000000350000000011111111000012346162636465666768";
        final UnsafeBuffer b = bytes(packet);
        final int opcode = Bth.opcode(b, 0);
        assertThat(opcode).isEqualTo(Opcode.UD | Opcode.SEND_ONLY);
        assertThat(Bth.pkey(b, 0)).isEqualTo(Bth.DEFAULT_PKEY);
        assertThat(Bth.version(b, 0)).isZero();
        assertThat(Bth.padOf(b, 0)).isZero();
        assertThat(Bth.destQp(b, 0)).isEqualTo(0x35);
        assertThat(Deth.qkey(b, Bth.LENGTH)).isEqualTo(0x1111_1111);
        assertThat(Deth.sourceQp(b, Bth.LENGTH)).isEqualTo(0x1234);
        assertThat(b.getStringWithoutLengthAscii(Bth.LENGTH + Opcode.extendedLength(opcode), 8)).isEqualTo("abcdefgh");
        final UnsafeBuffer made = new UnsafeBuffer(new byte[20]);
        Bth.put(made, 0, opcode, Bth.flags(false, 8), 0x35, 0, false);
        Deth.put(made, Bth.LENGTH, 0x1111_1111, 0x1234);
        assertThat(packet).startsWith(hex(made, 20));
    }

    @Test
    void acknowledgement() {
        final UnsafeBuffer b = bytes("1100ffff0000432100fffff01f000001");
        assertThat(Bth.opcode(b, 0)).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(Bth.destQp(b, 0)).isEqualTo(0x4321);
        assertThat(Bth.psn(b, 0)).isEqualTo(0xfffff0);
        assertThat(Bth.asksAck(b, 0)).isFalse();
        assertThat(Aeth.syndrome(b, Bth.LENGTH)).isEqualTo(Aeth.ACK);
        assertThat(Aeth.msn(b, Bth.LENGTH)).isOne();
        final UnsafeBuffer made = new UnsafeBuffer(new byte[16]);
        Bth.put(made, 0, Opcode.ACKNOWLEDGE, Bth.flags(false, 0), 0x4321, 0xfffff0, false);
        Aeth.put(made, Bth.LENGTH, Aeth.ACK, 1);
        // Linux says that the path never migrated, which means nothing on RoCE.
        assertThat(hex(made, 16)).isEqualTo("1140ffff0000432100fffff01f000001");
    }

    @Test
    void read() {
        final UnsafeBuffer b = bytes("0c00ffff00005a5a8008f36e00007f001234500000c0ffee0000001e");
        assertThat(Bth.opcode(b, 0)).isEqualTo(Opcode.READ_REQUEST);
        assertThat(Bth.asksAck(b, 0)).isTrue();
        assertThat(Reth.address(b, Bth.LENGTH)).isEqualTo(0x7f00_1234_5000L);
        assertThat(Reth.rkey(b, Bth.LENGTH)).isEqualTo(0xc0ffee);
        assertThat(Reth.length(b, Bth.LENGTH)).isEqualTo(30);
        final UnsafeBuffer made = new UnsafeBuffer(new byte[28]);
        Bth.put(made, 0, Opcode.READ_REQUEST, Bth.flags(false, 0), 0x5a5a, 0x08f36e, true);
        Reth.put(made, Bth.LENGTH, 0x7f00_1234_5000L, 0xc0ffee, 30);
        assertThat(hex(made, 28)).isEqualTo(hex(b, 28).replaceFirst("0c00", "0c40"));
        Reth.put(made, 0, -1, -1, -1);
        assertThat(Reth.length(made, 0)).isEqualTo(0xffff_ffffL);
    }

    @Test
    void atomic() {
        final UnsafeBuffer b =
            bytes("1400ffff00005a5a80333c9200007f001234500000c0ffee00000000000000010000000000000000");
        assertThat(Bth.opcode(b, 0)).isEqualTo(Opcode.FETCH_ADD);
        assertThat(AtomicEth.address(b, Bth.LENGTH)).isEqualTo(0x7f00_1234_5000L);
        assertThat(AtomicEth.rkey(b, Bth.LENGTH)).isEqualTo(0xc0ffee);
        assertThat(AtomicEth.swapOrAdd(b, Bth.LENGTH)).isOne();
        assertThat(AtomicEth.compare(b, Bth.LENGTH)).isZero();
        final UnsafeBuffer made = new UnsafeBuffer(new byte[40]);
        Bth.put(made, 0, Opcode.FETCH_ADD, Bth.flags(false, 0), 0x5a5a, 0x333c92, true);
        AtomicEth.put(made, Bth.LENGTH, 0x7f00_1234_5000L, 0xc0ffee, 1, 0);
        assertThat(hex(made, 40)).isEqualTo(hex(b, 40).replaceFirst("1400", "1440"));
        AtomicEth.put(made, 0, 1, 2, 3, 4);
        assertThat(AtomicEth.compare(made, 0)).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 3", "2, 2", "3, 1", "4, 0", "1021, 3", "1024, 0"})
    void pad(final int length, final int pad) {
        assertThat(Bth.pad(length)).isEqualTo(pad);
        final UnsafeBuffer b = new UnsafeBuffer(new byte[Bth.LENGTH]);
        Bth.put(b, 0, Opcode.SEND_ONLY, Bth.flags(true, length), -1, -1, false);
        assertThat(Bth.padOf(b, 0)).isEqualTo(pad);
        assertThat(Bth.isSolicited(b, 0)).isTrue();
        assertThat(Bth.destQp(b, 0)).isEqualTo(0xff_ffff);
        assertThat(Bth.psn(b, 0)).isEqualTo(0xff_ffff);
        assertThat(Bth.asksAck(b, 0)).isFalse();
        assertThat(Bth.hasMetCongestion(b, 0)).isFalse();
        b.putByte(4, (byte) 0x80);
        assertThat(Bth.hasMetCongestion(b, 0)).isTrue();
    }

    /** Bytes behind the first header, as the specification's table of opcodes has them. */
    @ParameterizedTest
    @CsvSource({
        "0, 0", "1, 0", "2, 0", "3, 4", "4, 0", "5, 4", "6, 16", "7, 0", "8, 0", "9, 4", "10, 16", "11, 20", "12, 16",
        "13, 4", "14, 0", "15, 4", "16, 4", "17, 4", "18, 12", "19, 28", "20, 28", "22, 4", "23, 4", "36, 0", "42, 16",
        "100, 8", "101, 12"})
    void extendedHeaders(final int opcode, final int length) {
        assertThat(Opcode.isKnown(opcode)).isTrue();
        assertThat(Opcode.extendedLength(opcode)).isEqualTo(length);
    }

    @ParameterizedTest
    @ValueSource(ints = {21, 24, 31, 0x20 | 12, 0x20 | 17, 0x20 | 22, 0x40, 0x60, 0x66, 0x80, 0x81, 0xff})
    void unknown(final int opcode) {
        assertThat(Opcode.isKnown(opcode)).isFalse();
        assertThat(Opcode.NAMES.of(opcode)).startsWith("unknown 0x");
    }

    /** Each packet is at one place of its message, and of one kind. */
    @Test
    void places() {
        IntStream.range(0, 256).filter(Opcode::isKnown).forEach(opcode -> {
            final String name = Opcode.NAMES.of(opcode);
            assertThat(Opcode.isFirst(opcode)).as(name).isEqualTo(name.endsWith("_FIRST"));
            assertThat(Opcode.isMiddle(opcode)).as(name).isEqualTo(name.endsWith("_MIDDLE"));
            assertThat(Opcode.isLast(opcode)).as(name).isEqualTo(name.contains("_LAST"));
            assertThat(Opcode.begins(opcode)).as(name)
                .isEqualTo(!Opcode.isMiddle(opcode) && !Opcode.isLast(opcode));
            assertThat(Opcode.ends(opcode)).as(name).isEqualTo(!Opcode.isMiddle(opcode) && !Opcode.isFirst(opcode));
            assertThat(Opcode.isSend(opcode)).as(name).isEqualTo(name.contains("SEND"));
            assertThat(Opcode.isWrite(opcode)).as(name).isEqualTo(name.contains("WRITE"));
            assertThat(Opcode.isAtomic(opcode)).as(name).isEqualTo(name.matches("(MASKED_)?(COMPARE_SWAP|FETCH_ADD)"));
            assertThat(Opcode.isResponse(opcode)).as(name).isEqualTo(name.matches(".*(RESPONSE|ACKNOWLEDGE).*"));
            assertThat(Opcode.hasImmediate(opcode)).as(name).isEqualTo(name.endsWith("_IMM"));
            assertThat(Opcode.invalidates(opcode)).as(name).isEqualTo(name.endsWith("_INVALIDATE"));
        });
        assertThat(Opcode.NAMES.of(Opcode.UD | Opcode.SEND_ONLY_IMM)).isEqualTo("UD_SEND_ONLY_IMM");
    }

    @ParameterizedTest
    @CsvSource({"0x1f, ACK", "0x00, ACK", "0x2c, RNR_NAK 12", "0x60, NAK_SEQUENCE", "0x61, NAK_INVALID_REQUEST",
        "0x62, NAK_REMOTE_ACCESS", "0x63, NAK_REMOTE_OPERATION", "0x7f, unknown 0x7f", "0x40, unknown 0x40"})
    void syndromes(final String syndrome, final String name) {
        final int value = Integer.decode(syndrome);
        assertThat(Aeth.NAMES.of(value)).isEqualTo(name);
        assertThat(Aeth.isAck(value)).isEqualTo(name.equals("ACK"));
        assertThat(Aeth.isRnr(value)).isEqualTo(name.startsWith("RNR"));
        assertThat(Aeth.value(value)).isEqualTo(value & 31);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "1, 0, 1", "0, 1, -1", "0, 0xffffff, 1", "0xffffff, 0, -1", "0x800000, 1, 8388607",
        "0x800000, 0, -8388608"})
    void sequenceNumbersWrap(final String psn, final String than, final int ahead) {
        assertThat(Psn.ahead(Integer.decode(psn), Integer.decode(than))).isEqualTo(ahead);
        assertThat(Psn.add(Integer.decode(than), ahead)).isEqualTo(Integer.decode(psn));
    }
}
