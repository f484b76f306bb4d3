/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;

/** By which addresses work requests name the bytes of a region. */
@Timeout(60)
class RegionIovaTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;
    private PinnedMemory memory;

    @BeforeEach
    void opens() {
        device = devices.open();
        pd = device.allocatePd();
        memory = device.allocate(4 * PAGE);
    }

    private MrOptions part(final int from, final long length) {
        return new MrOptions().memory(memory.address() + from, length, memory).access(ALL);
    }

    /** What lies behind them is somebody else's, and may be gone when the device looks. */
    @Test
    void reachesNotBeyondTheBufferOrMemoryThatWasNamed() {
        final PvrdmaContext context = devices.open();
        final ProtectionDomain domain = context.allocatePd();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8192).position(100);
        final PinnedMemory pinned = context.allocate(4096);
        assertInvalid(() -> domain.register(new MrOptions().buffer(buffer).length(8093)), "8093", "8092");
        assertInvalid(() -> domain.register(new MrOptions().memory(pinned).length(8192)), "8192", "4096");
        final UnsafeBuffer view = new UnsafeBuffer(pinned.address(), 4000);
        assertInvalid(() -> domain.register(new MrOptions().buffer(view).length(4001)), "4001", "4000");
        try (MemoryRegion region = domain.register(new MrOptions().buffer(buffer).length(8092))) {
            assertInvalid(() -> region.reregister(new MrOptions().length(9000)), "9000", "8092");
            assertThat(region.length()).isEqualTo(8092);
        }
    }

    @Test
    void isTheMemorysOwnAddressUnlessAnotherIsAskedFor() {
        final MemoryRegion region = pd.register(part(10, 100));
        assertThat(region.iova()).isEqualTo(memory.address() + 10).isEqualTo(region.address());
        assertThat(pd.register(memory).iova()).isEqualTo(memory.address());
        assertThat(pd.register(part(10, 100).iova(memory.address() + 10)).iova()).isEqualTo(memory.address() + 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0x1000, 0x7fff_ffff_f000L, 1L << 62, Long.MIN_VALUE, -3 * 4096L})
    void canBeAnyAddressThatHasTheSamePlaceInItsPage(final long page) {
        final MemoryRegion region = pd.register(part(100, 2 * PAGE).iova(page + 100));
        final Reach reach = new Reach(device, pd);
        assertThat(region.iova()).isEqualTo(page + 100);
        assertThat(region.address()).isEqualTo(memory.address() + 100);
        assertThat(region.toString()).contains(String.format("iova=0x%x", page + 100));
        assertThat(reach.write(region, 4)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(99)).isZero();
        for (int i = 0; i < 2 * PAGE; i++) {
            assertThat(memory.buffer().getByte(100 + i)).as("byte %d", i).isEqualTo(Peer.pattern(i, 4));
        }
        assertThat(memory.buffer().getByte(100 + 2 * PAGE)).isZero();
        assertThat(reach.send(page + 100 + PAGE, PAGE, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.bytes.getByte(0)).isEqualTo(Peer.pattern(PAGE, 4));
        assertThat(reach.write(page + 99, region.rkey(), 1, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(page + 100 + 2 * PAGE, region.rkey(), 1, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(region.address(), region.rkey(), 1, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void mayReachTheLastByteOfAllAddressesAndNoFurther() {
        final MemoryRegion region = pd.register(part(0, PAGE).iova(-PAGE));
        final Reach reach = new Reach(device, pd);
        assertThat(reach.write(-1L, region.rkey(), 1, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(PAGE - 1)).isEqualTo(Peer.pattern(0, 8));
        assertThat(reach.write(-1L, region.rkey(), 2, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertInvalid(() -> pd.register(part(0, PAGE + 1).iova(-PAGE)), "wraps around");
        assertInvalid(() -> pd.register(part(1, PAGE).iova(-PAGE + 1)), "wraps around");
    }

    @Test
    void mustHaveThePlaceInThePageThatTheMemoryHas() {
        assertInvalid(() -> pd.register(part(100, 8).iova(0x1000)), "IOVA 0x1000 is byte 0", "is byte 100");
        assertInvalid(() -> pd.register(part(0, 8).iova(1)), "byte 1", "byte 0");
        final PageList pages = new PageList().add(memory);
        assertInvalid(() -> pd.register(new MrOptions().pages(pages, 8, 4 * PAGE - 8).iova(0x141200)), "byte 512",
            "byte 8");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 4095})
    void countsFromZeroIfAskedTo(final int from) {
        final MemoryRegion region = pd.register(part(from, 2 * PAGE).zeroBased());
        final Reach reach = new Reach(device, pd);
        assertThat(region.iova()).isZero();
        assertThat(region.address()).isEqualTo(memory.address() + from);
        assertThat(reach.write(0, region.rkey(), 2 * PAGE, 6)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(from)).isEqualTo(Peer.pattern(0, 6));
        assertThat(memory.buffer().getByte(from + 2 * PAGE - 1)).isEqualTo(Peer.pattern(2 * PAGE - 1, 6));
        assertThat(reach.write(2 * PAGE, region.rkey(), 1, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(-1, region.rkey(), 1, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(1, 1, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.bytes.getByte(0)).isEqualTo(Peer.pattern(1, 6));
    }

    @Test
    void theLastOneAskedForCounts() {
        assertThat(pd.register(part(5, 8).zeroBased().iova(0x2005)).iova()).isEqualTo(0x2005);
        assertThat(pd.register(part(5, 8).iova(0x2005).zeroBased()).iova()).isZero();
    }

    @Test
    void buffersOfAllKindsCanHaveOne() {
        final ByteBuffer buffer = Reach.pages(2).position(16);
        final MemoryRegion ofBuffer =
            pd.register(new MrOptions().buffer(buffer).access(ALL).iova(0x9000_0010L));
        assertThat(ofBuffer.length()).isEqualTo(2 * PAGE - 16);
        final DirectBuffer view = new UnsafeBuffer(buffer, 32, 64);
        final MemoryRegion ofView = pd.register(new MrOptions().buffer(view).access(ALL).zeroBased());
        assertThat(ofView.length()).isEqualTo(64);
        final MemoryRegion ofMemory = pd.register(new MrOptions().memory(memory).access(ALL).iova(0));
        final Reach reach = new Reach(device, pd);
        assertThat(reach.write(ofBuffer, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(buffer.get(16)).isEqualTo(Peer.pattern(0, 1));
        assertThat(reach.write(ofView, 2)).isEqualTo(WcStatus.SUCCESS);
        assertThat(buffer.get(32)).isEqualTo(Peer.pattern(0, 2));
        assertThat(reach.write(ofMemory, 3)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(4 * PAGE - 1)).isEqualTo(Peer.pattern(4 * PAGE - 1, 3));
    }

    @Test
    void optionsSayWhatIsWrongWithThem() {
        assertInvalid(() -> pd.register((MrOptions) null), "options is null");
        assertInvalid(() -> pd.register(new MrOptions()), "names no memory", "buffer(...)");
        assertInvalid(() -> pd.register(new MrOptions().length(10).iova(0)), "no memory", "length=10", "iova=0x0");
        assertInvalid(() -> pd.register(part(0, 8).pd(device.allocatePd())), "shall be in PD");
        assertInvalid(() -> new MrOptions().memory(null), "null");
        assertInvalid(() -> new MrOptions().buffer((ByteBuffer) null), "null");
        assertInvalid(() -> new MrOptions().buffer((DirectBuffer) null), "null");
        assertInvalid(() -> new MrOptions().buffer(ByteBuffer.allocate(8)), "heap");
        assertInvalid(() -> new MrOptions().buffer(new UnsafeBuffer(new byte[8])), "heap");
        assertInvalid(() -> new MrOptions().access((AccessFlag[]) null), "null");
        assertInvalid(() -> new MrOptions().access(LOCAL_WRITE, null), "null");
        assertInvalid(() -> new MrOptions().pd(null), "null");
        assertInvalid(() -> pd.register(part(0, 0).zeroBased()), "length is 0");
        assertInvalid(() -> pd.register(part(0, Long.MIN_VALUE)), "length is -9223372036854775808");
        pd.register(part(0, 8).pd(pd)).close();
        assertThat(part(0, 8).zeroBased().toString()).contains("address=0x", "length=8", "zero-based", "LOCAL_WRITE");
    }

    @Test
    void theAddressOfMemoryThatIsOpenIsWhatItTells() {
        assertThat(BufferUtil.address(memory.buffer().byteBuffer())).isEqualTo(memory.address());
        final MemoryRegion region = pd.register(part(7, 9));
        assertThat(region.address()).isEqualTo(memory.address() + 7);
        assertThat(region.length()).isEqualTo(9);
        assertThat(region.access()).containsExactlyInAnyOrder(ALL);
    }
}
