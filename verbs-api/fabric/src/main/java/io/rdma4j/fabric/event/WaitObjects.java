/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;

/** Which ways to wait there are. */
public final class WaitObjects {
    private WaitObjects() {
    }

    /**
     * Refuses what is not offered.
     *
     * @param operation  for the message.
     * @param waitObject what the application asks for.
     * @return the same.
     * @throws FabricException FI_EINVAL for null, FI_ENOSYS for MUTEX_COND.
     */
    public static WaitObject checked(final String operation, final WaitObject waitObject) {
        if (waitObject == null) {
            throw FabricException.of(operation).detail("wait object is null").errno(FiErrno.FI_EINVAL).build();
        }
        if (waitObject == WaitObject.MUTEX_COND) {
            throw FabricException.of(operation).detail("wait object %s is not offered", waitObject)
                .errno(FiErrno.FI_ENOSYS).hint("use UNSPEC, or FD for a file descriptor").build();
        }
        return waitObject;
    }

    /**
     * Refuses to wait where there is no way to.
     *
     * @param operation  for the message.
     * @param waitObject how the object was opened.
     * @param what       the object.
     * @throws FabricException FI_ENOSYS for NONE.
     */
    public static void requireWaiting(final String operation, final WaitObject waitObject, final Object what) {
        if (waitObject == WaitObject.NONE) {
            throw FabricException.of(operation).detail("%s was opened with wait object NONE", what)
                .errno(FiErrno.FI_ENOSYS).hint("read without waiting, or open it with UNSPEC").build();
        }
    }
}
