/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.RdmaContext;

/**
 * Sizes of a device.
 *
 * @param regions     most regions.
 * @param queues      most completion queues.
 * @param queuePairs  most QPs.
 * @param sends       most operations under way.
 * @param receives    most receives under way.
 * @param messageSize most bytes of a message.
 */
record DeviceLimits(int regions, int queues, int queuePairs, int sends, int receives, long messageSize) {
    static DeviceLimits of(final RdmaContext context) {
        final DeviceAttributes a = context.attributes();
        final long message = Math.min(Integer.MAX_VALUE, context.queryPort(1).maxMessageSize());
        return new DeviceLimits(a.maxMr(), a.maxCq(), a.maxQp(), a.maxSendWr(1), a.maxReceiveWr(1), message);
    }
}
