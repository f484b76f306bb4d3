/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

/** An operation of the data path answered with a code that is documented for it: this ends the scenario. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(final String what) {
        super(what);
    }
}
