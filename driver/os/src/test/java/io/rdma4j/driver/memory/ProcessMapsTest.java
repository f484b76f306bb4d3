/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessMapsTest {
    private static final Path SELF = Path.of("/proc/self/maps");
    private static final int PRIVATE = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;
    private static final List<String> MAPS = List.of(
        "00001000-00003000 rw-p 00000000 00:00 0",
        "00003000-00004000 r--p 00000000 00:00 0    /some/file",
        "00004000-00005000 ---p 00000000 00:00 0    guard",
        "00006000-00007000 rw-s 00000000 00:00 0",
        "ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0    [vsyscall]");

    private static String firstHole(final long address, final long length, final boolean write) {
        try (BufferedReader lines = new BufferedReader(new StringReader(String.join("\n", MAPS)))) {
            return ProcessMaps.firstHole(lines, address, length, write);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aFileIsFoundInARangeAndWhatNobodyElseCanOpenIsNone() {
        final MappingAreas maps = MappingAreas.of(String.join("\n",
            "00001000-00002000 rw-p 00000000 00:00 0 ",
            "00002000-00003000 rw-p 00000000 fd:01 17    /some/file",
            "00003000-00004000 rw-s 00000000 00:01 1044    /dev/zero (deleted)",
            "00004000-00005000 rw-s 00000000 00:0e 9    /anon_hugepage (deleted)",
            "00005000-00006000 rw-s 00000000 00:01 1045    /memfd:a (deleted)",
            "00006000-00007000 rw-p 00000000 00:00 0    [heap]"));
        assertThat(ProcessMaps.hasFile(maps, 0x1000, 0x1000)).isFalse();
        assertThat(ProcessMaps.hasFile(maps, 0x1fff, 2)).isTrue();
        assertThat(ProcessMaps.hasFile(maps, 0x2fff, 2)).isTrue();
        assertThat(ProcessMaps.hasFile(maps, 0x3000, 0x2000)).isFalse();
        assertThat(ProcessMaps.hasFile(maps, 0x5000, 1)).isTrue();
        assertThat(ProcessMaps.hasFile(maps, 0x6000, 0x1000)).isFalse();
    }

    /** So nobody keeps it as memory that only an owner or a mapping can take away. */
    @Test
    void memoryOfAcceleratorsIsOfAFile() {
        for (final String name : List.of("/dev/nvidia-uvm", "/dev/nvidia0", "/dev/kfd", "/dev/dri/renderD128",
            "/dev/neuron0", "/dev/accel/accel0", "/dmabuf:", "anon_inode:i915.gem", "anon_inode:[drm]")) {
            final MappingAreas maps =
                MappingAreas.of("00001000-00002000 rw-s 00000000 00:06 643    " + name + "\n");
            assertThat(ProcessMaps.hasFile(maps, 0x1000, 0x1000)).as(name).isTrue();
        }
    }

    @Test
    void theKernelTellsTheSameOfThisProcess() throws IOException {
        try (MappedMemory anonymous = MappedMemory.anonymous(3 * 4096)) {
            assertThat(ProcessMaps.hasFile(anonymous.address(), anonymous.length())).isFalse();
            try (Fd file = Fd.of(Libc.memfdCreate("maps", 0), "memfd")) {
                Libc.ftruncate(file.fd(), 4096);
                Libc.mmap(anonymous.address() + 4096, 4096, LibcConstants.PROT_READ,
                    LibcConstants.MAP_SHARED | LibcConstants.MAP_FIXED, file.fd(), 0);
            }
            assertThat(ProcessMaps.hasFile(anonymous.address(), 4096)).isFalse();
            assertThat(ProcessMaps.hasFile(anonymous.address(), anonymous.length())).isTrue();
            assertThat(ProcessMaps.hasFile(anonymous.address() + 2 * 4096, 4096)).isFalse();
        }
    }

    @Test
    void acceptsARangeInsideOfOneMapping() {
        assertThat(firstHole( 0x1001, 0x1ffe, true)).isNull();
        assertThat(firstHole( 0x6fff, 1, true)).isNull();
    }

    @Test
    void acceptsARangeOverAdjacentMappingsIfAllAllowIt() {
        assertThat(firstHole( 0x2000, 0x2000, false)).isNull();
        assertThat(firstHole( 0x2000, 0x2000, true)).contains("0x3000 is not writable", "/some/file");
    }

    @Test
    void namesTheFirstByteThatCannotBeUsed() {
        assertThat(firstHole( 0x3000, 0x1001, false)).contains("0x4000 is not readable", "guard");
        assertThat(firstHole( 0x5000, 1, false)).contains("0x5000 is not mapped");
        assertThat(firstHole( 0x6800, 0x801, false)).contains("0x7000 is not mapped");
        assertThat(firstHole( 0, 1, false)).contains("0x0 is not mapped");
        assertThat(firstHole( 0x10000, 1, false)).contains("0x10000 is not mapped");
    }

    @Test
    void looksThroughPagesInAnyOrder() {
        assertThat(holeIn(true)).isNull();
        assertThat(holeIn(true, 0x6000, 0x1000, 0x2000, 0x1000)).isNull();
        assertThat(holeIn(false, 0x3000, 0x6000, 0x2000)).isNull();
        assertThat(holeIn(true, 0x6000, 0x3000, 0x2000)).contains("0x3000 is not writable");
        assertThat(holeIn(false, 0x6000, 0x4000)).contains("0x4000 is not readable");
        assertThat(holeIn(false, 0x7000, 0x6000, 0x1000)).contains("0x7000 is not mapped");
        assertThat(holeIn(false, 0x1000, 0)).contains("0x0 is not mapped");
        assertThat(holeIn(false, 0x1000, 0x5000)).contains("0x5000 is not mapped");
        assertThat(holeIn(false, 0x1000, 0x10000)).contains("0x10000 is not mapped");
        assertThat(holeIn(false, 0xffffffffff600000L)).isNull();
        assertThat(holeIn(false, 0x1000, 0xffffffffff601000L)).contains("0xffffffffff601000 is not mapped");
    }

    private static String holeIn(final boolean write, final long... pages) {
        return ProcessMaps.firstHoleInPages(MAPS, pages, write);
    }

    @Test
    void readsAddressesAsUnsigned() {
        assertThat(firstHole( 0xffffffffff600000L, 0x1000, false)).isNull();
        assertThat(firstHole( 0xffffffffff600fffL, 2, false)).contains("is not mapped");
    }

    @Test
    void knowsTheMemoryOfThisProcess() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        assertThat(ProcessMaps.firstHole(BufferUtil.address(buffer), 10_000, true)).isNull();
        assertThat(ProcessMaps.firstHole(8, 8, false)).contains("0x8 is not mapped");
        final long page = BufferUtil.address(buffer) & -4096;
        assertThat(ProcessMaps.firstHoleInPages(new long[]{page + 4096, page}, true)).isNull();
        assertThat(ProcessMaps.firstHoleInPages(new long[]{page, 4096}, true)).contains("0x1000 is not mapped");
        assertThat(ProcessMaps.firstHoleInPages(new long[0], true)).isNull();
    }

    /** Asked of the kernel or read from the text: the same answer. */
    @Test
    void theKernelAnswersAsTheTextDoes() {
        try (FencedPages pages = new FencedPages(6)) {
            checkSix(pages.address());
        }
        check(-4096, 4096, false, "is not mapped");
        check(Long.MAX_VALUE - 4095, 4096, true, "is not mapped");
    }

    private static void checkSix(final long base) {
        final int page = (int) Libc.pageSize();
        Libc.munmap(base + page, page);
        Libc.munmap(base + 3L * page, page);
        Libc.mmap(base + 3L * page, page, LibcConstants.PROT_READ, PRIVATE | LibcConstants.MAP_FIXED, -1, 0);
        for (int from = 0; from < 6; from++) {
            for (int to = from + 1; to <= 6; to++) {
                final boolean hole = from <= 1 && to > 1;
                final boolean readOnly = from <= 3 && to > 3;
                check(base + from * page, (to - from) * page, false, hole ? "is not mapped" : null);
                check(base + from * page, (to - from) * page, true,
                    hole ? "is not mapped" : readOnly ? "is not writable" : null);
                check(base + from * page + 5, (to - from) * page - 5, false, hole ? "is not mapped" : null);
            }
        }
        Libc.munmap(base, 6L * page);
        check(base, 1, false, "is not mapped");
    }

    private static void check(final long address, final long length, final boolean write, final String expected) {
        final String text = ProcessMaps.firstHole(address, length, write);
        if (expected == null) {
            assertThat(text).as("%#x+%d", address, length).isNull();
        } else {
            assertThat(text).as("%#x+%d", address, length).contains(expected);
            assertThat(MapsQuery.covers(SELF, address, length, write)).isFalse();
        }
    }

    @Test
    void theKernelIsAskedWhereItCanAnswer() throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        final String[] kernel = System.getProperty("os.version").split("[^0-9]");
        final boolean since = Integer.parseInt(kernel[0]) * 100 + Integer.parseInt(kernel[1]) >= 611;
        final boolean answers = MapsQuery.covers(SELF, BufferUtil.address(buffer), 10_000, true);
        assertThat(answers).as("Linux %s", System.getProperty("os.version")).isEqualTo(since);
    }

    @Test
    void findsFilesOnDisksThatDevicesMayNotWriteTo() {
        final List<String> maps = List.of(
            "00001000-00002000 rw-p 00000000 08:01 7    /data/private",
            "00002000-00003000 r--s 00000000 08:01 7    /data/read-only",
            "00003000-00004000 rw-s 00000000 00:05 7    /dev/shm/memory",
            "00004000-00005000 rw-s 00000000 00:01 7    /memfd:rdma4j (deleted)",
            "00005000-00006000 rw-s 00000000 00:01 0 ",
            "00006000-00009000 rw-s 00000000 08:01 7                  /data/a b/store");
        final BinaryOperator<String> types = (device, file) -> "08:01".equals(device) ? "ext4"
            : file.startsWith("/dev") ? "tmpfs" : null;
        assertThat(ProcessMaps.firstDiskFile(maps, 0x1000, 0x5000, types)).isNull();
        assertThat(ProcessMaps.firstDiskFile(maps, 0x1000, 0x5001, types))
            .isEqualTo("0x6000 is a shared mapping of /data/a b/store on ext4");
        assertThat(ProcessMaps.firstDiskFile(maps, 0x7010, 1, types)).contains("0x7010 is");
        assertThat(ProcessMaps.firstDiskFile(maps, 0x9000, 1, types)).isNull();
    }

    /** A name in another encoding than UTF-8 is in the way of nothing. */
    @Test
    void findsAFileOnADiskThatHasNoNameAnyMore() throws IOException {
        final List<String> mounts = List.of("24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "25 24 0:22 / /dev/shm rw - tmpfs tmpfs rw", "26 24 259:2 / /big rw master:1 shared:2 - xfs /dev/nvme rw");
        final Map<String, String> types = ProcessMaps.fileSystems(mounts);
        assertThat(types).isEqualTo(Map.of("08:01", "ext4", "00:16", "tmpfs", "103:02", "xfs"));
        final List<String> maps = List.of("00001000-00002000 rw-s 00000000 103:02 7    /big/caf\u00e9 (deleted)");
        assertThat(ProcessMaps.firstDiskFile(maps, 0x1000, 1, (device, file) -> types.get(device)))
            .startsWith("0x1000 is a shared mapping of /big/caf").endsWith("(deleted) on xfs");

        final Path disk = Files.createTempFile(Path.of("target"), "unlinked", null);
        final String type = Files.getFileStore(disk).type();
        try (FileChannel channel = FileChannel.open(disk, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
            final long address = BufferUtil.address(mapped);
            final String named = ProcessMaps.firstDiskFile(address, 4096);
            Files.delete(disk);
            final String unlinked = ProcessMaps.firstDiskFile(address, 4096);
            assertThat(unlinked == null).as("%s on %s: %s", unlinked, type, named).isEqualTo(named == null);
        }
    }

    @Test
    void countsOnlyTransparentHugepagesThatCertainlyLieInside(@TempDir final Path folder) throws IOException {
        final Path smaps = Files.write(folder.resolve("smaps"), List.of(
            "00200000-00400000 rw-p 00000000 00:00 0 ", "AnonHugePages:      2048 kB", "VmFlags: rd wr hg",
            "00400000-00a00000 rw-p 00000000 00:00 0 ", "AnonHugePages:      4096 kB", "VmFlags: rd wr hg",
            "00a00000-00c00000 rw-p 00000000 00:00 0    [heap]", "AnonHugePages:         0 kB"));
        final long mib = 1 << 20;
        assertThat(ProcessMaps.transparentBytes(smaps, 2 * mib, 2 * mib)).isEqualTo(2 * mib);
        assertThat(ProcessMaps.transparentBytes(smaps, 2 * mib, 10 * mib)).isEqualTo(6 * mib);
        assertThat(ProcessMaps.transparentBytes(smaps, 4 * mib, 4 * mib)).as("2 of 4 may be behind it")
            .isEqualTo(2 * mib);
        assertThat(ProcessMaps.transparentBytes(smaps, 6 * mib, 2 * mib)).isZero();
        assertThat(ProcessMaps.transparentBytes(smaps, 10 * mib, 2 * mib)).isZero();
        assertThat(ProcessMaps.transparentBytes(folder.resolve("none"), 2 * mib, 2 * mib)).isZero();
    }
}
