/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Whole queue elements as they would be found in memory. */
class GoldenBytesTest {
    private static final String SEND = """
        efcdab8967452301 02000000 00000000  02000000 02000000 00000000 00000000
        0000000000000000 0000000000000000   0000000000000000 0000000000000000
        0007000000000000 0000000000000000
        0010402030000000 00100000 11000000  0020402030000000 ffffffff 12000000
        """;
    private static final String DATAGRAM = """
        0100000000000000 01000000 00000000  03000000 06000000 0a0b0c0d 00000000
        33220000 80000180 05000001 45230102 fe80000000000000 02505600 fe123456
        800300ff 025056123456 000000000000
        """;
    private static final String COMPLETION = """
        efcdab8967452301 6655000000000000  80000000 00000000 00100000 0a0b0c0d
        33220000 53000000 81000000 0100 0000 00 00 01 005056abcdef 02 000000000000
        """;

    private final UnsafeBuffer b = new UnsafeBuffer(new byte[256]);

    @Test
    void writesASend() {
        b.setMemory(64, 192, (byte) 0x5a);
        SqWqe.clearHeader(b, 64);
        SqWqe.wrId(b, 64, 0x0123_4567_89ab_cdefL);
        SqWqe.numSge(b, 64, 2);
        SqWqe.opcode(b, 64, WrOpcode.PVRDMA_WR_SEND);
        SqWqe.sendFlags(b, 64, SendFlags.PVRDMA_SEND_SIGNALED);
        SqWqe.gidIndex(b, 64, 7);
        Sge.set(b, SqWqe.sgeOffset(64, 0), 0x30_2040_1000L, 4096, 0x11);
        Sge.set(b, SqWqe.sgeOffset(64, 1), 0x30_2040_2000L, -1, 0x12);

        assertThat(hex(64, 112)).isEqualTo(compact(SEND));
        assertThat(hex(176, 80)).as("behind it").isEqualTo("5a".repeat(80));
    }

    @Test
    void clearsTheHeaderAndNothingElse() {
        b.setMemory(0, 256, (byte) 0xff);
        SqWqe.clearHeader(b, 64);
        assertThat(hex(0, 256)).isEqualTo("ff".repeat(64) + "00".repeat(80) + "ff".repeat(112));
    }

    @Test
    void writesADatagram() {
        SqWqe.wrId(b, 0, 1);
        SqWqe.numSge(b, 0, 1);
        SqWqe.opcode(b, 0, WrOpcode.PVRDMA_WR_SEND_WITH_IMM);
        SqWqe.sendFlags(b, 0, SendFlags.PVRDMA_SEND_SIGNALED | SendFlags.PVRDMA_SEND_SOLICITED);
        SqWqe.immData(b, 0, Integer.reverseBytes(0x0a0b_0c0d));
        SqWqe.udRemoteQpn(b, 0, 0x2233);
        SqWqe.udRemoteQkey(b, 0, 0x8001_0080);
        final int av = SqWqe.udAvOffset(0);
        Av.portPd(b, av, Av.packPortPd(5, 1));
        Av.trafficClassFlowLabel(b, av, Av.packTrafficClassFlowLabel(0x20, 0x1_2345));
        Av.dgid(b, av, 0xfe80_0000_0000_0000L, 0x0250_5600_fe12_3456L);
        Av.srcPathBits(b, av, Av.SRC_PATH_BITS_FLAG);
        SqWqe.gidIndex(b, 0, 3);
        Av.hopLimit(b, av, 255);
        Av.dmac(b, av, HexFormat.of().parseHex("025056123456"));

        assertThat(hex(0, 80)).isEqualTo(compact(DATAGRAM));
    }

    @Test
    void readsADatagram() {
        load(16, DATAGRAM);
        final int av = SqWqe.udAvOffset(16);

        assertThat(SqWqe.immData(b, 16)).as("immediate data is in network order").isEqualTo(0x0d0c_0b0a);
        assertThat(SqWqe.udRemoteQpn(b, 16)).isEqualTo(0x2233);
        assertThat(SqWqe.udRemoteQkey(b, 16)).isEqualTo(0x8001_0080);
        assertThat(Av.pdOf(Av.portPd(b, av))).isEqualTo(5);
        assertThat(Av.portOf(Av.portPd(b, av))).isEqualTo(1);
        assertThat(Av.trafficClassOf(Av.trafficClassFlowLabel(b, av))).isEqualTo(0x20);
        assertThat(Av.flowLabelOf(Av.trafficClassFlowLabel(b, av))).isEqualTo(0x1_2345);
        assertThat(Av.dgidHigh(b, av)).isEqualTo(0xfe80_0000_0000_0000L);
        assertThat(Av.dgidLow(b, av)).isEqualTo(0x0250_5600_fe12_3456L);
        assertThat(Av.gidIndex(b, av)).isEqualTo(3).isEqualTo(SqWqe.gidIndex(b, 16));
        assertThat(Av.dmac(b, av)).isEqualTo(HexFormat.of().parseHex("025056123456"));
        assertThat(SqWqe.UD_LAYOUT.format(b, 16)).contains("SEND_WITH_IMM", "SIGNALED|SOLICITED",
            "fe8000000000000002505600fe123456");
    }

