/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/**
 * Who an endpoint is.
 *
 * @param gidHigh first half of its GID.
 * @param gidLow  second half.
 * @param qpn     its datagram queue pair.
 */
record PeerKey(long gidHigh, long gidLow, int qpn) {
    static PeerKey of(final ControlAddress address) {
        return new PeerKey(address.gidHigh(), address.gidLow(), address.qpn());
    }
}
