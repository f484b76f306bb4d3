/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file is cut off and grows again, and other pages lie behind the same mapping: nobody tells. So a region of pages is
 * not kept, whoever owns or watches the mapping; one of addresses is.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CutOffFileTest {
    private static final int PAGE = Bench.PAGE;
    private static final int SHARED = LibcConstants.MAP_SHARED;

    @TempDir
    Path folder;

    private ByteBuffer mappedFile() throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 * PAGE);
        }
    }

    @Test
    void pagesOfAFileThatIsWatchedAreNotKept() throws IOException {
        final ByteBuffer file = mappedFile();
        try (Bench bench = Bench.of("file-watched")) {
            bench.monitor.watches = true;
            final Entry used = (Entry) bench.cache.acquire(BufferUtil.address(file), PAGE, Bench.RO);
            used.release();
            assertThat(used.region().isClosed()).as("it was kept: %s", bench.cache).isTrue();
        }
        assertThat(file.capacity()).isPositive();
    }

    @Test
    void pagesOfAFileWithAnOwnerAreNotKept() throws IOException {
        final ByteBuffer file = mappedFile();
        try (Bench bench = Bench.of("file-owned")) {
            final Entry used = (Entry) bench.cache.acquire(BufferUtil.address(file), PAGE, file.duplicate(), Bench.RO);
            used.release();
            assertThat(used.region().isClosed()).as("it was kept: %s", bench.cache).isTrue();
        }
    }

    @Test
    void sharedMemoryWithoutANameIsKept() {
        try (Bench bench = Bench.of("file-anonymous"); MappedMemory memory = MappedMemory.map(0, PAGE,
            LibcConstants.PROT_READ | LibcConstants.PROT_WRITE, SHARED | LibcConstants.MAP_ANONYMOUS, -1, 0)) {
            final Entry used = (Entry) bench.cache.acquire(memory.address(), PAGE, Bench.RO);
            used.release();
            assertThat(used.region().isClosed()).as("it was not kept: %s", bench.cache).isFalse();
        }
    }

    /** The region is found again, and is of the addresses. */
    @Test
    void aDeviceThatLooksAtEachAccessKeepsIt() {
        final int fd = Libc.memfdCreate("cut-off", 0);
        Libc.ftruncate(fd, PAGE);
        try (RdmaContext context = RdmaDevices.open("emulated:file-on-demand");
            ProtectionDomain pd = context.allocatePd();
            RegionCache cache = RegistrationCaches.create(pd, new CacheSettings(name -> null, name -> null,
                new CacheAttributes().monitor("memhooks")));
            MappedMemory memory = MappedMemory.map(0, PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE, SHARED,
                fd, 0)) {
            final Entry first = (Entry) cache.acquire(memory.address(), PAGE, Bench.RO);
            first.release();
            Libc.ftruncate(fd, 0);
            Libc.ftruncate(fd, PAGE);
            final Entry second = (Entry) cache.acquire(memory.address(), PAGE, Bench.RO);
            second.release();
            assertThat(second).isSameAs(first);
            assertThat(second.region().access()).containsExactly(AccessFlag.ON_DEMAND);
            final Entry writable = (Entry) cache.acquire(memory.address(), PAGE, Bench.RW);
            writable.release();
            assertThat(writable.region().access())
                .containsExactlyInAnyOrder(AccessFlag.ON_DEMAND, AccessFlag.LOCAL_WRITE);
        } finally {
            Libc.close(fd);
        }
    }

    /** For one use pages will do: they are locked, and nobody looks for them at each access. */
    @Test
    void whatIsNotKeptIsOfPages() throws IOException {
        final ByteBuffer file = mappedFile();
        try (Bench bench = Bench.of("file-once"); RegionCache cache = new RegionCache(bench.pd, new CacheSettings(
            name -> null, name -> null, new CacheAttributes().maxCount(1).monitor(new TestMonitor())),
            new Adoptions(), () -> true)) {
            final Entry used = (Entry) cache.acquire(bench.base, PAGE, Bench.RO);
            final Entry once = (Entry) cache.acquire(BufferUtil.address(file), PAGE, Bench.RO);
            assertThat(once.region().access()).isEmpty();
            once.release();
            used.release();
            final Entry kept = (Entry) cache.acquire(BufferUtil.address(file), PAGE, Bench.RO);
            assertThat(kept.region().access()).containsExactly(AccessFlag.ON_DEMAND);
            kept.release();
        }
        assertThat(file.capacity()).isPositive();
    }

    /** A device on demand would notice only when it writes. */
    @Test
    void pagesThatCannotBeWrittenAreNotRegisteredForThat() {
        try (Bench bench = Bench.of("file-rights"); RegionCache cache = new RegionCache(bench.pd, new CacheSettings(
            name -> null, name -> null, new CacheAttributes().monitor("memhooks")), new Adoptions(), () -> true);
            MappedMemory memory = MappedMemory.map(0, PAGE, LibcConstants.PROT_READ,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0)) {
            cache.acquire(memory.address(), PAGE, Bench.RO).release();
            assertThatThrownBy(() -> cache.acquire(memory.address(), PAGE, Bench.RW))
                .isInstanceOf(FabricException.class).extracting(e -> ((FabricException) e).errno())
                .isEqualTo(FiErrno.FI_EFAULT);
        }
    }

    /** What it replaces could be written, and not all of it can. */
    @Test
    void rightsThatNotAllOfItCanHaveAreLeftOut() {
        try (Bench bench = Bench.of("file-half"); Mapping mapping = new Mapping(2 * PAGE)) {
            mapping.map();
            Libc.mmap(mapping.address + PAGE, PAGE, LibcConstants.PROT_READ,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            bench.cache.acquire(mapping.address, PAGE, Bench.RW).release();
            final Entry all = (Entry) bench.cache.acquire(mapping.address, 2 * PAGE, Bench.RO);
            assertThat(all.region().access()).isEmpty();
            all.release();
            bench.cache.flush();
        }
    }
}
