/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;

import java.util.EnumSet;
import java.util.Set;

/** A device, opened for one kind of endpoints. */
public final class FabricDevice implements AutoCloseable {
    /** Whatever a device needs: messages are sent from memory that was allocated and registered. */
    private static final Set<MrMode> MODES = EnumSet.complementOf(EnumSet.of(MrMode.BASIC, MrMode.SCALABLE));

    private final FabricInfo info;
    private final Fabric fabric;

    private FabricDevice(final FabricInfo info) {
        this.info = info;
        this.fabric = Fabrics.open(info);
    }

    /**
     * Opens it.
     *
     * @param address of the device.
     * @param type    kind of endpoints.
     * @return to be closed after its ends.
     * @throws io.rdma4j.fabric.FabricException FI_ENODATA if the device is not there, or lacks something.
     */
    public static FabricDevice of(final String address, final EndpointType type) {
        return new FabricDevice(Fabrics.getInfo(new Hints().address(address).mrMode(MODES).capabilities(Capability.MSG)
            .endpointType(type).addressFormat(AddressFormat.DEVICE)).get(0));
    }

    /**
     * Most bytes of a message.
     *
     * @return as negotiated.
     */
    public long maxMessageSize() {
        return info.endpointAttributes().maxMessageSize();
    }

    /**
     * The device's address.
     *
     * @return as it was opened.
     */
    public String address() {
        return info.address();
    }

    FabricEnd end(final FiPingPongOptions options, final boolean repliesOnly) {
        return FabricEnd.of(fabric.openDomain(info), options, repliesOnly);
    }

    @Override
    public void close() {
        fabric.close();
    }
}
