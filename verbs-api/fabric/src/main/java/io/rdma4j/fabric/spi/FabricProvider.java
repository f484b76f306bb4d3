/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.spi;

import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.fabric.Survey;
import java.util.List;

/** What implements the fabric interfaces; found through {@link java.util.ServiceLoader}. Thread-safe. */
public interface FabricProvider {
    /**
     * Answers {@link io.rdma4j.fabric.Fabrics#survey}.
     *
     * @param hints what is asked for; not kept.
     * @return what fits, best first, and why the rest does not. Devices that cannot be opened are no failure.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL for hints that name no device or two.
     */
    Survey survey(Hints hints);

    /**
     * Whether an info is one of {@link #survey} of this provider.
     *
     * @param info anybody's.
     * @return true if {@link #open} knows what to do with it.
     */
    boolean made(FabricInfo info);

    /**
     * Opens a fabric.
     *
     * @param info one that this provider {@link #made}.
     * @return the fabric.
     */
    Fabric open(FabricInfo info);

    /**
     * Answers {@link io.rdma4j.fabric.Fabrics#sharedVectors}.
     *
     * @param name which, with their addresses; null for all, without.
     * @return those of this user.
     */
    default List<SharedVector> sharedVectors(final String name) {
        return List.of();
    }
}
