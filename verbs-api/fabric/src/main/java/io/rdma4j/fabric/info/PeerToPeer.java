/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import java.util.Locale;
import java.util.Set;

/**
 * FI_HMEM_DISABLE_P2P (checklist 18): whether the NIC may reach memory of other devices. A system property of the same
 * name goes before the environment's variable.
 */
final class PeerToPeer {
    static final String NAME = "FI_HMEM_DISABLE_P2P";

    /** What libfabric takes as true. */
    private static final Set<String> YES = Set.of("1", "on", "true", "yes");

    private PeerToPeer() {
    }

    static boolean isAllowed() {
        return isAllowed(System.getProperty(NAME, System.getenv(NAME)));
    }

    static boolean isAllowed(final String setting) {
        return setting == null || !YES.contains(setting.strip().toLowerCase(Locale.ROOT));
    }
}
