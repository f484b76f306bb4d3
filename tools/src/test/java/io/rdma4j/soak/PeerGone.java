/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

/** A connection is lost. Right if the peer was killed; else its process had no processor for seconds. */
final class PeerGone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PeerGone(final String what) {
        super(what);
    }
}
