/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

/**
 * What fi_mr(3) says of mode bits, in its numbers, and without a look at how the provider decides: an answer is right
 * if it is of the bits that were offered, holds the demanded ones, lets the device work, and no bit could be cleared.
 * Where two answers are right, pages that are there go before pages that are told of.
 */
final class SpecOracle {
    static final int BASIC = 1;
    static final int SCALABLE = 1 << 1;
    static final int LOCAL = 1 << 2;
    static final int RAW = 1 << 3;
    static final int VIRT_ADDR = 1 << 4;
    static final int ALLOCATED = 1 << 5;
    static final int PROV_KEY = 1 << 6;
    static final int MMU_NOTIFY = 1 << 7;
    static final int HMEM = 1 << 10;
    static final int NO_DATA = -1;

    private static final int[] DECIDED = {VIRT_ADDR, ALLOCATED, PROV_KEY, MMU_NOTIFY, HMEM};

    private final DeviceTraits device;
    private final boolean remoteMemory;
    private final boolean deviceMemory;

    SpecOracle(final DeviceTraits device, final boolean remoteMemory, final boolean deviceMemory) {
        this.device = device;
        this.remoteMemory = remoteMemory;
        this.deviceMemory = deviceMemory;
    }

    /** Bits, of 1.5 and later, without BASIC and SCALABLE. */
    int answer(final int offered, final int demanded) {
        if ((demanded & ~offered) != 0) {
            return NO_DATA;
        }
        int best = NO_DATA;
        for (int choice = 0; choice < 1 << DECIDED.length; choice++) {
            final int bits = demanded | bitsOf(choice);
            if ((bits & ~offered) == 0 && works(bits) && isBetter(bits, best)) {
                best = bits;
            }
        }
        return best;
    }

    private static int bitsOf(final int choice) {
        int bits = 0;
        for (int i = 0; i < DECIDED.length; i++) {
            if ((choice & 1 << i) != 0) {
                bits |= DECIDED[i];
            }
        }
        return bits;
    }

    private static boolean isBetter(final int bits, final int best) {
        if (best == NO_DATA || Integer.bitCount(bits) < Integer.bitCount(best)) {
            return true;
        }
        return Integer.bitCount(bits) == Integer.bitCount(best) && (bits & ALLOCATED) != 0 && (best & ALLOCATED) == 0;
    }

    boolean works(final int bits) {
        return addressesWork(bits) && keysWork(bits) && pagesWork(bits) && (!deviceMemory || (bits & HMEM) != 0);
    }

    /** "...regions are accessible by peers starting at a base address of 0", if the device can. */
    private boolean addressesWork(final int bits) {
        return !remoteMemory || (bits & VIRT_ADDR) != 0 || device.has(Trait.ZERO_BASED);
    }

    /** "The application also selects the access key": to be translated by the peer, that must not keep stale ones. */
    private boolean keysWork(final int bits) {
        return !remoteMemory || (bits & PROV_KEY) != 0 || device.has(Trait.KEYS_NOT_REUSED);
    }

    /** "...address ranges do not need to map to data buffers", or do, or are told of before the access. */
    private boolean pagesWork(final int bits) {
        if ((bits & ALLOCATED) != 0 || device.has(Trait.PAGE_FAULTS)) {
            return true;
        }
        final boolean keyOfDeviceIsSeen = remoteMemory && (bits & (PROV_KEY | RAW)) != 0;
        return (bits & MMU_NOTIFY) != 0 && (device.has(Trait.REFRESH) || !keyOfDeviceIsSeen);
    }
}
