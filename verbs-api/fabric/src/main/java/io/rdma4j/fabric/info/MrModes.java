/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.MrMode;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Mode bits, and the old ones that stand for others. */
public final class MrModes {
    /** What {@link MrMode#BASIC} stands for. */
    static final Set<MrMode> BASIC = Collections.unmodifiableSet(
        EnumSet.of(MrMode.VIRT_ADDR, MrMode.ALLOCATED, MrMode.PROV_KEY));

    private MrModes() {
    }

    /**
     * What the application has to do: {@link MrMode#BASIC} is taken apart, {@link MrMode#SCALABLE} stands for nothing,
     * FI_LOCAL_MR is {@link MrMode#LOCAL}.
     *
     * @param info what was negotiated.
     * @return a new set, without BASIC and SCALABLE.
     */
    public static Set<MrMode> effective(final FabricInfo info) {
        final Set<MrMode> effective = EnumSet.noneOf(MrMode.class);
        for (final MrMode mode : MrMode.values()) {
            if (info.needs(mode)) {
                effective.add(mode);
            }
        }
        return effective;
    }

    /** As people write them: {@code FI_MR_LOCAL | FI_MR_RAW}. */
    static String names(final Set<MrMode> modes) {
        return modes.stream().sorted().map(mode -> "FI_MR_" + mode).collect(Collectors.joining(" | "));
    }
}
