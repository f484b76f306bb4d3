/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Map;

/**
 * Identity and limits of a device, read when it was opened; as {@code struct ibv_device_attr}. Immutable. Limits are
 * the ones that hold in fact on this device, but for {@link #maxQp()}, {@link #maxCq()} and {@link #maxSrq()}.
 */
public interface DeviceAttributes {
    /**
     * The kind of device, for people, such as {@code "QEMU 7.2 pvrdma"}.
     *
     * @return a name.
     */
    String name();

    /**
     * Firmware version.
     *
     * @return {@code major.minor.sub}.
     */
    String firmwareVersion();

    /**
     * Version of the device's programming interface.
     *
     * @return a number that only this kind of device gives a meaning.
     */
    int deviceVersion();

    /**
     * Which transport it has; {@code enum ibv_transport_type}.
     *
     * @return 0: InfiniBand, RoCE too; 1: iWARP, 2 and 3: usNIC, 4: its own.
     */
    default int transportType() {
        return 0;
    }

    /**
     * Node GUID.
     *
     * @return 64 bits, most significant byte first on the wire.
     */
    long nodeGuid();

    /**
     * System image GUID.
     *
     * @return 64 bits; 0 if the device does not tell.
     */
    long systemImageGuid();

    /**
     * Vendor.
     *
     * @return the PCI vendor id.
     */
    int vendorId();

    /**
     * Part.
     *
     * @return the PCI device id.
     */
    int vendorPartId();

    /**
     * Hardware version.
     *
     * @return as the device tells.
     */
    int hardwareVersion();

    /**
     * Number of ports.
     *
     * @return at least 1.
     */
    int physicalPortCount();

    /**
     * Longest region.
     *
     * @return bytes.
     */
    long maxMrSize();

    /**
     * Page sizes that translation tables may use.
     *
     * @return a bit for each size.
     */
    long pageSizeCap();

    /**
     * Most QPs, as the device tells: the size of its table. Of the emulated device there is one less, two with a
     * version before 20; behind {@code ibv:} the kernel may have some of its own. One too many is refused with ENOMEM.
     *
     * @return a count.
     */
    int maxQp();

    /**
     * QPs that there can be at once, as far as the driver knows: {@link #maxQp()} without the places that this device
     * never gives.
     *
     * @return a count.
     */
    default int usableQps() {
        return maxQp();
    }

    /**
     * Most work requests in one send or receive queue with one scatter/gather element each.
     *
     * @return a count.
     */
    int maxQpWr();

    /**
     * Most work requests in a send queue.
     *
     * @param maxSge scatter/gather elements that each may have.
     * @return a count.
     */
    int maxSendWr(int maxSge);

    /**
     * Most work requests in a receive queue.
     *
     * @param maxSge scatter/gather elements that each may have.
     * @return a count.
     */
    int maxReceiveWr(int maxSge);

    /**
     * Most scatter/gather elements in a work request. Of RDMA READs a device may take fewer.
     *
     * @return a count.
     */
    int maxSge();

    /**
     * Most completion queues, as the device tells: the size of its table. Of the emulated device there is one less.
     *
     * @return a count.
     */
    int maxCq();

    /**
     * Completion queues that there can be at once, as far as the driver knows; as {@link #usableQps()}.
     *
     * @return a count.
     */
    default int usableCqs() {
        return maxCq();
    }

    /**
     * Most entries in a completion queue.
     *
     * @return a count.
     */
    int maxCqe();

    /**
     * Most memory regions.
     *
     * @return a count.
     */
    int maxMr();

    /**
     * Most protection domains.
     *
     * @return a count.
     */
    int maxPd();

    /**
     * Most address handles.
     *
     * @return a count.
     */
    int maxAh();

    /**
     * Most shared receive queues, as the device tells: the size of its table. Of the emulated device there is one less.
     *
     * @return a count; 0 if there are none.
     */
    int maxSrq();

    /**
     * Most work requests in a shared receive queue.
     *
     * @param maxSge scatter/gather elements that each may have.
     * @return a count.
     */
    int maxSrqWr(int maxSge);

    /**
     * Most scatter/gather elements in a work request of a shared receive queue.
     *
     * @return a count.
     */
    int maxSrqSge();

    /**
     * Most RDMA READs and atomics under way that a QP accepts as target.
     *
     * @return a count.
     */
    int maxQpRdAtom();

    /**
     * Most RDMA READs and atomics under way that a QP may begin.
     *
     * @return a count.
     */
    int maxQpInitRdAtom();

    /**
     * Most memory windows.
     *
     * @return a count; 0 if there are none.
     */
    int maxMw();

    /**
     * Pages of a fast registration.
     *
     * @return most pages of 4 KiB that {@link ProtectionDomain#allocateFastRegion} takes; 0 without.
     */
    int maxFastRegPages();

    /**
     * Most partition keys of a port.
     *
     * @return a count.
     */
    int maxPkeys();

    /**
     * Entries in a port's GID table.
     *
     * @return a count.
     */
    int gidTableLength();

    /**
     * What else this kind of device tells of itself: for people, by the names of {@code ibv_devinfo -v} in
     * its order. Nothing here takes part in what the driver does.
     *
     * @return names and values; empty if there is nothing more. Unmodifiable.
     */
    default Map<String, String> details() {
        return Map.of();
    }
}
