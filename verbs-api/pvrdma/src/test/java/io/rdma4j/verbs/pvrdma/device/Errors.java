/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;

/** What tests say about exceptions. */
final class Errors {
    private Errors() {
    }

    static void hasErrno(final Throwable e, final int errno) {
        assertThat(e).isInstanceOf(RdmaException.class);
        assertThat(RdmaException.errnoName(((RdmaException) e).errno())).as("%s", e)
            .isEqualTo(RdmaException.errnoName(errno));
    }
}
