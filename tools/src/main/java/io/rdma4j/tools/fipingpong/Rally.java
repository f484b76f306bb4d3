/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import java.util.ArrayList;
import java.util.List;

/** Plays all sizes: with an end of this process, or with that of another one. */
public final class Rally {
    private static final int WARM_UP = 16;
    private static final int BYTE = 0xff;

    private final Opened device;
    private final Plan plan;
    private final List<Row> rows = new ArrayList<>();

    /**
     * Nothing is opened before it is run.
     *
     * @param device where this process' ends are.
     * @param plan   what to play; sizes that the device cannot send are left out.
     */
    public Rally(final Opened device, final Plan plan) {
        this.device = device;
        this.plan = plan.upTo(device.maxMessageSize());
    }

    /**
     * Both ends on this thread.
     *
     * @return a row for each size.
     */
    public List<Row> here() {
        try (End near = device.end(plan); End far = device.end(plan)) {
            near.meet(far.name());
            far.meet(near.name());
            final End.Meanwhile both = () -> {
                near.step();
                far.step();
            };
            near.receive(both, plan.timeout());
            far.receive(both, plan.timeout());
            for (final int size : plan.sizes()) {
                both(near, far, both, size, Math.min(WARM_UP, plan.iterations()));
                final long start = System.nanoTime();
                both(near, far, both, size, plan.iterations());
                rows.add(new Row(size, plan.iterations(), plan.iterations(), System.nanoTime() - start));
            }
        }
        return rows;
    }

    private void both(final End near, final End far, final End.Meanwhile step, final int size, final int times) {
        for (int i = 0; i < times; i++) {
            ask(near, step, size, i);
            answer(far, step, size, i);
            near.await(() -> near.hasReceived(far.sent()) && far.hasSent(far.received()), step, plan.timeout());
            near.expect(size, seed(i + 1));
            near.receive(step, plan.timeout());
        }
    }

    private int seed(final int i) {
        return plan.checks() ? i & BYTE : -1;
    }

    private void ask(final End end, final End.Meanwhile step, final int size, final int i) {
        end.send(size, seed(i), step, plan.timeout());
    }

    /** Waits for the message, and sends the answer, for which the next receive is there before. */
    private void answer(final End end, final End.Meanwhile step, final int size, final int i) {
        final int before = end.sent();
        end.await(() -> end.hasReceived(before + 1), step, plan.timeout());
        end.expect(size, seed(i));
        end.receive(step, plan.timeout());
        end.send(size, seed(i + 1), step, plan.timeout());
        end.await(() -> end.hasSent(before + 1), step, plan.timeout());
    }

    /**
     * This end on this thread, the other one behind a control connection.
     *
     * @param control connected with the other process.
     * @return a row for each size, as this end saw it.
     */
    public List<Row> with(final Control control) {
        try (End end = device.end(plan)) {
            control.introduce(plan, device.address(), end);
            end.receive(end::step, plan.timeout());
            control.meet();
            for (final int size : plan.sizes()) {
                single(end, control, size, Math.min(WARM_UP, plan.iterations()));
                final int acked = end.received();
                final long start = System.nanoTime();
                single(end, control, size, plan.iterations());
                rows.add(new Row(size, plan.iterations(), end.received() - acked, System.nanoTime() - start));
            }
            control.meet();
        }
        return rows;
    }

    private void single(final End end, final Control control, final int size, final int times) {
        for (int i = 0; i < times; i++) {
            if (!control.begins()) {
                answer(end, end::step, size, i);
                continue;
            }
            final int before = end.received();
            ask(end, end::step, size, i);
            end.await(() -> end.hasReceived(before + 1) && end.hasSent(before + 1), end::step, plan.timeout());
            end.expect(size, seed(i + 1));
            end.receive(end::step, plan.timeout());
        }
    }
}
