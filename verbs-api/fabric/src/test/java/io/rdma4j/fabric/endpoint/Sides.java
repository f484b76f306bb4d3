/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Opens devices and ends for a test, shows them if it fails, and closes them afterwards. */
final class Sides implements AfterEachCallback, TestExecutionExceptionHandler {
    private static final AtomicInteger NAMES = new AtomicInteger();

    final Supplier<Hints> hints;
    private final List<RdmaContext> contexts = new ArrayList<>();
    private final Deque<Side> open = new ArrayDeque<>();

    Sides() {
        this(Hints::new);
    }

    Sides(final Supplier<Hints> hints) {
        this.hints = hints;
    }

    RdmaContext device(final String options) {
        final RdmaContext context =
            RdmaDevices.open("emulated:fe" + NAMES.incrementAndGet() + (options.isEmpty() ? "" : "?" + options));
        contexts.add(context);
        return context;
    }

    Side open() {
        return open(hints.get());
    }

    Side open(final Hints wished) {
        return open(device(""), wished, new EndpointOptions().sizes(16, 16));
    }

    Side open(final RdmaContext context, final Hints wished, final EndpointOptions options) {
        final Side side = new Side(context, wished, options);
        open.push(side);
        return side;
    }

    Side[] pair(final Supplier<Hints> wished) {
        final Side[] both = {open(wished.get()), open(wished.get())};
        Side.connect(both[0], both[1]);
        return both;
    }

    @Override
    public void handleTestExecutionException(final ExtensionContext test, final Throwable failure) throws Throwable {
        for (final Side side : open) {
            failure.addSuppressed(new AssertionError("at the failure: " + side.ep + ", not looked at " + side.done));
        }
        for (final RdmaContext context : contexts) {
            failure.addSuppressed(new AssertionError("state at the failure\n" + context.dump()));
        }
        throw failure;
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        try {
            if (test.getExecutionException().isEmpty()) {
                open.forEach(Side::close);
            }
        } finally {
            contexts.forEach(RdmaContext::close);
        }
    }
}
