/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;

/** What endpoints and completion queues need of their domain. Thread-safe. */
public interface EndpointHost {
    /**
     * The domain.
     *
     * @return as the application sees it.
     */
    Domain domain();

    /**
     * The device.
     *
     * @return open as long as the domain is.
     */
    RdmaContext context();

    /**
     * What was negotiated.
     *
     * @return the domain's info.
     */
    FabricInfo info();

    /**
     * A realm for an endpoint.
     *
     * @param authKey null for the domain's authorization key.
     * @return shared with others of the same key, but an own one with {@link io.rdma4j.fabric.MrMode#ENDPOINT}; to be
     *         given back by {@link Realm#release()}.
     */
    Realm openRealm(byte[] authKey);

    /**
     * Raw keys that were mapped.
     *
     * @return of this domain.
     */
    MappedKeys mappedKeys();

    /**
     * An endpoint was opened: the domain cannot be closed any more.
     *
     * @param endpoint also an {@link EndpointRealm}.
     */
    void opened(Endpoint endpoint);

    /**
     * An endpoint was closed: its queue pairs are gone, its realm is still there. Regions that were bound to it are
     * disabled, and bound no more.
     *
     * @param endpoint one that was opened; harmless if not.
     */
    void closed(Endpoint endpoint);

    /**
     * A completion queue was opened: the domain cannot be closed any more.
     *
     * @param queue the queue.
     */
    void opened(CompletionQueue queue);

    /**
     * A completion queue was closed.
     *
     * @param queue one that was opened; harmless if not.
     */
    void closed(CompletionQueue queue);

    /**
     * Asks to be told when a queue pair refused an access of its peer and failed.
     *
     * @param qp     the queue pair.
     * @param action run by the device's event thread, which must not be held up.
     * @return ends it; null if the device tells nothing, or somebody else listens to it.
     */
    Subscription onAccessError(QueuePair qp, Runnable action);

    /** Ends what was asked for. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {
        /** The action is not run any more, unless it is running. Harmless when called again. */
        @Override
        void close();
    }
}
