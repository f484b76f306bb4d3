/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
     * @return the exception.
     */
    public static FabricException assertRefused(final int errno, final ThrowingCallable call, final String... words) {
        final FabricException thrown = catchThrowableOfType(FabricException.class, call);
        assertThat(thrown).isNotNull();
        assertThat(FiErrno.name(thrown.errno())).as(thrown.getMessage()).isEqualTo(FiErrno.name(errno));
        for (final String word : words) {
            assertThat(thrown.getMessage()).contains(word);
        }
        return thrown;
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
