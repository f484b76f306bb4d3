/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.sysfs.PageMap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a device without an IOMMU is told, by a made-up pagemap. */
class PhysicalAddressesTest {
    private static final int PAGES = 4;

    @TempDir
    private Path folder;

    private final List<String> warnings = new ArrayList<>();
    private final MappedMemory memory = MappedMemory.anonymous((long) PAGES * PAGE_SIZE);
    private final PhysicalAddresses addresses = new PhysicalAddresses("group 12", this::look, warnings::add);
    private final IommuDmaDomain domain = new IommuDmaDomain(addresses, PhysicalAddresses.iovas(),
        IovaPolicy.VIRTUAL_IF_FREE, HostMemory.ofJvm(), "test:");
    private int looks;
    /** The look before which the memory moves one frame higher. */
    private int movesAt = -1;
    private boolean alwaysMoves;
    private long present = 1L << 63;

    private PageMap look() {
        looks++;
        if (alwaysMoves || looks == movesAt) {
            frames(memory.address(), looks, looks + 1, looks + 2, looks + 3);
        }
        return new PageMap(folder.resolve("pagemap"), PAGE_SIZE);
    }

    /** Puts pages into frames. */
    private void frames(final long address, final long... frames) {
        final ByteBuffer words = ByteBuffer.allocate(frames.length * Long.BYTES).order(ByteOrder.nativeOrder());
        for (final long frame : frames) {
            words.putLong(present | frame);
        }
        try (FileChannel out = FileChannel.open(
            folder.resolve("pagemap"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            out.write(words.flip(), address / PAGE_SIZE * Long.BYTES);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RdmaException refusal() {
        final Throwable[] thrown = new Throwable[1];
        assertThatThrownBy(() -> domain.map(memory.address(), memory.length(), null))
            .satisfies(failure -> thrown[0] = failure);
        assertThat(domain.mappings()).isZero();
        return (RdmaException) thrown[0];
    }

    @AfterEach
    void closes() {
        domain.close();
        assertThat(addresses.toString()).startsWith("PhysicalAddresses[0 mappings");
        memory.close();
    }

    @Test
    void tellsWhereEachPageIs() {
        frames(memory.address(), 0x900, 0x17, 0x18, 0x400);
        final DmaMapping mapping = domain.map(memory.address() + 100, memory.length() - 200, null);
        assertThat(mapping.iova()).isEqualTo(0x900_000);
        assertThat(mapping.iova(PAGE_SIZE + 5)).isEqualTo(0x17_005);
        final PageMappings pages = PageMappings.ofRange(domain, memory.address(), memory.length(), null);
        assertThat(List.of(pages.iova(0), pages.iova(2), pages.iova(3))).containsExactly(0x900_000L, 0x18_000L,
            0x400_000L);
        final PageMappings listed = PageMappings.ofPages(domain, 2,
            page -> memory.address() + (3 - 2 * page) * PAGE_SIZE, page -> null);
        assertThat(listed.iova(0)).isEqualTo(0x400_000);
        assertThat(listed.iova(1)).isEqualTo(0x17_000);
        mapping.close();
        assertThat(mapping.iova()).as("what the device was told stays known").isEqualTo(0x900_000);
        listed.close();
        pages.close();
        assertThat(warnings).isEmpty();
    }

    /** The whole buffer is mapped for the first region, and the second one lies in it. */
    @Test
    void tellsItOfARegionInsideAMapping() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(5 * PAGE_SIZE);
        final long first = BufferUtil.address(buffer) + PAGE_SIZE - 1 & -PAGE_SIZE;
        frames(first - PAGE_SIZE, 0x9, 0x5, 0x4, 0x3, 0x2, 0x1);
        try (DmaMapping whole = domain.map(first, 4L * PAGE_SIZE, buffer);
            DmaMapping part = domain.map(first + 2L * PAGE_SIZE, 10, buffer)) {
            assertThat(domain.mappings()).isEqualTo(1);
            assertThat(whole.iova()).isEqualTo(0x5_000);
            assertThat(part.iova(7)).isEqualTo(0x3_007);
        }
    }

    @Test
    void allocatesMemoryThatIsInPieces() {
        final HostBlock block = HostMemory.ofJvm().allocate(2L * PAGE_SIZE, null);
        final IommuDmaDomain scattered = new IommuDmaDomain(addresses, PhysicalAddresses.iovas(), IovaPolicy.ALLOCATED,
            new HostMemory(PagePreference.KB4, new OneBlock(block), new HostMemory.StepsDown(warnings::add), () -> { }),
            "test:");
        frames(block.address(), 0x70, 0x50);
        try (DmaMemory allocated = scattered.allocate(2L * PAGE_SIZE)) {
            assertThat(allocated.iova()).isEqualTo(0x70_000);
            assertThat(allocated.iova(PAGE_SIZE)).isEqualTo(0x50_000);
        }
        scattered.close();
    }

    @Test
    void bringsPagesInBeforeItLooks() {
        frames(memory.address(), 1, 2, 3, 4);
        try (PageMap real = PageMap.of(ProcessHandle.current().pid())) {
            assertThat(real.physical(memory.address())).isEqualTo(PageMap.ABSENT);
        }
        domain.map(memory.address(), memory.length(), null).close();
        try (PageMap real = PageMap.of(ProcessHandle.current().pid())) {
            assertThat(real.physical(memory.address())).isNotEqualTo(PageMap.ABSENT);
        }
    }

    @Test
    void refusesMemoryThatTheProcessMayNotWrite() {
        final MappedMemory readOnly = MappedMemory.map(0, PAGE_SIZE, LibcConstants.PROT_READ,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        frames(readOnly.address(), 7);
        assertThatThrownBy(() -> domain.map(readOnly.address(), PAGE_SIZE, null)).hasMessageContaining("[EFAULT]");
        assertThat(domain.mappings()).isZero();
        readOnly.close();
    }

    @Test
    void saysWhichRightIsMissing() {
        frames(memory.address(), 0, 0, 0, 0);
        assertThat(refusal()).hasMessageContaining("CAP_SYS_ADMIN").hasMessageContaining("[EPERM]")
            .extracting(RdmaException::hint).asString().contains("CAP_SYS_RAWIO");
    }

    @Test
    void looksAgainWhenAPageMoves() {
        frames(memory.address(), 1, 2, 3, 4);
        movesAt = 2;
        try (DmaMapping mapping = domain.map(memory.address(), memory.length(), null)) {
            assertThat(mapping.iova(PAGE_SIZE)).as("where it is now").isEqualTo(3L * PAGE_SIZE);
        }
        assertThat(warnings).isEmpty();
        alwaysMoves = true;
        assertThat(refusal()).hasMessageContaining("4 pages")
            .hasMessageContaining("do not stay where they are [EFAULT]");
    }

    @Test
    void aPageThatIsNotThereIsNotTold() {
        present = 0;
        frames(memory.address(), 1, 2, 3, 4);
        assertThat(refusal()).hasMessageContaining("are not in memory [EFAULT]");
    }

    @Test
    void warnsOfAPageThatMovedWhileItWasMapped() {
        frames(memory.address(), 1, 2, 3, 4);
        final DmaMapping mapping = domain.map(memory.address(), memory.length(), null);
        frames(memory.address() + PAGE_SIZE, 9);
        mapping.close();
        domain.map(memory.address() + PAGE_SIZE, PAGE_SIZE, null).close();
        assertThat(addresses).hasToString("PhysicalAddresses[0 mappings, of 1 pages had moved]");
        final DmaMapping again = domain.map(memory.address(), memory.length(), null);
        frames(memory.address() + PAGE_SIZE, 2);
        again.close();
        assertThat(addresses.toString()).contains("of 2 pages had moved");
        assertThat(warnings).as("said once").singleElement().asString().contains("group 12",
            Long.toHexString(memory.address() + PAGE_SIZE), "is not where it was", "Use hugepages");
    }

    @Test
    void endsMappingsOfAProcessThatGaveUpItsRights() {
        frames(memory.address(), 1, 2, 3, 4);
        final DmaMapping mapping = domain.map(memory.address(), memory.length(), null);
        frames(memory.address(), 0, 0, 0, 0);
        mapping.close();
        assertThat(mapping.isReleased()).isTrue();
        assertThat(warnings).isEmpty();
    }

    @Test
    void letsGoOfTheOwner() {
        frames(memory.address(), 1, 2, 3, 4);
        Object owner = new Object();
        final WeakReference<Object> seen = new WeakReference<>(owner);
        final DmaMapping mapping = domain.map(memory.address(), memory.length(), owner);
        owner = null;
        mapping.close();
        for (int i = 0; i < 100 && seen.get() != null; i++) {
            System.gc();
        }
        assertThat(seen.get()).isNull();
        assertThat(mapping.iova(3L * PAGE_SIZE)).isEqualTo(4L * PAGE_SIZE);
    }

    /** Gives out one block. */
    private record OneBlock(HostBlock block) implements PageSource {
        @Override
        public HostBlock allocate(final PageKind kind, final int length) {
            return block;
        }

        @Override
        public HostBlock allocateShared(final PageKind kind, final int length) {
            return block;
        }

        @Override
        public String advice(final PageKind kind, final long length) {
            return "";
        }

        @Override
        public long retiredBytes(final PageKind kind) {
            return 0;
        }

        @Override
        public long retiredEver(final PageKind kind) {
            return 0;
        }

        @Override
        public long freeBytes(final PageKind kind) {
            return 0;
        }
    }
}
