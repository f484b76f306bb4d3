/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Peculiarity;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a device has and has not: by its own capabilities, by what the library offers, and by the {@link Quirk}s. */
final class Traits {
    private static final int MEM_WINDOW = 1 << 17;
    private static final int MEM_MGT_EXTENSIONS = 1 << 21;
    private static final int MEM_WINDOW_TYPE_2 = 1 << 23 | 1 << 24;

    private final Map<Feature, String> missing = new EnumMap<>(Feature.class);
    /** Receives that are posted in the error state are flushed when the QP enters it once more. */
    final boolean errFlushesOnEntry;
    /** Of completions of messages that invalidated a key. */
    final int invalidatedFlag;
    /** The library takes no region for a window of type 1 that is bound to nothing. */
    final boolean bindsWithoutRegion;
    private final List<Peculiarity> peculiarities = new ArrayList<>();

    Traits(final IbvAttributes attributes, final String driver, final boolean hasIova) {
        byLibrary(hasIova);
        final int flags = attributes.capFlags();
        if (attributes.atomicCap() == 0) {
            missing.put(Feature.ATOMICS, "the device reports that it has no atomics (atomic_cap 0)");
        }
        if ((flags & MEM_MGT_EXTENSIONS) == 0) {
            missing.put(Feature.INVALIDATE, lacks("memory management extensions", flags));
        }
        if ((flags & MEM_WINDOW) == 0 || (flags & MEM_WINDOW_TYPE_2) == 0) {
            missing.put(Feature.MEMORY_WINDOWS, lacks("memory windows of both types", flags));
        }
        errFlushesOnEntry = Quirk.of(driver).contains(Quirk.LATE_RECEIVES_STAY);
        invalidatedFlag = Quirk.of(driver).contains(Quirk.INVALIDATE_FLAG) ? Opcodes.WITH_INV_OF_KERNEL
            : Opcodes.WITH_INV;
        bindsWithoutRegion = !Quirk.of(driver).contains(Quirk.UNBIND_READS_REGION);
        for (final Quirk quirk : Quirk.of(driver)) {
            quirk.features().forEach(feature -> missing.put(feature, "the device " + quirk.description()));
            peculiarities.add(new Peculiarity(quirk.title(), "the device " + quirk.description()));
        }
    }

    private static String lacks(final String what, final int flags) {
        return String.format("the device reports that it has no %s (device_cap_flags 0x%x)", what, flags);
    }

    private void byLibrary(final boolean hasIova) {
        missing.put(Feature.MASKED_ATOMICS, "libibverbs has no masked atomics");
        missing.put(Feature.FAST_REGISTRATION, "libibverbs has no fast registration, the kernel has it for itself");
        missing.put(Feature.READ_WITH_INVALIDATE, "libibverbs has no RDMA READ that invalidates");
        missing.put(Feature.REFRESH, "libibverbs takes no other pages into a region: close it and register anew");
        missing.put(Feature.ON_DEMAND_PAGING, "regions on demand are not asked for through libibverbs yet");
        missing.put(Feature.PAGE_LISTS, "libibverbs registers ranges of addresses, not lists of pages");
        missing.put(Feature.GID_OF_CHOICE, "the kernel fills the GID table from the addresses of the network device: "
            + "ip addr add there, and name one by the option gid");
        missing.put(Feature.ZERO_BASED, "the kernel takes 0 as the address of a region only if its first byte begins a "
            + "page");
        missing.put(Feature.REQUESTS_IN_TURN, "the device begins requests before those in front of them are over");
        if (!hasIova) {
            missing.put(Feature.IOVA_OF_CHOICE, "this libibverbs has no ibv_reg_mr_iova2");
        }
    }

    boolean supports(final Feature feature) {
        return !missing.containsKey(feature);
    }

    String whyNot(final Feature feature) {
        return missing.get(feature);
    }

    List<Peculiarity> peculiarities() {
        return List.copyOf(peculiarities);
    }
}
