/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The device of all runs of a class, which leave nothing behind. */
final class Device implements BeforeAllCallback, AfterAllCallback {
    private final String address;
    private RdmaContext context;

    Device(final String address) {
        this.address = address;
    }

    RdmaContext context() {
        return context;
    }

    @Override
    public void beforeAll(final ExtensionContext tests) {
        context = RdmaDevices.open(address);
    }

    @Override
    public void afterAll(final ExtensionContext tests) {
        context.close();
        assertThat(context.reachableBytes()).as("bytes left reachable").isZero();
    }
}
