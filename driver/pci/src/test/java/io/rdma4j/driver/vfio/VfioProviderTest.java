/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening and closing; everything that can be wrong with a machine, and the sentence that helps. */
class VfioProviderTest extends VfioFixture {
    private static final int COMMAND = FakeKernel.CONFIG_OFFSET + PciConfig.COMMAND_OFFSET;

    @Test
    void isFoundByItsScheme() {
        assertThat(PciDevices.providers()).anyMatch(provider -> provider instanceof VfioProvider
            && provider.scheme().equals("vfio") && provider.usage().startsWith("vfio:"));
    }

    @Test
    void listsWhatCanBeOpened() {
        machine.function("0000:0c:00.0", 13, "vmxnet3");
        assertThat(provider().list()).extracting(DeviceAddress::toString).containsExactly(FIRST, SECOND);
    }

    @Test
    void opensInTheOrderThatTheKernelWants() {
        try (PciDevice pci = open(FIRST)) {
            assertThat(kernel.calls.stream().filter(call -> !call.contains("GET_I") && !call.startsWith("p")))
                .containsSubsequence("open vfio", "VFIO_GET_API_VERSION", "VFIO_CHECK_EXTENSION", "open 12",
                    "VFIO_GROUP_GET_STATUS", "VFIO_GROUP_SET_CONTAINER", "VFIO_SET_IOMMU", "VFIO_GROUP_GET_DEVICE_FD");
            assertThat(pci.address()).hasToString(FIRST);
            assertThat(pci.persistentName()).contains(FakeMachine.FIRST);
            assertThat(kernel.peek(COMMAND) & 0xffff)
                .as("memory on, no bus master before it is reset, the rest as it was").isEqualTo(0x103);
            assertThat(pci.toString()).contains(FIRST, "group interface", "/dev/vfio/12", "MSI-X of 3");
        }
    }

    @Test
    void closesBackwardsAndTwiceDoesNoHarm() {
        final PciDevice pci = open(FIRST);
        pci.interrupts().enable(3);
        final DmaMemory memory = pci.dma().allocate(PAGE);
        kernel.calls.clear();
        pci.close();
        assertThat(kernel.calls).containsSubsequence("VFIO_DEVICE_SET_IRQS", "pwrite", "VFIO_DEVICE_SET_IRQS",
            "VFIO_IOMMU_UNMAP_DMA", "VFIO_GROUP_UNSET_CONTAINER");
        assertThat(kernel.mappings).isEmpty();
        final int calls = kernel.calls.size();
        pci.close();
        memory.close();
        assertThat(kernel.calls).hasSize(calls);
        assertThat(pci.toString()).contains("closed");
    }

