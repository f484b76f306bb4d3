/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcOpcode;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays the steps that go through rings, doorbells and interrupts. */
final class QueuePlayer {
    private static final Set<String> OWN = Set.of("qp", "sges");
    private static final List<Layout> SEND_LAYOUTS = List.of(SqWqe.UD_LAYOUT, SqWqe.RDMA_LAYOUT, SqWqe.ATOMIC_LAYOUT,
        SqWqe.MASKED_CAS_LAYOUT, SqWqe.MASKED_FAA_LAYOUT);
    private static final Pattern SGE = Pattern.compile("([^@]+)@([^:]+):(\\w+)");
    private static final Map<String, String> FULL = Map.of("posted", "no: the ring is full");
    private static final long PARK_NANOS = 500_000;
    private static final long USUAL_WAIT_MS = 3000;

    private final RawDevice device;
    private final Symbols symbols;
    private final CommandPlayer commands;
    private final Answers answers;
    private final int patience;
    /** What did not complete in time once. */
    private final Set<String> silent = new HashSet<>();
    /** Rings from which the device took nothing in time once. */
    private final Set<RawRing> stuck = new HashSet<>();

    QueuePlayer(
        final RawDevice device, final Symbols symbols, final CommandPlayer commands, final Answers answers,
        final int patience) {
        this.answers = answers;
        this.device = device;
        this.symbols = symbols;
        this.commands = commands;
        this.patience = patience;
    }

    Map<String, String> postSend(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        final RawRing ring = qp.send();
        final UnsafeBuffer buffer = qp.pages().buffer();
        if (isFull(ring, step)) {
            return FULL;
        }
        final int slot = ring.prodTail();
        final int wqe = ring.element(slot);
        SqWqe.clearHeader(buffer, wqe);
        step.arguments().forEach((name, value) -> {
            if (!OWN.contains(name)) {
                commands.put(buffer, wqe, field(name), value);
            }
        });
        final int count = sges(step, buffer, wqe + SqWqe.SGE_OFFSET, room(ring, SqWqe.SGE_OFFSET));
        SqWqe.numSge(buffer, wqe, count);
        final byte[] sges = new byte[count * Sge.LENGTH];
        buffer.getBytes(wqe + SqWqe.SGE_OFFSET, sges);
        qp.postedSges().put(slot, sges);
        ring.produced();
        device.ring(Uar.QP_OFFSET, Uar.qpSend(qp.handle()));
        return Map.of();
    }

    private static Layout.Field field(final String name) {
        for (final Layout layout : SEND_LAYOUTS) {
            for (final Layout.Field field : layout.fields()) {
                if (field.name().equals(name)) {
                    return field;
                }
            }
        }
        return SqWqe.UD_LAYOUT.field(name);
    }

    /** A ring that is full of what the device has not taken is waited for, once, and not written over. */
    private boolean isFull(final RawRing ring, final DiffStep step) {
        final long deadline = System.nanoTime() + (stuck.contains(ring) ? 0 : wait(step).toNanos());
        while (ring.isFull()) {
            if (System.nanoTime() - deadline >= 0) {
                stuck.add(ring);
                return true;
            }
            LockSupport.parkNanos(PARK_NANOS);
        }
        return false;
    }

    Map<String, String> postReceive(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        return receive(step, qp.receive(), () -> device.ring(Uar.QP_OFFSET, Uar.qpRecv(qp.handle())));
    }

    Map<String, String> postShared(final DiffStep step) {
        final Made srq = symbols.get(step.argument("srq"));
        return receive(step, srq.receive(), () -> device.ring(Uar.SRQ_OFFSET, Uar.srqRecv(srq.handle())));
    }

    private Map<String, String> receive(final DiffStep step, final RawRing ring, final Runnable doorbell) {
        if (isFull(ring, step)) {
            return FULL;
        }
        final UnsafeBuffer buffer = ring.pages().buffer();
        final int wqe = ring.element(ring.prodTail());
        final int count = sges(step, buffer, wqe + RqWqe.SGE_OFFSET, room(ring, RqWqe.SGE_OFFSET));
        RqWqe.header(buffer, wqe, symbols.number(step.argument("wr_id")), count);
        ring.produced();
        doorbell.run();
        return Map.of();
    }

    /** Writes {@code mr@address:length,...}, where a number is a key itself; returns how many. */
    private int sges(final DiffStep step, final UnsafeBuffer buffer, final int offset, final int room) {
        int count = 0;
        if (step.argument("sges").equals("-")) {
            return count;
        }
        for (final String text : step.argument("sges").split(",")) {
            final Matcher sge = SGE.matcher(text);
            if (!sge.matches()) {
                throw new IllegalArgumentException("line " + step.line() + ": '" + text + "' is not mr@address:length");
            }
            if (count == room) {
                throw new IllegalArgumentException("the element has room for " + room + " entries");
            }
            Sge.set(buffer, offset + count * Sge.LENGTH, symbols.number(sge.group(2)),
                (int) symbols.number(sge.group(3)), (int) symbols.number(key(sge.group(1))));
            count++;
        }
        return count;
    }

