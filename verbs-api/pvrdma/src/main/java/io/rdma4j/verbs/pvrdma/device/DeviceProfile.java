/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_QPHANDLE_VERSION;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_ROCEV1_VERSION;

import io.rdma4j.hw.pvrdma.Bar1;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which implementation of the device this is, found by what identifies it: subsystem ids and VERSION. The first entry
 * of the table that fits counts; the last fits everything.
 *
 * @param name            what people call it.
 * @param subsystemVendor PCI subsystem vendor id, or {@link #ANY}.
 * @param subsystemId     PCI subsystem id, or {@link #ANY}.
 * @param minVersion      lowest VERSION that it fits.
 * @param maxVersion      highest VERSION that it fits.
 * @param quirks          what it does differently; unmodifiable.
 * @param maxRingPages    pages that one CQ or SRQ (state page included), one send queue or one receive queue may have.
 */
public record DeviceProfile(
    String name, int subsystemVendor, int subsystemId, int minVersion, int maxVersion, Set<Quirk> quirks,
    int maxRingPages) {

    /** Fits every id. */
    public static final int ANY = -1;
    /** PCI subsystem id of the emulated device of this project, under the vendor id of the pvrdma device. */
    public static final int EMULATED_SUBSYSTEM_ID = 0x4a34;

    /** CREATE_QP counts pages in 16 bits: state page, send queue and receive queue together. */
    private static final int PAGES_OF_U16_CHUNKS = (1 << 16) - 1;
    private static final int QEMU_SUBSYSTEM_VENDOR = 0x1af4;
    private static final int QEMU_SUBSYSTEM_ID = 0x1100;
    /** QEMU reads 128 page addresses of a ring and no more. */
    private static final int QEMU_RING_PAGES = 128;

    private static final List<DeviceProfile> TABLE = List.of(
        new DeviceProfile("QEMU 7.2", QEMU_SUBSYSTEM_VENDOR, QEMU_SUBSYSTEM_ID,
            PVRDMA_ROCEV1_VERSION, PVRDMA_QPHANDLE_VERSION, EnumSet.allOf(Quirk.class), QEMU_RING_PAGES),
        new DeviceProfile("rdma4j emulated", Bar1.PVRDMA_VENDOR_ID, EMULATED_SUBSYSTEM_ID,
            PVRDMA_ROCEV1_VERSION, PVRDMA_QPHANDLE_VERSION, EnumSet.noneOf(Quirk.class), PAGES_OF_U16_CHUNKS),
        new DeviceProfile("VMware ESXi (as the Linux driver implies)", ANY, ANY,
            PVRDMA_ROCEV1_VERSION, PVRDMA_QPHANDLE_VERSION, EnumSet.noneOf(Quirk.class), PAGES_OF_U16_CHUNKS));

    /**
     * Copies the quirks.
     *
     * @param name            what people call it.
     * @param subsystemVendor PCI subsystem vendor id, or {@link #ANY}.
     * @param subsystemId     PCI subsystem id, or {@link #ANY}.
     * @param minVersion      lowest VERSION.
     * @param maxVersion      highest VERSION.
     * @param quirks          copied.
     * @param maxRingPages    pages of one ring.
     */
    public DeviceProfile(
        final String name, final int subsystemVendor, final int subsystemId, final int minVersion,
        final int maxVersion, final Set<Quirk> quirks, final int maxRingPages) {
        this.name = name;
        this.subsystemVendor = subsystemVendor;
        this.subsystemId = subsystemId;
        this.minVersion = minVersion;
        this.maxVersion = maxVersion;
        this.quirks = Collections.unmodifiableSet(quirks.isEmpty() ? EnumSet.noneOf(Quirk.class)
            : EnumSet.copyOf(quirks));
        this.maxRingPages = maxRingPages;
    }

    /**
     * The profiles, in the order in which they are tried.
     *
     * @return an unmodifiable list.
     */
    public static List<DeviceProfile> table() {
        return TABLE;
    }

    /**
     * Finds the profile of a device.
     *
     * @param subsystemVendor PCI subsystem vendor id.
     * @param subsystemId     PCI subsystem id.
     * @param version         its VERSION register, one that the driver supports.
     * @return the first that fits.
     * @throws IllegalArgumentException if the version is not supported.
     */
    public static DeviceProfile find(final int subsystemVendor, final int subsystemId, final int version) {
        for (final DeviceProfile profile : TABLE) {
            if (profile.fits(subsystemVendor, subsystemId, version)) {
                return profile;
            }
        }
        throw new IllegalArgumentException("no profile for VERSION " + version);
    }

    private boolean fits(final int vendor, final int id, final int version) {
        return (subsystemVendor == ANY || subsystemVendor == vendor) && (subsystemId == ANY || subsystemId == id)
            && version >= minVersion && version <= maxVersion;
    }

    /**
     * Whether {@code device_cap_flags2} of the device's capabilities means what
     * {@link io.rdma4j.hw.pvrdma.ExtensionFlags} says.
     *
     * @return true for the emulated device of this project only.
     */
    public boolean hasExtensions() {
        return subsystemVendor == Bar1.PVRDMA_VENDOR_ID && subsystemId == EMULATED_SUBSYSTEM_ID;
    }

    /**
     * Whether the device has a quirk.
     *
     * @param quirk which.
     * @return true if it has.
     */
    public boolean has(final Quirk quirk) {
        return quirks.contains(quirk);
    }
}
