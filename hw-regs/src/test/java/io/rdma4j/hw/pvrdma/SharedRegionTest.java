/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static io.rdma4j.hw.pvrdma.Dsr.*;
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
        dsr.set(DRIVER_VERSION, Bar1.DRIVER_VERSION).set(GOS_INFO, GosInfo.LINUX_64)
            .set(CMD_SLOT_DMA, 0x1_0000_1000L).set(RESP_SLOT_DMA, 0x1_0000_2000L)
            .set(ASYNC_RING_PAGES_NUM_PAGES, 4).set(ASYNC_RING_PAGES_PDIR_DMA, 0x1_0000_3000L)
            .set(CQ_RING_PAGES_NUM_PAGES, 4).set(CQ_RING_PAGES_PDIR_DMA, 0x1_0000_4000L)
            .set(UAR_PFN64, 0x1_0ff0_0000L);

        assertThat(hex(0, 72)).isEqualTo(WRITTEN_BY_THE_DRIVER);
        assertThat(hex(72, 208)).isEqualTo("00".repeat(208));
    }

    @Test
    void readsWhatTheDriverWrote() {
        page.putBytes(0, HexFormat.of().parseHex(WRITTEN_BY_THE_DRIVER));

        assertThat(dsr.get(DRIVER_VERSION)).isEqualTo(20);
        assertThat(GosInfo.bits(dsr.get(GOS_INFO))).isEqualTo(GosInfo.PVRDMA_GOS_BITS_64);
        assertThat(dsr.get(CQ_RING_PAGES_PDIR_DMA)).isEqualTo(0x1_0000_4000L);
        assertThat(dsr.get(UAR_PFN64)).isEqualTo(0x1_0ff0_0000L);
        assertThat(dsr.uarPfn()).as("the low half").isEqualTo(0x0ff0_0000);
    }

    @Test
    void shortPageFrameNumberClearsTheUpperHalf() {
        assertThat(dsr.set(UAR_PFN64, -1L).uarPfn(0x8000_0001)).isSameAs(dsr);
        assertThat(hex(64, 8)).isEqualTo("0100008000000000");
        assertThat(dsr.uarPfn()).isEqualTo(0x8000_0001);
    }

    @Test
    void capabilitiesBeginAtByte72AndGuidsAreBigEndian() {
        page.putBytes(72 + 8, HexFormat.of().parseHex("0250 56ff fe12 3456".replace(" ", "")));
        page.putByte(72 + 203, (byte) 1);
        page.putInt(72 + 188, 0x0000_2000);

        assertThat(dsr.get(CAPS).get(Caps.NODE_GUID)).isEqualTo(0x0250_56ff_fe12_3456L);
        assertThat(dsr.get(CAPS).get(Caps.GID_TYPES)).isEqualTo(GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
        assertThat(dsr.get(CAPS).get(Caps.MAX_UAR)).isEqualTo(8192);
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
        assertThat(GosInfo.NAMES.of(0x46)).isEqualTo("bits 2, type 1, version 1, misc 0");
    }

    private String hex(int at, int length) {
        final byte[] bytes = new byte[length];
        page.getBytes(at, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
