/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class SharedRegionTest {
    private static final String WRITTEN_BY_THE_DRIVER = """
        14000000 00000000 46000000 00000000  0010000001000000 0020000001000000
        04000000 00000000 0030000001000000   04000000 00000000 0040000001000000
        0000f00f 01000000
        """.replaceAll("\\s", "");

    private final UnsafeBuffer page = new UnsafeBuffer(new byte[4096]);
    private final Dsr dsr = new Dsr().wrap(page, 0);

    @Test
    void writesWhatTheDeviceReads() {
        dsr.driverVersion(Bar1.DRIVER_VERSION).gosInfo(GosInfo.LINUX_64)
            .cmdSlotDma(0x1_0000_1000L).respSlotDma(0x1_0000_2000L)
            .asyncRingNumPages(4).asyncRingPdirDma(0x1_0000_3000L)
            .cqRingNumPages(4).cqRingPdirDma(0x1_0000_4000L)
            .uarPfn64(0x1_0ff0_0000L);

        assertThat(hex(0, 72)).isEqualTo(WRITTEN_BY_THE_DRIVER);
        assertThat(hex(72, 208)).isEqualTo("00".repeat(208));
    }

    @Test
    void readsWhatTheDriverWrote() {
        page.putBytes(0, HexFormat.of().parseHex(WRITTEN_BY_THE_DRIVER));

        assertThat(dsr.driverVersion()).isEqualTo(20);
        assertThat(GosInfo.bits(dsr.gosInfo())).isEqualTo(GosInfo.PVRDMA_GOS_BITS_64);
        assertThat(dsr.cqRingPdirDma()).isEqualTo(0x1_0000_4000L);
        assertThat(dsr.uarPfn64()).isEqualTo(0x1_0ff0_0000L);
        assertThat(dsr.uarPfn()).as("the low half").isEqualTo(0x0ff0_0000);
    }

    @Test
    void shortPageFrameNumberClearsTheUpperHalf() {
        assertThat(dsr.uarPfn64(-1L).uarPfn(0x8000_0001)).isSameAs(dsr);
        assertThat(hex(64, 8)).isEqualTo("0100008000000000");
        assertThat(dsr.uarPfn()).isEqualTo(0x8000_0001);
    }

    @Test
    void capabilitiesBeginAtByte72AndGuidsAreBigEndian() {
        page.putBytes(72 + 8, HexFormat.of().parseHex("0250 56ff fe12 3456".replace(" ", "")));
        page.putByte(72 + 203, (byte) 1);
        page.putInt(72 + 188, 0x0000_2000);

        assertThat(dsr.caps().nodeGuid()).isEqualTo(0x0250_56ff_fe12_3456L);
        assertThat(dsr.caps().gidTypes()).isEqualTo(GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
        assertThat(dsr.caps().maxUar()).isEqualTo(8192);
        assertThat(dsr.toString()).contains("caps.node_guid", "0x25056fffe123456", "(ROCE_V1)");
    }

    @Test
    void guestSystemPacksFourParts() {
        assertThat(GosInfo.LINUX_64).isEqualTo(0x46);
        final int word = GosInfo.pack(1, 15, 0xfffe, 0x3fd);
        assertThat(word).isEqualTo(0xff7f_ffbd);
        assertThat(GosInfo.bits(word)).isEqualTo(1);
        assertThat(GosInfo.type(word)).isEqualTo(15);
        assertThat(GosInfo.version(word)).isEqualTo(0xfffe);
        assertThat(GosInfo.misc(word)).isEqualTo(0x3fd);
        assertThat(GosInfo.pack(-4, -16, 1 << 16, 1 << 10)).as("no part spills").isZero();
        assertThat(GosInfo.name(0x46)).isEqualTo("bits 2, type 1, version 1, misc 0");
    }

    private String hex(int at, int length) {
        final byte[] bytes = new byte[length];
        page.getBytes(at, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
