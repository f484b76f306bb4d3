/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.driver.live.LiveSegment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What others are told of an arena's memory, and that they can read it. */
@Timeout(60)
class PublishedArenaTest {
    private final FakeIommu iommu = new FakeIommu();
    private final Publisher publisher = new Publisher();
    private IommuDmaDomain domain = domain(HostMemory.ofJvm());
    private DmaArena arena = new DmaArena(domain, publisher);

    private IommuDmaDomain domain(final HostMemory host) {
        return new IommuDmaDomain(iommu, new IovaAllocator(List.of(new IovaAllocator.Range(4096, 1L << 40))),
            IovaPolicy.ALLOCATED, host, "test:");
    }

    /** Writes into the same log as the IOMMU, so that the order shows. */
    private final class Publisher implements LivePublisher {
        private final List<LiveSegment> segments = new ArrayList<>();
        private boolean refuses;
        private Optional<Path> file = Optional.of(Path.of("live.dat"));

        @Override
        public synchronized LiveEnd segment(final LiveSegment segment) {
            if (refuses) {
                throw RdmaException.of("publish").detail("refused by the test").errno(RdmaException.EIO).build();
            }
            segments.add(segment);
            iommu.log.add("publish");
            return () -> {
                synchronized (this) {
                    segments.remove(segment);
                    iommu.log.add("end");
                }
            };
        }

        @Override
        public Optional<Path> file() {
            return file;
        }

        @Override
        public LiveEntry add(final LiveKind kind, final int handle) {
            throw new AssertionError("not the arena's business");
        }

        @Override
        public AtomicCounter counter(final String label) {
            throw new AssertionError("not the arena's business");
        }

        @Override
        public void error(final Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void close() {
            throw new AssertionError("it is the caller's");
        }
    }

    @AfterEach
    void nothingStaysPublished() {
        arena.close();
        arena.close();
        domain.close();
        assertThat(publisher.segments).isEmpty();
        assertThat(iommu.mappings()).isZero();
    }

    private static long read(final LiveSegment segment, final long offset) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
        try (FileChannel file = FileChannel.open(
            Path.of("/proc/self/fd/" + segment.descriptor()), StandardOpenOption.READ)) {
            assertThat(file.read(bytes, segment.offset() + offset)).isEqualTo(Long.BYTES);
        }
        return bytes.getLong(0);
    }

    @Test
    void theFileHasWhatTheDriverAndTheDeviceWrite() throws IOException {
        final DmaPages small = arena.allocate(3);
        final DmaPages large = arena.allocate(DmaArena.CHUNK_PAGES + 1);
        assertThat(publisher.segments).hasSize(2);
        final LiveSegment first = publisher.segments.get(0);
        final LiveSegment second = publisher.segments.get(1);
        assertThat(first).isEqualTo(new LiveSegment(small.iova(), small.address(), DmaArena.CHUNK_PAGES * 4096L,
            first.descriptor(), first.offset()));
        assertThat(second.length()).isEqualTo(large.length());

        small.buffer(8192, 8).putLong(0, 0x1122334455667788L, ByteOrder.BIG_ENDIAN);
        iommu.at(large.iova(64), 8).putLong(0, -5, ByteOrder.BIG_ENDIAN);

        assertThat(read(first, 8192)).isEqualTo(0x1122334455667788L);
        assertThat(read(second, 64 * 4096)).isEqualTo(-5);
    }

    /** Without an IOMMU a chunk lies in pieces for the device: each is found by its own address. */
    @Test
    void tellsEachPieceByItself() throws IOException {
        iommu.tellRunsOf(16 * 4096);
        final DmaPages pages = arena.allocate(DmaArena.CHUNK_PAGES);
        assertThat(publisher.segments).hasSize(4);
        final LiveSegment second = publisher.segments.get(1);
        assertThat(second).isEqualTo(new LiveSegment(pages.iova(16), pages.address() + 16 * 4096, 16 * 4096,
            second.descriptor(), publisher.segments.get(0).offset() + 16 * 4096));
        assertThat(pages.iova(17)).isEqualTo(pages.iova(16) + 4096);
        assertThat(pages.iova(16)).isEqualTo(pages.iova() + 16 * 4096 + (1L << 30));
        pages.buffer(17 * 4096, 8).putLong(0, 77, ByteOrder.BIG_ENDIAN);
        assertThat(read(second, 4096)).isEqualTo(77);
    }

