/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessMapsTest {
    private static final List<String> MAPS = List.of(
        "00001000-00003000 rw-p 00000000 00:00 0",
        "00003000-00004000 r--p 00000000 00:00 0    /some/file",
        "00004000-00005000 ---p 00000000 00:00 0    guard",
        "00006000-00007000 rw-s 00000000 00:00 0",
        "ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0    [vsyscall]");

    @Test
    void acceptsARangeInsideOfOneMapping() {
        assertThat(ProcessMaps.firstHole(MAPS, 0x1001, 0x1ffe, true)).isNull();
        assertThat(ProcessMaps.firstHole(MAPS, 0x6fff, 1, true)).isNull();
    }

    @Test
    void acceptsARangeOverAdjacentMappingsIfAllAllowIt() {
        assertThat(ProcessMaps.firstHole(MAPS, 0x2000, 0x2000, false)).isNull();
        assertThat(ProcessMaps.firstHole(MAPS, 0x2000, 0x2000, true)).contains("0x3000 is not writable", "/some/file");
    }

    @Test
    void namesTheFirstByteThatCannotBeUsed() {
        assertThat(ProcessMaps.firstHole(MAPS, 0x3000, 0x1001, false)).contains("0x4000 is not readable", "guard");
        assertThat(ProcessMaps.firstHole(MAPS, 0x5000, 1, false)).contains("0x5000 is not mapped");
        assertThat(ProcessMaps.firstHole(MAPS, 0x6800, 0x801, false)).contains("0x7000 is not mapped");
        assertThat(ProcessMaps.firstHole(MAPS, 0, 1, false)).contains("0x0 is not mapped");
        assertThat(ProcessMaps.firstHole(MAPS, 0x10000, 1, false)).contains("0x10000 is not mapped");
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
        assertThat(ProcessMaps.firstHole(MAPS, 0xffffffffff600000L, 0x1000, false)).isNull();
        assertThat(ProcessMaps.firstHole(MAPS, 0xffffffffff600fffL, 2, false)).contains("is not mapped");
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

    @Test
    void findsFilesOnDisksThatDevicesMayNotWriteTo() {
        final List<String> maps = List.of(
            "00001000-00002000 rw-p 00000000 08:01 7    /data/private",
            "00002000-00003000 r--s 00000000 08:01 7    /data/read-only",
            "00003000-00004000 rw-s 00000000 00:05 7    /dev/shm/memory",
            "00004000-00005000 rw-s 00000000 00:01 7    /memfd:rdma4j (deleted)",
            "00005000-00006000 rw-s 00000000 00:01 0 ",
            "00006000-00009000 rw-s 00000000 08:01 7                  /data/a b/store");
        final Function<String, String> types = file -> file.startsWith("/data") ? "ext4"
            : file.startsWith("/dev") ? "tmpfs" : null;
        assertThat(ProcessMaps.firstDiskFile(maps, 0x1000, 0x5000, types)).isNull();
        assertThat(ProcessMaps.firstDiskFile(maps, 0x1000, 0x5001, types))
            .isEqualTo("0x6000 is a shared mapping of /data/a b/store on ext4");
        assertThat(ProcessMaps.firstDiskFile(maps, 0x7010, 1, types)).contains("0x7010 is");
        assertThat(ProcessMaps.firstDiskFile(maps, 0x9000, 1, types)).isNull();
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
