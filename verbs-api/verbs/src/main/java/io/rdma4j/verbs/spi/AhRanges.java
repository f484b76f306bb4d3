/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;

/** The ranges of ways to a peer. */
public final class AhRanges {
    private AhRanges() {
    }

    /**
     * Refuses a way that leads nowhere.
     *
     * @param way       any.
     * @param operation what was tried.
     * @param context   the device.
     * @param hint      what to do where the source GID is unbound.
     * @throws RdmaException EINVAL naming the field and its range.
     */
    public static void check(
        final AhAttributes way, final String operation, final RdmaContext context, final String hint) {
        Errors.notNull(way, operation, context, "address");
        final Gid dgid = Errors.notNull(way.dgid(), operation, context, "destination GID");
        if (dgid.isZero() || dgid.isMulticast()) {
            throw Errors.invalid(operation, context, "destination GID %s is %s", dgid,
                dgid.isZero() ? "zero" : "a multicast address, which this device does not send to");
        }
        Errors.requirePort(way.port(), operation, context);
        Errors.inRange(way.hopLimit(), 0, 0xff, operation, context, "hop limit");
        Errors.inRange(way.trafficClass(), 0, 0xff, operation, context, "traffic class");
        Errors.inRange(way.flowLabel(), 0, 0xf_ffff, operation, context, "flow label");
        Errors.inRange(way.serviceLevel(), 0, 15, operation, context, "service level");
        if (context.queryGid(way.port(), way.sgidIndex()).isZero()) {
            throw RdmaException.of(operation)
                .device(context.address())
                .detail("source GID index %d is unbound", way.sgidIndex())
                .errno(RdmaException.EINVAL)
                .hint(hint)
                .build();
        }
    }
}