    @Test
    void isRefusedAfterClose() {
        final PciDevice pci = open(FIRST);
        pci.close();
        assertThatThrownBy(() -> pci.bar(0)).hasMessageContaining("EBADFD").hasMessageContaining("closed");
        assertThatThrownBy(() -> pci.config().read(0, 4)).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> pci.config().write(4, 2, 0)).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> pci.dma().allocate(1)).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> pci.dma().map(1 << 20, 1, null)).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> pci.interrupts().enable(1)).hasMessageContaining("EBADFD");
        pci.interrupts().disable();
    }

    @Test
    void takesTheKindOfPages() {
        open(FIRST + "?pages=4K").close();
        assertThat(refusal(FIRST + "?pages=3M")).hasMessageContaining("pages=3M");
        assertThat(refusal(FIRST + "?page=2M")).hasMessageContaining("unknown option 'page'")
            .hasMessageContaining("[gid, iommu, pages, timeout, vectors]");
    }

    @Test
    void acceptsAnAddressWithoutDomain() {
        open("vfio:0b:00.0").close();
        assertThat(refusal("vfio:eth0").errno()).isEqualTo(RdmaException.EINVAL);
    }

    @Test
    void saysThatThereIsNoSuchFunction() {
        assertThat(refusal("vfio:0000:99:00.0")).hasMessageContaining("no PCI function at '0000:99:00.0' [ENODEV]")
            .extracting(RdmaException::hint).asString().contains("./rdma4j status");
    }

    @Test
    void saysThatTheIommuIsOff() {
        machine.function(FakeMachine.FIRST, -1, "vfio-pci");
        assertThat(refusal(FIRST)).hasMessageContaining("in no IOMMU group").hasMessageContaining("[ENODEV]")
            .extracting(RdmaException::hint).asString().contains("intel_iommu=on", "amd_iommu=on");
    }

    @Test
    void saysThatVfioIsNotLoaded() {
        machine.remove("dev/vfio/vfio");
        assertThat(refusal(FIRST)).hasMessageContaining("VFIO is not loaded [ENODEV]")
            .extracting(RdmaException::hint).asString()
            .contains("modprobe vfio-pci", "./rdma4j bind " + FakeMachine.FIRST);
    }

    @Test
    void saysThatOnlyTheNewInterfaceIsThere() {
        machine.remove("dev/vfio/vfio");
        machine.cdev(FakeMachine.FIRST);
        assertThat(refusal(FIRST)).hasMessageContaining("dev/vfio/devices/vfio7").hasMessageContaining("iommufd")
            .hasMessageContaining("dev/iommu is missing").hasMessageContaining("group interface")
            .extracting(RdmaException::hint).asString().contains("CONFIG_VFIO_GROUP");
        machine.file("dev/iommu");
        machine.file("dev/vfio/vfio");
        machine.remove("dev/vfio/12");
        assertThat(refusal(FIRST)).hasMessageContaining("dev/iommu is there").hasMessageContaining("EOPNOTSUPP");
    }

    @Test
    void saysWhichDriverHasTheDevice() {
        machine.function(FakeMachine.FIRST, FakeMachine.GROUP, "vmw_pvrdma");
        assertThat(refusal(FIRST)).hasMessageContaining("kernel's driver 'vmw_pvrdma'")
            .hasMessageContaining("bind it: ./rdma4j bind " + FakeMachine.FIRST);
        machine.function(FakeMachine.FIRST, FakeMachine.GROUP, null);
        assertThat(refusal(FIRST)).hasMessageContaining("bound to no driver");
    }

    @Test
    void saysThatTheGroupsFileIsMissing() {
        machine.remove("dev/vfio/12");
        assertThat(refusal(FIRST)).hasMessageContaining("dev/vfio/12 although vfio-pci has the device")
            .hasMessageContaining("--device");
    }

    @Test
    void saysWhoKeepsTheGroupFromBeingViable() {
        kernel.groupFlags = 0;
        machine.function(FakeMachine.SECOND, FakeMachine.GROUP, "vmxnet3");
        assertThat(refusal(FIRST)).hasMessageContaining("IOMMU group 12 is not viable")
            .hasMessageContaining(FakeMachine.FIRST + " [15ad:0820] driver vfio-pci")
            .hasMessageContaining(FakeMachine.SECOND + " [15ad:0820] driver vmxnet3")
            .extracting(RdmaException::hint).asString()
            .contains("./rdma4j bind --group " + FakeMachine.FIRST)
            .endsWith("one by one: ./rdma4j bind " + FakeMachine.SECOND);
    }

    @Test
    void saysThatRightsAreMissing() {
        kernel.errnos.put("open 12", RdmaException.EACCES);
        assertThat(refusal(FIRST)).hasMessageContaining("no permission on").hasMessageContaining("[EACCES]")
            .extracting(RdmaException::hint).asString().contains("chown", "udev");
        kernel.errnos.clear();
        kernel.errnos.put("open vfio", RdmaException.EPERM);
        assertThat(refusal(FIRST)).hasMessageContaining("dev/vfio/vfio must not be opened")
            .hasMessageContaining("--device");
    }

    @Test
    void saysWhoElseHasTheGroup() {
        kernel.errnos.put("open 12", RdmaException.EBUSY);
        assertThat(refusal(FIRST)).hasMessageContaining("in use by another process [EBUSY]");
        machine.process(4711, "/dev/vfio/12");
        machine.process(4712, "/dev/vfio/vfio");
        assertThat(refusal(FIRST)).hasMessageContaining("in use by somebody (process 4711) [EBUSY]");
    }

    @Test
    void saysThatTheDeviceIsOpenAlready() {
        try (PciDevice first = open(FIRST)) {
            assertThat(refusal(FIRST)).hasMessageContaining("open already in this process [EBUSY]");
            assertThat(first.config().read(0, 4)).isEqualTo(0x0820_15ad);
        }
        open(FIRST).close();
    }

    @Test
    void saysThatTheKernelDoesNotGiveOutTheDevice() {
        kernel.errnos.put("VFIO_GROUP_GET_DEVICE_FD", RdmaException.ENODEV);
        assertThat(refusal(FIRST)).hasMessageContaining("does not give out")
            .hasMessageContaining("./rdma4j bind " + FakeMachine.FIRST);
    }

    @Test
    void refusesAnotherVersionOfTheInterface() {
        kernel.answers.put("VFIO_GET_API_VERSION", 1);
        assertThat(refusal(FIRST)).hasMessageContaining("VFIO_GET_API_VERSION says 1, known is 0 [EOPNOTSUPP]");
    }

    @Test
    void refusesAKernelWithoutItsIommuBackend() {
        kernel.answers.put("VFIO_CHECK_EXTENSION", 0);
        assertThat(refusal(FIRST)).hasMessageContaining("type 1, version 2")
            .hasMessageContaining("modprobe vfio_iommu_type1");
    }

    @Test
    void saysThatInterruptsAreNotRemapped() {
        kernel.errnos.put("VFIO_SET_IOMMU", RdmaException.EPERM);
        machine.reserves("0x00000000fee00000 0x00000000feefffff msi\n0x1000 0x1fff direct-relaxable\n");
        assertThat(refusal(FIRST)).hasMessageContaining(FIRST).hasMessageContaining("does not remap interrupts")
            .hasMessageNotContaining("RMRR").extracting(RdmaException::hint).asString()
            .contains("allow_unsafe_interrupts=1", "dmesg");
    }

    @ParameterizedTest
    @ValueSource(ints = {RdmaException.EPERM, RdmaException.EINVAL})
    void saysThatThePlatformUsesTheDevice(final int errno) {
        kernel.errnos.put("VFIO_SET_IOMMU", errno);
        machine.reserves("0x00000000000e8000 0x00000000000e8fff direct\n0x00000000fee00000 0x00000000feefffff msi\n");
        assertThat(refusal(FIRST)).hasMessageContaining(FIRST).hasMessageContaining("RMRR")
            .hasMessageContaining("reserved_regions lists 0x00000000000e8000 0x00000000000e8fff direct")
            .hasMessageNotContaining("remap").extracting(RdmaException::hint).asString().contains("dmesg");
    }

    @Test
    void saysBothReasonsWhereTheKernelDoesNotTellThemApart() {
        kernel.errnos.put("VFIO_SET_IOMMU", RdmaException.EPERM);
        assertThat(refusal(FIRST)).hasMessageContaining("does not remap interrupts").hasMessageContaining("RMRR")
            .hasMessageContaining("cannot be read").extracting(RdmaException::hint).asString()
            .contains("allow_unsafe_interrupts=1", "firmware", "dmesg");
    }

    @Test
    void saysWhatIsReservedWhereThereCanBeNoAddressSpace() {
        kernel.errnos.put("VFIO_SET_IOMMU", RdmaException.EINVAL);
        machine.reserves("0x00000000fee00000 0x00000000feefffff msi\n");
        assertThat(refusal(FIRST)).hasMessageContaining("cannot give IOMMU group 12 an address space")
            .hasMessageContaining("feefffff msi").hasMessageContaining("[EINVAL]")
            .extracting(RdmaException::hint).asString().contains("dmesg");
    }

    @ParameterizedTest
    @ValueSource(strings = {"VFIO_GROUP_GET_STATUS", "VFIO_GROUP_SET_CONTAINER", "VFIO_SET_IOMMU",
        "VFIO_IOMMU_GET_INFO"})
    void saysWhichDeviceWhateverTheKernelRefuses(final String call) {
        kernel.errnos.put(call, RdmaException.ENOMEM);
        assertThat(refusal(FIRST)).hasMessageContaining(FIRST).hasMessageContaining(call)
            .hasMessageContaining("[ENOMEM]").extracting(RdmaException::hint).asString().contains("dmesg");
    }

    @Test
    void refusesAnIommuWithoutAUsableAddress() {
        kernel.ranges = List.of(new IovaAllocator.Range(0, 0xfff), new IovaAllocator.Range(0x1001, 0x1fff));
        assertThat(refusal(FIRST)).hasMessageContaining(FIRST).hasMessageContaining("no bus address")
            .hasMessageContaining("0x0..0xfff").hasMessageContaining("[EOPNOTSUPP]");
    }

    @Test
    void failureToCloseTheGroupDoesNotHideWhyItIsClosed() {
        kernel.errnos.put("VFIO_GROUP_GET_DEVICE_FD", RdmaException.ENODEV);
        kernel.errnos.put("VFIO_GROUP_UNSET_CONTAINER", RdmaException.EIO);
        assertThat(refusal(FIRST)).hasMessageContaining("does not give out")
            .satisfies(e -> assertThat(e.getSuppressed()).singleElement().asString().contains("UNSET_CONTAINER"));
    }

    @Test
    void refusesAnIommuOfLargePages() {
        kernel.pageSizes = 0x10000;
        assertThat(refusal(FIRST)).hasMessageContaining("pages of 4096 bytes").hasMessageContaining("0x10000");
    }

    @Test
    void refusesWhatIsNoPciDevice() {
        kernel.deviceFlags = 1 << 2;
        assertThat(refusal(FIRST)).hasMessageContaining("no configuration space");
    }

    @Test
    void resetsOnlyWhereTheKernelOffersIt() {
        try (PciDevice pci = open(FIRST)) {
            assertThat(pci.reset()).isFalse();
            assertThat(kernel.calls).doesNotContain("VFIO_DEVICE_RESET");
        }
        kernel.deviceFlags |= DeviceInfo.VFIO_DEVICE_FLAGS_RESET;
        try (PciDevice pci = open(FIRST)) {
            assertThat(pci.reset()).isTrue();
            assertThat(kernel.calls).endsWith("VFIO_DEVICE_RESET");
        }
    }

    @Test
    void configurationSpaceRefusesWhatTheBusWould() {
        try (PciDevice pci = open(FIRST)) {
            pci.config().write(0x3c, 1, 0x1ff);
            assertThat(pci.config().read(0x3c, 1)).isEqualTo(0xff);
            assertThat(pci.config().read(0x3d, 1)).isZero();
            assertThat(pci.config().read(0, 2)).isEqualTo(0x15ad);
            assertThatThrownBy(() -> pci.config().read(1, 2)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pci.config().read(0, 3)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pci.config().read(-4, 4)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pci.config().write(256, 4, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void oneSharedGroupForTwoFunctions() {
        final PciDevice first = open(FIRST);
        final PciDevice second = open(SECOND);
        assertThat(kernel.calls.stream().filter("open 12"::equals)).hasSize(1);
        assertThat(sessions.size()).isEqualTo(1);
        try (DmaMemory one = first.dma().allocate(PAGE); DmaMemory other = second.dma().allocate(PAGE)) {
            assertThat(one.iova()).isNotEqualTo(other.iova());
        }
        first.close();
        assertThat(kernel.calls).doesNotContain("VFIO_GROUP_UNSET_CONTAINER");
        assertThat(second.config().read(0, 4)).isEqualTo(0x0820_15ad);
        second.close();
        assertThat(kernel.calls).endsWith("VFIO_GROUP_UNSET_CONTAINER");
    }

    @Test
    void secondFunctionThatCannotBeOpenedLeavesTheFirstAlone() {
        try (PciDevice first = open(FIRST)) {
            kernel.errnos.put("VFIO_DEVICE_GET_INFO", RdmaException.EIO);
            assertThat(refusal(SECOND)).isNotNull();
            kernel.errnos.clear();
            assertThat(first.config().read(0, 4)).isEqualTo(0x0820_15ad);
            open(SECOND).close();
        }
    }
}
