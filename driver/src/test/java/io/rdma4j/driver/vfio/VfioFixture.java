/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.pci.DeviceAddress;
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

    @TempDir
    private Path root;

    final FakeKernel kernel = new FakeKernel();
    final GroupSessions sessions = new GroupSessions(kernel);
    FakeMachine machine;
    private int filesBefore;

    @BeforeEach
    void begin() {
        machine = new FakeMachine(root);
        filesBefore = Fd.openCount();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertNothingIsOpen();
        assertThat(kernel.openMappings()).as("mappings of the device").isZero();
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
