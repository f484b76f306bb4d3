/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.DeviceAddress;

/** By what devices of other processes are reached, as an address says. */
public final class Wires {
    private Wires() {
    }

    /**
     * Whether this is a device that those of other processes do not reach: an emulated one that has no wire, as it asks
     * for none, or behaves as another one.
     *
     * @param address of a device of any kind.
     * @return false for devices that are not emulated, too.
     */
    public static boolean hasNone(final DeviceAddress address) {
        final String usual = address.option("quirks", "").isEmpty() ? "auto" : "none";
        return address.scheme().equals("emulated") && address.option("wire", usual).equals("none");
    }
}
