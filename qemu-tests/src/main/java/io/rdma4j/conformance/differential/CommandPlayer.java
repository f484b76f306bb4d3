/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandLayouts;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Plays the steps that are commands of the device. */
final class CommandPlayer {
    /** Arguments that are the executor's, not fields of a request. */
    private static final Set<String> OWN = Set.of("memory", "page", "pages", "ring_pages");
    private static final long NO_RKEY = 0xffff_ffffL;

    private final RawDevice device;
    private final Symbols symbols;

    CommandPlayer(final RawDevice device, final Symbols symbols) {
        this.device = device;
        this.symbols = symbols;
    }

    Map<String, String> play(final Command command, final DiffStep step) {
        final Made made = prepare(command, step);
        final UnsafeBuffer request = device.request();
        final Layout layout = CommandLayouts.request(command);
        fillMemory(command, step, made, request, layout);
        step.arguments().forEach((name, value) -> {
            if (!OWN.contains(name)) {
                put(request, 0, layout.field(name), value);
            }
        });
        final int error = device.execute(command.id(), command.awaitsResponse());
        final Map<String, String> answer = new LinkedHashMap<>();
        answer.put("err", FieldText.hex(error & 0xffff_ffffL));
        answer.put("response", device.hasResponse() ? "yes" : "no");
        if (made != null) {
            keep(command, made, error == 0);
        }
        if (device.hasResponse()) {
            answerFields(error == 0 ? CommandLayouts.response(command, device.version()) : ResponseHeader.LAYOUT,
                command, answer);
        }
        if (error == 0) {
            forget(command, step);
            if (made != null && step.symbol() == null) {
                destroy(made);
            }
        }
        return answer;
    }

    /** A request of nothing but its header. */
    Map<String, String> playNumber(final int id) {
        device.request();
        final int error = device.execute(id, false);
        return Map.of("err", FieldText.hex(error & 0xffff_ffffL), "response", device.hasResponse() ? "yes" : "no");
    }

    void put(final UnsafeBuffer buffer, final int base, final Layout.Field field, final String value) {
        if (field.kind() == Kind.BYTES) {
            FieldText.putBytes(buffer, base, field, FieldText.parseBytes(symbols.expand(value)));
        } else {
            FieldText.putNumber(buffer, base, field, symbols.number(value));
        }
    }

    /** Makes the memory of what the step makes. */
    private Made prepare(final Command command, final DiffStep step) {
        if (undo(command) == null) {
            return null;
        }
        final String name = step.symbol() == null ? "unnamed" + step.line() : step.symbol();
        return switch (command) {
            case CREATE_CQ -> {
                final int count = RingGeometry.powerOfTwo(Math.min(number(step, "cqe", 1), 1 << 14));
                final RawPages pages = pages(step, RingGeometry.cqPages(count));
                yield new Made(name, command, pages)
                    .rings(null, new RawRing(pages, RingState.RX_OFFSET, 1, count, Cqe.LENGTH));
            }
            case CREATE_SRQ -> {
                final int count = number(step, "attrs.max_wr", 1);
                final int stride = RqWqe.stride(number(step, "attrs.max_sge", 1));
                final RawPages pages = pages(step, 1 + RingGeometry.pagesFor(count, stride));
                yield new Made(name, command, pages)
                    .rings(null, new RawRing(pages, RingState.RX_OFFSET, 1, count, stride));
            }
            case CREATE_QP -> queuePair(step, name);
            default -> new Made(name, command, null);
        };
    }

    private Made queuePair(final DiffStep step, final String name) {
        final boolean srq = number(step, "is_srq", 0) != 0;
        final int sends = number(step, "max_send_wr", 1);
        final int receives = srq ? 0 : number(step, "max_recv_wr", 1);
        final int sendSge = number(step, "max_send_sge", 1);
        final int receiveSge = number(step, "max_recv_sge", 1);
        final int sqPages = RingGeometry.sqPages(sends, sendSge);
        final int rqPages = srq ? 0 : RingGeometry.rqPages(receives, receiveSge);
        final RawPages pages = pages(step, RingGeometry.qpPages(sqPages, rqPages));
        final RawRing send = new RawRing(pages, RingState.TX_OFFSET, 1, sends, SqWqe.stride(sendSge));
        final RawRing receive = srq ? null
            : new RawRing(pages, RingState.RX_OFFSET, 1 + sqPages, receives, RqWqe.stride(receiveSge));
        return new Made(name, Command.CREATE_QP, pages).rings(send, receive);
    }

    private RawPages pages(final DiffStep step, final int usual) {
        return RawPages.scattered(device.pci().dma(), number(step, "ring_pages", usual));
    }

