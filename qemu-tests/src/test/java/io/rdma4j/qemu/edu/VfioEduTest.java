/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** VFIO in a real kernel, behind a virtual IOMMU, on the simplest device there is: one boot, one JVM. */
@QemuTest
@Tag("thorough")
class VfioEduTest {
    /** DMA addresses of edu have 28 bits unless it is told otherwise. */
    private static final String EDU = "edu,dma_mask=0xffffffffff,addr=";

    @TestFactory
    Stream<DynamicTest> vfioOnEdu() {
        final Supplier<GuestContext> contexts = () -> new GuestContext().name("vfio-edu")
            .kernelArguments("intel_iommu=on")
            .modules("vfio_iommu_type1", "vfio-pci", "uio_pci_generic")
            .qemuArguments("-device", "intel-iommu,intremap=on",
                "-device", EDU + EduMain.SHARED_SLOT + ".0,multifunction=on",
                "-device", EDU + EduMain.SHARED_SLOT + ".1",
                "-device", EDU + EduMain.SINGLE_SLOT + ".0",
                "-device", "rocker,addr=" + EduMain.ROCKER_SLOT + ".0",
                "-device", "pci-testdev,addr=" + EduMain.TESTDEV_SLOT + ".0");
        final GuestResult result = FabricGuest.runIn(contexts, List.of(EduMain.class.getName()));
        return Stream.concat(Stream.of("dmaBothWays", "dmaOnAHugePage", "iommuStopsUnmappedDma", "countsInterrupts",
            "countsEachVector", "refusesAUserWithoutRights", "tellsOfTheLossAndLetsGo", "leavesNothingBehind")
            .map(name -> DynamicTest.dynamicTest(name + " is reported",
                () -> GuestTests.requireReported(result, name))), GuestTests.of(result));
    }
}
