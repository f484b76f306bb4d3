/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.layout.Layout;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class PciTest {
    private final UnsafeBuffer config = new UnsafeBuffer(new byte[256]);

    @Test
    void headerIsWhatTheSpecificationSays() {
        assertThat(offsets(PciConfig.LAYOUT)).containsExactly("0 vendor_id", "2 device_id", "4 command", "6 status",
            "8 revision_id", "9 prog_if", "a class_device", "c cache_line_size", "d latency_timer", "e header_type",
            "f bist", "10 bar0", "14 bar1", "18 bar2", "1c bar3", "20 bar4", "24 bar5", "28 cardbus_cis",
            "2c subsystem_vendor_id", "2e subsystem_id", "30 expansion_rom", "34 cap_ptr", "35 reserved@53",
            "3c interrupt_line", "3d interrupt_pin", "3e min_gnt", "3f max_lat");
        assertThat(PciConfig.LENGTH).isEqualTo(64);
        assertThat(new int[] {PciConfig.IO, PciConfig.MEMORY, PciConfig.BUS_MASTER, PciConfig.INTX_DISABLE})
            .containsExactly(1, 2, 4, 0x400);
        assertThat(PciConfig.STATUS_CAP_LIST).isEqualTo(0x10);
    }

    @Test
    void printsThePvrdmaOfAnEmulator() {
        config.putBytes(0, HexFormat.of().parseHex("ad15200806041000 00008002 00000000 0000c0fe 0040c0fe"
            .replace(" ", "")));
        assertThat(PciConfig.LAYOUT.format(config, 0)).contains("0x15ad", "0x820", "0x280 (640)", "0xfec04000");
        assertThat(PciConfig.CLASS_NETWORK_OTHER).isEqualTo(0x280);
    }

    @Test
    void barsAreFourBytesApart() {
        assertThat(PciConfig.barOffset(0)).isEqualTo(PciConfig.BAR0_OFFSET).isEqualTo(0x10);
        assertThat(PciConfig.barOffset(5)).isEqualTo(PciConfig.BAR5_OFFSET).isEqualTo(0x24);
        assertThatThrownBy(() -> PciConfig.barOffset(6)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("bar 6");
        assertThatThrownBy(() -> PciConfig.barOffset(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void barAddressLeavesOutTheFlags() {
        assertThat(PciConfig.barAddress(0xfec0_0008, -1)).isEqualTo(0xfec0_0000L);
        assertThat(PciConfig.barAddress(0xfec0_000c, 0x20)).isEqualTo(0x20_fec0_0000L);
        assertThat(PciConfig.isMemory64(0xc001)).as("a port").isFalse();
        assertThat(PciConfig.isMemory64(0x5)).as("a port with bit 2").isFalse();
        assertThat(PciConfig.isMemory64(0x4)).isTrue();
    }

    @Test
    void findsACapabilityInTheList() {
        capabilities(0x98, 0x01, 0x40, 0x11, 0);
        assertThat(PciConfig.findCapability(config, MsixCapability.CAP_ID)).isEqualTo(0x40);
        assertThat(PciConfig.findCapability(config, 0x01)).isEqualTo(0x98);
        assertThat(PciConfig.findCapability(config, 0x05)).isEqualTo(-1);
    }

    @Test
    void findsNothingWithoutAList() {
        capabilities(0x40, 0x11, 0);
        config.putShort(PciConfig.STATUS_OFFSET, (short) 0);
        assertThat(PciConfig.findCapability(config, MsixCapability.CAP_ID)).isEqualTo(-1);
        assertThat(PciConfig.findCapability(new UnsafeBuffer(new byte[16]), MsixCapability.CAP_ID)).isEqualTo(-1);
    }

    @Test
    void endsTheWalkOfAListThatIsNone() {
        capabilities(0x40, 0x01, 0x40);
        assertThat(PciConfig.findCapability(config, MsixCapability.CAP_ID)).as("a circle").isEqualTo(-1);
        capabilities(0x40, 0x01, 0x10);
        assertThat(PciConfig.findCapability(config, MsixCapability.CAP_ID)).as("into the header").isEqualTo(-1);
        capabilities(0xfc, 0x11, 0);
        assertThat(PciConfig.findCapability(config, MsixCapability.CAP_ID)).as("the last place").isEqualTo(0xfc);
        assertThat(PciConfig.findCapability(new UnsafeBuffer(config, 0, 250), MsixCapability.CAP_ID))
            .as("behind the end").isEqualTo(-1);
    }

    @Test
    void msixCapabilityTellsVectorsAndPlaces() {
        assertThat(offsets(MsixCapability.LAYOUT))
            .containsExactly("0 cap_id", "1 cap_next", "2 control", "4 table", "8 pba");
        assertThat(MsixCapability.LENGTH).isEqualTo(12);
        assertThat(MsixCapability.tableSize(0x8002)).isEqualTo(3);
        assertThat(MsixCapability.tableSize(0xc7ff)).isEqualTo(2048);
        assertThat(MsixCapability.control(3)).isEqualTo(2);
        assertThat(MsixCapability.ENABLE).isEqualTo(0x8000);
        assertThat(MsixCapability.FUNCTION_MASK).isEqualTo(0x4000);
        assertThat(MsixCapability.bir(0x2003)).isEqualTo(3);
        assertThat(MsixCapability.offset(0x2003)).isEqualTo(0x2000);
        assertThat(MsixCapability.word(3, 0x2000)).isEqualTo(0x2003);
        assertThat(MsixCapability.pbaLength(1)).isEqualTo(8);
        assertThat(MsixCapability.pbaLength(64)).isEqualTo(8);
        assertThat(MsixCapability.pbaLength(65)).isEqualTo(16);
    }

    @Test
    void msixRefusesImpossibleNumbersOfVectors() {
        assertThat(MsixCapability.control(1)).isZero();
        assertThat(MsixCapability.control(2048)).isEqualTo(0x7ff);
        assertThatThrownBy(() -> MsixCapability.control(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MsixCapability.control(2049)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("2049");
    }

    @Test
    void msixTableEntryHoldsAMessage() {
        final UnsafeBuffer table = new UnsafeBuffer(new byte[48]);
        final int entry = MsixTableEntry.entryOffset(1);
        MsixTableEntry.set(table, entry, 0x1_fee0_1000L, 0x4023, true);

        final byte[] bytes = new byte[48];
        table.getBytes(0, bytes);
        assertThat(HexFormat.of().formatHex(bytes))
            .isEqualTo("00".repeat(16) + "0010e0fe" + "01000000" + "23400000" + "01000000" + "00".repeat(16));
        assertThat(MsixTableEntry.address(table, entry)).isEqualTo(0x1_fee0_1000L);
        assertThat(MsixTableEntry.data(table, entry)).isEqualTo(0x4023);
        assertThat(MsixTableEntry.isMasked(table, entry)).isTrue();
        MsixTableEntry.set(table, entry, 0xfee0_0000L, 0, false);
        assertThat(MsixTableEntry.isMasked(table, entry)).isFalse();
        assertThat(MsixTableEntry.address(table, entry)).isEqualTo(0xfee0_0000L);
        assertThat(offsets(MsixTableEntry.LAYOUT))
            .containsExactly("0 msg_addr_low", "4 msg_addr_high", "8 msg_data", "c vector_control");
    }

    /** Writes a list: the place of the first, then id and place of the next of each. */
    private void capabilities(int first, int... idsAndNexts) {
        config.setMemory(0x40, 0xc0, (byte) 0);
        config.putShort(PciConfig.STATUS_OFFSET, (short) PciConfig.STATUS_CAP_LIST);
        config.putByte(PciConfig.CAP_PTR_OFFSET, (byte) first);
        int at = first;
        for (int i = 0; i < idsAndNexts.length; i += 2) {
            config.putByte(at, (byte) idsAndNexts[i]);
            config.putByte(at + 1, (byte) idsAndNexts[i + 1]);
            at = idsAndNexts[i + 1];
        }
    }

    private static List<String> offsets(Layout layout) {
        return layout.fields().stream().map(f -> Integer.toHexString(f.offset()) + " " + f.name()).toList();
    }
}
