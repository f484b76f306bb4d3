/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Listens for connections (fi_passive_ep). Opened with {@link Fabric#openPassiveEndpoint}. Requests come as
 * {@link FabricEvent#CONNREQ} in its event queue, while that queue is read (manual progress). Thread-safe.
 */
public interface PassiveEndpoint extends AutoCloseable {
    /**
     * Where it listens, for {@link MsgEndpoint#connect(FabricAddress, byte[])}.
     *
     * @return in the format of its info.
     */
    FabricAddress address();

    /**
     * Begins to listen (fi_listen). Before, requests are refused.
     *
     * @throws FabricException FI_EBADFD if closed. Harmless when called again.
     */
    void listen();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Requests that were neither accepted nor refused are refused. Harmless when called again.
     *
     * @throws FabricException if the device refuses to end something; it is closed all the same.
     */
    @Override
    void close();
}
