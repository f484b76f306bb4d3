/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;

import java.util.EnumSet;
import java.util.Set;

/** What was agreed about memory. Immutable. */
final class Agreement {
    private final ModeQuestion question;
    private final Set<MrMode> effective;
    private final Set<MrMode> visible;

    private Agreement(final ModeQuestion question, final Set<MrMode> effective) {
        this.question = question;
        this.effective = Set.copyOf(effective);
        visible = Set.copyOf(visible(question.offer(), effective));
    }

    /**
     * Negotiates (checklist 22-33): bits that the device needs stay set, if they were offered; others are cleared,
     * unless they were demanded.
     */
    static Agreement reach(final DeviceTraits device, final Set<Capability> given, final Hints hints) throws Unfit {
        Unfit last = null;
        for (final Offer offer : Offer.of(hints)) {
            try {
                return reach(new ModeQuestion(device, given, offer));
            } catch (final Unfit e) {
                last = e;
            }
        }
        throw last;
    }

    private static Agreement reach(final ModeQuestion question) throws Unfit {
        final Set<MrMode> effective = EnumSet.noneOf(MrMode.class);
        for (final ModeRule rule : ModeRule.values()) {
            if (rule.isNeeded(question)) {
                if (!question.offers(rule.mode())) {
                    throw new Unfit("needs FI_MR_%s, which was not offered: %s", rule, rule.why(question));
                }
                effective.add(rule.mode());
            }
        }
        effective.addAll(question.offer().demanded());
        if (question.offer().old() == MrMode.BASIC) {
            effective.addAll(MrModes.BASIC);
        }
        return new Agreement(question, effective);
    }

    /** In the words of before 1.5 the bits that they stand for are not told. */
    private static Set<MrMode> visible(final Offer offer, final Set<MrMode> effective) {
        final Set<MrMode> visible = EnumSet.copyOf(effective);
        if (offer.localMr()) {
            visible.remove(MrMode.LOCAL);
        }
        if (offer.old() != null) {
            visible.removeAll(MrModes.BASIC);
            visible.add(offer.old());
        }
        return visible;
    }

    /** The bits as the application gets to see them. */
    Set<MrMode> mode() {
        return visible;
    }

    /** Whether FI_LOCAL_MR is set. */
    boolean localMr() {
        return question.offer().localMr() && effective.contains(MrMode.LOCAL);
    }

    /** What the application has to do: BASIC and FI_LOCAL_MR taken apart. */
    boolean needs(final MrMode mode) {
        return effective.contains(mode);
    }

    /** A sentence. */
    String why(final MrMode mode) {
        final MrMode old = question.offer().old();
        return switch (mode) {
            case BASIC -> old == mode ? "asked for: stands for " + MrModes.names(MrModes.BASIC) : "not asked for";
            case SCALABLE -> old == mode ? "asked for: stands for no bits" : "not asked for";
            default -> why(ModeRule.valueOf(mode.name()));
        };
    }

    private String why(final ModeRule rule) {
        if (!needs(rule.mode())) {
            return "not needed: " + rule.whyNot(question);
        }
        if (rule.isNeeded(question)) {
            return "needed: " + rule.why(question);
        }
        return question.demands(rule.mode()) ? "demanded by the application, not needed by the device"
            : "FI_MR_BASIC stands for it";
    }
}
