/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.hw.pvrdma.cmd.Command;

import org.agrona.concurrent.UnsafeBuffer;

/** Carries out one command. */
public interface Commands {
    /**
     * Carries out one command.
     *
     * @param command  which.
     * @param request  all bytes of it, a copy that the driver cannot change.
     * @param response zeroed; the body is to be filled in behind the header.
     * @throws io.rdma4j.device.common.CommandError if it is refused.
     * @throws io.rdma4j.device.memory.DmaFault     if memory that it names is not mapped.
     */
    void run(Command command, UnsafeBuffer request, UnsafeBuffer response);
}
