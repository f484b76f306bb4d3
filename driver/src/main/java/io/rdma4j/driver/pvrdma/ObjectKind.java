/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.hw.pvrdma.cmd.Command;

/**
 * What a device holds for its driver, in the order in which it is destroyed: users before what they use. The order is
 * also that of the codes in a journal, so new kinds come last.
 */
enum ObjectKind {
    QP(Command.CREATE_QP, Command.DESTROY_QP),
    SRQ(Command.CREATE_SRQ, Command.DESTROY_SRQ),
    CQ(Command.CREATE_CQ, Command.DESTROY_CQ),
    MR(Command.CREATE_MR, Command.DESTROY_MR),
    PD(Command.CREATE_PD, Command.DESTROY_PD),
    UC(Command.CREATE_UC, Command.DESTROY_UC),
    /** Its handle is its index in the GID table, known before the device is asked. */
    GID(Command.CREATE_BIND, Command.DESTROY_BIND);

    private static final ObjectKind[] KINDS = values();

    private final Command create;
    private final Command destroy;

    ObjectKind(final Command create, final Command destroy) {
        this.create = create;
        this.destroy = destroy;
    }

    Command destroy() {
        return destroy;
    }

    /** Never 0, which means none. */
    int code() {
        return ordinal() + 1;
    }

    /** The kind with a code; null if there is none. */
    static ObjectKind of(final int code) {
        return code >= 1 && code <= KINDS.length ? KINDS[code - 1] : null;
    }

    /** What a command creates; null if it creates nothing. */
    static ObjectKind createdBy(final Command command) {
        for (final ObjectKind kind : KINDS) {
            if (kind.create == command) {
                return kind;
            }
        }
        return null;
    }

    /** What a command destroys; null if it destroys nothing. */
    static ObjectKind destroyedBy(final Command command) {
        for (final ObjectKind kind : KINDS) {
            if (kind.destroy == command) {
                return kind;
            }
        }
        return null;
    }
}
