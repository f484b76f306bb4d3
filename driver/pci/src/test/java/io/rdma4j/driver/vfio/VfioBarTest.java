/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.PciDevice;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows: mapped, mapped in parts, not mapped, and closed. */
class VfioBarTest extends VfioFixture {
    private static int position(final int bar, final int offset) {
        return FakeKernel.BAR_OFFSETS[bar] + offset;
    }

    @Test
    void mappedWindowIsTheDevices() {
        try (PciDevice pci = open(FIRST)) {
            final Bar bar = pci.bar(0);
            assertThat(bar.isMapped()).isTrue();
            assertThat(bar).isSameAs(pci.bar(0));
            assertThat(bar.index()).isZero();
            assertThat(bar.size()).isEqualTo(0x4000);
            bar.writeInt(0x3ffc, 0x12345678);
            assertThat(kernel.peek(position(0, 0x3ffc))).isEqualTo(0x12345678);
            kernel.poke(position(0, 0x10), 77);
            assertThat(bar.readInt(0x10)).isEqualTo(77);
            assertThat(bar.buffer().capacity()).isEqualTo(0x4000);
            assertThat(bar.buffer().getInt(0x10)).isEqualTo(77);
            assertThat(kernel.calls.stream().filter("mmap"::equals)).hasSize(1);
        }
    }

