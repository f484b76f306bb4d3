/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * State and limits of a port at the time of the query; as {@code struct ibv_port_attr}.
 *
 * @param port                number of the port, from 1.
 * @param state               its state; see {@link Feature#PORT_STATE} for devices where it means little.
 * @param maxMtu              largest MTU.
 * @param activeMtu           MTU in use.
 * @param gidTableLength      entries of the GID table.
 * @param pkeyTableLength     entries of the partition key table.
 * @param capabilityFlags     as the device tells.
 * @param capabilityFlags2    those that came later; 0 on Ethernet.
 * @param maxMessageSize      longest message in bytes, as the device tells.
 * @param badPkeyCounter      packets refused for their partition key.
 * @param qkeyViolationCounter packets refused for their queue key.
 * @param lid                 local identifier; 0 on Ethernet.
 * @param smLid               subnet manager's identifier; 0 on Ethernet.
 * @param lmc                 mask of the local identifier.
 * @param maxVlNum            virtual lanes; 1: 1, 2: 2, 3: 4, 4: 8, 5: 15.
 * @param smSl                subnet manager's service level.
 * @param subnetTimeout       as the device tells.
 * @param initTypeReply       what the subnet manager did to set the port up; 0 on Ethernet.
 * @param activeWidth         1: 1x, 2: 4x, 4: 8x, 8: 12x.
 * @param activeSpeed         1: 2.5 Gb/s a lane, 2: 5, 4 and 8: 10, 16: 14, 32: 25.
 * @param physicalState       5: link up, 3: disabled, 2: polling.
 * @param linkLayer           {@code "Ethernet"} or {@code "InfiniBand"}.
 */
public record PortAttributes(
    int port,
    PortState state,
    Mtu maxMtu,
    Mtu activeMtu,
    int gidTableLength,
    int pkeyTableLength,
    int capabilityFlags,
    int capabilityFlags2,
    long maxMessageSize,
    int badPkeyCounter,
    int qkeyViolationCounter,
    int lid,
    int smLid,
    int lmc,
    int maxVlNum,
    int smSl,
    int subnetTimeout,
    int initTypeReply,
    int activeWidth,
    int activeSpeed,
    int physicalState,
    String linkLayer) {
}
