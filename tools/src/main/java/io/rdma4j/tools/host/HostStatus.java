/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonObject;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciNames;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The state of the machine, looked at once. */
public final class HostStatus {
    private final HostFacts facts;
    private final List<PciFunction> devices;
    private final List<OtherRdma> others;
    private final List<GroupStatus> groups;
    private final List<Finding> findings;
    private final PciNames names;

    private HostStatus(final Machine machine) {
        facts = machine.facts();
        final List<PciFunction> functions = machine.sysfs().list();
        devices = functions.stream().filter(HostStatus::isOfInterest).toList();
        others = OtherRdma.on(machine, functions);
        groups = devices.stream().map(PciFunction::iommuGroup).filter(number -> number >= 0).distinct().sorted()
            .map(number -> GroupStatus.of(machine, number)).toList();
        final List<PciFunction> all = new ArrayList<>(devices);
        groups.forEach(group -> all.addAll(group.members()));
        names = new PciNames(machine.sysfs().root(), all);
        findings = Findings.of(facts, devices, groups);
    }

    /**
     * Looks at a machine.
     *
     * @param machine the machine.
     * @return its state.
     */
    public static HostStatus of(final Machine machine) {
        return new HostStatus(machine);
    }

    /** Also what others call RDMA devices, and what was given to user space, for whatever purpose. */
    private static boolean isOfInterest(final PciFunction function) {
        return function.isRdmaCapable() || function.isBoundToVfio() || function.isInfiniband()
            || !function.rdmaDevices().isEmpty();
    }

    /**
     * Prints it for people.
     *
     * @param out where to.
     */
    public void print(final PrintWriter out) {
        new StatusText(this, out).print();
    }

    /**
     * The same for programs.
     *
     * @return an object.
     */
    public JsonObject toJson() {
        return new StatusJson(this).toJson();
    }

    /**
     * What is missing.
     *
     * @return findings, in the order in which they have to be mended.
     */
    public List<Finding> findings() {
        return findings;
    }

    /** Whether a device could be opened now. */
    boolean isReady() {
        return findings.stream().noneMatch(Finding::isRequired);
    }

    /** A device's address for rdma4j. */
    String opensAs(final PciFunction device) {
        return groups.stream().filter(group -> group.number() == device.iommuGroup())
            .map(group -> group.addressOf(device)).findFirst().orElse("vfio:" + device.address());
    }

    HostFacts facts() {
        return facts;
    }

    List<PciFunction> devices() {
        return devices;
    }

    /** RDMA devices that rdma4j does not drive. */
    List<OtherRdma> others() {
        return others;
    }

    List<GroupStatus> groups() {
        return groups;
    }

    PciNames names() {
        return names;
    }

    /** The interface that vfio: uses, and what stands in its way. */
    String vfioInterface() {
        final boolean hasIommufd = facts.iommufdFile().exists() || !facts.deviceFiles().isEmpty();
        if (facts.containerFile().exists()) {
            return hasIommufd ? "group (iommufd is there, too, and not used)" : "group (no iommufd)";
        }
        return hasIommufd ? "none: only iommufd is there, and rdma4j uses the group interface" : "none";
    }
}
