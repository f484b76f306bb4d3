/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * What each side tells of its QP before anything is changed.
 *
 * @param role            who asked for the connection.
 * @param type            transport of the QP.
 * @param pathMtu         largest path MTU.
 * @param maxRdAtomic     READs and atomics that this side would begin.
 * @param maxDestRdAtomic READs and atomics that this side would accept.
 * @param address         the QP.
 * @param privateData     for the application.
 */
record Hello(
    Role role, QpType type, Mtu pathMtu, int maxRdAtomic, int maxDestRdAtomic, QpAddress address,
    byte[] privateData) {
    /** A TCP connection may be one to itself, and two may both think that the other listens. */
    enum Role {
        CONNECTS,
        LISTENS;

        int code() {
            return ordinal() + 1;
        }

        static Role of(final int code) {
            return code == 1 ? CONNECTS : code == 2 ? LISTENS : null;
        }
    }

    Mtu smallerMtu(final Hello other) {
        return pathMtu.compareTo(other.pathMtu) <= 0 ? pathMtu : other.pathMtu;
    }
}
