/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;

/** How a fabric guest makes its software RDMA device. */
final class FabricSetup {
    private FabricSetup() {
    }

    static String script() throws IOException {
        return String.format("ibdev=%s%nnetdev=%s%nip_address=%s%npeer_netns=%s%npeer_address=%s%n",
            FabricGuest.IBDEV, FabricGuest.NETDEV, FabricGuest.IP_ADDRESS, FabricGuest.PEER_NETNS,
            FabricGuest.PEER_ADDRESS) + Initramfs.script("fabric.sh");
    }
}
