/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.SharedFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LinuxPagesTest {
    private static final int MIB = 1 << 20;
    private static final Path POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");

    private final LinuxPages pages = LinuxPages.INSTANCE;

    private static int number(final Path file) throws IOException {
        return Files.isReadable(file) ? Integer.parseInt(Files.readString(file).trim()) : 0;
    }

    private static void assertUsable(final HostBlock block, final int length) {
        assertThat(block.address() % block.pages().pageSize()).isZero();
        assertThat(block.mappedLength() % block.pages().pageSize()).isZero();
        assertThat(block.memory().capacity()).isEqualTo(length);
        final UnsafeBuffer bytes = new UnsafeBuffer(block.memory());
        for (int i = 0; i + 8 <= length; i += 4096) {
            assertThat(bytes.getLong(i)).as("offset %d", i).isZero();
            bytes.putLong(i, i);
        }
    }

    @ParameterizedTest
    @EnumSource(value = PageKind.class, names = {"THP", "KB4"})
    void givesZeroedAlignedMemory(final PageKind kind) {
        final HostBlock block = pages.allocate(kind, 3 * MIB);

        assertThat(block.address() % kind.pageSize()).isZero();
        assertThat(block.mappedLength()).isEqualTo(kind.roundUp(3 * MIB));
        assertUsable(block, 3 * MIB);
    }

    @Test
    void claimsTransparentHugepagesOnlyWhereTheyAre(@TempDir final Path folder) throws IOException {
        for (int i = 0; i < 4; i++) {
            final HostBlock block = pages.allocate(PageKind.THP, 3 * MIB);
            final long large = ProcessMaps.transparentBytes(Path.of("/proc/self/smaps"), block.address(), 4 * MIB);
            assertThat(block.pages()).as("%d bytes of 4 MiB", large)
                .isEqualTo(large < 4 * MIB ? PageKind.KB4 : PageKind.THP);
        }
        final Path enabled = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        assumeTrue(Files.isReadable(enabled) && !Files.readString(enabled).contains("[never]"), "none are allowed");
        final Path none = Files.writeString(folder.resolve("smaps"), "1000-7ffffffff000 rw-p 00000000 00:00 0 \n"
            + "Size:           4096 kB\nAnonHugePages:         0 kB\n");
        final HostBlock small = new LinuxPages(Path.of("/sys/kernel/mm"), none, SharedPages.PROCESS)
            .allocate(PageKind.THP, 3 * MIB);
        assertThat(small.pages()).isEqualTo(PageKind.KB4);
        assertThat(small.mappedLength()).as("still aligned, as the kernel may join the pages later")
            .isEqualTo(4 * MIB);
    }

    @Test
    void freePagesOfAPoolAreThoseThatNobodyWasPromised(@TempDir final Path folder) throws IOException {
        final LinuxPages some = new LinuxPages(folder, Path.of("/proc/self/smaps"), SharedPages.PROCESS);
        assertThat(some.freeBytes(PageKind.KB4)).isEqualTo(Long.MAX_VALUE);
        assertThat(some.freeBytes(PageKind.MB2)).as("no pool").isEqualTo(Long.MAX_VALUE);
        final Path pool = Files.createDirectories(folder.resolve("hugepages/hugepages-2048kB"));
        Files.writeString(pool.resolve("free_hugepages"), "5\n");
        assertThat(some.freeBytes(PageKind.MB2)).as("half a pool").isEqualTo(Long.MAX_VALUE);
        Files.writeString(pool.resolve("resv_hugepages"), "0\n");
        assertThat(some.freeBytes(PageKind.MB2)).isEqualTo(5L * 2 * MIB);
        Files.writeString(pool.resolve("resv_hugepages"), "2\n");
        assertThat(some.freeBytes(PageKind.MB2)).isEqualTo(3L * 2 * MIB);
        assertThat(some.freeBytes(PageKind.GB1)).as("another pool").isEqualTo(Long.MAX_VALUE);
        Files.writeString(pool.resolve("free_hugepages"), "1\n");
        assertThat(some.freeBytes(PageKind.MB2)).as("more promised than there is").isZero();
    }

    @Test
    void memoryIsThereBeforeItIsUsed() throws IOException {
        final HostBlock block = pages.allocate(PageKind.KB4, 8 * MIB);

        assertThat(residentKib(block.address())).isEqualTo(8 * 1024);
    }

    /** Of the mapping that an address is in, as far as it is of this size or larger. */
    private static long residentKib(final long address) throws IOException {
        boolean found = false;
        for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                final String[] range = line.split("[- ]");
                found = Long.parseUnsignedLong(range[0], 16) <= address
                    && address < Long.parseUnsignedLong(range[1], 16);
            } else if (found && line.startsWith("Rss:")) {
                return Math.min(8 * 1024, Long.parseLong(line.replaceAll("[^0-9]", "")));
            }
        }
        return -1;
    }

    @Test
    void takesHugepagesOfThePoolAndGivesThemBack() throws IOException, InterruptedException {
        assumeTrue(number(POOL.resolve("free_hugepages")) >= 3, "fewer than 3 free hugepages of 2 MiB: echo 3 > "
            + POOL.resolve("nr_hugepages"));
        final int free = number(POOL.resolve("free_hugepages"));
        UnsafeBuffer last = new UnsafeBuffer(useBlockOfPool(free));
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        last.putByte(0, (byte) 1);
        assertThat(number(POOL.resolve("free_hugepages"))).as("a slice is in use").isEqualTo(free - 3);
        last = null;
        for (int i = 0; i < 1000 && number(POOL.resolve("free_hugepages")) < free; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(number(POOL.resolve("free_hugepages"))).isEqualTo(free);
    }

    private ByteBuffer useBlockOfPool(final int free) throws IOException {
        final HostBlock block = pages.allocate(PageKind.MB2, 5 * MIB);
        assertUsable(block, 5 * MIB);
        assertThat(block.mappedLength()).isEqualTo(6 * MIB);
        assertThat(number(POOL.resolve("free_hugepages"))).isEqualTo(free - 3);
        return block.memory().slice(4096, 8192).slice(8, 16);
    }

    @Test
    void sharesOrdinaryPagesAndNoTransparentOnes() throws IOException {
        final HostBlock block = pages.allocateShared(PageKind.KB4, 3 * MIB);
        assertUsable(block, 3 * MIB);
        assertThat(Files.readSymbolicLink(descriptor(block.shared().orElseThrow())).toString())
            .startsWith("/memfd:rdma4j");
        final Path enabled = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        if (Files.isReadable(enabled) && !Files.readString(enabled).contains("[never]")) {
            assertThat(pages.allocateShared(PageKind.THP, 3 * MIB).shared()).isEmpty();
        }
    }

    @Test
    void sharesPagesOfThePoolInAFileThatEndsWithThem() throws IOException, InterruptedException {
        assumeTrue(number(POOL.resolve("free_hugepages")) >= 3, "fewer than 3 free hugepages of 2 MiB: echo 3 > "
            + POOL.resolve("nr_hugepages"));
        final int free = number(POOL.resolve("free_hugepages"));
        final Path file = sharedOfPool();
        for (int i = 0; i < 1000 && Files.exists(file); i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(Files.exists(file)).as("%s is closed", file).isFalse();
        assertThat(number(POOL.resolve("free_hugepages"))).isEqualTo(free);
    }

    private Path sharedOfPool() throws IOException {
        final HostBlock block = pages.allocateShared(PageKind.MB2, 5 * MIB);
        assertUsable(block, 5 * MIB);
        final SharedFile place = block.shared().orElseThrow();
        try (FileChannel file = FileChannel.open(descriptor(place), StandardOpenOption.READ)) {
            final ByteBuffer read = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
            assertThat(file.read(read, place.offset() + 4 * MIB)).isEqualTo(8);
            assertThat(read.getLong(0)).isEqualTo(4 * MIB);
        }
        return descriptor(place);
    }

    private static Path descriptor(final SharedFile place) {
        return Path.of("/proc/self/fd/" + place.descriptor());
    }

    @Test
    void keepsNothingOfWhatWasTooMuch() throws IOException {
        final int free = number(POOL.resolve("free_hugepages"));
        assumeTrue(free < 1000, "this machine has a large pool");
        final int mappings = MappedMemory.mappedCount();

        assertThatThrownBy(() -> pages.allocate(PageKind.MB2, 2000 * MIB)).isInstanceOf(RdmaException.class);

        assertThat(MappedMemory.mappedCount()).isLessThanOrEqualTo(mappings);
        assertThat(number(POOL.resolve("free_hugepages"))).isEqualTo(free);
    }

    @Test
    void advisesWithTheNumbersOfThisMachine(@TempDir final Path folder) throws IOException {
        final Path pool = Files.createDirectories(folder.resolve("hugepages/hugepages-2048kB"));
        Files.writeString(pool.resolve("nr_hugepages"), "10\n");
        Files.writeString(pool.resolve("free_hugepages"), "4\n");
        Files.writeString(pool.resolve("resv_hugepages"), "1\n");
        final LinuxPages other = new LinuxPages(folder, folder.resolve("smaps"), SharedPages.PROCESS);

        assertThat(other.advice(PageKind.MB2, 16 * MIB)).isEqualTo("8 pages are needed; the pool has 10, of which 4 "
            + "are free and 1 of those promised to others; to reserve: echo 15 > " + pool.resolve("nr_hugepages")
            + " (as root, soon after boot)");
        assertThat(other.freeBytes(PageKind.MB2)).isEqualTo(6 * MIB);
        assertThat(other.freeBytes(PageKind.GB1)).as("not known").isEqualTo(Long.MAX_VALUE);
        assertThat(other.advice(PageKind.GB1, 1 << 30)).contains("this machine has no 1 GiB hugepages");
        assertThat(other.advice(PageKind.THP, 1)).contains("echo madvise > " + folder);
    }

    @ParameterizedTest
    @EnumSource(value = PageKind.class, names = {"THP"})
    void transparentOnesMustBeAllowed(final PageKind kind, @TempDir final Path folder) throws IOException {
        final LinuxPages other = new LinuxPages(folder, folder.resolve("smaps"), SharedPages.PROCESS);
        assertThatThrownBy(() -> other.allocate(kind, 4 * MIB)).hasMessageContaining("enabled says null");
        Files.writeString(Files.createDirectories(folder.resolve("transparent_hugepage")).resolve("enabled"),
            "always madvise [never]\n");
        assertThatThrownBy(() -> other.allocate(kind, 4 * MIB)).hasMessageContaining("[never]");
    }

    @Test
    void closedMemoryOfADomainIsRetiredAndComesBack() throws InterruptedException {
        final FakeIommu iommu = new FakeIommu();
        final IommuDmaDomain domain = new IommuDmaDomain(iommu, new IovaAllocator(List.of(
            new IovaAllocator.Range(4096, 1L << 40))), IovaPolicy.ALLOCATED, new HostMemory(PagePreference.THP), "x");
        final List<UnsafeBuffer> held = new ArrayList<>();
        final long ever = pages.retiredEver(PageKind.THP);
        allocateAndClose(domain, held);
        assertThat(pages.retiredEver(PageKind.THP)).isEqualTo(ever + 4 * MIB);
        assertThat(pages.retiredBytes(PageKind.THP)).isEqualTo(4 * MIB);
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        held.get(0).putLong(0, 7);
        assertThat(pages.retiredBytes(PageKind.THP)).isEqualTo(4 * MIB);
        final long mapped = MappedMemory.mappedBytes();
        held.clear();
        for (int i = 0; i < 1000 && pages.retiredBytes(PageKind.THP) > 0; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(pages.retiredBytes(PageKind.THP)).isZero();
        assertThat(pages.retiredEver(PageKind.THP)).isEqualTo(ever + 4 * MIB);
        assertThat(MappedMemory.mappedBytes()).as("2 MiB are for the alignment").isLessThanOrEqualTo(mapped - 6 * MIB);
    }

    private static void allocateAndClose(final IommuDmaDomain domain, final List<UnsafeBuffer> held) {
        final DmaMemory memory = domain.allocate(3 * MIB);
        assertThat(domain.reachableBytes()).as("whole large pages are mapped").isEqualTo(4 * MIB);
        assertThat(memory.length()).isEqualTo(3 * MIB);
        assertThat(memory.iova() % (2 * MIB)).isZero();
        held.add(memory.buffer(100, 8));
        memory.close();
        memory.close();
        assertThat(domain.reachableBytes()).isZero();
    }
}
