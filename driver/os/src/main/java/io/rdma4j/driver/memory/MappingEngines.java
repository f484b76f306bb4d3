/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The one engine that all watches share, and how many they are. Thread-safe. */
final class MappingEngines {
    private final Supplier<UserfaultKernel> kernels;
    private final LongSupplier clock;
    private MappingEngine engine;
    private int users;

    /** What makes one, and a clock in nanoseconds. */
    MappingEngines(final Supplier<UserfaultKernel> kernels, final LongSupplier clock) {
        this.kernels = kernels;
        this.clock = clock;
    }

    synchronized MappingEngine acquire() {
        if (engine == null) {
            engine = start();
        }
        users++;
        return engine;
    }

    private MappingEngine start() {
        try {
            return MappingEngine.start(kernels.get(), clock);
        } catch (final RdmaException e) {
            return MappingEngine.unavailable(e.getMessage());
        }
    }

    void release(final MappingEngine released) {
        synchronized (this) {
            if (--users > 0) {
                return;
            }
            engine = null;
        }
        released.close();
    }
}
