/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import java.util.Locale;

/** What is in a slot of a ring. */
public enum SlotState {
    /** Nobody ever wrote there. */
    FREE,
    /** Posted, and not yet taken by the device. */
    PENDING,
    /** Taken by the device, and not yet completed as far as the driver knows. */
    EXECUTING,
    /** Taken by the device; who completes it, and when, is not kept by slot. */
    TAKEN,
    /** Completed; what is left of it. */
    DONE,
    /** A completion that the driver has not yet read. */
    UNREAD,
    /** A completion that the driver has read; what is left of it. */
    OLD,
    /** The indices are no indices, so nothing can be said. */
    UNKNOWN;

    /**
     * As it is printed.
     *
     * @return lower case.
     */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether what is in the slot counts for somebody: of the others nothing is expected.
     *
     * @return true if so.
     */
    public boolean isLive() {
        return this == PENDING || this == EXECUTING || this == UNREAD;
    }
}
