/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;

import java.util.Optional;

/** Finds what is below the public interface, for whoever debugs devices. Applications have no use for it. */
public final class UnderlyingDevice {
    private UnderlyingDevice() {
    }

    /**
     * The device behind a context.
     *
     * @param context any; may be null.
     * @return the device, which stays the context's and is closed with it; empty if it is another provider's.
     */
    public static Optional<PvrdmaDevice> of(final RdmaContext context) {
        return context instanceof PvrdmaContext ? Optional.of(((PvrdmaContext) context).device) : Optional.empty();
    }
}
