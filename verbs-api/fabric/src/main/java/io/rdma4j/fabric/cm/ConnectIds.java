/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/**
 * Which connection a datagram is about. Lives of an endpoint are told apart by a number drawn at random; connections of
 * one life count up.
 *
 * @param life     the sender's life.
 * @param link     the sender's connection.
 * @param peerLife the receiver's life; 0 if the sender does not know it.
 * @param peerLink the receiver's connection; 0 likewise.
 */
record ConnectIds(long life, long link, long peerLife, long peerLink) {
    /** As the receiver says it. */
    ConnectIds turned() {
        return new ConnectIds(peerLife, peerLink, life, link);
    }
}
