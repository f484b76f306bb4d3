/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.PciDevice;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A made-up machine and kernel, and the check that each test left nothing behind. */
abstract class VfioFixture {
    static final String FIRST = "vfio:" + FakeMachine.FIRST;
    static final String SECOND = "vfio:" + FakeMachine.SECOND;
    static final int PAGE = 4096;
    private static final int GC_ROUNDS = 100;

    @TempDir
    private Path root;

    final FakeKernel kernel = new FakeKernel();
    final GroupSessions sessions = new GroupSessions(kernel);
    FakeMachine machine;
    private int filesBefore;
    private int mappingsBefore;

    @BeforeEach
    void begin() {
        machine = new FakeMachine(root);
        filesBefore = Fd.openCount();
        mappingsBefore = MappedMemory.mappedCount();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertNothingIsOpen();
        assertThat(kernel.openMappings()).as("mappings of the device").isZero();
        assertThat(kernel.mappings).as("bus addresses that are still mapped, and their lengths").isEmpty();
        for (int i = 0; i < GC_ROUNDS && MappedMemory.mappedCount() > mappingsBefore; i++) {
            System.gc();
            FakeKernel.pause();
        }
        // Fewer, if an earlier test's were collected meanwhile.
        assertThat(MappedMemory.mappedCount()).as("mapped memory").isLessThanOrEqualTo(mappingsBefore);
    }

    final void assertNothingIsOpen() {
        assertThat(Fd.openCount()).as("open files, after " + kernel.calls).isEqualTo(filesBefore);
        assertThat(sessions.size()).as("open groups").isZero();
    }

    final VfioProvider provider() {
        return new VfioProvider(machine.pci(), sessions);
    }

    final PciDevice open(final String address) {
        return provider().open(DeviceAddress.parse(address));
    }

    final RdmaException refusal(final String address) {
        return Assertions.catchThrowableOfType(RdmaException.class, () -> open(address).close());
    }
}
