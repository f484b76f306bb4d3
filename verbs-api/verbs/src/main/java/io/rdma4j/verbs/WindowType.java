/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** The two types of memory windows (InfiniBand specification, memory windows). */
public enum WindowType {
    /**
     * Bound by the verb {@link QueuePair#bindWindow}, which also changes its key; may be bound again at any time, and
     * is usable through every QP of its domain.
     */
    TYPE_1(Feature.MEMORY_WINDOWS),
    /**
     * Bound by a work request, {@link SendRequest#bind}, with a key that the application chose; only while it is not
     * bound. Usable through the QP that bound it, which ends with an invalidation, local or by the peer.
     */
    TYPE_2(Feature.MEMORY_WINDOWS_TYPE_2);

    private final Feature feature;

    WindowType(final Feature feature) {
        this.feature = feature;
    }

    /**
     * What a device has that has such windows.
     *
     * @return the feature.
     */
    public Feature feature() {
        return feature;
    }
}
