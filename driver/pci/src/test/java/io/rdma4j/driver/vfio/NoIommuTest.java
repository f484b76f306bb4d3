/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Opening without an IOMMU: only if it was asked for, only where there is none, and not without a warning. */
class NoIommuTest extends VfioFixture {
    private static final String WITHOUT = FIRST + "?iommu=none";

    @BeforeEach
    void withoutIommu() {
        machine.withoutIommu();
        kernel.backend = VfioIoctls.VFIO_NOIOMMU_IOMMU;
    }

    @Test
    void opensInTheOrderThatTheKernelWantsAndWarns() {
        try (Warnings warnings = new Warnings(VfioProvider.class); PciDevice pci = open(WITHOUT)) {
            assertThat(kernel.calls).containsSubsequence("open vfio", "VFIO_CHECK_EXTENSION", "open noiommu-12",
                "VFIO_GROUP_SET_CONTAINER", "VFIO_SET_IOMMU", "VFIO_GROUP_GET_DEVICE_FD")
                .doesNotContain("VFIO_IOMMU_GET_INFO");
            assertThat(pci.toString()).contains("PhysicalAddresses[0 mappings], pinned by mlock");
            assertThat(warnings.texts()).singleElement().asString()
                .startsWith(WITHOUT + " is used without an IOMMU: the device can read and write all memory");
        }
    }

    @Test
    void isOffUnlessAskedFor() {
        assertThat(refusal(FIRST)).hasMessageContaining("could read and write all memory")
            .hasMessageContaining("[EPERM]").extracting(RdmaException::hint).asString().contains(WITHOUT);
        assertThat(kernel.calls).isEmpty();
    }

    @Test
    void anIommuThatIsThereIsUsed() {
        machine.file("dev/vfio/" + FakeMachine.GROUP);
        machine.remove("sys/kernel/iommu_groups/" + FakeMachine.GROUP + "/name");
        assertThat(refusal(WITHOUT)).hasMessageContaining("is in IOMMU group 12").hasMessageContaining("[EINVAL]")
            .extracting(RdmaException::hint).asString().contains("leave the option out");
        assertThat(refusal(FIRST + "?iommu=on")).hasMessageContaining("option iommu=on [EINVAL]")
            .extracting(RdmaException::hint).asString().contains("iommu=none");
    }

    @Test
    void saysWhatAllowsIt() {
        kernel.answers.put("VFIO_CHECK_EXTENSION", 0);
        assertThat(refusal(WITHOUT)).hasMessageContaining("does not allow VFIO without an IOMMU")
            .extracting(RdmaException::hint).asString().contains("enable_unsafe_noiommu_mode", "CONFIG_VFIO_NOIOMMU");
        machine.function(FakeMachine.FIRST, -1, "vfio-pci");
        assertThat(refusal(WITHOUT)).hasMessageContaining("in no IOMMU group").extracting(RdmaException::hint)
            .asString().contains("enable_unsafe_noiommu_mode", "./rdma4j bind " + FakeMachine.FIRST);
        assertThat(refusal(FIRST).hint()).contains("intel_iommu=on", "docs/vfio.md says how to do without");
    }

    @Test
    void saysWhichCapabilitiesAreMissing() {
        kernel.errnos.put("open noiommu-12", RdmaException.EPERM);
        assertThat(refusal(WITHOUT)).hasMessageContaining("dev/vfio/noiommu-12 must not be opened")
            .extracting(RdmaException::hint).asString().contains("CAP_SYS_RAWIO", "CAP_SYS_ADMIN");
        kernel.errnos.clear();
        kernel.errnos.put("VFIO_SET_IOMMU", RdmaException.EPERM);
        assertThat(refusal(WITHOUT)).hasMessageContaining("without an IOMMU, cannot be used")
            .extracting(RdmaException::hint).asString().contains("CAP_SYS_RAWIO");
    }

    @Test
    void namesWhoHasIt() {
        kernel.errnos.put("open noiommu-12", RdmaException.EBUSY);
        machine.process(4711, "/dev/vfio/noiommu-12");
        assertThat(refusal(WITHOUT)).hasMessageContaining("in use by somebody (process 4711) [EBUSY]");
    }
}
