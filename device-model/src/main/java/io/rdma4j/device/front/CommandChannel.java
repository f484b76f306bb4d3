/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.DmaFault;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Executes the command in the command slot. The request is copied first: the driver may change it while it is executed.
 * The response's key is stored last, so that a driver that polls the slot finds a complete response behind it.
 */
public final class CommandChannel {
    private final DeviceOptions options;
    private final Counters counters;
    private final EmulatedIommu iommu;
    private final InterruptController interrupts;
    private final FaultPlan faults;
    private final Commands commands;
    private final boolean alwaysResponds;
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
    private final UnsafeBuffer response = new UnsafeBuffer(new byte[Command.RESPONSE_MAX]);
    private final CommandHeader header = new CommandHeader().wrap(request, 0);
    private final ResponseHeader answer = new ResponseHeader().wrap(response, 0);

    /**
     * A channel.
     *
     * @param options    of the device.
     * @param counters   of the device.
     * @param iommu      translates.
     * @param interrupts raised for responses.
     * @param faults     that tests ask for.
     * @param commands   do the work.
     */
    public CommandChannel(DeviceOptions options, Counters counters, EmulatedIommu iommu, InterruptController interrupts,
        FaultPlan faults, Commands commands) {
        this.options = options;
        this.counters = counters;
        this.iommu = iommu;
        this.interrupts = interrupts;
        this.faults = faults;
        this.commands = commands;
        this.alwaysResponds = options.has(Quirk.ALWAYS_RESPONDS);
    }

    /** Executes one command; returns what ERR is to show. */
    int execute(SharedRegion region) {
        try {
            request.putBytes(0, memory(region.commandSlot(), Command.REQUEST_MAX), 0, Command.REQUEST_MAX);
        } catch (final DmaFault e) {
            return -CommandError.EFAULT;
        }
        final Command command = effective(Command.of(header.get(CommandHeader.CMD)));
        if (command == null || command == Command.RESIZE_CQ || command.isExtension() && !options.extensions()) {
            counters.record(Counter.COMMANDS_REFUSED, "command %d", header.get(CommandHeader.CMD));
            if (alwaysResponds) {
                interrupts.raise(Bar1.PVRDMA_INTR_VECTOR_RESPONSE);
            }
            return Controller.UNKNOWN;
        }
        response.setMemory(0, Command.RESPONSE_MAX, (byte) 0);
        final int err = run(command);
        respond(region, command, err);
        return err;
    }

    /** QEMU lists the handlers of two commands in the wrong order; they even acknowledge as each other. */
    private Command effective(Command command) {
        if (!options.has(Quirk.SRQ_SWAP)) {
            return command;
        }
        return command == Command.MODIFY_SRQ ? Command.QUERY_SRQ
            : command == Command.QUERY_SRQ ? Command.MODIFY_SRQ : command;
    }

    private UnsafeBuffer memory(long iova, int length) {
        return new UnsafeBuffer(iommu.translate(iova, length), length);
    }

    private int run(Command command) {
        final int planned = faults.takeFailure(command);
        if (planned != 0) {
            return planned;
        }
        try {
            commands.run(command, request, response);
            counters.increment(Counter.COMMANDS);
            return 0;
        } catch (final CommandError e) {
            return refused(command, e.errno(), e);
        } catch (final DmaFault e) {
            return refused(command, CommandError.EFAULT, e);
        } catch (final IllegalArgumentException e) {
            return refused(command, CommandError.EINVAL, e);
        } catch (final RdmaException e) {
            return refused(command, e.errno() == 0 ? CommandError.EIO : e.errno(), e);
        } catch (final RuntimeException | InternalError e) {
            // A guest whose command has no response knows by ERR alone that something went wrong.
            counters.record(Counter.INTERNAL_ERRORS, "%s: %s", command, e);
            return refused(command, CommandError.EIO, e);
        }
    }

    private int refused(Command command, int errno, Throwable why) {
        counters.record(Counter.COMMANDS_REFUSED, "%s: %s", command, why.getMessage());
        response.setMemory(0, Command.RESPONSE_MAX, (byte) 0);
        return -errno;
    }

    private void respond(SharedRegion region, Command command, int err) {
        final int length = command.responseLength(options.version());
        if (length == 0 && !alwaysResponds || faults.takeLoseResponse()) {
            return;
        }
        final Command acknowledged = faults.takeWrongAck() ? wrong(command) : command;
        final long key = header.get(CommandHeader.RESPONSE);
        answer.set(ResponseHeader.RESPONSE, faults.takeWrongKey() ? ~key : key)
            .set(ResponseHeader.ACK, acknowledged.ack()).set(ResponseHeader.ERR, err < 0 ? -err : 0);
        try {
            final UnsafeBuffer slot = memory(region.responseSlot(), Command.RESPONSE_MAX);
            slot.putBytes(Long.BYTES, response, Long.BYTES,
                Math.max(length, ResponseHeader.LAYOUT.length()) - Long.BYTES);
            slot.putLongRelease(0, answer.get(ResponseHeader.RESPONSE));
        } catch (final DmaFault e) {
            counters.record(Counter.COMMANDS_REFUSED, "response slot: %s", e.getMessage());
        }
        interrupts.raise(Bar1.PVRDMA_INTR_VECTOR_RESPONSE);
    }

    private static Command wrong(Command command) {
        return command == Command.QUERY_PORT ? Command.QUERY_PKEY : Command.QUERY_PORT;
    }

    @Override
    public String toString() {
        return "last command " + header.get(CommandHeader.CMD) + " key 0x"
            + Long.toHexString(header.get(CommandHeader.RESPONSE)) + '\n';
    }
}
