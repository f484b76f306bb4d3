/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Opens emulated devices for one test, shows their state if it fails, and closes them afterwards: then nothing of them
 * may be left.
 */
final class Devices implements AfterEachCallback, TestExecutionExceptionHandler {
    /** All deviations that QEMU's device has. */
    static final String QEMU = "quirks=qemu-7.2";

    private static final AtomicInteger NAMES = new AtomicInteger();
    private final List<PvrdmaContext> open = new ArrayList<>();

    PvrdmaContext open() {
        return open("");
    }

    PvrdmaContext open(final String options) {
        final String address = "emulated:v" + NAMES.incrementAndGet() + (options.isEmpty() ? "" : "?" + options);
        final PvrdmaContext context = (PvrdmaContext) RdmaDevices.open(address);
        open.add(context);
        return context;
    }

    /** The emulated device under a context, to have it fail. */
    static EmulatedDevice emulated(final PvrdmaContext context) {
        return (EmulatedDevice) context.device.pci();
    }

    @Override
    public void handleTestExecutionException(final ExtensionContext test, final Throwable failure) throws Throwable {
        for (final RdmaContext context : open) {
            failure.addSuppressed(new AssertionError("state at the failure\n" + context.dump()));
        }
        throw failure;
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        final boolean failed = test.getExecutionException().isPresent();
        for (final PvrdmaContext context : open) {
            try {
                context.close();
            } finally {
                if (!failed) {
                    assertThat(context.device.commands().liveObjects()).as("objects left").isZero();
                    assertThat(context.reachableBytes()).as("bytes left reachable").isZero();
                    assertThat(context.qps.size() + context.cqs.size() + context.srqs.size()).as("left").isZero();
                }
            }
        }
    }
}
