/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Devices as the rules see them. */
final class Profiles {
    static final DeviceLimits LIMITS = new DeviceLimits(1000, 200, 99, 512, 256, Integer.MAX_VALUE, 1024, 4,
        64);
    /** Has everything. */
    static final DeviceTraits EMULATED = device("emulated:", EnumSet.allOf(Trait.class));
    /** Messages only, and pages as they were. */
    static final DeviceTraits QEMU = device("qemu:", EnumSet.of(Trait.IMMEDIATE, Trait.ANY_MEMORY));
    /** RMA, and nothing that is not in the interface of the plain device. */
    static final DeviceTraits PLAIN = device("plain:", EnumSet.of(
        Trait.RMA, Trait.ATOMICS, Trait.IMMEDIATE, Trait.ANY_MEMORY));
    /** Exchanges pages, but does not look for them. */
    static final DeviceTraits REFRESHING = device("refreshing:", EnumSet.complementOf(EnumSet.of(Trait.PAGE_FAULTS)));
    /** Only one thing missing that matters to keys. */
    static final DeviceTraits KEYS_REUSED = device("keys:", EnumSet.complementOf(EnumSet.of(Trait.KEYS_NOT_REUSED)));
    static final List<DeviceTraits> NAMED = List.of(EMULATED, QEMU, PLAIN, REFRESHING, KEYS_REUSED);

    private static final List<Trait> DECIDING = List.of(
        Trait.RMA, Trait.KEYS_NOT_REUSED, Trait.ZERO_BASED, Trait.PAGE_FAULTS, Trait.REFRESH);

    private Profiles() {
    }

    static DeviceTraits device(final String address, final Set<Trait> has) {
        final Map<Trait, String> lacking = new EnumMap<>(Trait.class);
        for (final Trait trait : EnumSet.complementOf(EnumSet.copyOf(has))) {
            lacking.put(trait, "it has no " + trait);
        }
        return new DeviceTraits(address, "some device", "IB-0xfe80000000000000", lacking, LIMITS);
    }

    /** Each combination of what decides about mode bits. */
    static List<DeviceTraits> all() {
        final List<DeviceTraits> all = new java.util.ArrayList<>();
        for (int combination = 0; combination < 1 << DECIDING.size(); combination++) {
            final Set<Trait> has = EnumSet.of(Trait.IMMEDIATE, Trait.ANY_MEMORY, Trait.ATOMICS);
            for (int i = 0; i < DECIDING.size(); i++) {
                if ((combination & 1 << i) != 0) {
                    has.add(DECIDING.get(i));
                }
            }
            all.add(device("device-" + combination + ":", has));
        }
        return all;
    }
}
