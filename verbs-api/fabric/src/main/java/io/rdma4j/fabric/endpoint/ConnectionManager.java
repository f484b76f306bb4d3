/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

/** What brings an endpoint together with one that it knows no name of. */
public interface ConnectionManager {
    /** For endpoints that are connected by names only. */
    ConnectionManager NONE = new ConnectionManager() {
        @Override
        public void connect(final FabricAddress address, final byte[] privateData) {
            throw refused("connect endpoint");
        }

        @Override
        public void accept(final byte[] privateData) {
            throw refused("accept connection");
        }

        @Override
        public void shutdown() {
            throw refused("shut endpoint down");
        }

        @Override
        public void lost() {
            // Nobody is to be told.
        }

        @Override
        public void closing() {
            // Nobody is to be told.
        }

        private FabricException refused(final String operation) {
            return FabricException.of(operation).detail("this endpoint is connected by names only")
                .errno(FiErrno.FI_ENOSYS).build();
        }
    };

    /**
     * As {@link io.rdma4j.fabric.MsgEndpoint#connect(FabricAddress, byte[])}, of an endpoint that is open.
     *
     * @param address     of a passive endpoint.
     * @param privateData for the other side; may be null.
     */
    void connect(FabricAddress address, byte[] privateData);

    /**
     * As {@link io.rdma4j.fabric.MsgEndpoint#accept}, of an endpoint that is open.
     *
     * @param privateData for the other side; may be null.
     */
    void accept(byte[] privateData);

    /** As {@link io.rdma4j.fabric.MsgEndpoint#shutdown}, of an endpoint that is open. */
    void shutdown();

    /** The connection works no more, {@link FabricEndpoint#isConnected} says so. By any thread. */
    void lost();

    /** The endpoint is being closed. Called once, before its queue pairs go. */
    void closing();

    /** Makes one for an endpoint. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes it.
         *
         * @param endpoint just opened, nobody knows it yet.
         * @param options  that it was opened with.
         * @return what brings it together with others.
         * @throws FabricException if the options make no sense: the endpoint is closed then.
         */
        ConnectionManager make(FabricEndpoint endpoint, EndpointOptions options);
    }
}
