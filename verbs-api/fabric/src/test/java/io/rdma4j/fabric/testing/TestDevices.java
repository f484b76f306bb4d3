/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.cm.DatagramDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens emulated devices for a test, and shows them and what is kept on them if it fails. Closes all of it afterwards:
 * what the test leaves open is a failure.
 */
public class TestDevices extends Keeper implements AfterEachCallback, TestExecutionExceptionHandler {
    /** All deviations that QEMU's device has. */
    public static final String QEMU = "quirks=qemu-7.2";

    private static final String NOTHING =
        "objects: \\[PD 0/\\d+, MR 0/\\d+, (MW 0/\\d+, )?CQ 0/\\d+, QP 0/\\d+, SRQ 0/\\d+]";
    private static final AtomicInteger NAMES = new AtomicInteger();
    private final List<RdmaContext> contexts = new ArrayList<>();

    public final RdmaContext device(final String options) {
        final String address = "emulated:t" + NAMES.incrementAndGet() + (options.isEmpty() ? "" : "?" + options);
        final RdmaContext context = RdmaDevices.open(address);
        contexts.add(context);
        return context;
    }

    /** How many there are of each kind on the device. */
    public static String objects(final RdmaContext context) {
        return context.dump().lines().filter(line -> line.startsWith("objects: ")).findFirst().orElseThrow();
    }

    private static void assertEmpty(final RdmaContext context) {
        if (!context.isClosed() && !context.isFailed()) {
            if (DatagramDomain.isNeeded(context)) {
                // It would live as long as the context.
                DatagramDomain.of(context).close();
            }
            assertThat(objects(context)).as("left on %s", context.address()).matches(NOTHING);
        }
    }

    @Override
    public final void handleTestExecutionException(final ExtensionContext test, final Throwable failure)
        throws Throwable {
        kept.forEach(one -> failure.addSuppressed(new AssertionError("at the failure: " + one)));
        contexts.forEach(one -> failure.addSuppressed(new AssertionError("at the failure\n" + one.dump())));
        throw failure;
    }

    @Override
    public final void afterEach(final ExtensionContext test) {
        try {
            close();
            contexts.forEach(TestDevices::assertEmpty);
        } finally {
            contexts.forEach(RdmaContext::close);
        }
        contexts.forEach(one -> assertThat(one.reachableBytes()).as("left reachable by %s", one.address()).isZero());
    }
}
