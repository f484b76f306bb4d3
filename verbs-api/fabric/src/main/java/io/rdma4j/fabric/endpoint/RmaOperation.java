/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.SendOpcode;

/** What goes by the lane outwards: what it is below, and which rights it needs on both sides. */
public enum RmaOperation {
    /** Puts bytes there. */
    WRITE(OperationKind.WRITE, SendOpcode.RDMA_WRITE, MrAccess.WRITE, DirectoryLayout.WRITE),
    /** The same, and tells the peer. */
    WRITE_WITH_DATA(OperationKind.WRITE, SendOpcode.RDMA_WRITE_WITH_IMM, MrAccess.WRITE, DirectoryLayout.WRITE),
    /** Fetches bytes. */
    READ(OperationKind.READ, SendOpcode.RDMA_READ, MrAccess.READ, DirectoryLayout.READ),
    /** Adds to a number, and fetches what it was. */
    ADD(OperationKind.ATOMIC, SendOpcode.ATOMIC_FETCH_AND_ADD, MrAccess.READ, DirectoryLayout.ATOMIC),
    /** Replaces a number if it is as expected, and fetches what it was. */
    SWAP(OperationKind.ATOMIC, SendOpcode.ATOMIC_CMP_AND_SWP, MrAccess.READ, DirectoryLayout.ATOMIC);

    private static final RmaOperation[] ALL = values();

    final OperationKind kind;
    final SendOpcode opcode;
    /** Of the parts before the last one; atomics have none. */
    final SendOpcode before;
    final MrAccess local;
    /** What a region that is registered for it needs to allow. */
    final int localAccess;
    /** As {@link DirectoryLayout} has it. */
    final int remote;

    RmaOperation(final OperationKind kind, final SendOpcode opcode, final MrAccess local, final int remote) {
        this.kind = kind;
        this.opcode = opcode;
        this.before = opcode == SendOpcode.RDMA_WRITE_WITH_IMM ? SendOpcode.RDMA_WRITE : opcode;
        this.local = local;
        this.localAccess = local == MrAccess.READ ? AccessFlag.LOCAL_WRITE.bit() : 0;
        this.remote = remote;
    }

    static RmaOperation of(final int ordinal) {
        return ALL[ordinal];
    }

    /** Whether regions count it. */
    boolean modifies() {
        return remote != DirectoryLayout.READ;
    }
}
