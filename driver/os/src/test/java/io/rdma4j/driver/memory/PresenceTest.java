/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_SHARED;
import static io.rdma4j.driver.libc.LibcConstants.PROT_NONE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which page is the first that is missing. */
@Timeout(60)
class PresenceTest {
    private static final int PAGE = 4096;

    private static String hex(final long address) {
        return "0x" + Long.toHexString(address);
    }

    @Test
    void namesTheFirstPageThatIsNotThere() {
        try (MappedMemory memory = MappedMemory.anonymous(2000 * PAGE)) {
            final long at = memory.address();
            assertThat(Presence.firstMissing(at, 2000 * PAGE, true)).isNull();
            Libc.mmap(at + 1500 * PAGE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            assertThat(Presence.firstMissing(at, 2000 * PAGE, false)).startsWith(hex(at + 1500 * PAGE));
            Libc.mmap(at + 700 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            assertThat(Presence.firstMissing(at, 1500 * PAGE, false)).isNull();
            assertThat(Presence.firstMissing(at, 1500 * PAGE, true)).startsWith(hex(at + 700 * PAGE));
        }
    }

    /** The mapping is there, so the list of mappings does not tell. */
    @Test
    void findsTheEndOfAFileThatIsShorterThanItsMapping() {
        try (Fd fd = Fd.of(Libc.memfdCreate("short", 0), "short")) {
            Libc.ftruncate(fd.fd(), 1030 * PAGE);
            try (MappedMemory file =
                MappedMemory.map(0, 1200 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd.fd(), 0)) {
                assertThat(ProcessMaps.firstHole(file.address(), 1200 * PAGE, true)).isNull();
                for (final boolean write : new boolean[]{false, true}) {
                    assertThat(Presence.firstMissing(file.address(), 1200 * PAGE, write))
                        .startsWith(hex(file.address() + 1030 * PAGE));
                    assertThat(Presence.firstMissing(file.address(), 1030 * PAGE, write)).isNull();
                }
            }
        }
    }
}
