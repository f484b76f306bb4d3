/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.OperationKind;

import java.util.Set;

/** Kinds of operations whose interface and direction were negotiated: all others are FI_EOPNOTSUPP. Immutable. */
public final class OfferedKinds {
    /** A bit for each kind, by its ordinal. */
    private final int kinds;

    /**
     * Those of a domain.
     *
     * @param given its capabilities, or those of one direction.
     */
    public OfferedKinds(final Set<Capability> given) {
        final long bits = Capability.bits(given);
        int found = 0;
        for (final OperationKind kind : OperationKind.values()) {
            // What its completion says it is, is what it needs.
            final long needed = EntryWriter.flags(kind);
            if ((bits & needed) == needed) {
                found |= 1 << kind.ordinal();
            }
        }
        kinds = found;
    }

    /**
     * Whether operations of a kind may be started.
     *
     * @param kind not null.
     * @return false for what was not negotiated.
     */
    public boolean has(final OperationKind kind) {
        return (kinds & 1 << kind.ordinal()) != 0;
    }
}
