/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;

import org.agrona.DirectBuffer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Turns the request of a command into the arguments of a step. What is zero is left out, as a step's default is. */
final class RequestWriter {
    /** Pages that stand behind a large region. */
    static final int BACKING = 4096;

    /** Addresses of page directories, and counts of pages: the player makes its own. */
    private static final Set<String> PAGES = Set.of("pdir_dma", "nchunks", "total_chunks");

    private final TraceNames names;
    private final String gid;

    RequestWriter(final TraceNames names, final String gid) {
        this.names = names;
        this.gid = gid;
    }

    /** All but pages. */
    Map<String, String> arguments(final Command command, final DirectBuffer request) throws NotSymbolicException {
        final Map<String, String> arguments = new LinkedHashMap<>();
        for (final Layout.Field field : command.request().fields()) {
            if (field.kind() != Kind.RESERVED && !field.name().startsWith("hdr.") && !PAGES.contains(field.name())) {
                final String value = field.kind() == Kind.BYTES
                    ? bytes(request, field) : number(command, request, field);
                if (value != null) {
                    arguments.put(field.name(), value);
                }
            }
        }
        addPages(command, request, arguments);
        return arguments;
    }

    /** Pages of a region, or 0 if it has none. */
    static int regionPages(final DirectBuffer request) throws NotSymbolicException {
        final long flags = CreateMrRequest.FLAGS.field().number(request, 0);
        final long pages = CreateMrRequest.NCHUNKS.field().number(request, 0);
        if ((flags & (MrFlags.PVRDMA_MR_FLAG_FRMR | MrFlags.PVRDMA_MR_FLAG_DMA)) != 0) {
            return 0;
        }
        if (pages > Pdir.MAX_PAGES) {
            throw new NotSymbolicException("is a region of more than 1 GiB");
        }
        return (int) pages;
    }

    private static void addPages(
        final Command command, final DirectBuffer request, final Map<String, String> arguments)
        throws NotSymbolicException {
        switch (command) {
            case CREATE_MR -> {
                if (regionPages(request) == 0) {
                    arguments.put("nchunks", text(command, request, "nchunks"));
                }
            }
            case CREATE_CQ, CREATE_SRQ, RESIZE_CQ_RING ->
                arguments.put("ring_pages", text(command, request, "nchunks"));
            case CREATE_QP -> arguments.put("ring_pages", text(command, request, "total_chunks"));
            default -> { }
        }
    }

    private static String text(final Command command, final DirectBuffer request, final String field) {
        return FieldText.text(request, 0, command.request().field(field));
    }

    private String bytes(final DirectBuffer request, final Layout.Field field) {
        final String text = FieldText.text(request, 0, field);
        return text.matches("0*") ? null : text.equals(gid) ? "$gid" : text;
    }

    private String number(final Command command, final DirectBuffer request, final Layout.Field field)
        throws NotSymbolicException {
        final long value = field.number(request, 0);
        final Command maker = maker(command, field.name(), request);
        if (maker != null) {
            return names.handle(maker, value);
        }
        if (value == 0) {
            return null;
        }
        return switch (field.name()) {
            case "gid_type" -> "$gid_type";
            case "pfn64" -> "$uar_pfn";
            case "attrs.dest_qp_num" -> {
                final Made peer = names.find(Command.CREATE_QP, "qpn", value);
                yield peer == null ? FieldText.hex(value) : peer.name() + ".qpn";
            }
            default -> FieldText.hex(value);
        };
    }

    /** What makes the objects whose handles stand in a field; null if it holds none. 0 is a handle, too. */
    private static Command maker(final Command command, final String field, final DirectBuffer request) {
        return switch (field) {
            case "pd_handle" -> Command.CREATE_PD;
            case "cq_handle", "send_cq_handle", "recv_cq_handle" -> Command.CREATE_CQ;
            case "qp_handle" -> Command.CREATE_QP;
            case "srq_handle" -> command == Command.CREATE_QP
                && CreateQpRequest.IS_SRQ.field().number(request, 0) == 0
                ? null : Command.CREATE_SRQ;
            case "handle" -> destroyed(command);
            default -> null;
        };
    }

    /** What makes that which a command of one handle is about. */
    static Command destroyed(final Command command) {
        if (command == Command.QUERY_SRQ) {
            return Command.CREATE_SRQ;
        }
        for (final Command maker : Command.values()) {
            if (Answers.undo(maker) == command) {
                return maker;
            }
        }
        return null;
    }
}