    @Test
    void endsBeforeTheMemoryIsGivenBack() {
        final DmaPages large = arena.allocate(100);
        arena.allocate(1);
        large.close();
        large.close();
        assertThat(iommu.log).containsExactly("map", "publish", "map", "publish", "end", "unmap");
        arena.close();
        assertThat(iommu.log.subList(6, 8)).containsExactly("end", "unmap");
    }

    @Test
    void aSecondFreeChunkIsEndedAndTheFirstStays() {
        final DmaPages a = arena.allocate(DmaArena.CHUNK_PAGES);
        final DmaPages b = arena.allocate(DmaArena.CHUNK_PAGES);
        a.close();
        assertThat(publisher.segments).hasSize(2);
        b.close();
        assertThat(publisher.segments).hasSize(1);
        assertThat(publisher.segments.get(0).iova()).isEqualTo(a.iova());
    }

    @Test
    void whatCannotBeMappedIsNotPublished() {
        iommu.refuseMap(1);
        assertThatThrownBy(() -> arena.allocate(1)).hasMessageContaining("refused by the test");
        assertThat(iommu.log).isEmpty();
        assertThat(arena.reservedPages()).isZero();
    }

    /** A publisher does not throw; if one does, nothing is lost by it. */
    @Test
    void aPublisherThatFailsKeepsNoMemory() {
        publisher.refuses = true;
        assertThatThrownBy(() -> arena.allocate(1)).hasMessageContaining("publish failed");
        assertThat(iommu.mappings()).isZero();
        assertThat(arena.usedPages()).isZero();
    }

    @Test
    void lateWritersWriteIntoWhatNobodyElseReads() throws IOException, InterruptedException {
        final UnsafeBuffer late = arena.allocate(100).buffer();
        final LiveSegment gone = publisher.segments.get(0);
        arena.close();
        System.gc();
        TimeUnit.MILLISECONDS.sleep(5);
        late.putLong(99 * 4096, -1);
        final DmaArena next = new DmaArena(domain, publisher);
        final DmaPages pages = next.allocate(100);
        late.setMemory(0, late.capacity(), (byte) 0x5a);
        assertThat(publisher.segments.get(0).offset()).isNotEqualTo(gone.offset());
        assertThat(pages.buffer().getLong(0)).isZero();
        assertThat(read(publisher.segments.get(0), 0)).isZero();
        next.close();
    }

    @Test
    void withoutAFileItIsPublishedThatThereIsNone() {
        final SharedPages refused = new SharedPages(() -> {
            throw RdmaException.of("memfd_create").errno(RdmaException.EPERM).build();
        }, () -> { }, text -> { });
        domain = domain(new HostMemory(PagePreference.KB4, new JvmPages(refused), new HostMemory.StepsDown(
            text -> { }), () -> { }));
        arena = new DmaArena(domain, publisher);
        final DmaPages pages = arena.allocate(1);
        assertThat(publisher.segments).containsExactly(
            new LiveSegment(pages.iova(), pages.address(), DmaArena.CHUNK_PAGES * 4096L, LiveSegment.UNSHARED, 0));
    }

    @Test
    void whatIsPublishedForThisProcessAloneIsNotShared() {
        publisher.file = Optional.empty();
        final DmaPages pages = arena.allocate(1);
        assertThat(publisher.segments).containsExactly(
            new LiveSegment(pages.iova(), pages.address(), DmaArena.CHUNK_PAGES * 4096L, LiveSegment.UNSHARED, 0));
    }

    @Test
    void withoutAPublisherNothingIsShared() {
        final long used = SharedPages.PROCESS.usedBytes();
        arena = new DmaArena(domain);
        arena.allocate(1);
        assertThat(SharedPages.PROCESS.usedBytes()).isLessThanOrEqualTo(used);
        assertThat(iommu.log).containsExactly("map");
    }

    @Test
    void memoryOfOrdinaryPagesOfTheSystemIsSharedToo() throws IOException {
        domain = domain(new HostMemory(PagePreference.AUTO));
        arena = new DmaArena(domain, publisher);
        final DmaPages large = arena.allocate(1024);
        large.buffer(1023 * 4096, 8).putLong(0, 77, ByteOrder.BIG_ENDIAN);
        final LiveSegment segment = publisher.segments.get(0);
        assertThat(segment.descriptor()).as("4 MiB, of a pool or not").isNotNegative();
        assertThat(read(segment, 1023 * 4096)).isEqualTo(77);
    }
}
