/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/** One end of a link between two RDM endpoints: a connected endpoint that nobody else knows. */
public interface Link extends AutoCloseable {
    /**
     * What the peer has to know.
     *
     * @return as {@link io.rdma4j.fabric.MsgEndpoint#name()}.
     */
    byte[] name();

    /**
     * Connects with the peer's end.
     *
     * @param peerName what the peer told; not to be trusted.
     * @throws io.rdma4j.fabric.FabricException as {@link io.rdma4j.fabric.MsgEndpoint#connect(byte[])}.
     */
    void connect(byte[] peerName);

    /** Closes it. Harmless when called again. */
    @Override
    void close();
}
