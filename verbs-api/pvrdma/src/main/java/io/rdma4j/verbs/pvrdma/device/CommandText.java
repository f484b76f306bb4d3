/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;

import org.agrona.DirectBuffer;

/** Puts commands and the device's answers to them into words. */
final class CommandText {
    /** In ERR: the device knows no such command, or no command was executed since it started. */
    static final int ERR_NO_HANDLER = 0xffff;

    private static final int MAX_ERRNO = 4095;

    private CommandText() {
    }

    static String name(final int id) {
        final Command command = Command.of(id);
        return command == null ? "command " + id : command.name();
    }

    /** The name of the command and its fields that are not zero, in one line. */
    static String request(final DirectBuffer buffer, final int offset) {
        final int id = (int) CommandHeader.CMD.field().number(buffer, offset);
        final Command command = Command.of(id);
        return command == null ? name(id) : command + fields(command.request(), buffer, offset);
    }

    private static String fields(final Layout layout, final DirectBuffer buffer, final int offset) {
        final StringBuilder text = new StringBuilder("[");
        for (final String line : layout.format(buffer, offset).split("\n")) {
            final String[] words = line.trim().split(" +", 3);
            final boolean field = words.length >= 2 && line.startsWith(" ") && !words[0].startsWith("hdr.");
            if (field && !words[1].matches("0x0|0+")) {
                text.append(text.length() > 1 ? " " : "").append(words[0]).append('=').append(words[1]);
            }
        }
        return text.append(']').toString();
    }

    /** The errno that an ERR register stands for: devices write -errno, a few handlers +errno. */
    static int errno(final int err) {
        if (err == ERR_NO_HANDLER) {
            return RdmaException.EOPNOTSUPP;
        }
        final int magnitude = Math.abs(err);
        return magnitude > 0 && magnitude <= MAX_ERRNO ? magnitude : RdmaException.EIO;
    }

    static String hint(final int err) {
        if (err == ERR_NO_HANDLER) {
            return "the device does not know this command, or was not initialised";
        }
        return switch (errno(err)) {
            case RdmaException.EINVAL -> "the device refused a value of the request";
            case RdmaException.ENOMEM -> "a limit of the device is reached: close objects that are not needed";
            case RdmaException.EADDRINUSE -> "another device has this GID: give one of the two another gid or guid";
            case RdmaException.EBUSY -> "close what still uses the object first";
            default -> "the device's host may have logged why";
        };
    }
}
