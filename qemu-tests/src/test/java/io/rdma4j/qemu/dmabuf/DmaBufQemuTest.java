/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.testing.TestBudget;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** dma-bufs of a real kernel's vgem, as memory of the emulated device and before VFIO: one boot, one JVM. */
@QemuTest
@Tag("one-jdk")
@EnabledIfSystemProperty(named = TestBudget.PROPERTY, matches = "true", disabledReason = "takes minutes")
class DmaBufQemuTest {
    @TestFactory
    Stream<DynamicTest> dmaBufs() {
        final GuestContext context = new GuestContext().name("dma-buf")
            // One thread does it all: twice as fast as with two, see GuestContext.
            .processors(1)
            // On a busy machine the check of the timer fails, and the kernel panics.
            .kernelArguments("intel_iommu=on")
            .modules(VgemBuffer.MODULE, "vfio_iommu_type1", "vfio-pci")
            .qemuArguments("-device", "intel-iommu,intremap=on",
                "-device", "edu,addr=" + DmaBufMain.EDU_SLOT + ".0");
        try (FabricGuest guest = FabricGuest.boot(context)) {
            final GuestResult result = guest.run(List.of(DmaBufMain.class.getName()));
            return Stream.concat(Stream.of("isTheTargetOfAWrite", "isTheSourceOfARead", "sendsAndReceives",
                "aPartAtAnOffset", "leavesNothingBehind", "vfioDoesNotPinVgem", "fabricRegionByVirtualAddress",
                "fabricRegionOutlivesItsFile").map(name ->
                    DynamicTest.dynamicTest(name + " is reported", () -> GuestTests.requireReported(result, name))),
                GuestTests.of(result));
        }
    }
}
