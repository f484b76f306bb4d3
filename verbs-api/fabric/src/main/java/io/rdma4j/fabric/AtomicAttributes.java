/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * How an endpoint does an atomic (struct fi_atomic_attr).
 *
 * @param count    most numbers of one operation; 0 if it is not done at all.
 * @param size     bytes of one number.
 * @param isNative whether the device does it by one request of its own. Else it reads the numbers, and replaces them by
 *                 compare-and-swap until nobody came between: two requests or more, one after the other. So it does
 *                 with any compare-and-swap in a region whose modifications are counted.
 */
public record AtomicAttributes(int count, int size, boolean isNative) {
}
