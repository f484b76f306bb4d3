/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.base.LiveKind;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.RdmaContext;

/**
 * What a context implements that lets other processes see objects of the layers above it. Those who have such objects
 * ask for it with {@link #of}, and need not know whether there is one.
 */
public interface ObjectPublisher {
    /** Lets nobody see anything. */
    ObjectPublisher NONE = new ObjectPublisher() {
        @Override
        public PublishedObject publish(final LiveKind kind, final long... attributes) {
            return PublishedObject.NONE;
        }

        @Override
        public void cached(final MemoryRegion region) {
            // Nobody sees the region.
        }
    };

    /**
     * What a context has.
     *
     * @param context any; also null.
     * @return never null.
     */
    static ObjectPublisher of(final RdmaContext context) {
        return context instanceof ObjectPublisher ? (ObjectPublisher) context : NONE;
    }

    /**
     * Publishes an object.
     *
     * @param kind       defined by its owner.
     * @param attributes in the order of the kind; those that are left out are 0.
     * @return to be closed with the object.
     */
    PublishedObject publish(LiveKind kind, long... attributes);

    /**
     * A region is in a cache.
     *
     * @param region one of this context.
     */
    void cached(MemoryRegion region);
}
