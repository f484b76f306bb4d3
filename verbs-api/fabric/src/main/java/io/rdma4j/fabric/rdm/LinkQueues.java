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
import java.util.List;

import org.agrona.BitUtil;

/**
 * Where links complete: one queue, and another one each time the device cannot make the last one larger. For the thread
 * that uses the endpoint.
 */
final class LinkQueues implements AutoCloseable {
    private static final int FIRST_COMPLETIONS = 256;
    /** As large as queues are made that cannot grow. */
    private static final int FIXED_SIZE = 4096;

    /** Data of peers' writes that the queue of a queue has room for at first. */
    private static final int ARRIVALS = 64;

    private final EndpointHost host;
    private final int mostLinks;
    /** Entries of a new queue. */
    private final int entries;
    private final int arrivals;
    private final List<FabricCompletionQueue> queues = new ArrayList<>();
    private final List<FabricCompletionQueue> watchers = new ArrayList<>();
    private int[] links = new int[1];
    private int turn;

    /**
     * The first queue.
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
        final int each = entriesOfLink(transmit, receive);
        this.mostLinks = Math.max(1, room / each);
        // Twice, see reserve: growing takes milliseconds, and most endpoints need it for no more than one link.
        this.entries = Math.min(most, Math.max(FIRST_COMPLETIONS, 2 * each));
        queues.add(FabricCompletionQueue.internal(host, entries));
    }

    /** At most: queue pairs round their sizes up, an RMA may be two work requests, and one looks keys up. */
    private static int entriesOfLink(final int transmit, final int receive) {
        return BitUtil.findNextPositivePowerOfTwo(transmit) + BitUtil.findNextPositivePowerOfTwo(2 * transmit + 1) + 1
            + BitUtil.findNextPositivePowerOfTwo(receive);
    }

    /** A queue with room for one more link. */
    FabricCompletionQueue claim() {
        int i = 0;
        while (i < queues.size() && links[i] >= mostLinks) {
            i++;
        }
        if (i == queues.size()) {
            addQueue();
        }
        links[i]++;
        return queues.get(i);
    }

    /** If it cannot be made, or nobody woken up by it, all is as before. */
    private void addQueue() {
        try (Undo undo = new Undo()) {
            final FabricCompletionQueue queue = FabricCompletionQueue.internal(host, entries);
            undo.add(queue::close);
            for (final FabricCompletionQueue one : watchers) {
                undo.add(() -> one.unwatch(queue));
                one.watch(queue, arrivals);
            }
            undo.forget();
            links = java.util.Arrays.copyOf(links, queues.size() + 1);
            queues.add(queue);
        }
    }

    void giveBack(final FabricCompletionQueue queue) {
        links[queues.indexOf(queue)]--;
    }

    /** Takes completions; how many, or what the last queue that failed says. */
    int read(final CompletionReader reader, final int limit) {
        // Most endpoints have one.
        return queues.size() == 1 ? queues.get(0).read(reader, limit) : readInTurn(reader, limit);
    }

    private int readInTurn(final CompletionReader reader, final int limit) {
        int taken = 0;
        int failure = 0;
        // Another one is the first each time, so that none takes the others' turn.
        turn = turn + 1 < queues.size() ? turn + 1 : 0;
        // All of them, also those of which nothing may be taken any more: messages come by being looked for.
        for (int i = 0; i < queues.size(); i++) {
            final int code = queues.get((turn + i) % queues.size()).read(reader, limit - taken);
            failure = code < 0 ? code : failure;
            taken += Math.max(0, code);
        }
        return taken == 0 ? failure : taken;
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
        queues.forEach(one -> queue.watch(one, arrivals));
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
