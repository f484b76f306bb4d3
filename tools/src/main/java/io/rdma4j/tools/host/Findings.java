/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.DeviceFile;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.HugePagePool;
import io.rdma4j.driver.sysfs.PciFunction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Says what is missing, in the order in which it has to be mended, each with the command that does it. */
final class Findings {
    /** Room for the tables of a context and for some memory of the user's. */
    static final long ENOUGH_MEMLOCK = 64L << 20;
    private static final long HUGE_PAGE = 2L << 20;
    private static final String NEVER = "never";
    private static final String TYPE1 = "vfio_iommu_type1";

    private final HostFacts facts;
    private final List<Finding> found = new ArrayList<>();

    private Findings(final HostFacts facts) {
        this.facts = facts;
    }

    static List<Finding> of(
        final HostFacts facts, final Collection<PciFunction> devices, final Collection<GroupStatus> groups) {
        final Findings findings = new Findings(facts);
        findings.lookForDevices(devices);
        findings.lookForIommu();
        findings.lookForModule();
        findings.lookForContainerFile();
        devices.stream().filter(PciFunction::isRdmaCapable).forEach(device -> findings.lookAtDriver(device, groups));
        groups.forEach(findings::lookAtGroup);
        findings.lookAtMemlock();
        findings.lookForHugePages();
        return List.copyOf(findings.found);
    }

    private void lookForDevices(final Collection<PciFunction> devices) {
        if (devices.stream().noneMatch(PciFunction::isRdmaCapable)) {
            found.add(Finding.required("NO_DEVICE", "No PCI function here is an RDMA device that rdma4j drives "
                + "(pvrdma, 15ad:0820). The emulated device needs nothing of all this.", "./rdma4j pingpong"));
        }
    }

    private void lookForIommu() {
        if (facts.iommuGroupCount() > 0) {
            return;
        }
        if (isWithoutIommu()) {
            found.add(Finding.advised("NO_IOMMU", "There is no IOMMU, and VFIO is told to do without: the device can "
                + "read and write all memory of this machine. Huge pages of 2 MiB stay where they are, small ones may "
                + "not (docs/vfio.md, \"Without an IOMMU\")."));
            return;
        }
        final String argument = facts.isIntel() ? "intel_iommu=on iommu=pt" : "iommu=pt";
        if (facts.isIntel() && !facts.kernelArguments().contains("intel_iommu=on")) {
            found.add(Finding.required("IOMMU_OFF", "The IOMMU is off: the kernel was started without intel_iommu=on."
                + whereItIsSwitchedOn(), "echo 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX " + argument
                + "\"' | sudo tee /etc/default/grub.d/iommu.cfg", "sudo update-grub", "sudo reboot"));
        } else {
            found.add(Finding.required("IOMMU_OFF", "The IOMMU is off, or there is none." + whereItIsSwitchedOn()));
        }
    }

    private String whereItIsSwitchedOn() {
        return (facts.isVirtualMachine()
            ? " This is a virtual machine: its hypervisor has to offer a virtual IOMMU, too."
            : " It is switched on in the firmware's setup, too (VT-d, AMD-Vi, SMMU).") + howToDoWithout();
    }

    private String howToDoWithout() {
        if (facts.noIommuMode().isPresent()) {
            return " This kernel can do without, unprotected: docs/vfio.md, \"Without an IOMMU\".";
        }
        return facts.isModuleLoaded("vfio") ? " This kernel cannot do without: CONFIG_VFIO_NOIOMMU is not set." : "";
    }

    private void lookForModule() {
        if (facts.isModuleLoaded("vfio-pci")) {
            return;
        }
        if (facts.isModuleInstalled("vfio-pci")) {
            found.add(Finding.required("VFIO_PCI_NOT_LOADED", "The module vfio-pci is not loaded.",
                "sudo modprobe vfio-pci", "echo vfio-pci | sudo tee /etc/modules-load.d/vfio-pci.conf"));
        } else {
            found.add(Finding.required("VFIO_PCI_NOT_INSTALLED", "The module vfio-pci is not loaded, and /lib/modules/"
                + facts.kernelRelease() + " does not have it (in a container: ask on the host)."));
        }
    }

