/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;
import io.rdma4j.driver.sysfs.RdmaDevice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An RDMA device that is no pvrdma: one that rdma4j opens through libibverbs, if the kernel has a driver for it.
 *
 * @param name       its name in the kernel, such as {@code mlx5_0}; null if no driver of the kernel has made one.
 * @param address    its PCI address; null if there is none.
 * @param kind       whose it is, or which software.
 * @param isSoftware whether there is no hardware behind it.
 */
public record OtherRdma(String name, String address, String kind, boolean isSoftware) {
    static final String HOW = "rdma4j drives pvrdma through VFIO; it opens others as ibv:NAME, through libibverbs and "
        + "the kernel's driver";
    private static final String OPERATION = "open device";
    private static final String VFIO = "vfio:";
    private static final int PCI_VENDOR_ID_VMWARE = 0x15ad;
    /** Vendors of RDMA adapters, with the kernel's drivers for them. */
    private static final Map<Integer, String> VENDORS = Map.of(
        0x15b3, "NVIDIA/Mellanox (mlx4, mlx5)",
        0x8086, "Intel (irdma)",
        0x14e4, "Broadcom (bnxt_re)",
        0x1d0f, "Amazon EFA (efa)",
        0x1ded, "Alibaba ERDMA (erdma)",
        0x19e5, "Huawei (hns_roce)",
        0x1425, "Chelsio (iw_cxgb4)",
        PCI_VENDOR_ID_VMWARE, "VMware");

    /**
     * Finds them.
     *
     * @param machine where.
     * @return those with a PCI address first.
     */
    public static List<OtherRdma> on(final Machine machine) {
        return on(machine, machine.sysfs().list());
    }

    static List<OtherRdma> on(final Machine machine, final List<PciFunction> functions) {
        final Map<String, RdmaDevice> left = new LinkedHashMap<>();
        machine.facts().rdmaDevices().forEach(device -> left.put(device.name(), device));
        final List<OtherRdma> found = new ArrayList<>();
        for (final PciFunction function : functions) {
            final List<String> names = function.rdmaDevices().stream()
                .filter(name -> !left.containsKey(name) || !left.get(name).isSoftware()).toList();
            names.forEach(left::remove);
            if (!function.isRdmaCapable()) {
                names.forEach(name -> found.add(of(name, function)));
                if (names.isEmpty() && function.isInfiniband()) {
                    found.add(of(null, function));
                }
            }
        }
        left.values().forEach(device -> found.add(new OtherRdma(device.name(), null, kind(device),
            device.isSoftware())));
        return found;
    }

    private static OtherRdma of(final String name, final PciFunction function) {
        return new OtherRdma(name, function.address(),
            VENDORS.getOrDefault(function.vendor(), String.format("vendor %04x", function.vendor())), false);
    }

    private static String kind(final RdmaDevice device) {
        if (!device.isSoftware()) {
            return "not on PCI";
        }
        return device.isIwarp() ? "siw: iWARP in software" : "rxe: RoCE in software";
    }

    /**
     * Its device address.
     *
     * @return such as {@code ibv:mlx5_0}; null if no driver of the kernel has made a device of it.
     */
    public String opensAs() {
        return name == null ? null : "ibv:" + name;
    }

    /** What can be done with it. */
    String use() {
        return name == null ? "not at all: no driver of the kernel has it" : opensAs();
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("name", name);
        json.addProperty("address", address);
        json.addProperty("kind", kind);
        json.addProperty("software", isSoftware);
        json.addProperty("opens_as", opensAs());
        return json;
    }

    /**
     * Refuses what a user of libibverbs may type in place of a device address: a name of the kernel's, or the function
     * of a device that is not ours.
     *
     * @param machine where.
     * @param text    what was typed.
     * @throws RdmaException EOPNOTSUPP if it is such a device, ENODEV if it is the kernel's name of one that rdma4j
     *                       drives; the hint says what to type.
     */
    public static void refuse(final Machine machine, final String text) {
        final boolean isVfio = text.startsWith(VFIO);
        if (!isVfio && text.contains(":")) {
            return;
        }
        final String function = isVfio
            ? PciSysfs.normalise(text.substring(VFIO.length()).replaceFirst("[?].*", "")).orElse(null) : null;
        final List<PciFunction> functions = machine.sysfs().list();
        for (final PciFunction ours : functions) {
            if (ours.isRdmaCapable() && ours.rdmaDevices().contains(text)) {
                throw RdmaException.of(OPERATION)
                    .detail("'%s' is what the kernel calls the device at %s while it has it", text, ours.address())
                    .errno(RdmaException.ENODEV)
                    .hint("run: sudo ./rdma4j bind %s; its address is vfio:%s then", ours.address(), ours.address())
                    .build();
            }
        }
        for (final OtherRdma other : on(machine, functions)) {
            if (isVfio ? function != null && function.equals(other.address()) : text.equals(other.name())) {
                throw RdmaException.of(OPERATION)
                    .detail("'%s' is an RDMA device of another kind, %s: %s", text, other.kind(), HOW)
                    .errno(RdmaException.EOPNOTSUPP)
                    .hint(other.name() == null ? "use the emulated device: -d emulated:" : "-d " + other.opensAs())
                    .build();
            }
        }
    }
}
