/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import org.agrona.DirectBuffer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What a device answers, as text that is the same on every device: its numbers replaced by the names of a script. */
final class Answers {
    private static final long NO_RKEY = 0xffff_ffffL;
    /** Every device has its own. */
    private static final Set<String> GUIDS = Set.of("node_guid", "sys_image_guid");

    private final Symbols symbols;
    private final int version;

    Answers(final Symbols symbols, final int version) {
        this.symbols = symbols;
        this.version = version;
    }

    /** The answer to a command; for one that nobody knows, command is null. */
    Map<String, String> command(
        final Command command, final int error, final boolean answered, final DirectBuffer response) {
        final Map<String, String> answer = new LinkedHashMap<>();
        answer.put("err", FieldText.hex(error & 0xffff_ffffL));
        answer.put("response", answered ? "yes" : "no");
        if (answered && command != null) {
            // Behind the header of a failed command's response nothing means anything.
            addFields(error == 0 ? command.response(version) : ResponseHeader.LAYOUT, command, response,
                answer);
        }
        return answer;
    }

    private void addFields(
        final Layout layout, final Command command, final DirectBuffer response, final Map<String, String> answer) {
        for (final Layout.Field field : layout.fields()) {
            if (field.kind() != Kind.RESERVED && !field.name().equals("hdr.response")
                && !field.name().equals("response")) {
                answer.put(field.name().equals("ack") || field.name().equals("err") ? "hdr." + field.name()
                    : field.name(), text(command, response, field));
            }
        }
    }

    private String text(final Command command, final DirectBuffer response, final Layout.Field field) {
        if (!field.isNumber()) {
            return FieldText.text(response, 0, field);
        }
        final long value = field.number(response, 0);
        if (field.name().equals("attrs.dest_qp_num")) {
            return value == 0 ? "0x0" : symbols.name(Command.CREATE_QP, "qpn", value);
        }
        final String which = numberOf(field.name());
        final boolean noKey = "rkey".equals(which) && (value == 0 || value == NO_RKEY);
        return which == null || noKey ? FieldText.hex(value) : symbols.name(command, which, value);
    }

    /** Learns the device's numbers of something new. */
    void learn(final Made made, final DirectBuffer response) {
        for (final Layout.Field field : made.command().response(version).fields()) {
            final String number = numberOf(field.name());
            if (number != null) {
                made.numbers().put(number, field.number(response, 0));
            }
        }
        made.numbers().putIfAbsent("handle", made.numbers().getOrDefault("qpn", 0L));
    }

    private static String numberOf(final String field) {
        return switch (field) {
            case "handle", "cq_handle", "mr_handle", "qp_handle", "mw_handle" -> "handle";
            case "qpn", "lkey", "rkey" -> field;
            default -> null;
        };
    }

    /** Adds the fields of a completion. */
    void completion(final int number, final DirectBuffer buffer, final int cqe, final Map<String, String> answer) {
        for (final Layout.Field field : Cqe.LAYOUT.fields()) {
            if (field.kind() != Kind.RESERVED) {
                answer.put("cqe" + number + "." + field.name(), text(buffer, cqe, field));
            }
        }
    }

    private String text(final DirectBuffer buffer, final int cqe, final Layout.Field field) {
        return switch (field.name()) {
            case "qp" -> symbols.name(Command.CREATE_QP, "handle", field.number(buffer, cqe));
            case "src_qp" -> field.number(buffer, cqe) == 0 ? "0x0"
                : symbols.name(Command.CREATE_QP, "qpn", field.number(buffer, cqe));
            default -> FieldText.text(buffer, cqe, field);
        };
    }

    /** The capabilities. */
    Map<String, String> caps(final DirectBuffer buffer, final int offset) {
        final Map<String, String> answer = new LinkedHashMap<>();
        answer.put("version", Integer.toString(version));
        for (final Layout.Field field : Caps.LAYOUT.fields()) {
            if (field.kind() != Kind.RESERVED && !GUIDS.contains(field.name())) {
                answer.put(field.name(), FieldText.text(buffer, offset, field));
            }
        }
        return answer;
    }

    /** What takes back what a command made; null if it makes nothing. */
    static Command undo(final Command command) {
        return switch (command) {
            case CREATE_PD -> Command.DESTROY_PD;
            case CREATE_MR -> Command.DESTROY_MR;
            case CREATE_CQ -> Command.DESTROY_CQ;
            case CREATE_QP -> Command.DESTROY_QP;
            case CREATE_UC -> Command.DESTROY_UC;
            case CREATE_SRQ -> Command.DESTROY_SRQ;
            case CREATE_MW -> Command.DESTROY_MW;
            default -> null;
        };
    }
}
