/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.List;

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
    void readsAddressesAsUnsigned() {
        assertThat(ProcessMaps.firstHole(MAPS, 0xffffffffff600000L, 0x1000, false)).isNull();
        assertThat(ProcessMaps.firstHole(MAPS, 0xffffffffff600fffL, 2, false)).contains("is not mapped");
    }

    @Test
    void knowsTheMemoryOfThisProcess() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        assertThat(ProcessMaps.firstHole(BufferUtil.address(buffer), 10_000, true)).isNull();
        assertThat(ProcessMaps.firstHole(8, 8, false)).contains("0x8 is not mapped");
    }
}
