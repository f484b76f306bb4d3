/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

/**
 * All services of a node, then those of the next one (fi_av_insertsym; checklist 84). Immutable.
 *
 * @param nodes    nodes.
 * @param services services of each.
 */
public record SymmetricRange(NodeRange nodes, ServiceRange services) {
    /**
     * Checks and keeps ranges.
     *
     * @param node         first node.
     * @param nodeCount    how many, 0 or more.
     * @param service      first service.
     * @param serviceCount how many, 0 or more.
     * @return the ranges.
     * @throws FabricException as {@link NodeRange#of} and {@link ServiceRange#of}; FI_EINVAL for more addresses than
     *                         an int can count.
     */
    public static SymmetricRange of(
        final String node, final int nodeCount, final String service, final int serviceCount) {
        final SymmetricRange range =
            new SymmetricRange(NodeRange.of(node, nodeCount), ServiceRange.of(service, serviceCount));
        if ((long) nodeCount * serviceCount > Integer.MAX_VALUE) {
            throw NameFailures.of("count addresses up", FiErrno.FI_EINVAL, "insert them by several calls",
                "%d nodes with %d services each are more than %d addresses", nodeCount, serviceCount,
                Integer.MAX_VALUE);
        }
        return range;
    }

    /**
     * How many addresses.
     *
     * @return nodes times services.
     */
    public int size() {
        return nodes.count() * services.count();
    }
}
