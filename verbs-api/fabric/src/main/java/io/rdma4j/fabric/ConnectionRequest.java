/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Somebody wants to connect: comes with {@link FabricEvent#CONNREQ}. Answered once: by
 * {@link EndpointOptions#request} and {@link MsgEndpoint#accept}, or by {@link #reject}. One that is not answered
 * within the asker's deadline is void. Thread-safe.
 */
public interface ConnectionRequest {
    /**
     * What to open a domain and an endpoint with.
     *
     * @return the info of the passive endpoint.
     */
    FabricInfo info();

    /**
     * Who asks.
     *
     * @return the address of the other side, in the device's own format.
     */
    FabricAddress source();

    /**
     * What the other side gave to {@link MsgEndpoint#connect(FabricAddress, byte[])}.
     *
     * @return a copy; empty for nothing.
     */
    byte[] privateData();

    /**
     * Refuses (fi_reject).
     *
     * @param privateData told to the other side; null for nothing; at most {@link MsgEndpoint#MAX_PRIVATE_DATA} bytes.
     * @throws FabricException FI_EINVAL if longer, FI_EALREADY if it was answered before.
     */
    void reject(byte[] privateData);
}