    @Test
    void copiesAddressesFromABuffer() {
        final UnsafeBuffer src = new UnsafeBuffer("..0123456789abcdef.uvwxyz.".getBytes(StandardCharsets.US_ASCII));
        Av.dgid(b, 8, src, 2);
        Av.dmac(b, 8, src, 19);
        assertThat(Av.dgid(b, 8)).asString(StandardCharsets.US_ASCII).isEqualTo("0123456789abcdef");
        assertThat(Av.dmac(b, 8)).asString(StandardCharsets.US_ASCII).isEqualTo("uvwxyz");
        Cqe.smac(b, 64, src, 19);
        assertThat(Cqe.smac(b, 64)).asString(StandardCharsets.US_ASCII).isEqualTo("uvwxyz");
        Cqe.smac(b, 128, "uvwxyz and more".getBytes(StandardCharsets.US_ASCII));
        assertThat(Cqe.smac(b, 128)).asString(StandardCharsets.US_ASCII).isEqualTo("uvwxyz");

        final String behind = "the byte behind the address";
        assertThat(Av.srcPathBits(b, 8)).as(behind).isZero();
        assertThat(b.getByte(8 + 34)).as(behind).isZero();
        assertThat(Cqe.networkHdrType(b, 64)).as(behind).isZero();
        assertThat(Cqe.networkHdrType(b, 128)).as(behind).isZero();
    }

    @Test
    void packsAddressWordsWithoutSpilling() {
        assertThat(Av.packPortPd(-1, 1)).isEqualTo(0x01ff_ffff);
        assertThat(Av.portOf(Av.packPortPd(0, 0xff))).isEqualTo(0xff);
        assertThat(Av.packTrafficClassFlowLabel(0x1ff, -1)).isEqualTo(0x0fff_ffff);
        assertThat(Av.trafficClassOf(0xffff_ffff)).isEqualTo(0xff);
    }

    @Test
    void keyToInvalidateSharesThePlaceOfImmediateData() {
        SqWqe.invalidateRkey(b, 32, 0x8765_4321);
        assertThat(SqWqe.INVALIDATE_RKEY_OFFSET).isEqualTo(24);
        assertThat(hex(32 + 24, 4)).isEqualTo("21436587");
        assertThat(SqWqe.invalidateRkey(b, 32)).isEqualTo(SqWqe.immData(b, 32)).isEqualTo(0x8765_4321);
    }

    @Test
    void writesABindOfAWindow() {
        SqWqe.clearHeader(b, 0);
        SqWqe.wrId(b, 0, 7);
        SqWqe.opcode(b, 0, WrOpcode.PVRDMA_WR_BIND_MW);
        SqWqe.bindAddr(b, 0, 0x7f00_0014_1200L);
        SqWqe.bindLength(b, 0, 0x1_0000_0001L);
        SqWqe.bindMwRkey(b, 0, 0x1122_3344);
        SqWqe.bindNewRkey(b, 0, 0x1122_3345);
        SqWqe.bindMrLkey(b, 0, 0x5566_7788);
        SqWqe.bindAccess(b, 0, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);

        assertThat(hex(0, 80)).isEqualTo(compact("""
            0700000000000000 00000000 00000000  0e000000 00000000 00000000 00000000
            00121400007f0000 0100000001000000  44332211 45332211 88776655 02000000
            0000000000000000 0000000000000000
            """));
    }

