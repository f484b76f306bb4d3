/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.region.EndpointRealm;

/**
 * A connected endpoint for use by another one that is made of several: besides what all can, messages of memory that
 * the device knows already, named as work requests name it. Nothing of it is checked, looked up or kept. Completions
 * come as always.
 */
public interface InternalEndpoint extends MsgEndpoint, EndpointRealm {
    /**
     * Sends one piece of memory.
     *
     * @param address for the device.
     * @param length  bytes, 0 or more.
     * @param lkey    of the memory.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int sendKnown(long address, int length, int lkey, long context);

    /**
     * Sends two pieces of memory as one message.
     *
     * @param address   first piece, for the device.
     * @param length    bytes, above 0.
     * @param lkey      of the memory.
     * @param address2  second piece, for the device.
     * @param length2   bytes; 0 for none.
     * @param lkey2     of the memory.
     * @param context   comes back with the completion.
     * @return 0 or a negated errno.
     */
    int sendKnown(long address, int length, int lkey, long address2, int length2, int lkey2, long context);

    /**
     * Receives into one piece of memory. Also before it is connected.
     *
     * @param address for the device.
     * @param length  bytes, 0 or more.
     * @param lkey    of the memory.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int receiveKnown(long address, int length, int lkey, long context);
}
