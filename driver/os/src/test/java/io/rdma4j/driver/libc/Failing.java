/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a call fails with. */
final class Failing {
    private Failing() {
    }

    static AbstractThrowableAssert<?, ? extends Throwable> assertFails(final String call, final String errno,
            final ThrowingCallable callable) {
        final Throwable thrown = catchThrowable(callable);
        assertThat(thrown).isInstanceOf(RdmaException.class);
        final RdmaException e = (RdmaException) thrown;
        assertThat(RdmaException.errnoName(e.errno())).as(e.getMessage()).isEqualTo(errno);
        return assertThat(thrown).hasMessageStartingWith(call + " failed").hasMessageContaining("[" + errno + "]");
    }

    static UnsafeBuffer offHeap(final int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }
}
