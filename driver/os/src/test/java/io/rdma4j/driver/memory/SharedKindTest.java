/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
        return new MappingAreas.Area(0x1000, 0x2000, rights, "00:01", inode, name);
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

    @ParameterizedTest
    @CsvSource({"0x801, 08:01", "0x1, 00:01", "0xfd03, fd:03", "0x10302, 103:02", "0x100012, 00:112"})
    void devicesAreWrittenAsTheKernelWritesThem(final String number, final String text) {
        assertThat(SharedKind.deviceText(Long.decode(number))).isEqualTo(text);
    }

    /** Inodes of ordinary ones and of those of huge pages are counted apart. */
    @Test
    void theSealsOfAMemoryFileAreThoseOfItsOwnFileSystem() throws IOException {
        try (Fd sealed = Fd.of(Libc.memfdCreate("sealed", LibcConstants.MFD_ALLOW_SEALING), "sealed")) {
            FileCalls.addSeals(sealed.fd(), LibcConstants.F_SEAL_SHRINK);
            final Path descriptor = Path.of("/proc/self/fd/" + sealed.fd());
            final Map<String, Object> found = Files.readAttributes(descriptor, "unix:dev,ino");
            final String device = SharedKind.deviceText(((Number) found.get("dev")).longValue());
            assertThat(of(device, found.get("ino"))).isEqualTo(SharedKind.LASTING);
            assertThat(of("7f:7f", found.get("ino"))).isEqualTo(SharedKind.OF_FILE);
        }
    }

    private static SharedKind of(final String device, final Object inode) {
        return SharedKind.of(List.of(new MappingAreas.Area(0x1000, 0x2000, "rw-s", device, inode.toString(),
            "/memfd:sealed (deleted)")));
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
