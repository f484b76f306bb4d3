/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

/** The opening or closing of a device that began. */
@FunctionalInterface
public interface DeviceSpan {
    /**
     * It is over.
     *
     * @param device  which device; its {@code toString()} is used.
     * @param profile which implementation of the device; empty if that is not known.
     * @param version of the device's interface; 0 if that is not known.
     * @param done    whether it succeeded.
     */
    void end(Object device, String profile, int version, boolean done);
}
