/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class RegistrationTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @TempDir
    Path folder;

    private PvrdmaContext device;
    private ProtectionDomain pd;

    @BeforeEach
    void openDevice() {
        device = devices.open();
        pd = device.allocatePd();
    }

    private void assertCarries(final MemoryRegion source, final MemoryRegion target) {
        final var qp = pd.createQp(new QpOptions().cq(device.createCq(256)));
        final var peer = pd.createQp(new QpOptions().cq(device.createCq(256)));
        QpConnector.connect(qp, peer.localAddress());
        QpConnector.connect(peer, qp.localAddress());
        peer.postReceive(1, target.address(), (int) target.length(), target.lkey());
        qp.postSend(2, source.address(), (int) source.length(), source.lkey());
        assertThat(Completions.awaitSuccess(peer.receiveCq()).bytes()).isEqualTo((int) source.length());
        Completions.awaitSuccess(qp.sendCq());
        final UnsafeBuffer from = new UnsafeBuffer(source.address(), (int) source.length());
        final UnsafeBuffer to = new UnsafeBuffer(target.address(), (int) source.length());
        assertThat(to.compareTo(from)).as("bytes").isZero();
    }

    private static void fill(final ByteBuffer buffer) {
        for (int i = buffer.position(); i < buffer.limit(); i++) {
            buffer.put(i, Peer.pattern(i, 5));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 4096", "4095, 2", "100, 70000", "4096, 8192", "8191, 12289"})
    void registersBuffersAtAnyPlaceAndOfAnyLength(final int position, final int length) {
        final ByteBuffer source = ByteBuffer.allocateDirect(100_000).position(position).limit(position + length);
        final ByteBuffer target = ByteBuffer.allocateDirect(100_000).position(7).limit(7 + length);
        fill(source);
        final MemoryRegion from = pd.register(source);
        final MemoryRegion to = pd.register(target, LOCAL_WRITE);

        assertThat(from.address()).isEqualTo(BufferUtil.address(source) + position);
        assertThat(from.length()).isEqualTo(length);
        assertThat(from.access()).isEmpty();
        assertThat(to.access()).containsExactly(LOCAL_WRITE);
        assertCarries(from, to);
    }

    @Test
    void registersWholePagesForDevicesThatWantThemAndKeepsTheAddresses() {
        final PvrdmaContext qemu = devices.open(Devices.QEMU);
        final Peer a = Peer.rc(qemu);
        final Peer b = Peer.rc(device);
        a.connect(b);
        final ByteBuffer source = ByteBuffer.allocateDirect(20_000).position(4_000).limit(12_300);
        fill(source);
        final MemoryRegion from = a.pd.register(source);
        b.qp.postReceive(1, b.at(0), 10_000, b.lkey());
        a.qp.postSend(2, from.address(), (int) from.length(), from.lkey());

        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(8_300);
        assertThat(b.bytes.getByte(8_299)).isEqualTo(Peer.pattern(12_299, 5));
        Completions.awaitSuccess(a.cq);
    }

    @Test
    void registersAgronaBuffers() {
        final UnsafeBuffer over = new UnsafeBuffer(ByteBuffer.allocateDirect(5_000), 100, 3_000);
        over.setMemory(0, 3_000, (byte) 9);
        final ExpandableDirectByteBuffer expandable = new ExpandableDirectByteBuffer(3_000);
        final MemoryRegion from = pd.register((DirectBuffer) over);
        final MemoryRegion to = pd.register((DirectBuffer) expandable, LOCAL_WRITE);
        assertThat(from.address()).isEqualTo(over.addressOffset());
        assertThat(from.length()).isEqualTo(3_000);
        assertCarries(from, to);
        assertThat(expandable.getByte(2_999)).isEqualTo((byte) 9);

        final UnsafeBuffer byAddress = new UnsafeBuffer(over.addressOffset() + 1, 10);
        assertThat(pd.register((DirectBuffer) byAddress).address()).isEqualTo(over.addressOffset() + 1);
        assertInvalid(() -> pd.register((DirectBuffer) new UnsafeBuffer(new byte[10])), "heap", "allocateDirect");
        assertInvalid(() -> pd.register((DirectBuffer) new UnsafeBuffer(ByteBuffer.allocate(10))), "heap");
        assertInvalid(() -> pd.register((DirectBuffer) new ExpandableArrayBuffer()), "heap");
        assertInvalid(() -> pd.register((DirectBuffer) new UnsafeBuffer(ByteBuffer.allocateDirect(0))), "length is 0");
        assertRefused(RdmaException.EFAULT, () -> pd.register((DirectBuffer) new UnsafeBuffer(8, 10)), "not mapped");
    }

    @Test
    void registersByAddress() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(10_000);
        final long address = BufferUtil.address(memory);
        final MemoryRegion region = pd.register(address + 3, 9_000, LOCAL_WRITE);
        assertThat(region.address()).isEqualTo(address + 3);
        assertThat(region.toString()).contains("9000");

        assertRefused(RdmaException.EFAULT, () -> pd.register(4096, 1), "0x1000 is not mapped");
        // So much is not mapped in one piece; what is in the way first, a hole or the driver's own memory, is chance.
        assertRefused(RdmaException.EFAULT, () -> pd.register(address, 1L << 29));
        assertInvalid(() -> pd.register(address, 0), "length is 0");
        assertInvalid(() -> pd.register(address, -1), "length is -1");
        assertInvalid(() -> pd.register(address, Long.MAX_VALUE), "allowed are 1 to");
        assertInvalid(() -> pd.register(-4096, 8192), "wraps");
        assertInvalid(() -> pd.register(address, 8, (AccessFlag) null), "null");
        assertInvalid(() -> pd.register(address, 8, (AccessFlag[]) null), "null");
    }

    @Test
    void refusesHeapBuffersAndNothing() {
        assertInvalid(() -> pd.register(ByteBuffer.allocate(10)), "heap", "allocateDirect");
        assertInvalid(() -> pd.register(ByteBuffer.allocateDirect(10).position(10)), "length is 0");
        assertInvalid(() -> pd.register((ByteBuffer) null), "null");
        assertInvalid(() -> pd.register((DirectBuffer) null), "null");
        assertInvalid(() -> pd.register((PinnedMemory) null), "null");
    }

    @Test
    void refusesToWriteWhereThatIsNotPossible() throws IOException {
        final ByteBuffer readOnly = ByteBuffer.allocateDirect(10).asReadOnlyBuffer();
        pd.register(readOnly).close();
        assertRefused(RdmaException.EFAULT, () -> pd.register(readOnly, LOCAL_WRITE), "read-only");
        final Path file = folder.resolve("data");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[8192]));
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192);
            final long address = BufferUtil.address(mapped);
            pd.register(address, 8192, mapped).close();
            assertRefused(RdmaException.EFAULT, () -> pd.register(address, 8192, mapped, LOCAL_WRITE),
                "not writable", "data");
            assertRefused(RdmaException.EFAULT, () -> pd.register(mapped, LOCAL_WRITE), "read-only");
        }
    }

    @Test
    void allowsOnlyRightsThatGoTogether() {
        final PinnedMemory memory = device.allocate(4096);
        for (final AccessFlag needs : List.of(REMOTE_WRITE, REMOTE_ATOMIC)) {
            assertInvalid(() -> pd.register(memory, needs), needs.name(), "without LOCAL_WRITE");
            pd.register(memory, needs, LOCAL_WRITE).close();
        }
        pd.register(memory, REMOTE_READ).close();
        assertThat(AccessFlag.bits(EnumSet.allOf(AccessFlag.class))).isEqualTo(31 | 64 | 1 << 20);
        assertThat(AccessFlag.requiredBits(EnumSet.allOf(AccessFlag.class))).isEqualTo(31 | 64);
    }

    @Test
    void hasARemoteKeyOnlyWithARemoteRight() {
        final PinnedMemory memory = device.allocate(4096);
        final MemoryRegion local = pd.register(memory, LOCAL_WRITE);
        assertThat(local.hasRkey()).isFalse();
        assertInvalid(local::rkey, "without remote rights");
        final MemoryRegion remote = pd.register(memory, REMOTE_READ);
        assertThat(remote.hasRkey()).isTrue();
        remote.rkey();
    }

    @Test
    void keepsPinnedMemoryUntilItsRegionsAreClosed() {
        final PinnedMemory memory = device.allocate(4096);
        final MemoryRegion first = pd.register(memory);
        final MemoryRegion second = pd.register(memory, LOCAL_WRITE);
        assertBusy(memory::close, first.toString(), second.toString());
        first.close();
        assertBusy(memory::close, second.toString());
        assertThat(memory.isClosed()).isFalse();
        second.close();
        memory.close();
        assertThat(memory.isClosed()).isTrue();
        assertClosed(() -> pd.register(memory), "closed");
    }

    @Test
    void holdsTheBufferUntilTheRegionIsClosed() throws InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        final WeakReference<ByteBuffer> held = new WeakReference<>(buffer);
        final UnsafeBuffer view = new UnsafeBuffer(buffer);
        final MemoryRegion region = pd.register((DirectBuffer) view);
        buffer = null;
        // The view looks elsewhere now: only the region still needs the memory.
        view.wrap(new byte[1]);
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(5);
        }
        assertThat(held.get()).isNotNull();
        region.close();
        for (int i = 0; i < 200 && held.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(held.get()).as("let go").isNull();
    }

    @Test
    void tellsTheOwnerOnceThatItsRegionIsClosed() {
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer memory = ByteBuffer.allocateDirect(4096);
        final RegionOwner owner = calls::incrementAndGet;
        final MemoryRegion region = pd.register(BufferUtil.address(memory), 4096, owner, LOCAL_WRITE);
        assertThat(calls).hasValue(0);
        region.close();
        region.close();
        assertThat(calls).hasValue(1);
        pd.register(BufferUtil.address(memory), 4096, owner);
        pd.close();
        assertThat(calls).hasValue(2);
    }

    @Test
    void registersTheSameMemoryManyTimesInAnyOrder() {
        final long before = device.reachableBytes();
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 * 1024);
        final List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            regions.add(pd.register(memory.duplicate().position(i * 100).limit(i * 100 + 20_000), LOCAL_WRITE));
        }
        assertThat(regions.stream().map(MemoryRegion::lkey).distinct()).hasSize(100);
        for (int i = 0; i < 100; i++) {
            regions.get((i * 37) % 100).close();
        }
        assertThat(regions).allMatch(MemoryRegion::isClosed);
        assertThat(device.reachableBytes()).isLessThanOrEqualTo(before + (1 << 20));
    }

    @Test
    void failsWorkWithTheKeyOfAClosedRegion() {
        final Peer a = Peer.rc(device);
        final Peer b = Peer.rc(device);
        a.connect(b);
        a.region.close();
        b.qp.postReceive(1, b.at(0), 64, b.lkey());
        a.qp.postSend(2, a.at(0), 8, a.region.lkey());
        assertThat(Completions.await(a.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }
}
