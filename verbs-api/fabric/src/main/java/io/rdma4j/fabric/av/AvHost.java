/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.verbs.spi.PublishedObject;

/** What address vectors need of their domain. Thread-safe. */
public interface AvHost {
    /**
     * The domain.
     *
     * @return as the application sees it.
     */
    Domain domain();

    /**
     * The fabric: event queues have to be of the same one.
     *
     * @return the domain's.
     */
    Fabric fabric();

    /**
     * Where vectors with names are kept.
     *
     * @return null if there are none: they are refused with FI_ENOSYS.
     */
    AvStores stores();

    /**
     * Whether authorization keys come through address vectors.
     *
     * @return as was negotiated.
     */
    default boolean avAuthKeys() {
        return false;
    }

    /**
     * Lets others see a vector.
     *
     * @param type  what it is.
     * @param flags bits: 1 asynchronous, 2 for reading only, 4 symmetric.
     * @return closed with the vector.
     */
    default PublishedObject publish(final AvType type, final int flags) {
        return PublishedObject.NONE;
    }

    /**
     * A vector was opened: the domain cannot be closed any more.
     *
     * @param vector the vector.
     * @throws io.rdma4j.fabric.FabricException FI_EBADFD if the domain is closed.
     */
    void opened(AddressVector vector);

    /**
     * A vector was closed.
     *
     * @param vector one that was opened.
     */
    void closed(AddressVector vector);
}
