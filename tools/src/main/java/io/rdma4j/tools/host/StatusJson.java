/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.sysfs.DeviceFile;
import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.HugePagePool;
import io.rdma4j.driver.sysfs.Memlock;
import io.rdma4j.driver.sysfs.NetInterface;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciResource;

import java.util.List;
import java.util.function.Function;

/** The state of the machine as JSON. What is unknown or absent is null; a limit of -1 is none. */
final class StatusJson {
    private static final String ADDRESS = "address";
    private static final String DRIVER = "driver";
    private static final String NAME = "name";

    private final HostStatus status;
    private final HostFacts facts;

    StatusJson(final HostStatus status) {
        this.status = status;
        this.facts = status.facts();
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("ready", status.isReady());
        json.add("devices", array(status.devices(), this::device));
        json.add("other_rdma_devices", array(status.others(), OtherRdma::toJson));
        json.add("groups", array(status.groups(), this::group));
        json.add("host", host());
        json.add("missing", array(status.findings(), Finding::toJson));
        return json;
    }

    private static <T> JsonArray array(final List<T> values, final Function<T, JsonObject> toJson) {
        final JsonArray array = new JsonArray();
        values.forEach(value -> array.add(toJson.apply(value)));
        return array;
    }

    private static JsonArray strings(final List<String> values) {
        final JsonArray array = new JsonArray();
        values.forEach(array::add);
        return array;
    }

    private JsonObject device(final PciFunction device) {
        final JsonObject json = new JsonObject();
        json.addProperty(ADDRESS, device.address());
        json.addProperty("opens_as", device.isRdmaCapable() ? status.opensAs(device) : null);
        json.addProperty("vendor_id", device.vendor());
        json.addProperty("device_id", device.device());
        json.addProperty("subsystem_vendor_id", device.subsystemVendor());
        json.addProperty("subsystem_device_id", device.subsystemDevice());
        json.addProperty("class", device.classCode());
        json.addProperty(NAME, status.names().of(device));
        json.addProperty("rdma_capable", device.isRdmaCapable());
        json.addProperty(DRIVER, device.driver());
        json.addProperty("iommu_group", device.iommuGroup() < 0 ? null : device.iommuGroup());
        json.add("rdma_devices", strings(device.rdmaDevices()));
        json.add("net_interfaces", array(device.netInterfaces(), StatusJson::netInterface));
        json.add("bars", array(device.resources(), StatusJson::bar));
        return json;
    }

    private static JsonObject netInterface(final NetInterface netInterface) {
        final JsonObject json = new JsonObject();
        json.addProperty(NAME, netInterface.name());
        json.addProperty("up", netInterface.isUp());
        json.add("addresses", strings(netInterface.addresses()));
        json.addProperty("default_route", netInterface.hasDefaultRoute());
        return json;
    }

    private static JsonObject bar(final PciResource bar) {
        final JsonObject json = new JsonObject();
        json.addProperty("index", bar.index());
        json.addProperty(ADDRESS, String.format("0x%x", bar.start()));
        json.addProperty("bytes", bar.size());
        json.addProperty("is_memory", bar.isMemory());
        return json;
    }

    private JsonObject group(final GroupStatus group) {
        final JsonObject json = new JsonObject();
        json.addProperty("group", group.number());
        json.addProperty("iommu", group.iommu());
        json.addProperty("viable", group.isViable());
        json.add("file", file(group.file()));
        json.add("users", array(group.users(), StatusJson::user));
        json.add("members", array(group.members(), this::member));
        return json;
    }

    private JsonObject member(final PciFunction member) {
        final JsonObject json = new JsonObject();
        json.addProperty(ADDRESS, member.address());
        json.addProperty("vendor_id", member.vendor());
        json.addProperty("device_id", member.device());
        json.addProperty(NAME, status.names().of(member));
        json.addProperty(DRIVER, member.driver());
        json.addProperty("blocks_group", member.blocksGroup());
        json.add("net_interfaces", array(member.netInterfaces(), StatusJson::netInterface));
        return json;
    }

    private static JsonObject user(final FileUser user) {
        final JsonObject json = new JsonObject();
        json.addProperty("pid", user.pid());
        json.addProperty("command", user.command());
        return json;
    }

    private static JsonObject file(final DeviceFile file) {
        final JsonObject json = new JsonObject();
        json.addProperty("path", file.path().toString());
        json.addProperty("exists", file.exists());
        json.addProperty("owner", file.owner());
        json.addProperty("group", file.group());
        json.addProperty("mode", file.mode());
        json.addProperty("usable", file.isUsable());
        return json;
    }

    private JsonObject host() {
        final JsonObject json = new JsonObject();
        json.addProperty("kernel", facts.kernelRelease());
        json.add("kernel_arguments", strings(relevant(facts.kernelArguments())));
        json.addProperty("virtual_machine", facts.isVirtualMachine());
        json.addProperty("iommu_groups", facts.iommuGroupCount());
        json.add("iommus", strings(facts.iommus()));
        json.addProperty("no_iommu_mode", facts.noIommuMode().orElse(null));
        json.addProperty("vfio_pci_loaded", facts.isModuleLoaded("vfio-pci"));
        json.addProperty("vfio_pci_installed", facts.isModuleInstalled("vfio-pci"));
        json.add("container_file", file(facts.containerFile()));
        json.addProperty("interface", facts.containerFile().exists() ? "group" : null);
        json.add("iommufd_file", file(facts.iommufdFile()));
        json.add("device_files", strings(facts.deviceFiles()));
        json.addProperty("dma_entry_limit", facts.dmaEntryLimit());
        json.add("memlock", memlock(facts.memlock()));
        json.add("huge_pages", array(facts.hugePagePools(), StatusJson::pool));
        json.addProperty("transparent_huge_pages", facts.transparentHugePages());
        return json;
    }

    /** What else stands on a kernel's command line is nobody's business: reports are pasted into public places. */
    private static List<String> relevant(final List<String> arguments) {
        return arguments.stream().filter(argument -> argument.matches(".*(iommu|huge|vfio).*")).toList();
    }

    private static JsonObject memlock(final Memlock memlock) {
        final JsonObject json = new JsonObject();
        json.addProperty("soft", limit(memlock.soft()));
        json.addProperty("hard", limit(memlock.hard()));
        json.addProperty("exempt", memlock.isExempt());
        json.addProperty("enough", memlock.allows(Findings.ENOUGH_MEMLOCK));
        return json;
    }

    private static Long limit(final long bytes) {
        if (bytes == Memlock.UNLIMITED) {
            return -1L;
        }
        return bytes == Memlock.UNKNOWN ? null : Long.valueOf(bytes);
    }

    private static JsonObject pool(final HugePagePool pool) {
        final JsonObject json = new JsonObject();
        json.addProperty("page_bytes", pool.pageSize());
        json.addProperty("total", pool.total());
        json.addProperty("free", pool.free());
        json.addProperty("reserved", pool.reserved());
        json.addProperty("surplus", pool.surplus());
        json.addProperty("available", pool.available());
        return json;
    }
}
