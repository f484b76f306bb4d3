/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Memory of files (FI_RMA_PMEM; checklist 17). */
@Timeout(60)
class PersistenceTest {
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    @RegisterExtension
    final Domains domains = new Domains();

    @TempDir
    Path folder;

    private MappedByteBuffer map(final FileChannel.MapMode mode) throws IOException {
        final Path file = folder.resolve("data");
        Files.write(file, new byte[2 * PAGE]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(mode, 0, 2 * PAGE);
        }
    }

    /** Not its name: an emulated device may be far away, and another one may store as a processor does. */
    @Test
    void theDeviceSaysHowItStores() {
        final FabricInfo info = Fabrics.getInfo(new Hints().context(domains.context())).get(0);
        final RdmaContext past = (RdmaContext) Proxy.newProxyInstance(PersistenceTest.class.getClassLoader(),
            new Class<?>[] {RdmaContext.class}, (proxy, method, arguments) -> arguments != null
                && arguments[0] == Feature.PROCESSOR_STORES ? (Object) false
                : method.invoke(domains.context(), arguments));
        assertThat(new RegionRules(info, domains.context()).storesByProcessor).isTrue();
        assertThat(new RegionRules(info, past).storesByProcessor).isFalse();
    }

    @Test
    void whatAPeerWroteIsInTheFileAfterAFlush() throws IOException {
        final Domain domain = domains.open(Capability.RMA, Capability.RMA_PMEM);
        final MappedByteBuffer mapped = map(FileChannel.MapMode.READ_WRITE);
        final FabricRegion region = (FabricRegion) domain.register(remote(mapped, 1).flags(MrFlag.RMA_PMEM));
        final RegionDevice.Keys keys = region.body().devices().keys();
        try (Wire wire = new Wire(region.realm())) {
            wire.bytes.setMemory(0, 8, (byte) 42);
            assertThat(wire.write(keys.iova() + PAGE, keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        // What is in the page cache is in the file for whoever reads it: only the call itself tells of the disk.
        for (final Runnable flush : List.<Runnable>of(region::flush,
            () -> region.flush(BufferUtil.address(mapped) + PAGE, 8))) {
            try (SystemFaults calls = SystemFaults.counting()) {
                flush.run();
                assertThat(calls.calls(false)).contains("msync");
            }
        }
        final byte[] file = Files.readAllBytes(folder.resolve("data"));
        assertThat(file[PAGE]).isEqualTo((byte) 42);
        assertThat(file[PAGE + 8]).isZero();
        assertInvalid(() -> region.flush(BufferUtil.address(mapped) - 1, 8), "not inside");
        assertInvalid(() -> region.flush(BufferUtil.address(mapped), 0));
        region.close();
        assertRefused(FiErrno.FI_EBADFD, region::flush);
    }

    @Test
    void memoryThatIsInNoFileIsRefused() throws IOException {
        final Domain domain = domains.open(Capability.RMA, Capability.RMA_PMEM);
        assertInvalid(() -> domain.register(remote(ByteBuffer.allocateDirect(PAGE), 1).flags(MrFlag.RMA_PMEM)));
        final MappedByteBuffer mine = map(FileChannel.MapMode.PRIVATE);
        assertInvalid(() -> domain.register(remote(mine, 1).flags(MrFlag.RMA_PMEM)));
        domain.register(remote(mine, 1)).close();
    }

    /** The pages may change while the region is open: without a notice on demand, else before a refresh. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void memoryThatIsInNoFileAnyMoreIsNotFlushed(final boolean tells) throws IOException {
        final Set<MrMode> modes = tells ? EnumSet.of(MrMode.MMU_NOTIFY) : EnumSet.noneOf(MrMode.class);
        final Domain domain = domains.open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_PMEM)
            .mrMode(modes).demand(modes));
        try (FencedPages room = new FencedPages(2)) {
            final long address = room.address();
            map(folder.resolve("data"), address, 2 * PAGE);
            final MemoryRegion region = domain.register(persistent(address, 2 * PAGE));
            region.flush();
            Libc.mmap(address, PAGE, RW, LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS
                | LibcConstants.MAP_FIXED, -1, 0);
            region.refresh();
            assertInvalid(region::flush, "anonymous memory");
            assertInvalid(() -> region.flush(address + 8, 8), "anonymous memory");
            region.flush(address + PAGE, PAGE);
            Libc.munmap(address, PAGE);
            assertRefused(FiErrno.FI_ENOMEM, region::flush, "not mapped");
            assertRefused(FiErrno.FI_ENOMEM, () -> region.flush(address, 8), "not mapped");
            assertRefused(FiErrno.FI_ENOMEM, region::close, "not mapped");
            assertThat(region.isClosed()).isTrue();
        }
    }

    private static MrAttributes persistent(final long address, final long length) {
        return new MrAttributes().buffer(address, length).requestedKey(1).access(MrAccess.REMOTE_WRITE)
            .flags(MrFlag.RMA_PMEM);
    }

    /** By nobody who would unmap it later: others may have got the addresses. */
    static Path map(final Path file, final long address, final int length) throws IOException {
        Files.write(file, new byte[length]);
        final int descriptor = Libc.open(file.toString(), LibcConstants.O_RDWR);
        try {
            Libc.mmap(address, length, RW, LibcConstants.MAP_SHARED | LibcConstants.MAP_FIXED, descriptor, 0);
        } finally {
            Libc.close(descriptor);
        }
        return file;
    }

    @Test
    void aFileThatLostItsNameIsTheSameFile() throws IOException {
        final Domain domain = domains.open(Capability.RMA, Capability.RMA_PMEM);
        try (FencedPages room = new FencedPages(1)) {
            final Path half = map(folder.resolve("half"), room.address(), PAGE);
            final MemoryRegion region = domain.register(persistent(room.address(), PAGE));
            Files.createLink(folder.resolve("whole"), half);
            Files.delete(half);
            region.flush();
            region.flush(room.address() + 8, 8);
            region.close();
        }
    }

    /** The first of two is in no file any more: the other one is flushed all the same, and the failure is told. */
    @Test
    void whatIsInAFileIsFlushedWhateverElseIsNot() throws IOException {
        final Domain domain = domains.open(Capability.RMA, Capability.RMA_PMEM);
        try (FencedPages first = new FencedPages(1); FencedPages second = new FencedPages(1)) {
            map(folder.resolve("first"), first.address(), PAGE);
            map(folder.resolve("second"), second.address(), PAGE);
            final MemoryRegion region =
                domain.register(persistent(first.address(), PAGE).buffer(second.address(), PAGE));
            Libc.munmap(first.address(), PAGE);
            try (SystemFaults calls = SystemFaults.counting()) {
                assertRefused(FiErrno.FI_ENOMEM, region::flush, "not mapped");
                assertThat(calls.calls(false)).contains("msync");
            }
            assertRefused(FiErrno.FI_ENOMEM, region::close, "not mapped");
        }
    }

    @Test
    void onlyPersistentRegionsAreFlushed() {
        final Domain domain = domains.open();
        try (MemoryRegion region = domain.register(remote(ByteBuffer.allocateDirect(PAGE), 1))) {
            assertRefused(FiErrno.FI_EOPBADSTATE, region::flush, "RMA_PMEM");
            assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.flush(region.address(), 8), "RMA_PMEM");
        }
    }

    @Test
    void theFlagNeedsTheCapability() {
        final Domain domain = domains.open(Capability.MSG);
        assertRefused(FiErrno.FI_EBADFLAGS,
            () -> domain.register(Domains.local(ByteBuffer.allocateDirect(PAGE)).flags(MrFlag.RMA_PMEM)),
            "without Capability.RMA_PMEM");
    }
}
