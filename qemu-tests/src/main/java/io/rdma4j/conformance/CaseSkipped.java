/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

/** Thrown by a case that finds out that this device cannot be asked; the message says why. */
final class CaseSkipped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaseSkipped(final String reason) {
        super(reason, null, false, false);
    }
}
