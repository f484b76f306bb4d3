/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.CacheStatistics;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How often ordinary programs find their memory registered once they have used all of it: 99 of 100 times at least.
 * All of them pass addresses and no owners, to a device that has on-demand paging.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HitRatesTest {
    private static final int PAGE = 4096;
    private static final int BUFFERS = 32;
    private static final int USES = 2_000;
    private static final int ALL = 100;

    @TempDir
    Path folder;

    /** A program that sends from one buffer after the other. */
    private interface Program {
        void run(Traffic traffic) throws IOException;
    }

    /** What it sends. */
    private static final class Traffic {
        private final RegistrationCache cache;

        Traffic(final RegistrationCache cache) {
            this.cache = cache;
        }

        void send(final long address, final long length) {
            final CachedRegion region = cache.acquire(address, length, 0);
            region.release();
        }
    }

    private static void expectHits(final String monitor, final Program program) throws IOException {
        try (RdmaContext context = RdmaDevices.open("emulated:rates");
            ProtectionDomain pd = context.allocatePd();
            RegionCache cache = RegistrationCaches.create(pd, new CacheSettings(name -> null, name -> null,
                new CacheAttributes().monitor(monitor)))) {
            program.run(new Traffic(cache));
            final CacheStatistics first = cache.statistics();
            program.run(new Traffic(cache));
            final CacheStatistics all = cache.statistics();
            assertThat(100 * (all.misses() - first.misses()))
                .as("misses of %d uses, in percent of them: %s", all.hits() + all.misses() - first.hits()
                    - first.misses(), cache)
                .isLessThanOrEqualTo(all.hits() + all.misses() - first.hits() - first.misses());
            // A use that comes while the monitor tells of a change waits for it for a while, and keeps nothing then.
            assertThat(100 * all.uncached()).as("regions that were not kept, in percent of uses: %s", cache)
                .isLessThanOrEqualTo(all.hits() + all.misses());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"userfaultfd", "memhooks"})
    void aPoolOfDirectBuffers(final String monitor) throws IOException {
        final ByteBuffer[] pool = new ByteBuffer[BUFFERS];
        for (int i = 0; i < pool.length; i++) {
            pool[i] = ByteBuffer.allocateDirect((i % 8 + 1) * 16 * PAGE);
        }
        expectHits(monitor, traffic -> {
            for (int i = 0; i < USES; i++) {
                final ByteBuffer buffer = pool[i % pool.length];
                traffic.send(BufferUtil.address(buffer), buffer.capacity());
            }
        });
        assertThat(pool[0].capacity()).isPositive();
    }

    /** Now and then one is freed and another one comes. */
    @ParameterizedTest
    @ValueSource(strings = {"userfaultfd", "memhooks"})
    void memoryOfMalloc(final String monitor) throws IOException {
        final Deque<Long> blocks = new ArrayDeque<>();
        final int length = 200_000;
        for (int i = 0; i < BUFFERS; i++) {
            blocks.add(Native.malloc(length));
        }
        expectHits(monitor, traffic -> {
            for (int i = 0; i < USES; i++) {
                final long block = blocks.poll();
                traffic.send(block, length);
                if (i % ALL == 0) {
                    Native.free(block);
                    blocks.add(Native.malloc(length));
                } else {
                    blocks.add(block);
                }
            }
        });
        blocks.forEach(Native::free);
    }

    /** Such a device would go on with pages that are not there any more. */
    @Test
    void aDeviceThatLooksBehindNoAddressesKeepsNoneOfThem() {
        final long block = Native.malloc(PAGE);
        try (RdmaContext context = RdmaDevices.open("emulated:norates?extensions=false");
            ProtectionDomain pd = context.allocatePd();
            RegionCache cache = RegistrationCaches.create(pd, new CacheSettings(name -> null, name -> null,
                new CacheAttributes().monitor("memhooks")))) {
            for (int i = 0; i < 3; i++) {
                new Traffic(cache).send(block, PAGE);
            }
            assertThat(cache.statistics()).extracting(CacheStatistics::hits, CacheStatistics::uncached,
                CacheStatistics::entries).containsExactly(0L, 3L, 0L);
        } finally {
            Native.free(block);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"userfaultfd", "memhooks"})
    void mappedFiles(final String monitor) throws IOException {
        final Path file = folder.resolve("records");
        Files.write(file, new byte[BUFFERS * PAGE]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
            expectHits(monitor, traffic -> {
                for (int i = 0; i < USES; i++) {
                    mapped.putInt(i % BUFFERS * PAGE, i);
                    traffic.send(BufferUtil.address(mapped) + i % BUFFERS * PAGE, PAGE);
                }
            });
        }
    }

    /** One of them moves when it grows. */
    @ParameterizedTest
    @ValueSource(strings = {"userfaultfd", "memhooks"})
    void agronaBuffers(final String monitor) throws IOException {
        final UnsafeBuffer[] buffers = new UnsafeBuffer[BUFFERS];
        final ExpandableDirectByteBuffer growing = new ExpandableDirectByteBuffer(PAGE);
        for (int i = 0; i < BUFFERS; i++) {
            buffers[i] = new UnsafeBuffer(BufferUtil.allocateDirectAligned(PAGE * (i + 1), PAGE));
        }
        expectHits(monitor, traffic -> {
            for (int i = 0; i < USES; i++) {
                final UnsafeBuffer buffer = buffers[i % BUFFERS];
                buffer.putInt(0, i);
                traffic.send(buffer.addressOffset(), buffer.capacity());
                growing.putInt(i % 64 * Integer.BYTES, i);
                traffic.send(growing.addressOffset(), 64 * Integer.BYTES);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"userfaultfd", "memhooks"})
    void memoryWhosePagesWereGivenBackOnce(final String monitor) throws IOException {
        try (MappedMemory memory = MappedMemory.anonymous(BUFFERS * PAGE)) {
            expectHits(monitor, traffic -> {
                for (int i = 0; i < USES; i++) {
                    if (i == ALL) {
                        Libc.madvise(memory.address(), BUFFERS * PAGE, LibcConstants.MADV_DONTNEED);
                    }
                    traffic.send(memory.address(), BUFFERS * PAGE);
                }
            });
        }
    }
}