    @Test
    void windowBelowAPageIsMappedWithItsOwnSize() {
        try (PciDevice pci = open(FIRST)) {
            assertThat(pci.bar(1).isMapped()).isTrue();
            assertThat(pci.bar(1).buffer().capacity()).isEqualTo(0x100);
            assertThat(kernel.mapped.get(0).length()).isEqualTo(PAGE);
            assertThatThrownBy(() -> pci.bar(1).readInt(0x100)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void windowThatCannotBeMappedIsReadAndWritten() {
        kernel.barFlags[1] = FakeKernel.READ_WRITE;
        try (PciDevice pci = open(FIRST)) {
            final Bar bar = pci.bar(1);
            assertThat(bar.isMapped()).isFalse();
            bar.writeInt(0xfc, 5);
            assertThat(kernel.peek(position(1, 0xfc))).isEqualTo(5);
            assertThat(bar.readInt(0xfc)).isEqualTo(5);
            assertThatThrownBy(bar::buffer).hasMessageContaining("EOPNOTSUPP").hasMessageContaining("nothing");
            assertThat(kernel.calls).doesNotContain("mmap");
        }
    }

    @Test
    void windowMappedInPartsIsReachedBothWays() {
        kernel.sparse.add(new RegionInfo.Area(0, PAGE));
        kernel.sparse.add(new RegionInfo.Area(2 * PAGE, PAGE));
        try (PciDevice pci = open(FIRST)) {
            final Bar bar = pci.bar(0);
            assertThat(bar.isMapped()).isFalse();
            assertThat(bar.toString()).contains("mapped in parts");
            assertThatThrownBy(bar::buffer).hasMessageContaining("only parts");
            kernel.calls.clear();
            for (int offset = 0; offset < 0x4000; offset += PAGE / 2) {
                bar.writeInt(offset, 3 + offset);
                assertThat(kernel.peek(position(0, offset))).isEqualTo(3 + offset);
                assertThat(bar.readInt(offset)).isEqualTo(3 + offset);
            }
            assertThat(kernel.calls).as("the second and the fourth page, each twice")
                .isEqualTo(Arrays.asList("pwrite", "pread", "pwrite", "pread", "pwrite", "pread", "pwrite", "pread"));
        }
    }

    @Test
    void partThatIsNotAlignedToPagesIsNotMapped() {
        kernel.sparse.add(new RegionInfo.Area(0x800, 0x800));
        try (PciDevice pci = open(FIRST)) {
            pci.bar(0).writeInt(0x800, 9);
            assertThat(pci.bar(0).readInt(0x800)).isEqualTo(9);
            assertThat(kernel.mapped).isEmpty();
        }
    }

    @Test
    void listOfNoPartsMeansThatNothingMayBeMapped() {
        kernel.listsParts = true;
        try (PciDevice pci = open(FIRST)) {
            pci.bar(0).writeInt(0x10, 11);
            assertThat(kernel.peek(position(0, 0x10))).isEqualTo(11);
            assertThat(pci.bar(0).isMapped()).isFalse();
            assertThat(kernel.mapped).isEmpty();
        }
    }

    @Test
    void listOfSenselessPartsMeansThatNothingMayBeMapped() {
        kernel.sparse.add(new RegionInfo.Area(0x4000, PAGE));
        kernel.sparse.add(new RegionInfo.Area(0, 0x5000));
        try (PciDevice pci = open(FIRST)) {
            assertThat(pci.bar(0).readInt(0x10)).isZero();
            assertThat(kernel.mapped).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mmap", "memfd"})
    void windowWhoseMappingIsRefusedIsReadAndWrittenAfterOneWarning(final String call) {
        kernel.errnos.put(call, RdmaException.ENOMEM);
        kernel.sparse.add(new RegionInfo.Area(0, PAGE));
        kernel.sparse.add(new RegionInfo.Area(PAGE, PAGE));
        try (Warnings warnings = new Warnings(VfioBar.class); PciDevice pci = open(FIRST)) {
            pci.bar(0).writeInt(0x10, 12);
            pci.bar(0).writeInt(PAGE, 13);
            assertThat(kernel.peek(position(0, 0x10))).isEqualTo(12);
            assertThat(kernel.peek(position(0, PAGE))).isEqualTo(13);
            assertThat(pci.bar(0).isMapped()).isFalse();
            assertThat(warnings.texts()).singleElement().asString().contains("BAR0 cannot be mapped", "ENOMEM");
        }
    }

    @Test
    void replacementIsTriedAgainAndTheWindowIsNeverAHole() {
        final PciDevice pci = open(FIRST);
        final UnsafeBuffer window = pci.bar(0).buffer();
        window.putInt(0, 1);
        kernel.failingReplacements = 2;
        pci.close();
        assertThat(window.getInt(0)).as("not the device any more").isZero();
    }

    @Test
    void windowThatCannotBeReplacedStaysMapped() {
        final PciDevice pci = open(FIRST);
        final UnsafeBuffer window = pci.bar(0).buffer();
        window.putInt(0, 5);
        kernel.errnos.put("mmap over", RdmaException.ENOMEM);
        assertThatThrownBy(pci::close).hasMessageContaining("ENOMEM");
        assertThat(window.getInt(0)).as("still the device's").isEqualTo(5);
    }

    /** In pieces: all of it is ordinary memory, none of it is the device's. */
    @Test
    void largeWindowIsReplacedToItsEnd() {
        final PciDevice pci = open(FIRST);
        final UnsafeBuffer window = pci.bar(2).buffer();
        for (int at = 0; at < window.capacity(); at += PAGE) {
            window.putInt(at, -1);
        }
        pci.close();
        for (int at = 0; at < window.capacity(); at += PAGE) {
            assertThat(window.getInt(at)).as("at 0x%x", at).isZero();
        }
        window.putInt(window.capacity() - Integer.BYTES, 3);
        assertThat(kernel.calls).filteredOn("mmap over"::equals).hasSizeBetween(2, 256);
    }

    @Test
    void busAddressIsThatOfTheRegisters() {
        try (PciDevice pci = open(FIRST)) {
            assertThat(pci.bar(0).busAddress()).isEqualTo(0xfea0_0000L);
            assertThat(pci.bar(1).busAddress()).isEqualTo(0xfeb0_0000L);
            assertThat(pci.bar(2).busAddress()).as("64 bits").isEqualTo(0x38_c000_0000L);
        }
    }

    @Test
    void absentWindowIsRefusedAndTheOthersAreNamed() {
        try (PciDevice pci = open(FIRST)) {
            for (final int index : new int[] {-1, 3, 5, 6}) {
                assertThatThrownBy(() -> pci.bar(index)).isInstanceOf(RdmaException.class)
                    .hasMessageContaining("ENODEV")
                    .hasMessageContaining("BAR0 of 16384 bytes, BAR1 of 256 bytes, BAR2 of 8388608 bytes");
            }
        }
    }

    @Test
    void offsetsOutsideOrUnalignedAreRefused() {
        try (PciDevice pci = open(FIRST)) {
            for (final int offset : new int[] {-4, 2, 0x4000, 0x3ffe, Integer.MAX_VALUE}) {
                assertThatThrownBy(() -> pci.bar(0).readInt(offset)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> pci.bar(0).writeInt(offset, 0)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void lateWriteGoesToMemoryOfTheProcess() {
        final PciDevice pci = open(FIRST);
        final Bar bar = pci.bar(0);
        final UnsafeBuffer window = bar.buffer();
        bar.writeInt(0, 1);
        pci.close();
        assertThat(kernel.mapped).allMatch(memory -> memory.isOpen());
        assertThat(window.getInt(0)).as("not the device any more").isZero();
        window.putInt(0, 42);
        assertThat(window.getInt(0)).isEqualTo(42);
        assertThatThrownBy(() -> bar.readInt(0)).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> bar.writeInt(0, 1)).hasMessageContaining("EBADFD");
        assertThatThrownBy(bar::buffer).hasMessageContaining("EBADFD");
        assertThat(bar.toString()).contains("closed");
    }

    @Test
    void windowStaysMappedAsLongAsItsBufferIsHeld() {
        final PciDevice pci = open(FIRST);
        UnsafeBuffer window = pci.bar(0).buffer();
        pci.close();
        for (int i = 0; i < 5; i++) {
            System.gc();
        }
        assertThat(kernel.mapped.get(0).isOpen()).isTrue();
        window.putInt(0, 1);
        // The fixture sees that it goes now.
        window = null;
        assertThat(window).isNull();
    }
}
