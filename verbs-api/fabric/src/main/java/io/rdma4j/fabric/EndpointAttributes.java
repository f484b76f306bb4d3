/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * What endpoints are (fi_ep_attr).
 *
 * @param type            their kind.
 * @param protocol        what they speak, such as {@code FI_PROTO_RDMA4J_RC}: only ends with the same one and the same
 *                        version understand each other.
 * @param protocolVersion its version.
 * @param maxMessageSize  most bytes of a message or an RMA operation.
 * @param maxOrderRawSize most bytes for which {@link MessageOrder#RAW} holds.
 * @param maxOrderWarSize most bytes for which {@link MessageOrder#WAR} holds.
 * @param maxOrderWawSize most bytes for which {@link MessageOrder#WAW} holds.
 * @param authKeySize     bytes of the authorization key; 0 for none.
 */
public record EndpointAttributes(
    EndpointType type, String protocol, int protocolVersion, long maxMessageSize, long maxOrderRawSize,
    long maxOrderWarSize, long maxOrderWawSize, int authKeySize) {
}