    private int number(final DiffStep step, final String argument, final int fallback) {
        final String value = step.arguments().get(argument);
        return value == null ? fallback : (int) symbols.number(value);
    }

    /** Page directory and page counts, which the arguments of the step may replace. */
    private void fillMemory(
        final Command command, final DiffStep step, final Made made, final UnsafeBuffer request,
        final Layout layout) {
        if (command == Command.CREATE_MR) {
            final RawPages memory = symbols.get(step.argument("memory")).pages();
            final int count = number(step, "pages", memory.pages());
            set(request, layout, "pdir_dma",
                made.directory(memory.directoryOf(number(step, "page", 0), count)));
            set(request, layout, "nchunks", count);
        } else if (made != null && made.pages() != null) {
            set(request, layout, "pdir_dma", made.pages().directory());
            if (command == Command.CREATE_QP) {
                set(request, layout, "total_chunks", made.pages().pages());
                set(request, layout, "send_chunks",
                    RingGeometry.sqPages(number(step, "max_send_wr", 1), number(step, "max_send_sge", 1)));
            } else {
                set(request, layout, "nchunks", made.pages().pages());
            }
        }
    }

    private static void set(
        final UnsafeBuffer request, final Layout layout, final String field, final long value) {
        FieldText.putNumber(request, 0, layout.field(field), value);
    }

    /** Learns the device's numbers of something new. */
    private void keep(final Command command, final Made made, final boolean created) {
        if (!created || !device.hasResponse()) {
            made.free();
            return;
        }
        for (final Layout.Field field : CommandLayouts.response(command, device.version()).fields()) {
            final String number = numberOf(field.name());
            if (number != null) {
                made.numbers().put(number, FieldText.number(device.response(), 0, field));
            }
        }
        made.numbers().putIfAbsent("handle", made.numbers().getOrDefault("qpn", 0L));
        symbols.add(made);
    }

    private static String numberOf(final String field) {
        return switch (field) {
            case "handle", "cq_handle", "mr_handle", "qp_handle" -> "handle";
            case "qpn", "lkey", "rkey" -> field;
            default -> null;
        };
    }

    /** Behind the header of a failed command's response nothing means anything. */
    private void answerFields(final Layout layout, final Command command, final Map<String, String> answer) {
        for (final Layout.Field field : layout.fields()) {
            if (field.kind() != Kind.RESERVED && !field.name().equals("hdr.response")
                && !field.name().equals("response")) {
                answer.put(field.name().equals("ack") || field.name().equals("err") ? "hdr." + field.name()
                    : field.name(), text(command, field));
            }
        }
    }

    private String text(final Command command, final Layout.Field field) {
        if (!FieldText.isNumber(field)) {
            return FieldText.text(device.response(), 0, field);
        }
        final long value = FieldText.number(device.response(), 0, field);
        if (field.name().equals("attrs.dest_qp_num")) {
            return value == 0 ? "0x0" : symbols.name(Command.CREATE_QP, "qpn", value);
        }
        final String which = numberOf(field.name());
        final boolean noKey = "rkey".equals(which) && (value == 0 || value == NO_RKEY);
        return which == null || noKey ? FieldText.hex(value) : symbols.name(command, which, value);
    }

    /** What was destroyed gives its memory back. */
    private void forget(final Command command, final DiffStep step) {
        final String name = step.arguments().get("handle");
        if (name != null && symbols.has(name) && undo(symbols.get(name).command()) == command) {
            final Made made = symbols.get(name);
            symbols.remove(made);
            made.free();
        }
    }

    /** Destroys what a script left behind. */
    void destroyLeftOvers() {
        symbols.leftOvers().forEach(this::destroy);
    }

    /** Destroys without looking at the answer. */
    private void destroy(final Made made) {
        if (made.command() != null) {
            final Command undo = undo(made.command());
            FieldText.putNumber(
                device.request(), 0, CommandLayouts.request(undo).field("handle"), made.handle());
            device.execute(undo.id(), false);
        }
        made.free();
        symbols.remove(made);
    }

    /** What takes back what a command made; null if it makes nothing. */
    private static Command undo(final Command command) {
        return switch (command) {
            case CREATE_PD -> Command.DESTROY_PD;
            case CREATE_MR -> Command.DESTROY_MR;
            case CREATE_CQ -> Command.DESTROY_CQ;
            case CREATE_QP -> Command.DESTROY_QP;
            case CREATE_UC -> Command.DESTROY_UC;
            case CREATE_SRQ -> Command.DESTROY_SRQ;
            default -> null;
        };
    }
}
