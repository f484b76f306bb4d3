/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** Opens devices and ranks for a test, shows them if it fails, and closes them afterwards. */
final class World implements AfterEachCallback, TestExecutionExceptionHandler {
    static final String QEMU = "quirks=qemu-7.2";
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final List<RdmaContext> contexts = new ArrayList<>();
    private final Deque<Rank> open = new ArrayDeque<>();

    RdmaContext device(final String options) {
        final RdmaContext context =
            RdmaDevices.open("emulated:rdm" + NAMES.incrementAndGet() + (options.isEmpty() ? "" : "?" + options));
        contexts.add(context);
        return context;
    }

    static EndpointOptions options() {
        return new EndpointOptions().sizes(16, 16);
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
        final Rank rank = new Rank(context, hints, options, vector, more);
        open.push(rank);
        return rank;
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

    void close(final Rank rank) {
        open.remove(rank);
        rank.close();
    }

    @Override
    public void handleTestExecutionException(final ExtensionContext test, final Throwable failure) throws Throwable {
        for (final Rank rank : open) {
            failure.addSuppressed(new AssertionError("at the failure: " + rank));
        }
        throw failure;
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        try {
            if (test.getExecutionException().isEmpty()) {
                open.forEach(Rank::close);
            }
        } finally {
            contexts.forEach(RdmaContext::close);
        }
    }
}
