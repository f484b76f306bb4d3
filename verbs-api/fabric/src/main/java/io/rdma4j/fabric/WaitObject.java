/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** How a thread can wait for a queue or counter (enum fi_wait_obj), numbers of rdma/fi_eq.h. */
public enum WaitObject {
    /** Not at all: waiting calls return or throw FI_ENOSYS. */
    NONE(0),
    /** As the provider likes: spins first, then sleeps until the device speaks. The default. */
    UNSPEC(1),
    /** As UNSPEC; and there is a file descriptor for poll, epoll and select, see the queue's {@code fd()}. */
    FD(3),
    /** Not offered: FI_ENOSYS. */
    MUTEX_COND(4),
    /** Looks again and again, letting others run between (FI_WAIT_YIELD). */
    YIELD(5);

    private final int value;

    WaitObject(final int value) {
        this.value = value;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }
}
