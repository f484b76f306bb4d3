/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.pvrdma.device.DeviceCaps;
import io.rdma4j.verbs.pvrdma.device.DeviceLimits;

/** Capabilities and limits of the device, as it was when it was opened. */
final class PvrdmaAttributes implements DeviceAttributes {
    private final String name;
    private final int version;
    private final DeviceCaps caps;
    private final DeviceLimits limits;

    PvrdmaAttributes(final String name, final int version, final DeviceCaps caps, final DeviceLimits limits) {
        this.name = name;
        this.version = version;
        this.caps = caps;
        this.limits = limits;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String firmwareVersion() {
        return caps.firmwareVersion();
    }

    @Override
    public int deviceVersion() {
        return version;
    }

    @Override
    public long nodeGuid() {
        return caps.nodeGuid();
    }

    @Override
    public long systemImageGuid() {
        return caps.sysImageGuid();
    }

    @Override
    public int vendorId() {
        return caps.vendorId();
    }

    @Override
    public int vendorPartId() {
        return caps.vendorPartId();
    }

    @Override
    public int hardwareVersion() {
        return caps.hwVer();
    }

    @Override
    public int physicalPortCount() {
        return limits.physPortCnt();
    }

    @Override
    public long maxMrSize() {
        return limits.maxMrSize();
    }

    @Override
    public long pageSizeCap() {
        return caps.pageSizeCap();
    }

    @Override
    public int maxQp() {
        return limits.maxQp();
    }

    @Override
    public int usableQps() {
        return limits.usableQps(version);
    }

    @Override
    public int maxQpWr() {
        return limits.maxQpWr();
    }

    @Override
    public int maxSendWr(final int maxSge) {
        return isPossible(maxSge, maxSge()) ? limits.maxSendWr(maxSge) : 0;
    }

    @Override
    public int maxReceiveWr(final int maxSge) {
        return isPossible(maxSge, maxSge()) ? limits.maxRecvWr(maxSge) : 0;
    }

    private static boolean isPossible(final int sges, final int limit) {
        return sges >= 1 && sges <= limit;
    }

    @Override
    public int maxSge() {
        return limits.maxSge();
    }

    @Override
    public int maxCq() {
        return limits.maxCq();
    }

    @Override
    public int usableCqs() {
        return limits.usableCqs();
    }

    @Override
    public int maxCqe() {
        return limits.maxCqe();
    }

    @Override
    public int maxMr() {
        return limits.maxMr();
    }

    @Override
    public int maxPd() {
        return limits.maxPd();
    }

    @Override
    public int maxAh() {
        return limits.maxAh();
    }

    @Override
    public int maxSrq() {
        return limits.maxSrq();
    }

    @Override
    public int maxSrqWr(final int maxSge) {
        return isPossible(maxSge, maxSrqSge()) ? limits.maxSrqWr(maxSge) : 0;
    }

    @Override
    public int maxSrqSge() {
        return limits.maxSrqSge();
    }

    @Override
    public int maxQpRdAtom() {
        return caps.maxQpRdAtom();
    }

    @Override
    public int maxQpInitRdAtom() {
        return caps.maxQpInitRdAtom();
    }

    @Override
    public int maxMw() {
        return limits.maxMw();
    }

    @Override
    public int maxFastRegPages() {
        return limits.maxFastRegPages();
    }

    @Override
    public int maxPkeys() {
        return limits.maxPkeys();
    }

    @Override
    public int gidTableLength() {
        return limits.gidTableLength();
    }

    @Override
    public String toString() {
        return name + " version " + version + " " + limits;
    }
}
