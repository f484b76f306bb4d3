/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What calls throw that are refused. */
public final class Refusal {
    private Refusal() {
    }

    /**
     * Fails if a call is not refused like this.
     *
     * @param errno of the exception.
     * @param call  what is refused.
     * @param words each of them is in its message.
     */
    public static void assertRefused(final int errno, final ThrowingCallable call, final String... words) {
        final Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FabricException.class);
        assertThat(FiErrno.name(((FabricException) thrown).errno())).as(thrown.getMessage())
            .isEqualTo(FiErrno.name(errno));
        for (final String word : words) {
            assertThat(thrown.getMessage()).contains(word);
        }
    }

    /**
     * Fails if a call is not refused with FI_EINVAL.
     *
     * @param call  what is refused.
     * @param words each of them is in its message.
     */
    public static void assertInvalid(final ThrowingCallable call, final String... words) {
        assertRefused(FiErrno.FI_EINVAL, call, words);
    }
}
