/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What an application offers to do about memory, with the old ways to say it taken apart.
 *
 * @param old      {@link MrMode#BASIC} or {@link MrMode#SCALABLE}, which stay set whatever happens; null for bits.
 * @param bits     the bits that the application can cope with; those for which {@code old} stands included.
 * @param localMr  whether {@link MrMode#LOCAL} is among them by its old name, FI_LOCAL_MR.
 * @param demanded what shall stay set, of {@code bits}.
 */
record Offer(MrMode old, Set<MrMode> bits, boolean localMr, Set<MrMode> demanded) {
    private static final int V1_5 = Fabrics.version(1, 5);
    /** From here on the manual says that FI_MR_BASIC is alone; before, FI_MR_LOCAL could be beside it. */
    private static final int V1_9 = Fabrics.version(1, 9);
    private static final Set<MrMode> OLD = EnumSet.of(MrMode.BASIC, MrMode.SCALABLE);

    /** The ways to take some hints, best first: before 1.5, no bits leave the choice to the provider. */
    static List<Offer> of(final Hints hints) throws Unfit {
        final Set<MrMode> said = hints.mrMode();
        final boolean before15 = isBefore(hints, V1_5);
        check(hints, said, before15);
        if (said.contains(MrMode.BASIC)) {
            return List.of(taken(hints, MrMode.BASIC, said));
        }
        if (said.contains(MrMode.SCALABLE)) {
            return List.of(taken(hints, MrMode.SCALABLE, said));
        }
        return before15
            ? List.of(taken(hints, MrMode.SCALABLE, said), taken(hints, MrMode.BASIC, said))
            : List.of(new Offer(null, said, false, demanded(hints, said)));
    }

    private static Offer taken(final Hints hints, final MrMode old, final Set<MrMode> said) throws Unfit {
        final Set<MrMode> bits = EnumSet.copyOf(said);
        bits.removeAll(OLD);
        final boolean byOldName = hints.localMr() && !bits.contains(MrMode.LOCAL);
        if (byOldName) {
            bits.add(MrMode.LOCAL);
        }
        if (old == MrMode.BASIC) {
            bits.addAll(MrModes.BASIC);
        }
        return new Offer(old, bits, byOldName, demanded(hints, bits));
    }

    private static void check(final Hints hints, final Set<MrMode> said, final boolean before15) throws Unfit {
        for (final MrMode old : OLD) {
            final Set<MrMode> beside = EnumSet.copyOf(said);
            beside.remove(old);
            if (old == MrMode.BASIC && !before15 && isBefore(hints, V1_9)) {
                beside.remove(MrMode.LOCAL);
            }
            if (said.contains(old) && !beside.isEmpty()) {
                throw new Unfit("does not fit: FI_MR_%s goes alone%s, not with %s", old,
                    old == MrMode.BASIC && !before15 ? " (before version 1.9 also with FI_MR_LOCAL)" : "",
                    MrModes.names(beside));
            }
        }
        if (before15 && !OLD.containsAll(said)) {
            throw new Unfit("does not fit: before version 1.5 there were FI_MR_BASIC, FI_MR_SCALABLE and FI_LOCAL_MR, "
                + "not %s", MrModes.names(said));
        }
    }

    private static Set<MrMode> demanded(final Hints hints, final Set<MrMode> bits) throws Unfit {
        final Set<MrMode> missing = hints.demanded();
        missing.removeAll(hints.mrMode());
        missing.removeAll(bits);
        if (!missing.isEmpty()) {
            throw new Unfit("does not fit: %s was demanded, but not offered", MrModes.names(missing));
        }
        final Set<MrMode> demanded = hints.demanded();
        if (demanded.remove(MrMode.BASIC)) {
            demanded.addAll(MrModes.BASIC);
        }
        demanded.remove(MrMode.SCALABLE);
        return demanded;
    }

    private static boolean isBefore(final Hints hints, final int version) {
        return Integer.compareUnsigned(hints.apiVersion(), version) < 0;
    }
}
