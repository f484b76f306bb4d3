/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.verbs.RdmaContext;

import java.util.function.Supplier;

/** Opens the sides of a test. */
final class Sides extends TestDevices {
    final Supplier<Hints> hints;

    Sides() {
        this(Hints::new);
    }

    Sides(final Supplier<Hints> hints) {
        this.hints = hints;
    }

    Side open() {
        return open(hints.get());
    }

    Side open(final Hints wished) {
        return open(device(""), wished, new EndpointOptions().sizes(16, 16));
    }

    Side open(final RdmaContext context, final Hints wished, final EndpointOptions options) {
        return keep(new Side(wished.context(context), options));
    }

    Side[] pair(final Supplier<Hints> wished) {
        return pair(wished, "");
    }

    Side[] pair(final Supplier<Hints> wished, final String options) {
        final Side[] both = new Side[2];
        for (int i = 0; i < 2; i++) {
            both[i] = open(device(options), wished.get(), new EndpointOptions().sizes(16, 16));
        }
        Side.connect(both[0], both[1]);
        return both;
    }
}
