/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.device.CommandChannel;

/** The commands that emulated devices get, for tests of other packages. */
public final class EmulatedCommands {
    private static final int EINVAL = 22;

    private EmulatedCommands() {
    }

    /** The next command of a kind is not executed: the device refuses it. */
    public static void refuseNext(final RdmaContext context, final Command command) {
        ((EmulatedDevice) ((PvrdmaContext) context).device.pci()).faults().commands().failNext(command, -EINVAL);
    }

    /** The same for one of the commands of that kind that follow: so many are executed before. */
    public static void refuseAfter(final RdmaContext context, final Command command, final int executed) {
        if (executed == 0) {
            refuseNext(context, command);
        } else {
            afterNext(context, command, () -> refuseAfter(context, command, executed - 1));
        }
    }

    /**
     * Does something once, after the next command of a kind was executed and before its caller goes on. No other
     * command can run meanwhile.
     */
    public static void afterNext(final RdmaContext context, final Command command, final Runnable action) {
        final CommandChannel channel = ((PvrdmaContext) context).device.channel();
        channel.observer((request, err, response) -> {
            if (request.getInt(CommandHeader.CMD.offset()) == command.id()) {
                channel.observer(null);
                action.run();
            }
        });
    }
}
