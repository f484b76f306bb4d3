/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.cmd.Command;

/**
 * What a device holds for its driver, in the order in which it is destroyed: users before what they use. The codes are
 * those in journals and stay.
 */
enum ObjectKind {
    QP(1, Command.CREATE_QP, Command.DESTROY_QP),
    SRQ(2, Command.CREATE_SRQ, Command.DESTROY_SRQ),
    CQ(3, Command.CREATE_CQ, Command.DESTROY_CQ),
    /** Known to devices of this project only. */
    MW(8, Command.CREATE_MW, Command.DESTROY_MW),
    MR(4, Command.CREATE_MR, Command.DESTROY_MR),
    PD(5, Command.CREATE_PD, Command.DESTROY_PD),
    UC(6, Command.CREATE_UC, Command.DESTROY_UC),
    /** Its handle is its index in the GID table, known before the device is asked. */
    GID(7, Command.CREATE_BIND, Command.DESTROY_BIND);

    private static final ObjectKind[] KINDS = values();

    private final int code;
    private final Command create;
    private final Command destroy;

    ObjectKind(final int code, final Command create, final Command destroy) {
        this.code = code;
        this.create = create;
        this.destroy = destroy;
    }

    Command destroy() {
        return destroy;
    }

    /** Never 0, which means none. */
    int code() {
        return code;
    }

    /** The kind with a code; null if there is none. */
    static ObjectKind of(final int code) {
        for (final ObjectKind kind : KINDS) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
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
