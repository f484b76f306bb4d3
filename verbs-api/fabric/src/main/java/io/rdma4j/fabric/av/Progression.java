/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

/**
 * Addresses that follow from the first one: so many services of each node, each one step from the service before it,
 * and nodes, each one step from the node before it. Or services alone, without end. Immutable.
 */
final class Progression {
    private static final int NO_END = Integer.MAX_VALUE;
    /** No place is more steps away than an int can count, so that nothing wraps around. */
    private static final long MOST_STEP = 1L << 32;
    private static final int RECIPROCAL_SHIFT = 62;

    /** The place of the first one. */
    private final int origin;
    private final int services;
    /** 2 to the power of 62 by services, rounded up: exact for places, as these have 31 bits. 0 without end. */
    private final long reciprocal;
    private final CountedAddress first;
    private final CountedAddress service;
    private final CountedAddress node;

    private Progression(
        final int origin, final CountedAddress first, final CountedAddress service, final CountedAddress node,
        final int services) {
        this.origin = origin;
        this.first = first;
        this.service = service;
        this.node = node;
        this.services = services;
        reciprocal = services == NO_END ? 0 : ((1L << RECIPROCAL_SHIFT) + services - 1) / services;
    }

    /** With one address, which can become any. */
    static Progression of(final int origin, final CountedAddress only) {
        return new Progression(origin, only.copy(), new CountedAddress(), new CountedAddress(), NO_END);
    }

    int origin() {
        return origin;
    }

    private int nodeOf(final int offset) {
        return (int) Math.multiplyHigh((long) offset << 2, reciprocal);
    }

    private static boolean isStep(final long step) {
        return step != 0 && step > -MOST_STEP && step < MOST_STEP;
    }

    /** Whether a place would have this address. */
    boolean matches(final int place, final CountedAddress other) {
        final int offset = place - origin;
        if (offset < 0 || offset > 0 && service.gidLow == 0 && service.qpn == 0) {
            // The second one of a progression is still to come.
            return false;
        }
        final long n = nodeOf(offset);
        final long s = offset - n * services;
        return first.gidLow + n * node.gidLow + s * service.gidLow == other.gidLow
            && first.qpn + n * node.qpn + s * service.qpn == other.qpn
            && first.ip + n * node.ip + s * service.ip == other.ip
            && first.port + n * node.port + s * service.port == other.port && first.alike(other);
    }

    /**
     * What has all addresses before a place and this one: the same one, one that learned what comes next, or null. The
     * second address says how far services are apart; the first that does not follow says how many there are, and how
     * far nodes are apart.
     */
    Progression with(final int place, final CountedAddress next) {
        final int offset = place - origin;
        if (offset == 1) {
            final CountedAddress step = next.minus(first);
            final boolean unlike = isStep(step.gidLow) || step.gidLow == 0 && isStep(step.qpn);
            return unlike && first.alike(next) ? new Progression(origin, first, step, node, NO_END) : null;
        }
        if (matches(place, next)) {
            return this;
        }
        if (services != NO_END || !first.alike(next)) {
            return null;
        }
        final CountedAddress step = next.minus(first);
        // Else there would be several ways back from an address to its place.
        final boolean byGid = service.gidLow == 0 && isStep(step.gidLow);
        final boolean byQpn = service.gidLow != 0 && step.gidLow == 0 && isStep(step.qpn);
        return byGid || byQpn ? new Progression(origin, first, service, step, offset) : null;
    }

    void fill(final int place, final PeerAddress into) {
        final int offset = place - origin;
        final long n = nodeOf(offset);
        final long s = offset - n * services;
        into.set(first.gidHigh, first.gidLow + n * node.gidLow + s * service.gidLow,
            (int) (first.qpn + n * node.qpn + s * service.qpn), (int) (first.rest >>> 32), place);
    }

    /** Has numbers say the address of a place. */
    void fill(final int place, final CountedAddress into) {
        final int offset = place - origin;
        final int n = nodeOf(offset);
        into.set(first, n, node, offset - (long) n * services, service);
    }

    /** The place that has this device address, or would have it; -1 if none. */
    long placeOf(final long gidHigh, final long gidLow, final int qpn) {
        final long gid = gidLow - first.gidLow;
        final long qp = qpn - first.qpn;
        final long n;
        final long s;
        if (services == NO_END) {
            n = 0;
            s = service.gidLow == 0 ? steps(qp, service.qpn) : steps(gid, service.gidLow);
        } else if (node.gidLow == 0) {
            s = steps(gid, service.gidLow);
            n = steps(qp - s * service.qpn, node.qpn);
        } else {
            n = steps(gid, node.gidLow);
            s = steps(qp - n * node.qpn, service.qpn);
        }
        if (gidHigh != first.gidHigh || n < 0 || s < 0 || s >= services || n > Integer.MAX_VALUE / services
            || first.gidLow + n * node.gidLow + s * service.gidLow != gidLow
            || first.qpn + n * node.qpn + s * service.qpn != qpn) {
            return -1;
        }
        final long place = origin + n * services + s;
        return place <= Integer.MAX_VALUE ? place : -1;
    }

    /** Whether its addresses, which all have one queue key, are of this one. */
    boolean has(final long qkey) {
        return qkey == AvStore.ANY_KEY || qkey == first.rest >>> 32;
    }

    /** Not exact: what comes out is checked. */
    private static long steps(final long distance, final long step) {
        return step == 0 ? 0 : distance / step;
    }

    long memoryUse() {
        return 48 + first.memoryUse() + service.memoryUse() + node.memoryUse();
    }
}
