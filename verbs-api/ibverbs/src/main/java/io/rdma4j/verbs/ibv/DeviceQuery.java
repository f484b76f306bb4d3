/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Asks what a device is and can do; as {@code ibv_query_device_ex}, which is inline in C. */
final class DeviceQuery {
    private static final String OPERATION = "query device";
    private static final int ENOSYS = 38;
    private static final long NO_INPUT = 0;

    private DeviceQuery() {
    }

    /**
     * All that the device tells. A library or kernel that only knows {@code ibv_query_device} leaves the rest zero, as
     * of a device that has nothing of it.
     *
     * @param context of the device.
     * @return an {@code ibv_device_attr_ex}.
     */
    static DirectBuffer ask(final IbvContext context) {
        final UnsafeBuffer attr = Struct.allocate(Abi.DeviceAttrEx.LENGTH);
        final long extended = ContextCheck.extended(context.pointer, Abi.VerbsContext.QUERY_DEVICE_EX);
        if (extended != 0) {
            final int errno = context.library.callInt(extended, context.pointer, NO_INPUT, attr.addressOffset(),
                (long) Abi.DeviceAttrEx.LENGTH);
            if (errno != RdmaException.EOPNOTSUPP && errno != ENOSYS) {
                context.require(errno, OPERATION, "ibv_query_device_ex");
                return attr;
            }
            attr.setMemory(0, Abi.DeviceAttrEx.LENGTH, (byte) 0);
        }
        context.require(context.library.queryDevice(context.pointer, attr.addressOffset()), OPERATION,
            "ibv_query_device");
        return attr;
    }
}
