/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A ping-pong of the fabric interfaces with all sizes: with an end of this process, or with that of another one. */
public final class FiPingPong {
    private static final int TRANSFERS = 2;

    private final FabricDevice device;
    private final FabricDevice farDevice;
    private final FiPingPongOptions options;

    /**
     * Nothing is opened before it is run.
     *
     * @param device  where this process' end is, or both are.
     * @param options what to play; sizes that the device cannot send are left out.
     */
    public FiPingPong(final FabricDevice device, final FiPingPongOptions options) {
        this(device, device, options);
    }

    /**
     * Nothing is opened before it is run.
     *
     * @param device    where the end is that begins.
     * @param farDevice where the end is that answers, if it is of this process; may be the same.
     * @param options   what to play; sizes that one of the devices cannot send are left out.
     */
    public FiPingPong(final FabricDevice device, final FabricDevice farDevice, final FiPingPongOptions options) {
        this.device = device;
        this.farDevice = farDevice;
        this.options = options.upTo(Math.min(device.maxMessageSize(), farDevice.maxMessageSize()));
    }

    /**
     * Both ends on this thread.
     *
     * @param report takes a row for each size, before the ends are closed: what fails then takes no figures away.
     * @throws DiagnosedException if nothing came for too long; with the state of the device.
     */
    public void here(final Consumer<List<FiPingPongRow>> report) {
        try (FabricEnd near = device.end(options, false); FabricEnd far = farDevice.end(options, true)) {
            near.meet(far.name());
            far.meet(near.name());
            far.poll();
            final Patience patience = patience(near, "the other end: ", far::state);
            patience.with(new Responder(far::poll, far)::step);
            final Initiator initiator = initiator(near);
            report.accept(play(patience, near, initiator, (size, times) -> {
                far.begin(size, times);
                initiator.begin(Span.of(times));
                return initiator;
            }));
        }
    }

    /**
     * This end on this thread, the other one behind a connection.
     *
     * @param meeting connected with the other process.
     * @param report  takes a row for each size, as this end saw it, before the end is closed.
     * @throws DiagnosedException if nothing came for too long; with the state of the device.
     */
    public void with(final FabricMeeting meeting, final Consumer<List<FiPingPongRow>> report) {
        try (FabricEnd end = device.end(options, !meeting.begins())) {
            meeting.introduce(options, device.address(), end);
            end.poll();
            meeting.meet();
            final Initiator initiator = initiator(end);
            final Responder responder = new Responder(end::poll, end);
            final List<FiPingPongRow> rows = play(patience(end, "the other end is in another process", () -> ""), end,
                meeting.begins() ? initiator : null, (size, times) -> {
                    if (!meeting.begins()) {
                        return responder;
                    }
                    initiator.begin(Span.of(times));
                    return initiator;
                });
            meeting.meet();
            report.accept(rows);
        }
    }

    private static Initiator initiator(final FabricEnd end) {
        return new Initiator(end::poll, end, TRANSFERS, Long.MAX_VALUE);
    }

    private Patience patience(final FabricEnd end, final String other, final Supplier<String> state) {
        return new Patience(options.timeout(), WaitMode.YIELD, new Patience.Diagnosis("fi_pingpong", device.address(),
            () -> end.domain() + ", " + end.queue() + ", " + end.endpoint(),
            what -> what + "; " + end.state() + "; " + other + state.get(),
            "the other end has ended, or its device does not reach this one; datagrams may be lost"));
    }

    /** The initiator is null where the other process has it. */
    private List<FiPingPongRow> play(
        final Patience patience, final FabricEnd end, final Initiator initiator, final Game game) {
        final List<FiPingPongRow> rows = new ArrayList<>();
        for (final int size : options.sizes()) {
            if (options.warmup() > 0) {
                play(patience, end, game, size, options.warmup());
            }
            final long acked = end.received();
            final long start = System.nanoTime();
            play(patience, end, game, size, options.iterations());
            final long elapsed = System.nanoTime() - start;
            rows.add(new FiPingPongRow(size, options.iterations(), Math.toIntExact(end.received() - acked), elapsed,
                initiator == null ? null : initiator.row(size).usec()));
        }
        return rows;
    }

    private static void play(
        final Patience patience, final FabricEnd end, final Game game, final int size, final int times) {
        end.begin(size, times);
        patience.play(game.begin(size, times));
    }

    /** Begins round trips of one size. */
    @FunctionalInterface
    private interface Game {
        Player begin(int size, int times);
    }
}
