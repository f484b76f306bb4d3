/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateUcRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpRequest;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRequest;

import java.nio.ByteOrder;

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
        final int id = buffer.getInt(offset + CommandHeader.CMD_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final Command command = Command.of(id);
        return command == null ? name(id) : command + fields(layout(command), buffer, offset);
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

    private static Layout layout(final Command command) {
        return switch (command) {
            case QUERY_PORT -> QueryPortRequest.LAYOUT;
            case QUERY_PKEY -> QueryPkeyRequest.LAYOUT;
            case CREATE_PD -> CreatePdRequest.LAYOUT;
            case CREATE_MR -> CreateMrRequest.LAYOUT;
            case CREATE_CQ -> CreateCqRequest.LAYOUT;
            case RESIZE_CQ -> ResizeCqRequest.LAYOUT;
            case CREATE_QP -> CreateQpRequest.LAYOUT;
            case MODIFY_QP -> ModifyQpRequest.LAYOUT;
            case QUERY_QP -> QueryQpRequest.LAYOUT;
            case CREATE_UC -> CreateUcRequest.LAYOUT;
            case CREATE_BIND -> CreateBindRequest.LAYOUT;
            case DESTROY_BIND -> DestroyBindRequest.LAYOUT;
            case CREATE_SRQ -> CreateSrqRequest.LAYOUT;
            case MODIFY_SRQ -> ModifySrqRequest.LAYOUT;
            default -> HandleRequest.LAYOUT;
        };
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
            case RdmaException.EBUSY -> "close what still uses the object first";
            default -> "the device's host may have logged why";
        };
    }
}
