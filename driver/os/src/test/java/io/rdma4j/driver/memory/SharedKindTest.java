/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can happen to a mapping, by its line in the maps of the process. */
class SharedKindTest {
    private static final MappingAreas.Area PRIVATE = area("rw-p", "0", "");
    private static final MappingAreas.Area DEVICE = area("rw-s", "4", "/dev/null");
    private static final MappingAreas.Area SHARED = area("rw-s", "5", "/dev/zero (deleted)");
    private static final MappingAreas.Area OF_FILE = area("rw-s", "6", "/tmp/file");

    private static MappingAreas.Area area(final String rights, final String inode, final String name) {
        return new MappingAreas.Area(0x1000, 0x2000, rights, inode, name);
    }

    @ParameterizedTest
    @CsvSource({
        "rw-p, 0, '', PRIVATE",
        "rw-p, 0, [heap], PRIVATE",
        "rw-p, 9, /tmp/file, PRIVATE",
        "rw-s, 9, /tmp/file, OF_FILE",
        "rw-s, 9, /dev/shm/file, OF_FILE",
        "rw-s, 9, /dev/zero (deleted), LASTING",
        "r--s, 9, /dev/zero (deleted), OF_FILE",
        "rw-s, 9, /SYSV00000000 (deleted), LASTING",
        "---s, 9, /SYSV00000000 (deleted), OF_FILE",
        "rw-s, 9, /dev/null, OF_DEVICE",
        "rw-s, 9, /dmabuf:, OF_DEVICE",
        "rw-s, 9, anon_inode:[vfio-device], OF_DEVICE",
        "rw-p, 9, /dev/zero, PRIVATE",
        "rw-s, 9, /dev/hugepages/removed (deleted), OF_FILE",
    })
    void ofOne(final String rights, final String inode, final String name, final SharedKind kind) {
        assertThat(SharedKind.of(List.of(area(rights, inode, name)))).isEqualTo(kind);
    }

    @Test
    void ofSeveralThatWithWhichMostCanGoWrong() {
        assertThat(SharedKind.of(List.of(SHARED, SHARED))).isEqualTo(SharedKind.LASTING);
        assertThat(SharedKind.of(List.of(SHARED, OF_FILE))).isEqualTo(SharedKind.OF_FILE);
        assertThat(SharedKind.of(List.of(OF_FILE, SHARED))).isEqualTo(SharedKind.OF_FILE);
        assertThat(SharedKind.of(List.of(OF_FILE, PRIVATE, SHARED))).isEqualTo(SharedKind.PRIVATE);
        assertThat(SharedKind.of(List.of(SHARED, PRIVATE))).isEqualTo(SharedKind.PRIVATE);
        assertThat(SharedKind.of(List.of(DEVICE, DEVICE))).isEqualTo(SharedKind.OF_DEVICE);
        assertThat(SharedKind.of(List.of(DEVICE, PRIVATE))).isEqualTo(SharedKind.PRIVATE);
        assertThat(SharedKind.of(List.of(SHARED, DEVICE))).isEqualTo(SharedKind.PRIVATE);
        assertThat(SharedKind.of(List.of(DEVICE, OF_FILE))).isEqualTo(SharedKind.PRIVATE);
    }
}
