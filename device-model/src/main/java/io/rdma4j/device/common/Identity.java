/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import java.nio.charset.StandardCharsets;

/**
 * Who a device is on the link: everything follows from its name, so that it is the same in each run.
 */
public final class Identity {
    private final byte[] mac = new byte[6];

    /**
     * The identity of the device of some name.
     *
     * @param name the device's name.
     */
    public Identity(String name) {
        long hash = 0xcbf2_9ce4_8422_2325L;
        for (byte octet : ("rdma4j/" + name).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xff)) * 0x100_0000_01b3L;
        }
        hash ^= hash >>> 29;
        for (int i = 0; i < mac.length; i++) {
            mac[i] = (byte) (hash >>> (8 * i));
        }
        mac[0] = (byte) (mac[0] & 0xfc | 0x02);
    }

    /**
     * {@return a copy of the MAC address: locally administered, not multicast}
     */
    public byte[] mac() {
        return mac.clone();
    }

    /**
     * {@return the EUI-64 made of the MAC address: node_guid, and the lower half of the default GID}
     */
    public long guid() {
        return (mac[0] & 0xffL ^ 0x02) << 56 | (mac[1] & 0xffL) << 48 | (mac[2] & 0xffL) << 40 | 0xffL << 32
            | 0xfeL << 24 | (mac[3] & 0xffL) << 16 | (mac[4] & 0xffL) << 8 | mac[5] & 0xffL;
    }

    @Override
    public String toString() {
        return String.format("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    }
}
