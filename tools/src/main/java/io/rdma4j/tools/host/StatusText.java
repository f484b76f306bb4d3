/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.HugePagePool;
import io.rdma4j.driver.sysfs.Memlock;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.tools.text.Table;

import java.io.PrintWriter;
import java.util.List;

/** Prints the state of the machine as tables and a list of what to do. */
final class StatusText {
    private final HostStatus status;
    private final HostFacts facts;
    private final PrintWriter out;

    StatusText(final HostStatus status, final PrintWriter out) {
        this.status = status;
        this.facts = status.facts();
        this.out = out;
    }

    void print() {
        printDevices();
        if (!status.others().isEmpty()) {
            out.println();
            printOthers();
        }
        if (!status.groups().isEmpty()) {
            out.println();
            printGroups();
        }
        out.println();
        printHost();
        out.println();
        printFindings();
    }

    private void printDevices() {
        if (status.devices().isEmpty()) {
            out.printf("No RDMA devices%s, and nothing bound to vfio-pci.%n",
                status.others().isEmpty() ? "" : " on PCI");
            return;
        }
        final Table table = Table.ofText("DEVICE", "IDS", "NAME", "DRIVER", "GROUP", "INTERFACES");
        for (final PciFunction device : status.devices()) {
            table.row(device.address(), device.ids(), name(device), Words.driver(device), Words.group(device),
                Words.interfaces(device));
        }
        table.print(out);
    }

    private String name(final PciFunction device) {
        return status.names().of(device) + (device.isRdmaCapable() ? "" : " (no pvrdma)");
    }

    private void printOthers() {
        final Table table = Table.ofText("OTHER RDMA", "DEVICE", "KIND", "OPENS AS");
        for (final OtherRdma other : status.others()) {
            table.row(Words.orNone(other.name()), Words.orNone(other.address()), other.kind(), other.use());
        }
        table.print(out);
        out.println(OtherRdma.HOW + ".");
        out.println("Everything works on the emulated device: ./rdma4j pingpong");
    }

    private void printGroups() {
        final Table table = Table.ofText("GROUP", "MEMBER", "IDS", "DRIVER", "INTERFACES", "FILE", "RIGHTS", "OPEN IN");
        for (final GroupStatus group : status.groups()) {
            String number = Integer.toString(group.number());
            String file = group.file().exists() ? group.fileName() : Words.NONE;
            String rights = group.file().exists()
                ? Words.rights(group.file()) + (group.file().isUsable() ? "" : " (not for this user)") : Words.NONE;
            String users = Words.users(group.users());
            for (final PciFunction member : group.members()) {
                table.row(number, member.address(), member.ids(), Words.driver(member), Words.interfaces(member), file,
                    rights, users);
                number = "";
                file = "";
                rights = "";
                users = "";
            }
        }
        table.print(out);
    }

    private void printHost() {
        final Table table = Table.ofText("HOST", "STATE");
        table.row("kernel", facts.kernelRelease());
        table.row("IOMMU", facts.iommuGroupCount() == 0 ? "off" + withoutIommu() : String.format("on, %d groups%s",
            facts.iommuGroupCount(), facts.iommus().isEmpty() ? "" : " (" + String.join(", ", facts.iommus()) + ")"));
        table.row("module vfio-pci", module());
        table.row("/dev/vfio/vfio", Words.usability(facts.containerFile()));
        table.row("VFIO interface", status.vfioInterface());
        table.row("mappings", facts.dmaEntryLimit() + " at most in one container");
        table.row("memlock", memlock());
        for (final HugePagePool pool : facts.hugePagePools()) {
            table.row("huge pages of " + Words.bytes(pool.pageSize()), String.format("%d, of which %d can be had",
                pool.total(), pool.available()));
        }
        table.row("transparent huge pages", facts.transparentHugePages());
        table.print(out);
    }

    private String withoutIommu() {
        return facts.noIommuMode().map(on -> on ? ", and VFIO is told to do without" : ", VFIO can do without")
            .orElse("");
    }

    private String module() {
        if (facts.isModuleLoaded("vfio-pci")) {
            return "loaded";
        }
        return facts.isModuleInstalled("vfio-pci") ? "not loaded" : "not installed";
    }

    private String memlock() {
        final Memlock memlock = facts.memlock();
        final String limits = Words.limit(memlock.soft()) + " (hard limit: " + Words.limit(memlock.hard()) + ")";
        return memlock.isExempt() ? limits + ", which does not hold for this process (CAP_IPC_LOCK)" : limits;
    }

    private void printFindings() {
        final List<Finding> required = status.findings().stream().filter(Finding::isRequired).toList();
        final List<Finding> advised = status.findings().stream().filter(finding -> !finding.isRequired()).toList();
        if (status.isReady()) {
            out.println("Ready. Try:");
            status.devices().stream().filter(PciFunction::isRdmaCapable)
                .forEach(device -> out.println("    ./rdma4j devinfo -d " + status.opensAs(device)));
        } else {
            out.println("Missing for vfio: (docs/vfio.md has more):");
            required.forEach(this::print);
        }
        if (!advised.isEmpty()) {
            out.println("Advised:");
            advised.forEach(this::print);
        }
    }

    private void print(final Finding finding) {
        out.println("  - " + finding.problem());
        finding.commands().forEach(command -> out.println("        " + command));
    }
}