    private void lookForContainerFile() {
        final DeviceFile file = facts.containerFile();
        if (!file.exists() && facts.isModuleLoaded("vfio-pci")) {
            found.add(Finding.required("VFIO_FILE_MISSING", "There is no /dev/vfio/vfio, though vfio-pci is loaded"
                + (facts.iommufdFile().exists() ? "; /dev/iommu is there, which rdma4j does not use" : "")
                + " (in a container: it has to be handed in).", "sudo modprobe vfio"));
        } else if (file.exists() && !file.isUsable()) {
            found.add(Finding.required("VFIO_FILE_DENIED", "/dev/vfio/vfio (" + Words.rights(file)
                + ") is not usable by this user.", "sudo chmod 0666 /dev/vfio/vfio"));
        }
        // modprobe loads it after vfio; insmod, and an initramfs, do not. iommufd can stand in for it.
        if (file.exists() && facts.isModuleLoaded("vfio-pci") && !facts.isModuleLoaded(TYPE1)
            && !facts.iommufdFile().exists() && !isWithoutIommu()) {
            found.add(Finding.required("VFIO_TYPE1_NOT_LOADED", "The module " + TYPE1 + " is not loaded: VFIO cannot "
                + "map memory.", "sudo modprobe " + TYPE1));
        }
    }

    private boolean isWithoutIommu() {
        return facts.iommuGroupCount() == 0 && facts.noIommuMode().orElse(false);
    }

    private void lookAtDriver(final PciFunction device, final Collection<GroupStatus> groups) {
        if (!device.isBoundToVfio()) {
            final List<PciFunction> companions = groups.stream()
                .filter(group -> group.number() == device.iommuGroup()).flatMap(group -> group.blocking().stream())
                .filter(member -> !member.address().equals(device.address())).toList();
            found.add(Finding.required("NOT_BOUND", device.address() + " is not bound to vfio-pci: "
                + (device.driver() == null ? "no driver has it" : "the driver " + device.driver() + " has it")
                + andFirst(companions),
                "sudo ./rdma4j bind " + (companions.isEmpty() ? "" : "--group ") + device.address()));
        }
    }

    /** The end of a sentence whose command takes functions. */
    private static String andFirst(final List<PciFunction> functions) {
        final String first = Words.takeDown(functions);
        return (first.isEmpty() ? "" : "; " + first) + ".";
    }

    /** What else VFIO is used for here is not ours to judge. */
    private void lookAtGroup(final GroupStatus group) {
        final List<PciFunction> ours = group.members().stream().filter(PciFunction::isRdmaCapable).toList();
        if (ours.isEmpty() || group.members().stream().noneMatch(PciFunction::isBoundToVfio)) {
            return;
        }
        final DeviceFile file = group.file();
        if (!group.isViable()) {
            found.add(Finding.required("GROUP_NOT_VIABLE", "IOMMU group " + group.number() + " cannot be opened while "
                + Words.functions(group.blocking()) + " has a driver of the kernel" + andFirst(group.blocking()),
                "sudo ./rdma4j bind --group " + ours.get(0).address()));
        } else if (!file.exists()) {
            found.add(Finding.required("GROUP_FILE_MISSING", "There is no " + group.fileName()
                + " (in a container: it has to be handed in)."));
        } else if (!file.isUsable()) {
            found.add(Finding.required("GROUP_FILE_DENIED", group.fileName() + " (" + Words.rights(file)
                + ") is not usable by this user.", group.iommu() ? "sudo chown \"$USER\" " + group.fileName()
                : "sudo ./rdma4j devinfo -d " + group.addressOf(ours.get(0))));
        }
    }

    private void lookAtMemlock() {
        if (!facts.memlock().allows(ENOUGH_MEMLOCK)) {
            found.add(Finding.advised("MEMLOCK_LOW", "This process may lock " + Words.limit(facts.memlock().soft())
                + " of memory; all that is registered, and the tables of each open device, has to fit. The command "
                + "holds from the next login.",
                "echo \"$USER - memlock unlimited\" | sudo tee /etc/security/limits.d/rdma4j.conf"));
        }
    }

    private void lookForHugePages() {
        final List<HugePagePool> pools = facts.hugePagePools().stream().filter(pool -> pool.pageSize() == HUGE_PAGE)
            .toList();
        if (pools.stream().anyMatch(pool -> pool.available() > 0)) {
            return;
        }
        final boolean never = facts.transparentHugePages().equals(NEVER);
        if (!pools.isEmpty()) {
            found.add(Finding.advised("NO_HUGEPAGES", "No huge page of 2 MiB is free: larger memory comes in "
                + (never ? "small pages." : "transparent huge pages, if there are any, else in small ones.")
                + " 512 of them are 1 GiB.",
                "echo 512 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"));
        }
        if (never) {
            found.add(Finding.advised("THP_NEVER", "Transparent huge pages are off, too.",
                "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"));
        }
    }
}
