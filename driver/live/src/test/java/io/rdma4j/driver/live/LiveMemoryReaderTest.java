/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the device sees at its addresses. */
@Timeout(60)
class LiveMemoryReaderTest extends LiveFixture {
    /** Where descriptors of memory of this test lead. */
    private static final String MEMORY = "/memfd:live-test";
    private static final long HIGH = 0xffff_ffff_0000_0000L;

    private LiveDevice device;

    private LivePublisher.LiveEnd segment(
        final long iova, final long address, final long length, final int file, final long offset) {
        return device.segment(new LiveSegment(iova, address, length, file, offset));
    }

    private int file(final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i / 16);
        }
        return memory(bytes);
    }

    @Test
    void readsFilesByBusAddress() throws Exception {
        device = device("fake:");
        final int file = file(4096);
        segment(HIGH, 0, 1024, file, 0);
        segment(0x2000, 1, 1024, file, 1024);
        segment(0x1000, 2, 64, file, 4096 - 64);
        final LiveView view = view(device);

        assertThat(view.segments()).extracting(LiveSegment::iova).containsExactly(0x1000L, 0x2000L, HIGH);
        assertThat(view.read(0x2000, 1).orElseThrow()).containsExactly((byte) 64);
        assertThat(view.read(0x2000 + 1023, 1).orElseThrow()).containsExactly((byte) 127);
        assertThat(view.read(HIGH + 16, 2).orElseThrow()).containsExactly(1, 1);
        assertThat(view.read(0x1000, 64).orElseThrow()).hasSize(64).endsWith((byte) 255);
        assertThat(view.read(0x1000, 0).orElseThrow()).isEmpty();
        assertThat(view.troubles()).isEmpty();
    }

    @Test
    void whatNoSegmentHolds() throws Exception {
        device = device("fake:");
        segment(0x2000, 1, 1024, file(4096), 0);
        segment(-1024, 1, 1024, file(4096), 0);
        final LiveView view = view(device);
        for (final long iova : new long[] {0, 0x1fff, 0x2400, Long.MIN_VALUE, -1025}) {
            assertThat(view.read(iova, 1)).isEmpty();
        }
        assertThat(view.read(0x2000, 1025)).as("part of it is not enough").isEmpty();
        assertThat(view.read(0x2400 - 1, 2)).isEmpty();
        assertThat(view.read(-1, 2)).as("beyond the last address").isEmpty();
        assertThat(view.read(-1, 1)).isPresent();
        assertThat(view.read(0x2000, Integer.MAX_VALUE)).isEmpty();
        assertThatThrownBy(() -> view.read(0x2000, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(view.troubles()).contains("no segment has 1025 bytes at IOVA 0x2000",
            "2147483647 bytes at IOVA 0x2000 were not read: at most 268435456 are at a time");
    }

    @Test
    void descriptorsThatAreNotThereOrEndTooSoon() throws Exception {
        device = device("fake:");
        segment(0x1000, 1, 1024, 1 << 29, 0);
        segment(0x2000, 1, 1024, file(1000), 0);
        segment(0x5000, 1, 1024, file(1000), Long.MAX_VALUE - 2000);
        final LiveView view = view(device);
        for (final long iova : new long[] {0x1000, 0x2000, 0x5000}) {
            assertThat(view.read(iova, 1024)).isEmpty();
        }
        assertThat(view.read(0x2000, 1000)).isPresent();
        assertThat(String.join("\n", view.troubles())).contains("fd/536870912: it does not exist",
            "ends before the memory at IOVA 0x2000", "ends before the memory at IOVA 0x5000");
    }

    /** Whatever a process holds and tells of: others read nothing but memory that it shares. */
    @Test
    void onlySealedMemoryOfTheProcessOwnUserIsRead() throws Exception {
        device = device("fake:");
        final Path plain = write("plain", new byte[1024]);
        segment(0x1000, 1, 1024, closing(Fd.open(plain.toString(), LibcConstants.O_RDONLY)).fd(), 0);
        segment(0x2000, 1, 1024, closing(Fd.open(plain.toString(), LibcConstants.O_PATH)).fd(), 0);
        segment(0x3000, 1, 1024, closing(Fd.open("/dev/zero", LibcConstants.O_RDONLY)).fd(), 0);
        final int unsealed = closing(Fd.of(Libc.memfdCreate("unsealed", 0), "unsealed")).fd();
        Libc.ftruncate(unsealed, 4096);
        segment(0x4000, 1, 1024, unsealed, 0);
        final LiveView view = view(device);
        for (long iova = 0x1000; iova <= 0x4000; iova += 0x1000) {
            assertThat(view.read(iova, 16)).isEmpty();
        }
        assertThat(view.troubles()).hasSize(3).allMatch(text -> text.startsWith("memory cannot be read: ")
            && text.contains("is not memory that process " + PID + " shares (a sealed memfd)"))
            .anyMatch(text -> text.contains("/plain")).anyMatch(text -> text.contains("/dev/zero"))
            .anyMatch(text -> text.contains("unsealed"));
    }

    /** A process may have been given what belongs to another user. */
    @Test
    void memoryOfAnotherUserIsNotRead() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to give memory away").isZero();
        device = device("fake:");
        final int given = file(1024);
        Files.setAttribute(Path.of("/proc/self/fd/" + given), "unix:uid", 65534);
        segment(0x1000, 1, 1024, given, 0);
        final LiveView view = view(device);
        assertThat(view.read(0x1000, 16)).isEmpty();
        assertThat(view.troubles()).singleElement().asString()
            .contains("is of user 65534, and process " + PID + " of user 0");
    }

    /** Who writes the file says which process it is of: he must be of that process' user. */
    @Test
    void theFileOfAnotherUserLeadsToNoMemory() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to give a file away").isZero();
        device = device("fake:");
        segment(0x1000, 1, 1024, file(1024), 0);
        final Path given = write("live-" + PID + "-999.dat", bytesOf(device));
        Files.setAttribute(given, "unix:uid", 65534);
        final LiveView view = view(given);
        assertThat(view.read(0x1000, 16)).isEmpty();
        assertThat(view.troubles()).singleElement().asString()
            .contains("process " + PID + " is of user 0, and this file of user 65534");
        assertThat(LiveViews.list()).filteredOn(listed -> listed.file().equals(given)).singleElement()
            .satisfies(listed -> assertThat(listed.status()).isEqualTo(LiveViews.Status.FOREIGN));
        assertThat(ofPid(PID, null).read(0x1000, 16)).as("its own file is found").isPresent();

        final Path head = write("live-" + PID + "-998.dat", Files.readAllBytes(device.file().orElseThrow()));
        assertThat(view(head).read(0x1000, 16)).as("a copy of the head leads there").isPresent();
        Files.setAttribute(head, "unix:uid", 65534);
        assertThatThrownBy(() -> LiveViews.open(head)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("it is of user 65534, and process " + PID + " of user 0");
        assertThat(LiveViews.list()).filteredOn(listed -> listed.file().equals(head)).singleElement()
            .satisfies(listed -> assertThat(listed.status()).isEqualTo(LiveViews.Status.FOREIGN));
    }

    @Test
    void segmentsThatMakeNoSenseAreLeftOut() throws Exception {
        device = device("fake:");
        final int file = file(4096);
        segment(0x1000, 1, 0, file, 0);
        segment(0x1000, 1, -5, file, 0);
        segment(0x1000, 1, 100, file, -1);
        segment(-10, 1, 100, file, 0);
        segment(0x1000, 1, Long.MAX_VALUE, file, 5);
        segment(0x2000, 1, 10, file, 5);
        final LiveView view = view(device);
        assertThat(view.segments()).singleElement().extracting(LiveSegment::iova).isEqualTo(0x2000L);
        assertThat(view.troubles()).hasSize(5).allMatch(text -> text.contains("makes no sense"));
    }

    @Test
    void segmentsComeAndGo() throws Exception {
        device = device("fake:");
        final int file = file(4096);
        final LivePublisher.LiveEnd first = segment(0x1000, 1, 1024, file, 0);
        final LiveView view = view(device);
        assertThat(view.read(0x1000, 1)).isPresent();
        first.close();
        first.close();
        assertThat(view.read(0x1000, 1)).isEmpty();
        segment(0x1000, 1, 1024, file, 1024);
        first.close();
        assertThat(view.read(0x1000, 1).map(bytes -> bytes[0])).contains((byte) 64);
    }

    /** Numbers of descriptors are used again: the next segment's is the same, its memory is not. */
    @Test
    void theNextSegmentsMemoryMayHaveTheSameDescriptor() throws Exception {
        device = device("fake:");
        final Fd first = memfd(new byte[1024]);
        final LivePublisher.LiveEnd end = segment(0x1000, 1, 1024, first.fd(), 0);
        final LiveView view = view(device);
        assertThat(view.read(0x1000, 1).orElseThrow()).containsExactly(0);
        assertThat(descriptors(MEMORY)).as("the process' own, and the view's").hasSize(2);
        end.close();
        assertThat(view.segments()).isEmpty();
        assertThat(descriptors(MEMORY)).as("nothing that was given back is held").hasSize(1);
        first.close();

        final byte[] others = new byte[1024];
        Arrays.fill(others, (byte) 5);
        segment(0x1000, 1, 1024, memory(others), 0);
        assertThat(view.read(0x1000 + 1023, 1).orElseThrow()).containsExactly(5);
        assertThat(view.troubles()).isEmpty();
    }

    /** Its number may be that of another process by now. */
    @Test
    void descriptorsAreReadOnlyOfTheProcessThatPublishedThem() throws Exception {
        device = device("fake:");
        segment(0x1000, 1, 1024, file(1024), 0);
        assertThat(view(device).read(0x1000 + 1023, 1).orElseThrow()).containsExactly(63);

        final byte[] ofThis = bytesOf(device);
        final LiveView ofAnother = view(write("copy", with(ofThis, LiveLayout.START_OFFSET, 1)));
        assertThat(ofAnother.isAlive()).isFalse();
        assertThat(ofAnother.read(0x1000 + 1023, 1)).isEmpty();
        assertThat(ofAnother.troubles()).singleElement().asString().contains("process " + PID + " has ended");
    }

    @Test
    void moreFilesThanAreKeptOpen() throws Exception {
        device = device("fake:");
        final int count = 200;
        for (int i = 0; i < count; i++) {
            segment(0x1000 + i * 16L, 1, 16, memory((byte) i), 0);
        }
        final LiveView view = view(device);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < count; i++) {
                assertThat(view.read(0x1000 + i * 16L, 1).orElseThrow()).containsExactly(i);
            }
        }
        assertThat(descriptors(MEMORY)).hasSize(count + 64);
        view.close();
        assertThat(descriptors(MEMORY)).hasSize(count);
    }

    @Test
    void moreSegmentsThanThereIsRoomFor() {
        device = device("fake:");
        for (int i = 0; i < LiveLayout.SEGMENTS + 1; i++) {
            assertThat(segment((i + 1) * 0x1000L, 1, 0x1000, LiveSegment.UNSHARED, 0)).isNotNull();
        }
        final LiveView view = view(device);
        assertThat(view.segments()).hasSize(LiveLayout.SEGMENTS);
        assertThat(view.troubles()).singleElement().asString().contains("some segments");
    }

    @Test
    void segmentsThatWereLeftOutAreNotToldOfWhenTheyAreGone() {
        device = device("fake:");
        LivePublisher.LiveEnd last = null;
        for (int i = 0; i < LiveLayout.SEGMENTS + 1; i++) {
            last = segment((i + 1) * 0x1000L, 1, 0x1000, LiveSegment.UNSHARED, 0);
        }
        last.close();
        last.close();
        final LiveView view = view(device);
        assertThat(view.segments()).hasSize(LiveLayout.SEGMENTS);
        assertThat(view.troubles()).isEmpty();
    }

    /** Where memory cannot be shared the process itself reads it, as long as its owner says that it is there. */
    @Test
    void unsharedMemoryIsReadByItsOwnProcess() throws Exception {
        device = device("fake:");
        final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(4096, 64));
        memory.putByte(7, (byte) 42);
        final LivePublisher.LiveEnd end = segment(0x1000, memory.addressOffset(), 4096, LiveSegment.UNSHARED, 0);
        final LiveView view = view(device);
        assertThat(view.read(0x1007, 1)).hasValueSatisfying(bytes -> assertThat(bytes).containsExactly(42));
        assertThat(view.read(0x1fff, 1)).isPresent();
        final Path copy = write("copy", bytesOf(device));
        final LiveView others = view(copy);
        assertThat(others.read(0x1007, 1)).isEqualTo(Optional.empty());
        assertThat(others.troubles()).singleElement().asString().contains("only its own process can read it");

        end.close();
        assertThat(view.read(0x1007, 1)).isEmpty();
        // What a damaged file says is there is not read in this process.
        assertThat(device.readOwn(new LiveSegment(0x1000, 1, 4096, LiveSegment.UNSHARED, 0), 0, new byte[8])).isFalse();
        assertThat(memory.getByte(7)).isEqualTo((byte) 42);
    }
}
