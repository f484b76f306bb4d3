/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PersistentMapsTest {
    private static final Set<Path> FILES =
        Set.of(Path.of("/data/a b"), Path.of("/data/c"), Path.of("/odd (deleted)"), Path.of("/data/\u00fc"));
    private static final List<String> LINES = List.of(
        "00001000-00002000 rw-s 00000000 fd:01 11                      /data/a b",
        "00002000-00004000 r--s 00001000 fd:01 12                      /data/c",
        "00005000-00006000 rw-p 00000000 fd:01 12                      /data/c",
        "00006000-00007000 rw-p 00000000 00:00 0 ",
        "00007000-00008000 rw-p 00000000 00:00 0                       [heap]",
        "00008000-00009000 rw-s 00000000 00:01 7                       /dev/zero (deleted)",
        "00009000-0000a000 rw-s 00000000 00:01 8                       /memfd:x (deleted)",
        "0000a000-0000b000 rw-s 00000000 00:0d 9                       /dmabuf:",
        "0000b000-0000c000 rw-s 00000000 fd:01 13                      /odd (deleted)",
        "0000c000-0000d000 rw-s 00000000 00:06 14                      /dev/dax0.0",
        "0000d000-0000e000 rw-s 00000000 fd:01 15                      /data/\u00c3\u00bc",
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0       [vsyscall]");

    private static Set<Path> files(final long address, final long length) {
        return new PersistentMaps(LINES, FILES::contains).cover(address, length).files();
    }

    private static RdmaException refusal(final int errno, final long address, final long length) {
        final RdmaException e = catchThrowableOfType(RdmaException.class, () -> files(address, length));
        assertThat(e).as("it must be refused").isNotNull();
        assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno);
        return e;
    }

    @Test
    void filesThatCoverTheRangeAreFound() {
        assertThat(files(0x1000, 0x1000)).containsExactly(Path.of("/data/a b"));
        assertThat(files(0x1fff, 1)).containsExactly(Path.of("/data/a b"));
        assertThat(files(0x1800, 0x2800)).containsExactly(Path.of("/data/a b"), Path.of("/data/c"));
        assertThat(files(0xb123, 5)).containsExactly(Path.of("/odd (deleted)"));
        assertThat(files(0xd000, 0x1000)).containsExactly(Path.of("/data/\u00fc"));
    }

    @Test
    void holesAreNamed() {
        assertThat(refusal(RdmaException.EFAULT, 0x3000, 0x1001)).hasMessageContaining("0x4000 is not mapped");
        assertThat(refusal(RdmaException.EFAULT, 0x10, 1)).hasMessageContaining("0x10 is not mapped");
        assertThat(refusal(RdmaException.EFAULT, 0xdfff, 2)).hasMessageContaining("0xe000 is not mapped");
    }

    @Test
    void whatIsNoFileIsRefused() {
        assertThat(refusal(RdmaException.EINVAL, 0x5000, 8)).hasMessageContaining("private mapping of /data/c");
        assertThat(refusal(RdmaException.EINVAL, 0x6000, 8)).hasMessageContaining("0x6000 is anonymous memory [");
        assertThat(refusal(RdmaException.EINVAL, 0x7000, 8)).hasMessageContaining("anonymous memory [heap]");
        assertThat(refusal(RdmaException.EINVAL, 0x8000, 8)).hasMessageContaining("without a file, /dev/zero");
        assertThat(refusal(RdmaException.EINVAL, 0x9000, 8)).hasMessageContaining("without a file, /memfd:x");
        assertThat(refusal(RdmaException.EINVAL, 0xa000, 8)).hasMessageContaining("/dmabuf:, no regular file");
        assertThat(refusal(RdmaException.EINVAL, 0xc000, 8)).hasMessageContaining("/dev/dax0.0, no regular file");
    }

    @Test
    void oneBadPageIsEnough() {
        assertThat(refusal(RdmaException.EINVAL, 0x5000, 1)).hasMessageContaining("1 bytes at 0x5000")
            .hasMessageContaining("MAP_SHARED");
        assertThat(refusal(RdmaException.EINVAL, 0xb000, 0x1001)).hasMessageContaining("/dev/dax0.0");
    }
}
