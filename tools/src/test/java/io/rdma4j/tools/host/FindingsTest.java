/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.DeviceFile;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.PciFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What depends on who runs the test, with device files that are made up. */
class FindingsTest {
    private static final PciFunction DEVICE = new PciFunction("0000:0b:00.1", 0x15ad, 0x0820, 0, 0, 0x028000,
        "vfio-pci", 11, List.of(), List.of(), List.of());

    @TempDir
    private Path root;

    private List<Finding> findings(final DeviceFile file) {
        return Findings.of(new HostFacts(root), List.of(DEVICE),
            List.of(new GroupStatus(11, true, file, List.of(), List.of(DEVICE))));
    }

    @Test
    void aGroupFileOfSomebodyElseIsToldWithTheCommand() {
        assertThat(findings(new DeviceFile(root, true, "root", "root", "rw-------", false)))
            .filteredOn(finding -> finding.code().equals("GROUP_FILE_DENIED")).singleElement().satisfies(finding -> {
                assertThat(finding.isRequired()).isTrue();
                assertThat(finding.problem())
                    .isEqualTo("/dev/vfio/11 (rw------- root root) is not usable by this user.");
                assertThat(finding.commands()).containsExactly("sudo chown \"$USER\" /dev/vfio/11");
            });
    }

    @Test
    void whoMayOpenAGroupWithoutAnRdmaDeviceDoesNotMatter() {
        final PciFunction other = new PciFunction("0000:05:00.0", 0x1234, 0x11e8, 0, 0, 0x00ff00, "vfio-pci", 3,
            List.of(), List.of(), List.of());
        final DeviceFile file = new DeviceFile(root, true, "root", "root", "rw-------", false);
        assertThat(Findings.of(new HostFacts(root), List.of(other),
            List.of(new GroupStatus(3, true, file, List.of(), List.of(other))))).extracting(Finding::code)
            .doesNotContain("GROUP_FILE_DENIED");
    }

    @Test
    void aGroupFileThatIsMissingIsTold() {
        assertThat(findings(new DeviceFile(root, false, null, null, null, false))).extracting(Finding::code)
            .contains("GROUP_FILE_MISSING").doesNotContain("NOT_BOUND", "NO_DEVICE");
    }

    @Test
    void aGroupFileThatCanBeUsedIsNoFinding() {
        assertThat(findings(new DeviceFile(root, true, "me", "me", "rw-------", true))).extracting(Finding::code)
            .doesNotContain("GROUP_FILE_MISSING", "GROUP_FILE_DENIED", "GROUP_NOT_VIABLE");
    }

    @Test
    void bytesAreWrittenInTheLargestUnitWithoutAFraction() {
        assertThat(List.of(0L, 1023L, 1024L, 8L << 20, 1L << 30, 3L << 29, 1L << 50)).extracting(Words::bytes)
            .containsExactly("0 bytes", "1023 bytes", "1 KiB", "8 MiB", "1 GiB", "1536 MiB", "1024 TiB");
    }
}
