/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.RmaLanes;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.Feature;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.agrona.BitUtil;

/**
 * Where links complete: a pair of queues, and another one each time the device cannot make the last one larger. For the
 * thread that uses the endpoint.
 */
final class LinkQueues implements AutoCloseable {
    /**
     * Where a link's sends complete, and RMA, and where its receives do: if that was one queue, this endpoint's thread
     * and the peer's would take turns with its lock and its index for each message.
     */
    record Pair(FabricCompletionQueue transmit, FabricCompletionQueue receive) {
    }

    private static final int FIRST_COMPLETIONS = 256;
    /** As large as queues are made that cannot grow. */
    private static final int FIXED_SIZE = 4096;

    /** Data of peers' writes that the queue of a queue for receives has room for at first. */
    private static final int ARRIVALS = 64;

    private final EndpointHost host;
    private final int mostLinks;
    /** Of a new queue. */
    private final int entries;
    private final int arrivals;
    private final List<Pair> pairs = new ArrayList<>();
    /** All of them, two for each pair. */
    private final List<FabricCompletionQueue> queues = new ArrayList<>();
    private final List<FabricCompletionQueue> watchers = new ArrayList<>();
    private int[] links = new int[0];
    private int turn;

    /**
     * The first pair.
     *
     * @param host     the domain.
     * @param transmit sends under way on a link, and RMA.
     * @param receive  receives under way on a link.
     */
    LinkQueues(final EndpointHost host, final int transmit, final int receive) {
        this.host = host;
        final int most = host.context().attributes().maxCqe();
        final int room = host.context().supports(Feature.CQ_RESIZE) ? most : Math.min(FIXED_SIZE, most);
        this.arrivals = RmaLanes.isIn(host) ? ARRIVALS : 0;
        final int each = Math.max(sendEntries(transmit), BitUtil.findNextPositivePowerOfTwo(receive));
        this.mostLinks = Math.max(1, room / each);
        // Twice, see reserve: growing takes milliseconds, and most endpoints need it for no more than one link.
        this.entries = Math.min(most, Math.max(FIRST_COMPLETIONS, 2 * each));
        addPair();
    }

    /** At most: queue pairs round their sizes up, an RMA may be two work requests, and one looks keys up. */
    private static int sendEntries(final int transmit) {
        return BitUtil.findNextPositivePowerOfTwo(transmit) + BitUtil.findNextPositivePowerOfTwo(2 * transmit + 1) + 1;
    }

    /** Queues with room for one more link. */
    Pair claim() {
        int i = 0;
        while (i < pairs.size() && links[i] >= mostLinks) {
            i++;
        }
        if (i == pairs.size()) {
            addPair();
        }
        links[i]++;
        return pairs.get(i);
    }

    /** If it cannot be made, or nobody woken up by it, all is as before. */
    private void addPair() {
        try (Undo undo = new Undo()) {
            final Pair pair = new Pair(open(undo, 0), open(undo, arrivals));
            undo.forget();
            links = Arrays.copyOf(links, pairs.size() + 1);
            pairs.add(pair);
            queues.add(pair.transmit());
            queues.add(pair.receive());
        }
    }

    private FabricCompletionQueue open(final Undo undo, final int itsArrivals) {
        final FabricCompletionQueue queue = FabricCompletionQueue.internal(host, entries);
        undo.add(queue::close);
        for (final FabricCompletionQueue one : watchers) {
            undo.add(() -> one.unwatch(queue));
            one.watch(queue, itsArrivals);
        }
        return queue;
    }

    void giveBack(final Pair pair) {
        links[pairs.indexOf(pair)]--;
    }

    /** Takes completions; how many, or what the last queue that failed says. */
    int read(final CompletionReader reader, final int limit) {
        int taken = 0;
        int failure = 0;
        // Another one is the first each time, so that none takes the others' turn.
        turn = next(turn);
        int at = turn;
        // All of them, also those of which nothing may be taken any more: messages come by being looked for.
        do {
            final int code = queues.get(at).read(reader, limit - taken);
            failure = code < 0 ? code : failure;
            taken += Math.max(0, code);
            at = next(at);
        } while (at != turn);
        return taken == 0 ? failure : taken;
    }

    private int next(final int queue) {
        return queue + 1 < queues.size() ? queue + 1 : 0;
    }

    /** Notes all that is there now, as far as it goes; {@link #read} tells of it. */
    void gatherAll() {
        queues.forEach(FabricCompletionQueue::gatherAll);
    }

    int arm() {
        int code = 0;
        for (final FabricCompletionQueue queue : queues) {
            code = code == 0 ? queue.arm() : code;
        }
        return code;
    }

    long idleNanos() {
        long least = Long.MAX_VALUE;
        for (final FabricCompletionQueue queue : queues) {
            least = Math.min(least, queue.idleNanos());
        }
        return least;
    }

    /** Who waits for this queue is to be woken up by links. */
    void wake(final FabricCompletionQueue queue) {
        watchers.add(queue);
        for (final Pair pair : pairs) {
            queue.watch(pair.transmit(), 0);
            queue.watch(pair.receive(), arrivals);
        }
    }

    void wakeNoMore(final FabricCompletionQueue queue) {
        watchers.remove(queue);
        queues.forEach(one -> queue.unwatch(one));
    }

    @Override
    public void close() {
        Cleanup.all(queues, FabricCompletionQueue::close);
    }

    @Override
    public String toString() {
        return queues.toString();
    }
}
