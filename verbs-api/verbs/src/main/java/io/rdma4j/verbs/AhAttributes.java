/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * The way to a peer's port; as {@code struct ibv_ah_attr} on Ethernet, where the global route header is always there.
 *
 * @param dgid         the peer's GID.
 * @param sgidIndex    index of the own GID to send from.
 * @param hopLimit     hop limit, 0 to 255.
 * @param trafficClass traffic class, 0 to 255.
 * @param flowLabel    flow label, 20 bits.
 * @param serviceLevel service level, 0 to 15.
 * @param port         port to send from, from 1.
 */
public record AhAttributes(
    Gid dgid, int sgidIndex, int hopLimit, int trafficClass, int flowLabel, int serviceLevel, int port) {
    /**
     * The usual way to a GID: from GID index 0 of port 1, hop limit 64.
     *
     * @param dgid the peer's GID.
     * @return attributes.
     */
    public static AhAttributes to(final Gid dgid) {
        return new AhAttributes(dgid, 0, 64, 0, 0, 0, 1);
    }
}
