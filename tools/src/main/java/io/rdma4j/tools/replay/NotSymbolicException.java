/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

/** Something of a trace that means nothing outside of the process that was traced. */
final class NotSymbolicException extends Exception {
    private static final long serialVersionUID = 1;

    NotSymbolicException(final String reason) {
        super(reason, null, false, false);
    }
}
