/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.util.function.BiConsumer;

/** Opens the ranks of a test. */
final class World extends TestDevices {
    static EndpointOptions options() {
        return new EndpointOptions().sizes(16, 16).connectTimeout(Patience.duration());
    }

    /** As applications ask that can do without anything. */
    static Hints hints(final RdmaContext context) {
        return context.supports(Feature.RDMA_WRITE) ? new Hints()
            : new Hints().mrMode(MrMode.LOCAL, MrMode.ALLOCATED, MrMode.VIRT_ADDR, MrMode.PROV_KEY);
    }

    Rank rank(final RdmaContext context, final EndpointOptions options) {
        return rank(context, hints(context), options, new AvAttributes());
    }

    Rank rank(
        final RdmaContext context, final Hints hints, final EndpointOptions options, final AvAttributes vector) {
        return rank(context, hints, options, vector, (rank, own) -> { });
    }

    /** With what can be said only once its domain is there. */
    Rank rank(
        final RdmaContext context, final Hints hints, final EndpointOptions options, final AvAttributes vector,
        final BiConsumer<Rank, EndpointOptions> more) {
        return keep(new Rank(hints.context(context), options, vector, more));
    }

    /** Two ranks, each on a device of its own, which read each other's queue while they wait. */
    Rank[] pair(final String device) {
        return pair(device(device), device(device), options(), options());
    }

    Rank[] pair(final RdmaContext one, final RdmaContext two, final EndpointOptions a, final EndpointOptions b) {
        return acquainted(rank(one, a), rank(two, b));
    }

    Rank[] acquainted(final Rank... ranks) {
        for (final Rank rank : ranks) {
            for (final Rank other : ranks) {
                if (other != rank) {
                    rank.others.add(other);
                }
            }
        }
        return ranks;
    }
}
