/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.testing.TestBudget;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.util.List;
import java.util.stream.Stream;

/** status, bind and unbind with a real kernel behind sysfs: one boot. */
@QemuTest
@Tag("one-jdk")
@EnabledIfSystemProperty(named = TestBudget.PROPERTY, matches = "true", disabledReason = "takes minutes")
class HostToolsQemuTest {
    @TestFactory
    Stream<DynamicTest> statusBindAndUnbind() {
        final GuestContext context = new GuestContext().name("host-tools")
            // On a busy machine the check of the timer fails, and the kernel panics.
            .kernelArguments("intel_iommu=on")
            .modules("vfio_iommu_type1", "vfio-pci", "vmxnet3")
            .qemuArguments("-device", "intel-iommu,intremap=on", "-netdev", "user,id=net1,ipv6=off",
                "-device", "vmxnet3,netdev=net1,romfile=,multifunction=on,addr=" + HostClaims.SHARED_SLOT + ".0",
                "-device", "edu,addr=" + HostClaims.SHARED_SLOT + ".1",
                "-device", "edu,addr=" + HostClaims.SINGLE_SLOT + ".0",
                "-device", "pcie-root-port,id=port1,chassis=1,addr=" + HostClaims.BRIDGE_SLOT + ".0");
        try (FabricGuest guest = FabricGuest.boot(context)) {
            final GuestResult result = guest.run(List.of(HostToolsMain.class.getName()));
            return Stream.concat(Stream.of("bindsTheWholeGroup", "forcedUnbindEndsThoughTheDeviceStaysOpen",
                "givesTheGroupBack", "saysModprobe").map(name ->
                DynamicTest.dynamicTest(name + " is reported", () -> GuestTests.requireReported(result, name))),
                GuestTests.of(result));
        }
    }
}
