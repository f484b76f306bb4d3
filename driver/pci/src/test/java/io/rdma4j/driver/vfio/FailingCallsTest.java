/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each call of a whole session fails once: there is an exception, and everything is closed all the same. */
class FailingCallsTest extends VfioFixture {
    /** Then a window is reached through the file, or the call is tried again. */
    private static final Set<String> SURVIVED = Set.of("mmap", "memfd", "mmap over");

    private void session() {
        try (PciDevice pci = open(FIRST)) {
            pci.bar(0).writeInt(0, 1);
            pci.bar(1).readInt(0);
            pci.bar(2);
            pci.interrupts().enable(3);
            try (DmaMemory memory = pci.dma().allocate(PAGE)) {
                memory.buffer().putByte(0, (byte) 1);
            }
            pci.dma().allocate(3 * PAGE);
            pci.interrupts().disable();
            pci.interrupts().enable(2);
        }
    }

    @Test
    void leavesNothingOpenWhicheverCallFails() {
        session();
        final List<String> all = new ArrayList<>(kernel.calls);
        assertThat(all.size()).isGreaterThan(50);
        for (int i = 1; i <= all.size(); i++) {
            kernel.calls.clear();
            kernel.failingCall = i;
            RdmaException thrown = null;
            try {
                session();
            } catch (final RdmaException e) {
                thrown = e;
            }
            if (SURVIVED.contains(all.get(i - 1))) {
                assertThat(thrown).as("call %d, %s, failed", i, all.get(i - 1)).isNull();
            } else {
                assertThat(thrown).as("call %d, %s, failed", i, all.get(i - 1)).isNotNull();
            }
            assertNothingIsOpen();
            // The kernel ends what could not be ended one by one when the container's file is closed.
            assertThat(kernel.mappings).hasSizeLessThanOrEqualTo(1);
            kernel.mappings.clear();
        }
        kernel.failingCall = 0;
        session();
    }

    @Test
    void closesEverythingAlthoughNothingCanBeSwitchedOff() {
        final PciDevice pci = open(FIRST);
        pci.interrupts().enable(3);
        pci.dma().allocate(PAGE);
        for (final String call : List.of("pread", "pwrite", "VFIO_DEVICE_SET_IRQS", "VFIO_IOMMU_UNMAP_DMA",
            "VFIO_GROUP_UNSET_CONTAINER")) {
            kernel.errnos.put(call, RdmaException.EIO);
        }
        assertThat(org.assertj.core.api.Assertions.catchThrowable(pci::close)).isInstanceOf(RdmaException.class)
            .satisfies(e -> assertThat(e.getSuppressed()).hasSizeGreaterThanOrEqualTo(3));
        pci.close();
        kernel.mappings.clear();
    }
}
