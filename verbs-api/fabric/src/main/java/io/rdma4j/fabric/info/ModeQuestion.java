/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.MrMode;

import java.util.Set;

/**
 * What decides about one mode bit.
 *
 * @param device what there is.
 * @param given  the capabilities that were negotiated before.
 * @param offer  what the application can cope with.
 */
record ModeQuestion(DeviceTraits device, Set<Capability> given, Offer offer) {
    boolean offers(final MrMode mode) {
        return offer.bits().contains(mode);
    }

    boolean demands(final MrMode mode) {
        return offer.demanded().contains(mode);
    }

    /** Whether anybody names memory of somebody else. */
    boolean namesRemoteMemory() {
        return CapabilityRules.hasMemory(given);
    }

    boolean needsPages() {
        return !device.has(Trait.PAGE_FAULTS);
    }

    boolean needsDeviceKeys() {
        return namesRemoteMemory() && !device.has(Trait.KEYS_NOT_REUSED);
    }

    boolean needsDeviceAddresses() {
        return namesRemoteMemory() && !device.has(Trait.ZERO_BASED);
    }

    /**
     * Whether {@link MrMode#MMU_NOTIFY} can stand for {@link MrMode#ALLOCATED}: pages are given to the device when the
     * application tells that they are there. A device that cannot exchange pages registers anew for that, and the peer
     * must not notice that the device's key is another one.
     */
    boolean canBeToldOfPages() {
        final boolean peersHaveDeviceKeys = namesRemoteMemory()
            && (needsDeviceKeys() || demands(MrMode.PROV_KEY) || offer.old() == MrMode.BASIC || demands(MrMode.RAW));
        return device.has(Trait.REFRESH) || !peersHaveDeviceKeys;
    }

    /** Offered both, an application would rather keep its pages; unless it wants to be tried. */
    boolean isToldOfPages() {
        return needsPages() && canBeToldOfPages() && offers(MrMode.MMU_NOTIFY)
            && (demands(MrMode.MMU_NOTIFY) || !offers(MrMode.ALLOCATED));
    }
}
