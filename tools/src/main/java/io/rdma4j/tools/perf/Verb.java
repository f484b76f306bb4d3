/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

/** What is done to messages. */
public enum Verb {
    /** Messages, which the peer posts receives for. */
    SEND("SEND", null),
    /** RDMA WRITEs into the peer's memory. */
    WRITE("RDMA WRITE", Feature.RDMA_WRITE, AccessFlag.REMOTE_WRITE),
    /** RDMA READs of the peer's memory. */
    READ("RDMA READ", Feature.RDMA_READ, AccessFlag.REMOTE_READ),
    /** Atomics on 64 bits of the peer's memory. */
    ATOMIC("atomic", Feature.ATOMICS, AccessFlag.REMOTE_ATOMIC);

    private final String title;
    private final Feature feature;
    private final AccessFlag[] rights;

    Verb(final String title, final Feature feature, final AccessFlag... rights) {
        this.title = title;
        this.feature = feature;
        this.rights = rights;
    }

    /**
     * How people call it.
     *
     * @return a word or two.
     */
    public String title() {
        return title;
    }

    /**
     * Whether the peer does nothing but lend its memory, so that an operation comes back to where it began.
     *
     * @return true for READ and atomics.
     */
    public boolean isPull() {
        return this == READ || this == ATOMIC;
    }

    /** What the peer may do with the memory that is lent to it. */
    AccessFlag[] rights() {
        return rights.clone();
    }

    /**
     * Refuses a device that does not have it.
     *
     * @param context a device.
     * @throws RdmaException EOPNOTSUPP with the device's reason.
     */
    void requireOn(final RdmaContext context) {
        if (feature != null && !context.supports(feature)) {
            throw RdmaException.of("perf")
                .device(context.address())
                .detail("no %s: %s", title, context.whyNot(feature))
                .errno(RdmaException.EOPNOTSUPP)
                .hint("take another device, or send_lat, send_bw or msg_rate; rdma4j devinfo -v tells what a device "
                    + "has")
                .build();
        }
    }
}