    @Test
    void readsACompletion() {
        load(64, COMPLETION);

        assertThat(Cqe.wrId(b, 64)).isEqualTo(0x0123_4567_89ab_cdefL);
        assertThat(Cqe.qp(b, 64)).isEqualTo(0x5566L);
        assertThat(Cqe.opcode(b, 64)).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
        assertThat(Cqe.status(b, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(Cqe.byteLen(b, 64)).isEqualTo(4096);
        assertThat(Integer.reverseBytes(Cqe.immData(b, 64))).isEqualTo(0x0a0b_0c0d);
        assertThat(Cqe.srcQp(b, 64)).isEqualTo(0x2233);
        assertThat(Cqe.wcFlags(b, 64)).isEqualTo(WcFlags.PVRDMA_WC_GRH | WcFlags.PVRDMA_WC_WITH_IMM
            | WcFlags.PVRDMA_WC_WITH_SMAC | WcFlags.PVRDMA_WC_WITH_NETWORK_HDR_TYPE);
        assertThat(Cqe.vendorErr(b, 64)).isEqualTo(0x81);
        assertThat(Cqe.portNum(b, 64)).isEqualTo(1);
        assertThat(Cqe.smac(b, 64)).isEqualTo(HexFormat.of().parseHex("005056abcdef"));
        assertThat(Cqe.networkHdrType(b, 64)).isEqualTo(NetworkHdrType.PVRDMA_NETWORK_IPV6);
        assertThat(Cqe.LAYOUT.format(b, 64)).contains("(RECV)", "(SUCCESS)", "005056abcdef", "(IPV6)");
    }

    @Test
    void writesACompletion() {
        Cqe.wrId(b, 0, 0x0123_4567_89ab_cdefL);
        Cqe.qp(b, 0, 0x5566);
        Cqe.opcode(b, 0, WcOpcode.PVRDMA_WC_RECV);
        Cqe.byteLen(b, 0, 4096);
        Cqe.immData(b, 0, Integer.reverseBytes(0x0a0b_0c0d));
        Cqe.srcQp(b, 0, 0x2233);
        Cqe.wcFlags(b, 0, 0x53);
        Cqe.vendorErr(b, 0, 0x81);
        Cqe.pkeyIndex(b, 0, 1);
        Cqe.portNum(b, 0, 1);
        Cqe.smac(b, 0, HexFormat.of().parseHex("005056abcdef"));
        Cqe.networkHdrType(b, 0, 2);
        assertThat(hex(0, 64)).isEqualTo(compact(COMPLETION));
    }

    @Test
    void writesAReceive() {
        b.setMemory(0, 64, (byte) 0xff);
        RqWqe.header(b, 16, 0x0102_0304_0506_0708L, 1);
        assertThat(hex(16, 16)).isEqualTo("08070605040302010100000000000000");
        assertThat(RqWqe.wrId(b, 16)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(RqWqe.numSge(b, 16)).isEqualTo(1);
    }

    @Test
    void ringStateIsTwoRings() {
        assertThat(RingState.TX_OFFSET + RingState.PROD_TAIL_OFFSET).isZero();
        assertThat(RingState.TX_OFFSET + RingState.CONS_HEAD_OFFSET).isEqualTo(4);
        assertThat(RingState.RX_OFFSET + RingState.PROD_TAIL_OFFSET).isEqualTo(8);
        assertThat(RingState.RX_OFFSET + RingState.CONS_HEAD_OFFSET).isEqualTo(12);
    }

    @Test
    void choosesTheVariantOfASendByItsOpcode() {
        assertThat(SqWqe.layoutOf(WrOpcode.PVRDMA_WR_SEND, true)).isSameAs(SqWqe.UD_LAYOUT);
        assertThat(SqWqe.layoutOf(WrOpcode.PVRDMA_WR_SEND, false)).isSameAs(SqWqe.LAYOUT);
        assertThat(SqWqe.layoutOf(WrOpcode.PVRDMA_WR_RDMA_WRITE, false)).isSameAs(SqWqe.RDMA_LAYOUT);
        assertThat(SqWqe.layoutOf(WrOpcode.PVRDMA_WR_RDMA_READ, false)).isSameAs(SqWqe.RDMA_LAYOUT);
        assertThat(SqWqe.layoutOf(5, false)).isSameAs(SqWqe.ATOMIC_LAYOUT);
        assertThat(SqWqe.layoutOf(11, false)).isSameAs(SqWqe.FAST_REG_LAYOUT);
        assertThat(SqWqe.layoutOf(12, false)).isSameAs(SqWqe.MASKED_CAS_LAYOUT);
        assertThat(SqWqe.layoutOf(13, false)).isSameAs(SqWqe.MASKED_FAA_LAYOUT);
        assertThat(SqWqe.layoutOf(14, false)).isSameAs(SqWqe.BIND_LAYOUT);
        assertThat(SqWqe.layoutOf(99, false)).isSameAs(SqWqe.LAYOUT);
    }

    private void load(int at, String hex) {
        b.putBytes(at, HexFormat.of().parseHex(compact(hex)));
    }

    private String hex(int at, int length) {
        final byte[] bytes = new byte[length];
        b.getBytes(at, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String compact(String hex) {
        return hex.replaceAll("\\s", "");
    }
}
