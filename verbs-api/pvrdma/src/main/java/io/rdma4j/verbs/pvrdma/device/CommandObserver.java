/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import org.agrona.DirectBuffer;

/** Sees each command that the driver exchanges with the device: for recordings and traces. */
@FunctionalInterface
public interface CommandObserver {
    /**
     * A command was executed, successfully or not. Called by the thread that executes it, while no other command can
     * run; it must not execute commands itself.
     *
     * @param request  the {@link io.rdma4j.hw.pvrdma.cmd.Command#REQUEST_MAX} bytes of the command slot; valid during
     *                 the call.
     * @param err      the ERR register after the command.
     * @param response the {@link io.rdma4j.hw.pvrdma.cmd.Command#RESPONSE_MAX} bytes of the response slot, zero where
     *                 the device wrote nothing; valid during the call.
     */
    void onCommand(DirectBuffer request, int err, DirectBuffer response);
}
