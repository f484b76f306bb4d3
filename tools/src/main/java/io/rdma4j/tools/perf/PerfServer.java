/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.pingpong.DiagnosedException;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaListener;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * The end that answers, for a {@link Perf} of another process: listens for it, and answers until it says farewell.
 * Every wait has a deadline. Not thread-safe, but for {@link #progress()}.
 */
public final class PerfServer implements AutoCloseable {
    private final PerfOptions options;
    private final End end;
    private final Server server;
    private final RdmaListener listener;
    private volatile String doing = "waiting for a client";

    /**
     * Makes the end, and listens. The end is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; how long to measure is the other process' matter.
     * @param at      where to listen; port 0 for any that is free.
     * @throws RdmaException if the device cannot do it, or the address cannot be had.
     */
    public PerfServer(final RdmaContext context, final PerfOptions options, final InetSocketAddress at) {
        this.options = options;
        end = new End(context, options, true);
        server = new Server(end, options.test());
        listener = RdmaConnector.listen(at);
    }

    /**
     * Where it listens.
     *
     * @return the address, with the port that was found free.
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * What it is doing. For any thread.
     *
     * @return a few words.
     */
    public String progress() {
        return doing;
    }

    /**
     * Waits for the other process, and answers until it has enough.
     *
     * @return whom it answered, and how often.
     * @throws RdmaException      ETIMEDOUT if nobody came; EINVAL if it was asked for something else; EIO naming the
     *                            request and its status.
     * @throws DiagnosedException if nothing came for too long, or the thread was interrupted; with the state of the
     *                            device.
     */
    public Outcome run() {
        final InetSocketAddress peer = new Meeting(end, options).accept(listener);
        doing = "answering";
        final Patience patience = new Patience(options.timeout(), new Scene(end.context(), null, List.of(end)));
        while (!server.isOver()) {
            if (server.step() > 0) {
                patience.progress();
            } else {
                patience.idle();
            }
        }
        return new Outcome(peer, server.messages());
    }

    /** Stops listening. Harmless when repeated. */
    @Override
    public void close() {
        listener.close();
    }

    /**
     * What came of it.
     *
     * @param peer     where the other process was reached.
     * @param messages that were sent, written, read or swapped, those for warming up included.
     */
    public record Outcome(InetSocketAddress peer, long messages) {
    }
}
