/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import java.util.ArrayList;
import java.util.List;

/** Plays all sizes: with an end of this process, or with that of another one. */
public final class FiPingPong {
    private static final int WARM_UP = 16;
    private static final int BYTE = 0xff;

    private final FabricDevice device;
    private final FiPingPongOptions options;
    private final List<FiPingPongRow> rows = new ArrayList<>();

    /**
     * Nothing is opened before it is run.
     *
     * @param device where this process' ends are.
     * @param options what to play; sizes that the device cannot send are left out.
     */
    public FiPingPong(final FabricDevice device, final FiPingPongOptions options) {
        this.device = device;
        this.options = options.upTo(device.maxMessageSize());
    }

    /**
     * Both ends on this thread.
     *
     * @return a row for each size.
     */
    public List<FiPingPongRow> here() {
        try (FabricEnd near = device.end(options); FabricEnd far = device.end(options)) {
            near.meet(far.name());
            far.meet(near.name());
            final Runnable both = () -> {
                near.step();
                far.step();
            };
            near.meanwhile(both);
            far.meanwhile(both);
            near.receive();
            far.receive();
            for (final int size : options.sizes()) {
                both(near, far, size, Math.min(WARM_UP, options.iterations()));
                final long start = System.nanoTime();
                both(near, far, size, options.iterations());
                rows.add(new FiPingPongRow(size, options.iterations(), options.iterations(),
                    System.nanoTime() - start));
            }
        }
        return rows;
    }

    private void both(final FabricEnd near, final FabricEnd far, final int size, final int times) {
        for (int i = 0; i < times; i++) {
            near.send(size, seed(i));
            answer(far, size, i);
            near.await(() -> near.hasReceived(far.sent()) && far.hasSent(far.received()));
            near.expect(size, seed(i + 1));
            near.receive();
        }
    }

    private int seed(final int i) {
        return options.checks() ? i & BYTE : -1;
    }

    /** Waits for the message, and sends the answer, for which the next receive is there before. */
    private void answer(final FabricEnd end, final int size, final int i) {
        final int before = end.sent();
        end.await(() -> end.hasReceived(before + 1));
        end.expect(size, seed(i));
        end.receive();
        end.send(size, seed(i + 1));
        end.await(() -> end.hasSent(before + 1));
    }

    /**
     * This end on this thread, the other one behind a control connection.
     *
     * @param control connected with the other process.
     * @return a row for each size, as this end saw it.
     */
    public List<FiPingPongRow> with(final ControlConnection control) {
        try (FabricEnd end = device.end(options)) {
            control.introduce(options, device.address(), end);
            end.receive();
            control.meet();
            for (final int size : options.sizes()) {
                single(end, control, size, Math.min(WARM_UP, options.iterations()));
                final int acked = end.received();
                final long start = System.nanoTime();
                single(end, control, size, options.iterations());
                rows.add(new FiPingPongRow(size, options.iterations(), end.received() - acked,
                    System.nanoTime() - start));
            }
            control.meet();
        }
        return rows;
    }

    private void single(final FabricEnd end, final ControlConnection control, final int size, final int times) {
        for (int i = 0; i < times; i++) {
            if (!control.begins()) {
                answer(end, size, i);
                continue;
            }
            final int before = end.received();
            end.send(size, seed(i));
            end.await(() -> end.hasReceived(before + 1) && end.hasSent(before + 1));
            end.expect(size, seed(i + 1));
            end.receive();
        }
    }
}
