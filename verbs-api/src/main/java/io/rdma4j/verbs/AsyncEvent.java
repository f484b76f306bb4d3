/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * Something that happened to an object or to the device.
 *
 * @param type    what happened.
 * @param element the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue} that it happened to; the
 *                {@link RdmaContext} for ports and the device; null if that object is gone.
 * @param number  handle of the object, or number of the port, as the device told.
 */
public record AsyncEvent(AsyncEventType type, Object element, int number) {
}
