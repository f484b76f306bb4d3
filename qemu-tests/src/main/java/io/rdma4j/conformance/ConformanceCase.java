/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One claim about a device, with what it needs and how long it may take. Immutable. */
final class ConformanceCase {
    private static final Duration USUAL_DEADLINE = Duration.ofSeconds(20);
    private static final String NEEDS_ANY_MEMORY = "this device reaches only memory allocated from it";

    /** What a case does. */
    @FunctionalInterface
    interface Body {
        /**
         * Shows the claim, or fails.
         *
         * @param env the device and helpers.
         * @throws Exception whatever goes wrong; it fails the case.
         */
        void run(ConformanceEnv env) throws Exception;
    }

    private final String name;
    private final Set<Feature> features;
    private final boolean anyMemory;
    private final Duration deadline;
    private final Body body;

    private ConformanceCase(
        final String name, final Set<Feature> features, final boolean anyMemory, final Duration deadline,
        final Body body) {
        this.name = name;
        this.features = features;
        this.anyMemory = anyMemory;
        this.deadline = deadline;
        this.body = body;
    }

    static ConformanceCase of(final String name, final Body body) {
        return new ConformanceCase(name, Set.of(), false, USUAL_DEADLINE, body);
    }

    /** Of features that a device lacks it is told the first that was named here. */
    ConformanceCase needs(final Feature... needed) {
        final Set<Feature> all = new LinkedHashSet<>(features);
        all.addAll(List.of(needed));
        return new ConformanceCase(name, all, anyMemory, deadline, body);
    }

    ConformanceCase needsAnyMemory() {
        return new ConformanceCase(name, features, true, deadline, body);
    }

    ConformanceCase within(final Duration longest) {
        return new ConformanceCase(name, features, anyMemory, longest, body);
    }

    String name() {
        return name;
    }

    Duration deadline() {
        return deadline;
    }

    void run(final ConformanceEnv env) throws Exception {
        body.run(env);
    }

    /** Why this case cannot be run on a device; null if it can. */
    String whyNot(final RdmaContext device) {
        for (final Feature feature : features) {
            if (!device.supports(feature)) {
                return feature + ": " + device.whyNot(feature);
            }
        }
        return anyMemory && !device.reachesAnyMemory() ? NEEDS_ANY_MEMORY : null;
    }

    @Override
    public String toString() {
        return name;
    }
}
