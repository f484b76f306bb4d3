/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** Turns a work request into the arguments of a step. */
final class WorkWriter {
    private static final int HANDLE_MASK = 0xff_ffff;

    private final TraceNames names;
    private final String gid;

    WorkWriter(final TraceNames names, final String gid) {
        this.names = names;
        this.gid = gid;
    }

    Map<String, String> send(final Made qp, final boolean datagram, final UnsafeBuffer wqe)
        throws NotSymbolicException {
        final int opcode = SqWqe.opcode(wqe, 0);
        final Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("qp", qp.name());
        for (final Layout.Field field : layout(opcode, datagram).fields()) {
            if (field.kind() != Kind.RESERVED && !field.name().equals("num_sge")) {
                final String value = field.kind() == Kind.BYTES ? bytes(wqe, field)
                    : number(opcode, datagram, field, field.number(wqe, 0));
                if (value != null) {
                    arguments.put(field.name(), value);
                }
            }
        }
        arguments.put("sges", sges(wqe, SqWqe.SGE_OFFSET, SqWqe.numSge(wqe, 0)));
        return arguments;
    }

    Map<String, String> receive(final String queue, final String name, final UnsafeBuffer wqe)
        throws NotSymbolicException {
        final Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put(queue, name);
        arguments.put("wr_id", FieldText.hex(RqWqe.wrId(wqe, 0)));
        arguments.put("sges", sges(wqe, RqWqe.SGE_OFFSET, RqWqe.numSge(wqe, 0)));
        return arguments;
    }

    /** Sends have the address of a datagram also on connected QPs: some devices look there for the GID. */
    private static Layout layout(final int opcode, final boolean datagram) throws NotSymbolicException {
        return switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND, WrOpcode.PVRDMA_WR_SEND_WITH_IMM, WrOpcode.PVRDMA_WR_SEND_WITH_INV ->
                SqWqe.UD_LAYOUT;
            case WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
                WrOpcode.PVRDMA_WR_RDMA_READ, WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV,
                WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD,
                WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD ->
                SqWqe.layoutOf(opcode, datagram);
            default -> throw new NotSymbolicException(
                "is a " + WrOpcode.NAMES.of(opcode) + ", which makes or ends keys");
        };
    }

    private String number(final int opcode, final boolean datagram, final Layout.Field field, final long value)
        throws NotSymbolicException {
        if (value == 0) {
            return null;
        }
        if (field.name().endsWith(".rkey")) {
            return names.rkey(value);
        }
        return switch (field.name()) {
            case "imm_data" -> opcode == WrOpcode.PVRDMA_WR_SEND_WITH_INV
                || opcode == WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV ? names.rkey(value) : FieldText.hex(value);
            case "wr.ud.remote_qpn" -> datagram ? peer(value) : FieldText.hex(value);
            case "wr.ud.av.port_pd" -> portAndPd(value);
            default -> FieldText.hex(value);
        };
    }

    private String peer(final long qpn) throws NotSymbolicException {
        final Made peer = names.find(Command.CREATE_QP, "qpn", qpn);
        if (peer == null) {
            throw new NotSymbolicException("goes to another device");
        }
        return peer.name() + ".qpn";
    }

    private String portAndPd(final long value) {
        final Made pd = names.find(Command.CREATE_PD, "handle", value & HANDLE_MASK);
        return pd == null ? FieldText.hex(value) : pd.name() + "|" + FieldText.hex(value & ~(long) HANDLE_MASK);
    }

    private String bytes(final UnsafeBuffer wqe, final Layout.Field field) {
        final String text = FieldText.text(wqe, 0, field);
        return text.matches("0*") ? null : text.equals(gid) ? "$gid" : text;
    }

    private String sges(final UnsafeBuffer wqe, final int offset, final int count) throws NotSymbolicException {
        if (count < 0 || count > (wqe.capacity() - offset) / Sge.LENGTH) {
            throw new NotSymbolicException("has a wrong number of elements");
        }
        final StringJoiner sges = new StringJoiner(",");
        for (int i = 0; i < count; i++) {
            final int sge = offset + i * Sge.LENGTH;
            sges.add(names.region(Sge.lkey(wqe, sge) & 0xffff_ffffL) + "@" + FieldText.hex(Sge.addr(wqe, sge)) + ":"
                + FieldText.hex(Sge.length(wqe, sge) & 0xffff_ffffL));
        }
        return count == 0 ? "-" : sges.toString();
    }
}
