/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;

import org.agrona.DirectBuffer;

/**
 * What is told of one open device. Where nothing is traced this does nothing. Thread-safe.
 *
 * <p>Who posts and polls asks {@link #isOfData()} once, when queues are made: without it nothing of this is on the data
 * path.
 */
public final class DeviceTrace {
    /** Of devices that are not traced. */
    public static final DeviceTrace NONE = new DeviceTrace(null, false);

    private static final int BITS = ~Uar.HANDLE_MASK;

    private final TraceFile file;
    private final boolean data;
    private final int number;

    DeviceTrace(final TraceFile file, final boolean data) {
        this.file = file;
        this.data = data;
        this.number = file == null ? 0 : file.enter();
    }

    DeviceTrace opened(
        final String address, final int version, final DirectBuffer caps, final int offset, final int length) {
        file.record(number, TraceFormat.OPEN, true, line -> line.field("version", Integer.toString(version))
            .field("caps", caps, offset, length).field("address", address));
        return this;
    }

    /**
     * Whether doorbells and completions are wanted.
     *
     * @return the same each time.
     */
    public boolean isOfData() {
        return data;
    }

    /**
     * A command was exchanged.
     *
     * @param request  the command slot.
     * @param err      the ERR register after it.
     * @param response the response slot.
     */
    public void command(final DirectBuffer request, final int err, final DirectBuffer response) {
        if (file != null) {
            final int id = (int) CommandHeader.CMD.field().number(request, 0);
            final Command command = Command.of(id);
            file.record(number, TraceFormat.COMMAND, true, line -> line
                .field("name", command == null ? Integer.toString(id) : command.name())
                .field("err", hex(err))
                .field("request", request, 0, Command.REQUEST_MAX)
                .field("response", response, 0, Command.RESPONSE_MAX));
        }
    }

    /**
     * A work request is about to be shown to the device.
     *
     * @param kind   {@link TraceFormat#SEND}, {@link TraceFormat#RECEIVE} or {@link TraceFormat#SHARED}.
     * @param handle of the queue pair or shared receive queue.
     * @param ring   holds it.
     * @param offset where it begins.
     * @param length of its header and elements.
     */
    public void posted(
        final String kind, final int handle, final DirectBuffer ring, final int offset, final int length) {
        if (data) {
            file.record(number, kind, false,
                line -> line.field("queue", Integer.toString(handle)).field("wqe", ring, offset, length));
        }
    }

    /**
     * A completion queue is about to be armed.
     *
     * @param word that goes to its doorbell.
     */
    public void armed(final int word) {
        if (data) {
            file.record(number, TraceFormat.ARM, false, line -> line
                .field("queue", Integer.toString(Uar.handle(word))).field("bits", hex(word & BITS)));
        }
    }

    /**
     * The driver sees a completion for the first time.
     *
     * @param handle of its queue.
     * @param ring   holds it.
     * @param offset where it begins.
     */
    public void completed(final int handle, final DirectBuffer ring, final int offset) {
        if (data) {
            file.record(number, TraceFormat.COMPLETION, false, line -> line
                .field("queue", Integer.toString(handle)).field("cqe", ring, offset, Cqe.LENGTH));
        }
    }

    /** The device is closed. To be called once. */
    public void close() {
        if (file != null) {
            file.record(number, TraceFormat.CLOSE, true, line -> { });
            file.leave();
        }
    }

    private static String hex(final int value) {
        return "0x" + Integer.toHexString(value);
    }

    /**
     * Where it goes, for a person.
     *
     * @return one line.
     */
    @Override
    public String toString() {
        return file == null ? "none" : file.path() + (file.isEnded() ? " (ended)" : "") + ", device " + number
            + (data ? ", with doorbells and completions" : "");
    }
}