    private static int room(final RawRing ring, final int sgeOffset) {
        return (ring.stride() - sgeOffset) / Sge.LENGTH;
    }

    private static String key(final String region) {
        return Character.isDigit(region.charAt(0)) ? region : region + ".lkey";
    }

    /** Completions of the queue; those of one QP and side only, where the step names them. */
    Map<String, String> poll(final DiffStep step) {
        final Made cq = symbols.get(step.argument("cq"));
        final Predicate<UnsafeBuffer> wanted = wanted(step);
        final int count = (int) symbols.number(step.argument("count"));
        final String stream = cq.name() + " " + step.arguments().get("qp") + " " + step.arguments().get("side");
        final long deadline = System.nanoTime() + (silent.contains(stream) ? PARK_NANOS : wait(step).toNanos());
        final Map<String, String> answer = new LinkedHashMap<>();
        int found = 0;
        boolean more = true;
        while (found < count && more) {
            final UnsafeBuffer cqe = next(cq, wanted);
            if (cqe != null) {
                answers.completion(found++, cqe, 0, answer);
            } else if (System.nanoTime() - deadline < 0) {
                device.ring(Uar.CQ_OFFSET, Uar.cqPoll(cq.handle()));
                LockSupport.parkNanos(PARK_NANOS);
            } else {
                more = false;
            }
        }
        if (found < count && step.arguments().containsKey("qp")) {
            // One that is late once is not waited for again: a long trace would take hours.
            silent.add(stream);
        }
        answer.put("count", Integer.toString(found));
        return answer;
    }

    private Predicate<UnsafeBuffer> wanted(final DiffStep step) {
        if (!step.arguments().containsKey("qp")) {
            return cqe -> true;
        }
        final int qp = symbols.get(step.argument("qp")).handle();
        final boolean receive = step.argument("side").equals("receive");
        return cqe -> (int) Cqe.qp(cqe, 0) == qp && receive == ((Cqe.opcode(cqe, 0) & WcOpcode.PVRDMA_WC_RECV) != 0);
    }

    /** The oldest one that is wanted; those that come before it are kept for who wants them. */
    private static UnsafeBuffer next(final Made cq, final Predicate<UnsafeBuffer> wanted) {
        final Iterator<byte[]> early = cq.early().iterator();
        while (early.hasNext()) {
            final UnsafeBuffer cqe = new UnsafeBuffer(early.next());
            if (wanted.test(cqe)) {
                early.remove();
                return cqe;
            }
        }
        final RawRing ring = cq.receive();
        while (!ring.isEmpty()) {
            final byte[] bytes = new byte[Cqe.LENGTH];
            ring.pages().buffer().getBytes(ring.element(ring.consHead()), bytes);
            ring.consumed();
            final UnsafeBuffer cqe = new UnsafeBuffer(bytes);
            if (wanted.test(cqe)) {
                return cqe;
            }
            cq.early().add(bytes);
        }
        return null;
    }

    private Duration wait(final DiffStep step) {
        final String given = step.arguments().get("wait_ms");
        return given == null ? Duration.ofMillis(USUAL_WAIT_MS).multipliedBy(patience)
            : Duration.ofMillis(Long.parseLong(given));
    }

    /** Writes the bits to the CQ's doorbell; firings of the CQ vector count from here. */
    Map<String, String> arm(final DiffStep step) {
        device.forget(Bar1.PVRDMA_INTR_VECTOR_CQ);
        final Made cq = symbols.get(step.argument("cq"));
        device.ring(Uar.CQ_OFFSET, cq.handle() & Uar.HANDLE_MASK | (int) symbols.number(step.argument("bits")));
        return Map.of();
    }

    Map<String, String> vector(final DiffStep step) {
        final int index = (int) symbols.number(step.argument("index"));
        return Map.of("fired", device.fired(index, wait(step)) ? "yes" : "no");
    }

    /** The ring indices of a QP, as distances: how many elements the device has not consumed. */
    Map<String, String> ring(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        final Map<String, String> answer = new LinkedHashMap<>();
        answer.put("tx.prod_tail", FieldText.hex(qp.send().prodTail()));
        answer.put("tx.cons_head", FieldText.hex(qp.send().consHead()));
        answer.put("rx.prod_tail", FieldText.hex(qp.receive().prodTail()));
        answer.put("rx.cons_head", FieldText.hex(qp.receive().consHead()));
        return answer;
    }

    /** Whether the SGEs of a posted send are still what the driver wrote. */
    Map<String, String> sgesLeftAlone(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        final int index = (int) symbols.number(step.argument("index"));
        final byte[] written = qp.postedSges().get(index);
        if (written == null || !RingIndex.isValid(index, Integer.MAX_VALUE / 2 + 1)) {
            throw new IllegalArgumentException("line " + step.line() + ": nothing was posted at " + index);
        }
        final byte[] now = new byte[written.length];
        qp.pages().buffer().getBytes(qp.send().element(index) + SqWqe.SGE_OFFSET, now);
        return Map.of("unchanged", Arrays.equals(written, now) ? "yes" : "no");
    }
}
