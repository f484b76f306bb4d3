/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Unsigned;

import java.util.function.Supplier;

/** An exchange of the command channel. */
@Name("io.rdma4j.Command")
@Label("Command")
@Description("A command that the driver exchanged with the device")
@Category({RdmaEvent.GROUP, RdmaEvent.CONTROL})
final class CommandEvent extends RdmaEvent implements CommandSpan {
    @Label("Command")
    String command;

    @Label("Request")
    @Description("The command with those of its fields that are not zero")
    String request;

    @Label("ERR")
    @Description("The ERR register after the command; 0 is success")
    int err;

    @Label("Response err")
    @Description("The err field of the response; 0 is success")
    @Unsigned
    int responseErr;

    @Override
    public void end(
        final Object onDevice, final String name, final Supplier<String> text, final int errRegister,
        final int errOfResponse) {
        end();
        if (shouldCommit()) {
            device = String.valueOf(onDevice);
            command = name;
            request = text.get();
            err = errRegister;
            responseErr = errOfResponse;
            commit();
        }
    }
}
