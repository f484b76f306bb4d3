/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

import java.util.List;
import java.util.Optional;

/**
 * The shared region of a device, and the entry that says where it is.
 *
 * @param device the entry.
 * @param bytes  all of the region.
 */
record SharedRegion(LiveObject device, byte[] bytes) {
    /**
     * Finds and reads it.
     *
     * @param source  the device.
     * @param section is told why it cannot be read.
     * @return the region; empty if it cannot be read.
     */
    static Optional<SharedRegion> read(final DumpSource source, final JsonObject section) {
        final List<LiveObject> devices = source.view().objects(DeviceKind.KIND);
        if (devices.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, "the device publishes nothing: where its shared region is, is not "
                + "known");
            return Optional.empty();
        }
        final long iova = devices.get(0).attribute(DeviceKind.DSR_IOVA);
        final Optional<byte[]> bytes = source.view().read(iova, Dsr.LAYOUT.length());
        if (bytes.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, String.format("the shared region at 0x%x could not be read", iova));
        }
        return bytes.map(all -> new SharedRegion(devices.get(0), all));
    }

    long iova() {
        return device.attribute(DeviceKind.DSR_IOVA);
    }
}
