/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which regions share a mapping, and which must not. */
@Timeout(60)
class SharedMappingTest {
    private static final long BASE = 0x10_0000_0000L;

    private final FakeIommu iommu = new FakeIommu();
    private final IovaAllocator iovas =
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (256 << 20) - 1)));
    private final IommuDmaDomain domain = new IommuDmaDomain(iommu, iovas, "test:");
    /** The common one may be of a single thread. */
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void nothingIsLeft() {
        executor.shutdownNow();
        domain.close();
        assertThat(domain.reachableBytes()).isZero();
        assertThat(domain.mappings()).isZero();
        assertThat(iommu.mappings()).isZero();
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    /** Begins where a window does, so that it is the same wherever the memory comes to lie. */
    private static ByteBuffer filled(final int bytes) {
        final ByteBuffer room = ByteBuffer.allocateDirect(bytes + (int) Extent.WINDOW);
        final ByteBuffer memory = room.slice((int) (-BufferUtil.address(room) & Extent.WINDOW - 1), bytes);
        for (int i = 0; i + 8 <= bytes; i += 8) {
            memory.putLong(i, BufferUtil.address(memory) + i);
        }
        return memory;
    }

    private DmaMapping map(final ByteBuffer memory, final int offset, final int length) {
        final DmaMapping mapping = domain.map(BufferUtil.address(memory) + offset, length, memory);
        assertSees(mapping, memory, offset, length);
        return mapping;
    }

    /** Every word says where it is; the device must find the same ones. */
    private void assertSees(final DmaMapping mapping, final ByteBuffer memory, final int offset, final int length) {
        final long address = BufferUtil.address(memory) + offset;
        for (int i = -offset & 7; i + 8 <= length; i += 1024) {
            final long iova = mapping.iova() + address + i - mapping.pageAddress();
            assertThat(iommu.at(iova, 8).getLong(0, ByteOrder.BIG_ENDIAN)).isEqualTo(address + i);
        }
    }

    @Test
    void aRegionOfAllocatedMemoryUsesItsMapping() {
        final DmaMemory memory = domain.allocate(1 << 20);
        final DmaMapping region = domain.map(memory.address() + 5000, 100, null);

        assertThat(iommu.mappings()).isEqualTo(1);
        assertThat(region.iova()).isEqualTo(memory.iova() + 4096);
        assertThat(region.length()).isEqualTo(8192 - 4096);
        memory.close();
        assertThat(iommu.mappings()).as("the region uses it still").isEqualTo(1);
        region.close();
        assertThat(region.isReleased()).isTrue();
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void aHundredThousandRegionsOfOneBufferCostAFewMappings() {
        final ByteBuffer memory = filled(100_000 * 64);
        final List<DmaMapping> regions = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            regions.add(domain.map(BufferUtil.address(memory) + i * 64, 64, memory));
        }
        assertThat(iommu.mappings()).isLessThanOrEqualTo(100_000 * 64 / (256 * 1024) + 2);
        assertSees(regions.get(77_777), memory, 77_777 * 64, 64);
        Collections.shuffle(regions, new Random(1));
        regions.forEach(DmaMapping::close);
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void aWindowDoesNotReachBeyondItsBuffer() {
        final ByteBuffer memory = filled(20_000);
        map(memory, 100, 50);

        final long first = BufferUtil.address(memory) & -4096;
        final long end = BufferUtil.address(memory) + 20_000 + 4095 & -4096;
        assertThat(domain.reachableBytes()).isEqualTo(end - first);
    }

    @Test
    void aLargeRegionIsMappedAsItIs() {
        final ByteBuffer memory = filled(4 << 20);
        final DmaMapping region = map(memory, 8192, 1 << 20);
        assertThat(domain.reachableBytes()).isEqualTo(region.length());
        map(memory, 500_000, 1000);
        assertThat(iommu.mappings()).as("it lies inside").isEqualTo(1);
        map(memory, 0, 4 << 20);
        assertThat(iommu.mappings()).isEqualTo(2);
        map(memory, 3 << 20, 1 << 19);
        assertThat(iommu.mappings()).as("it lies in the larger one").isEqualTo(2);
        region.close();
        assertThat(iommu.mappings()).as("another region uses it").isEqualTo(2);
    }

    @Test
    void memoryOfUnknownLifeIsNeverShared() {
        final ByteBuffer memory = filled(64 << 10);
        final long address = BufferUtil.address(memory);
        final DmaMapping forNobody = domain.map(address, 100, null);
        final DmaMapping forSomebody = domain.map(address, 100, List.of(memory));
        // The owner does not contain it, so it says nothing.
        final DmaMapping forAnother = domain.map(address, 100, ByteBuffer.allocateDirect(10));

        assertThat(iommu.mappings()).isEqualTo(3);
        assertThat(domain.reachableBytes())
            .isEqualTo(forNobody.length() + forSomebody.length() + forAnother.length());
        final DmaMapping shareable = map(memory, 0, 100);
        assertThat(iommu.mappings()).isEqualTo(4);
        domain.map(address + 200, 100, null).close();
        assertThat(iommu.mappings()).as("that one holds the buffer").isEqualTo(4);
        shareable.close();
        forNobody.close();
        assertThat(iommu.mappings()).isEqualTo(2);
    }

    /** Its pages are the file's: what the IOMMU has may be cut off, with others in its place. */
    @Test
    void aMappedFileIsNeverShared(@TempDir final Path folder) throws IOException {
        final int length = 64 << 10;
        try (FileChannel channel = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            final long address = BufferUtil.address(mapped);
            domain.map(address, 4096, mapped);
            channel.truncate(0);
            channel.write(ByteBuffer.allocate(1), length - 1);
            domain.map(address + 8192, 4096, mapped);
            domain.map(address + 8192, 4096, mapped.slice(8192, 4096));

            assertThat(iommu.mappings()).isEqualTo(3);
            assertThat(domain.reachableBytes()).isEqualTo(3 * 4096);
        }
    }

    @Test
    void nobodyJoinsASuspendedMapping() {
        final ByteBuffer memory = filled(8192);
        final DmaMapping suspended = map(memory, 0, 4096);
        suspended.suspend();
        final DmaMapping other = map(memory, 0, 4096);

        assertThat(other.iova()).isNotEqualTo(suspended.iova());
        other.close();
        suspended.refresh(suspended.pageAddress(), 4096, true);
        assertThat(map(memory, 0, 4096).iova()).as("reachable again").isEqualTo(suspended.iova());
    }

    /** It would hold the buffer after whoever registered that is gone. */
    @Test
    void whoNamesAnotherOwnerDoesNotUseTheMappingOfABuffer() {
        final ByteBuffer memory = filled(64 << 10);
        final DmaMapping ofBuffer = map(memory, 0, 100);
        final DmaMapping ofAnother = domain.map(BufferUtil.address(memory), 100, List.of());
        assertThat(iommu.mappings()).isEqualTo(2);
        ofBuffer.close();
        assertThat(iommu.mappings()).isEqualTo(1);
        ofAnother.close();
        final DmaMemory allocated = domain.allocate(4096);
        domain.map(allocated.address(), 100, List.of());
        assertThat(iommu.mappings()).as("what was allocated is the domain's").isEqualTo(1);
    }

    @Test
    void theMappingKeepsTheBufferAliveUntilItsLastUserIsGone() throws InterruptedException {
        ByteBuffer memory = filled(64 << 10);
        final WeakReference<ByteBuffer> held = new WeakReference<>(memory);
        final DmaMapping first = map(memory, 0, 10);
        final DmaMapping second = domain.map(BufferUtil.address(memory) + 40_000, 10, null);
        memory = null;
        first.close();
        assertThat(first.isReleased()).as("its part of the mapping").isTrue();
        assertSees(second, held.get(), 0, 10);
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(held.get()).as("the second region is in the same window").isNotNull();
        second.close();
        for (int i = 0; i < 500 && held.get() != null; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(held.get()).as("closed mappings let go: %s %s", first, second).isNull();
    }

    @Test
    void whatCouldNotBeUnmappedIsNotUsedAgain() {
        final ByteBuffer memory = filled(8192);
        final DmaMapping stuck = map(memory, 0, 100);
        iommu.refuseUnmap(1);
        assertThatThrownBy(stuck::close).hasMessageContaining("refused by the test");
        assertThat(stuck.isReleased()).isFalse();

        final DmaMapping fresh = map(memory, 0, 100);

        assertThat(fresh.iova()).isNotEqualTo(stuck.iova());
        fresh.close();
        assertThat(fresh.isReleased()).isTrue();
        assertThat(iommu.mappings()).isEqualTo(1);
    }

    @Test
    void mapsThePagesAloneWhereTheWindowIsRefused() {
        final ByteBuffer memory = filled(64 << 10);
        iommu.refuseAbove(8192);

        final DmaMapping region = map(memory, 10_000, 100);

        assertThat(domain.reachableBytes()).isEqualTo(region.length());
        assertThatThrownBy(() -> map(memory, 0, 30_000)).hasMessageContaining("refused by the test");
        iommu.refuseWith(RdmaException.EIO);
        iommu.log.clear();
        assertThatThrownBy(() -> map(memory, 40_000, 100)).as("a smaller piece would not help")
            .hasMessageContaining("refused by the test");
        assertThat(iommu.log).isEmpty();
    }

    @Test
    void saysWhichLimitIsReached() {
        iommu.maxMappings(3);
        final ByteBuffer memory = filled(64 << 10);
        final DmaMapping one = domain.map(BufferUtil.address(memory), 1, null);
        domain.map(BufferUtil.address(memory), 1, null);
        map(memory, 0, 1);

        assertThatThrownBy(() -> domain.allocate(4096))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM))
            .hasMessageContaining("3 mappings exist, the IOMMU allows 3").hasMessageContaining("RdmaContext.allocate");
        final ByteBuffer other = filled(100);
        assertThatThrownBy(() -> domain.map(BufferUtil.address(other), 1, other))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM));
        map(memory, 30_000, 10_000).close();
        one.close();
        domain.allocate(4096).close();
    }

    @Test
    void usesVirtualAddressesWhereTheyAreFree() {
        final ByteBuffer memory = filled(64 << 10);
        final long page = BufferUtil.address(memory) + 4095 & -4096;
        final FakeIommu wide = new FakeIommu();
        final IommuDmaDomain same = new IommuDmaDomain(wide, new IovaAllocator(List.of(
            new IovaAllocator.Range(0, (1L << 47) - 1))), IovaPolicy.VIRTUAL_IF_FREE, HostMemory.ofJvm(), "wide:");
        final DmaMapping first = same.map(page, 8192, null);
        final DmaMapping overlapping = same.map(page + 4096, 8192, null);
        final DmaMemory allocated = same.allocate(1);
        assertThat(first.iova()).isEqualTo(page);
        assertThat(overlapping.iova()).as("taken by the first").isNotEqualTo(page + 4096);
        assertThat(wide.at(overlapping.iova(), 8).addressOffset()).isEqualTo(page + 4096);
        assertThat(allocated.iova()).isEqualTo(allocated.address());
        first.close();
        final DmaMapping again = same.map(page, 8192, null);
        assertThat(again.iova()).isEqualTo(page);
        same.close();

        final IommuDmaDomain narrow = new IommuDmaDomain(wide, new IovaAllocator(List.of(
            new IovaAllocator.Range(0, (1L << 20) - 1))), IovaPolicy.VIRTUAL_IF_FREE, HostMemory.ofJvm(), "narrow:");
        assertThat(narrow.map(page, 8192, null).iova()).isEqualTo(4096);
        narrow.close();
    }

    @Test
    void largeMemoryHasTheSameOffsetInLargePagesAsTheDeviceSeesIt() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(5 << 20);
        domain.allocate(4096);
        final DmaMapping region = domain.map(BufferUtil.address(memory) + 123_456, 4 << 20, memory);
        assertThat(region.iova() - region.pageAddress() & (2 << 20) - 1).isZero();
    }

    @Test
    void namesTheByteThatIsNotThere() {
        iommu.refuseAbove(0);
        assertThatThrownBy(() -> domain.map(8192, 100, null))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EFAULT))
            .hasMessageContaining("0x2000..0x2fff: 0x2000 is not mapped in this process");
    }

    @Test
    void namesTheFileThatIsMappedReadOnly(@TempDir final Path folder) throws IOException {
        final Path file = folder.resolve("read-only");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(10_000));
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 10_000);
            iommu.refuseAbove(0);
            iommu.refuseWith(RdmaException.EFAULT);
            assertThatThrownBy(() -> domain.map(BufferUtil.address(mapped), 10_000, mapped))
                .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EFAULT))
                .hasMessageContaining("is not writable").hasMessageContaining("read-only")
                .hasMessageContaining("map a file read-write");
        }
    }

    @Test
    void namesTheFileThatTheKernelDoesNotPin(@TempDir final Path folder) throws IOException {
        final String type = Files.getFileStore(folder).type();
        assumeFalse(Set.of("tmpfs", "ramfs").contains(type), "temporary files of this machine are in memory");
        final Path file = folder.resolve("store");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 10_000);
            iommu.refuseAbove(0);
            iommu.refuseWith(RdmaException.EFAULT);
            assertThatThrownBy(() -> domain.map(BufferUtil.address(mapped), 10_000, mapped))
                .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EFAULT))
                .hasMessageContaining("is a shared mapping of " + file + " on " + type)
                .hasMessageContaining("since Linux 6.5 the kernel does not let devices write to files")
                .hasMessageContaining("/dev/shm");
        }
        final ByteBuffer memory = filled(8192);
        assertThatThrownBy(() -> domain.map(BufferUtil.address(memory), 10, memory)).as("no file")
            .hasMessageContaining("refused by the test").hasMessageNotContaining("6.5");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261121})
    void anyOverlapsInAnyOrderLeaveNothing(final long seed) {
        final Random random = new Random(seed);
        final ByteBuffer memory = filled(2 << 20);
        final List<DmaMapping> regions = new ArrayList<>();
        for (int step = 0; step < 1500; step++) {
            if (!regions.isEmpty() && random.nextInt(100) < 48) {
                regions.remove(random.nextInt(regions.size())).close();
            } else {
                final int length = 1 + random.nextInt(1 << 4 + random.nextInt(17));
                regions.add(map(memory, random.nextInt((2 << 20) - length), length));
            }
            if (step % 100 == 0) {
                regions.forEach(region -> iommu.at(region.iova(), (int) region.length()));
            }
        }
        assertThat(iommu.mappings()).as("%d regions", regions.size()).isLessThan(regions.size() + 1);
        regions.forEach(DmaMapping::close);
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void manyThreadsShareWithoutHarm() throws Exception {
        final ByteBuffer memory = filled(1 << 20);
        final List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            final int seed = thread;
            threads.add(CompletableFuture.runAsync(() -> churn(memory, new Random(seed)), executor));
        }
        for (final CompletableFuture<Void> thread : threads) {
            Patience.get(thread);
        }
        assertThat(iommu.mappings()).isZero();
    }

    private void churn(final ByteBuffer memory, final Random random) {
        final List<DmaMapping> regions = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            if (regions.size() > 5 || !regions.isEmpty() && random.nextBoolean()) {
                final DmaMapping region = regions.remove(random.nextInt(regions.size()));
                iommu.at(region.iova(), (int) region.length());
                region.close();
            } else {
                final int length = 1 + random.nextInt(random.nextBoolean() ? 2000 : 600_000);
                regions.add(map(memory, random.nextInt((1 << 20) - length), length));
            }
        }
        regions.forEach(DmaMapping::close);
    }
}
