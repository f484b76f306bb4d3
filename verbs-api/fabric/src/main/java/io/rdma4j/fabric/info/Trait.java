/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.verbs.Feature;

import java.util.List;

/** What of a device matters to the fabric interfaces, and the features that it takes. */
enum Trait {
    /** Peers reach memory. */
    RMA(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.REMOTE_KEYS),
    /** Peers run atomics on memory. */
    ATOMICS(Feature.ATOMICS),
    /** Data of the sender beside a message. */
    IMMEDIATE(Feature.SEND_WITH_IMM),
    /** A peer that knows an old key reaches nothing with it: only so can it keep the keys that it looked up. */
    KEYS_NOT_REUSED(Feature.KEYS_NOT_REUSED),
    /** Regions that begin at 0. */
    ZERO_BASED(Feature.ZERO_BASED),
    /** Pages are looked for when they are used, by whatever operation. */
    PAGE_FAULTS(Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE),
    /** Pages of a region can be exchanged, under the same keys. */
    REFRESH(Feature.REFRESH),
    /** Registers any memory of the process, so also that of dma-bufs. Not a feature: the driver tells. */
    ANY_MEMORY();

    private final List<Feature> features;

    Trait(final Feature... features) {
        this.features = List.of(features);
    }

    /** All that it takes. */
    List<Feature> features() {
        return features;
    }
}
