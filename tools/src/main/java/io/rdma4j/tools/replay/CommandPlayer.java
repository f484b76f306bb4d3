/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.cmd.Command;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.Set;

/** Plays the steps that are commands of the device. */
final class CommandPlayer {
    /** Arguments that are the executor's, not fields of a request. */
    private static final Set<String> OWN = Set.of("memory", "page", "pages", "ring_pages");

    private static final int MAX_ENTRIES = 1 << 14;

    private final RawDevice device;
    private final Symbols symbols;
    private final Answers answers;
    /** Memory for a queue that is being resized. */
    private RawPages newRing;

    CommandPlayer(final RawDevice device, final Symbols symbols, final Answers answers) {
        this.device = device;
        this.symbols = symbols;
        this.answers = answers;
    }

    Map<String, String> play(final Command command, final DiffStep step) {
        final Made made = prepare(command, step);
        final UnsafeBuffer request = device.request();
        final Layout layout = command.request();
        fillMemory(command, step, made, request, layout);
        step.arguments().forEach((name, value) -> {
            if (!OWN.contains(name)) {
                put(request, 0, layout.field(name), value);
            }
        });
        final int error = device.execute(command.id(), command.awaitsResponse());
        if (made != null) {
            keep(made, error == 0);
        }
        final Map<String, String> answer =
            answers.command(command, error, device.hasResponse(), device.response());
        resized(command, step, error == 0);
        if (error == 0 && isReset(command, step)) {
            symbols.get(step.argument("qp_handle")).reset();
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
        return answers.command(null, error, device.hasResponse(), device.response());
    }

    void put(final UnsafeBuffer buffer, final int base, final Layout.Field field, final String value) {
        if (field.kind() == Kind.BYTES) {
            FieldText.putBytes(buffer, base, field, FieldText.parseBytes(symbols.expand(value)));
        } else {
            field.putNumber(buffer, base, symbols.number(value));
        }
    }

    /** Makes the memory of what the step makes. */
    private Made prepare(final Command command, final DiffStep step) {
        if (Answers.undo(command) == null) {
            return null;
        }
        final String name = step.symbol() == null ? "unnamed" + step.line() : step.symbol();
        return switch (command) {
            case CREATE_CQ -> {
                final int count = entries(step);
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

    private int entries(final DiffStep step) {
        return RingGeometry.powerOfTwo(Math.max(1, Math.min(number(step, "cqe", 1), MAX_ENTRIES)));
    }

    /** A QP begins with empty rings again. */
    private boolean isReset(final Command command, final DiffStep step) {
        return command == Command.MODIFY_QP && symbols.has(step.arguments().getOrDefault("qp_handle", ""))
            && (number(step, "attr_mask", 0) & QpAttrMask.PVRDMA_QP_STATE) != 0
            && number(step, "attrs.qp_state", 0) == QpState.PVRDMA_QPS_RESET;
    }

    /** The device has gone over to the new ring, or has not. */
    private void resized(final Command command, final DiffStep step, final boolean done) {
        if (command == Command.RESIZE_CQ_RING && newRing != null) {
            final String name = step.argument("cq_handle");
            if (done && symbols.has(name)) {
                symbols.get(name).move(
                    newRing, new RawRing(newRing, RingState.RX_OFFSET, 1, entries(step), Cqe.LENGTH));
            } else {
                newRing.close();
            }
            newRing = null;
        }
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
        if (command == Command.RESIZE_CQ_RING) {
            newRing = pages(step, RingGeometry.cqPages(entries(step)));
            set(request, layout, "pdir_dma", newRing.directory());
            set(request, layout, "nchunks", newRing.pages());
        } else if (command == Command.CREATE_MR && step.arguments().containsKey("memory")) {
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
        layout.field(field).putNumber(request, 0, value);
    }

    private void keep(final Made made, final boolean created) {
        if (!created || !device.hasResponse()) {
            made.free();
            return;
        }
        answers.learn(made, device.response());
        symbols.add(made);
    }

    /** What was destroyed gives its memory back. */
    private void forget(final Command command, final DiffStep step) {
        final String name = step.arguments().get("handle");
        if (name != null && symbols.has(name) && Answers.undo(symbols.get(name).command()) == command) {
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
            final Command undo = Answers.undo(made.command());
            undo.request().field("handle").putNumber(device.request(), 0, made.handle());
            device.execute(undo.id(), false);
        }
        made.free();
        symbols.remove(made);
    }
}
