/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.verbs.ProtectionDomain;

/**
 * A protection domain for a realm.
 *
 * @param pd   where regions and queue pairs are made.
 * @param isOwn whether nobody else has it: it is closed with the realm.
 */
public record PdLease(ProtectionDomain pd, boolean isOwn) {
    /** The realm is closed. */
    void end() {
        if (isOwn) {
            pd.close();
        }
    }
}
