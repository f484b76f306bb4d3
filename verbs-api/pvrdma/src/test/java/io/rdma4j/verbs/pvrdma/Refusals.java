/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a refused control call must look like. */
final class Refusals {
    private Refusals() {
    }

    static void assertRefused(final int errno, final ThrowingCallable call, final String... words) {
        final Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(RdmaException.class);
        assertThat(RdmaException.errnoName(((RdmaException) thrown).errno())).as(thrown.getMessage())
            .isEqualTo(RdmaException.errnoName(errno));
        for (final String word : words) {
            assertThat(thrown.getMessage()).contains(word);
        }
    }

    static void assertInvalid(final ThrowingCallable call, final String... words) {
        assertRefused(RdmaException.EINVAL, call, words);
    }

    static void assertClosed(final ThrowingCallable call, final String... words) {
        assertRefused(RdmaException.EBADFD, call, words);
    }

    static void assertBusy(final ThrowingCallable call, final String... words) {
        assertRefused(RdmaException.EBUSY, call, words);
    }
}
