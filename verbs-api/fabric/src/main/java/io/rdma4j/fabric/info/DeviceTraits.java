/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * All that the rules know of a device.
 *
 * @param address its address.
 * @param name    its kind, for people.
 * @param fabric  the fabric that it belongs to.
 * @param lacking the traits that it has not, with the reasons.
 * @param limits  its sizes.
 */
record DeviceTraits(String address, String name, String fabric, Map<Trait, String> lacking, DeviceLimits limits) {
    DeviceTraits {
        lacking = Map.copyOf(lacking);
    }

    /** Asks an open device. */
    static DeviceTraits of(final RdmaContext context) {
        final Map<Trait, String> lacking = new EnumMap<>(Trait.class);
        for (final Trait trait : Trait.values()) {
            final List<String> reasons = reasonsAgainst(context, trait);
            if (!reasons.isEmpty()) {
                lacking.put(trait, String.join("; ", reasons));
            }
        }
        if (!context.reachesAnyMemory()) {
            lacking.put(Trait.ANY_MEMORY, "the device reaches only memory that the driver allocates");
        }
        return new DeviceTraits(
            context.address(), context.attributes().name(), fabricOf(context), lacking, DeviceLimits.of(context));
    }

    boolean has(final Trait trait) {
        return !lacking.containsKey(trait);
    }

    /** Why it has not a trait; empty if it has. */
    String whyNot(final Trait trait) {
        return lacking.getOrDefault(trait, "");
    }

    private static List<String> reasonsAgainst(final RdmaContext context, final Trait trait) {
        final List<String> reasons = new ArrayList<>();
        for (final Feature feature : trait.features()) {
            if (!context.supports(feature)) {
                reasons.add("no " + feature + ": " + context.whyNot(feature));
            }
        }
        return reasons;
    }

    /** As the verbs provider of libfabric names fabrics: by the subnet prefix of the first GID. */
    private static String fabricOf(final RdmaContext context) {
        final Gid gid = context.queryGid(1, 0);
        return String.format("IB-0x%016x", gid.high());
    }
}
