/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Mtu;

import java.net.InetSocketAddress;

/**
 * What an end has asked for and the other side, whose device is known only when both have met, must be able to do, too:
 * less would be told as if it had been that.
 */
final class Agreed {
    private Agreed() {
    }

    /** The one that was asked for is null for any. */
    static void requireMtu(final String operation, final InetSocketAddress peer, final Mtu asked, final Mtu agreed) {
        if (asked != null && asked != agreed) {
            throw less(operation, peer, "-m", asked.bytes(), agreed.bytes());
        }
    }

    /** The number that was asked for is 0 for any. */
    static void requireOuts(final String operation, final InetSocketAddress peer, final int asked, final int agreed) {
        if (agreed < asked) {
            throw less(operation, peer, "-o", asked, agreed);
        }
    }

    private static RdmaException less(final String operation, final InetSocketAddress peer, final String option,
        final int asked, final int agreed) {
        return RdmaException.of(operation).object(Answering.textOf(peer))
            .detail("%s %d was asked for, with the other side it is %d", option, asked, agreed)
            .errno(RdmaException.EINVAL)
            .hint("give %s %d, or leave %s out, on both sides", option, agreed, option).build();
    }
}
