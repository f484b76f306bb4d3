/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays the steps that go through rings, doorbells and interrupts. */
final class QueuePlayer {
    private static final Set<String> OWN = Set.of("qp", "sges");
    private static final Pattern SGE = Pattern.compile("([^@]+)@([^:]+):(\\w+)");
    private static final long PARK_NANOS = 500_000;
    private static final long USUAL_WAIT_MS = 3000;

    private final RawDevice device;
    private final Symbols symbols;
    private final CommandPlayer commands;
    private final int patience;

    QueuePlayer(
        final RawDevice device, final Symbols symbols, final CommandPlayer commands, final int patience) {
        this.device = device;
        this.symbols = symbols;
        this.commands = commands;
        this.patience = patience;
    }

    Map<String, String> postSend(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        final RawRing ring = qp.send();
        final UnsafeBuffer buffer = qp.pages().buffer();
        final int slot = ring.prodTail();
        final int wqe = ring.element(slot);
        SqWqe.clearHeader(buffer, wqe);
        step.arguments().forEach((name, value) -> {
            if (!OWN.contains(name)) {
                commands.put(buffer, wqe, SqWqe.UD_LAYOUT.field(name), value);
            }
        });
        final int count = sges(step, buffer, wqe + SqWqe.SGE_OFFSET);
        SqWqe.numSge(buffer, wqe, count);
        final byte[] sges = new byte[count * Sge.LENGTH];
        buffer.getBytes(wqe + SqWqe.SGE_OFFSET, sges);
        qp.postedSges().put(slot, sges);
        ring.produced();
        device.ring(Uar.QP_OFFSET, Uar.qpSend(qp.handle()));
        return Map.of();
    }

    Map<String, String> postReceive(final DiffStep step) {
        final Made qp = symbols.get(step.argument("qp"));
        receive(step, qp.receive());
        device.ring(Uar.QP_OFFSET, Uar.qpRecv(qp.handle()));
        return Map.of();
    }

    Map<String, String> postShared(final DiffStep step) {
        final Made srq = symbols.get(step.argument("srq"));
        receive(step, srq.receive());
        device.ring(Uar.SRQ_OFFSET, Uar.srqRecv(srq.handle()));
        return Map.of();
    }

    private void receive(final DiffStep step, final RawRing ring) {
        final UnsafeBuffer buffer = ring.pages().buffer();
        final int wqe = ring.element(ring.prodTail());
        final int count = sges(step, buffer, wqe + RqWqe.SGE_OFFSET);
        RqWqe.header(buffer, wqe, symbols.number(step.argument("wr_id")), count);
        ring.produced();
    }

    /** Writes {@code mr@address:length,...}, where a number is a key itself; returns how many. */
    private int sges(final DiffStep step, final UnsafeBuffer buffer, final int offset) {
        int count = 0;
        if (step.argument("sges").equals("-")) {
            return count;
        }
        for (final String text : step.argument("sges").split(",")) {
            final Matcher sge = SGE.matcher(text);
            if (!sge.matches()) {
                throw new IllegalArgumentException("line " + step.line() + ": '" + text + "' is not mr@address:length");
            }
            Sge.set(buffer, offset + count * Sge.LENGTH, symbols.number(sge.group(2)),
                Integer.decode(sge.group(3)), (int) symbols.number(key(sge.group(1))));
            count++;
        }
        return count;
    }

    private static String key(final String region) {
        return Character.isDigit(region.charAt(0)) ? region : region + ".lkey";
    }

    Map<String, String> poll(final DiffStep step) {
        final Made cq = symbols.get(step.argument("cq"));
        final RawRing ring = cq.receive();
        final int wanted = (int) symbols.number(step.argument("count"));
        final long deadline = System.nanoTime() + wait(step).toNanos();
        final Map<String, String> answer = new LinkedHashMap<>();
        int found = 0;
        while (found < wanted && (!ring.isEmpty() || System.nanoTime() - deadline < 0)) {
            if (ring.isEmpty()) {
                device.ring(Uar.CQ_OFFSET, Uar.cqPoll(cq.handle()));
                LockSupport.parkNanos(PARK_NANOS);
            } else {
                completion(found++, ring, answer);
                ring.consumed();
            }
        }
        answer.put("count", Integer.toString(found));
        return answer;
    }

    private Duration wait(final DiffStep step) {
        final String given = step.arguments().get("wait_ms");
        return given == null ? Duration.ofMillis(USUAL_WAIT_MS).multipliedBy(patience)
            : Duration.ofMillis(Long.parseLong(given));
    }

    private void completion(final int number, final RawRing ring, final Map<String, String> answer) {
        final UnsafeBuffer buffer = ring.pages().buffer();
        final int cqe = ring.element(ring.consHead());
        for (final Layout.Field field : Cqe.LAYOUT.fields()) {
            if (field.kind() != Kind.RESERVED) {
                answer.put("cqe" + number + "." + field.name(), text(buffer, cqe, field));
            }
        }
    }

    private String text(final UnsafeBuffer buffer, final int cqe, final Layout.Field field) {
        return switch (field.name()) {
            case "qp" -> symbols.name(Command.CREATE_QP, "handle", FieldText.number(buffer, cqe, field));
            case "src_qp" -> FieldText.number(buffer, cqe, field) == 0 ? "0x0"
                : symbols.name(Command.CREATE_QP, "qpn", FieldText.number(buffer, cqe, field));
            default -> FieldText.text(buffer, cqe, field);
        };
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
