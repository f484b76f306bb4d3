/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import java.util.function.Supplier;

/** A command that began. */
@FunctionalInterface
public interface CommandSpan {
    /**
     * The command is over, whatever came of it.
     *
     * @param device      which device; its {@code toString()} is used.
     * @param command     the name of the command.
     * @param request     the command and its fields; called only if the event is recorded.
     * @param err         the ERR register after it.
     * @param responseErr err in the header of the response; 0 where there is none.
     */
    void end(Object device, String command, Supplier<String> request, int err, int responseErr);
}
