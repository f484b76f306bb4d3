/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import java.io.IOException;

/** How this process takes part in its node's name service: it serves, or registers with who does. For one thread. */
interface NameRole extends AutoCloseable {
    /** The service, or a negated errno. Service 0 stands for any. */
    int register(int service, FabricAddress device) throws IOException;

    void unregister(int service) throws IOException;

    /**
     * Works or waits until {@link #wakeUp}, or for some time.
     *
     * @throws IOException if it is over: another role has to be found.
     */
    void work(long millis) throws IOException;

    /** Ends {@link #work}; from any thread. */
    void wakeUp();

    boolean isServer();

    @Override
    void close();
}
