/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;

import org.agrona.DirectBuffer;

/**
 * How the messages of a connected endpoint travel on the queue pair that its link has for them. For the thread that
 * uses the endpoint, but for {@link #giveUp}. What is not said here is as {@link io.rdma4j.fabric.MsgEndpoint} has it.
 */
public interface Messages {
    /** Makes them for an endpoint. */
    interface Factory {
        /**
         * With which queues, and how large, the link is opened.
         *
         * @param options of the endpoint.
         * @return those, or a copy with other sizes.
         * @throws io.rdma4j.fabric.FabricException if they make no sense.
         */
        EndpointOptions forLink(EndpointOptions options);

        /**
         * Makes them, before the link {@linkplain RcLink#join is joined}.
         *
         * @param host     the domain.
         * @param realm    of the endpoint.
         * @param options  as the endpoint was opened with.
         * @param counters count them.
         * @param link     not connected yet; its owner closes it.
         * @param endpoint in completions.
         * @return to be closed.
         */
        Messages make(
            EndpointHost host, Realm realm, EndpointOptions options, EndpointCounters counters, RcLink link,
            Endpoint endpoint);
    }

    /** The link is joined: it has ports. */
    void joined();

    /** The link is connected. */
    void connected();

    /** They are not used any more. From any thread. */
    void giveUp();

    /**
     * Sends.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    or null.
     * @param owner   of the memory, or null.
     * @param context comes back.
     * @return 0 or a negated errno.
     */
    int send(long address, int length, MemoryRegion desc, Object owner, long context);

    /**
     * Sends, with data.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    or null.
     * @param data    for the peer.
     * @param context comes back.
     * @return 0 or a negated errno.
     */
    int sendWithData(long address, int length, MemoryRegion desc, int data, long context);

    /**
     * Sends a copy, without a completion.
     *
     * @param buffer   on the heap or not.
     * @param offset   first byte.
     * @param length   bytes.
     * @param withData whether there is data.
     * @param data     for the peer.
     * @return 0 or a negated errno.
     */
    int inject(DirectBuffer buffer, int offset, int length, boolean withData, int data);

    /**
     * Sends several buffers.
     *
     * @param message what.
     * @param flags   how.
     * @return 0 or a negated errno.
     */
    int send(Message message, long flags);

    /**
     * Receives.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    or null.
     * @param owner   of the memory, or null.
     * @param context comes back.
     * @return 0 or a negated errno.
     */
    int receive(long address, int length, MemoryRegion desc, Object owner, long context);

    /**
     * Receives into several buffers.
     *
     * @param message where to.
     * @param flags   how.
     * @return 0 or a negated errno.
     */
    int receive(Message message, long flags);

    /**
     * Takes a receive back.
     *
     * @param context its own.
     * @return 0 or a negated errno.
     */
    int cancel(long context);

    /**
     * Changes an option of the receives.
     *
     * @param option which one.
     * @param value  as the option says.
     */
    void setopt(EndpointOption option, long value);

    /**
     * Tells an option of the receives.
     *
     * @param option which one.
     * @return its value.
     */
    long getopt(EndpointOption option);

    /**
     * Those with tags.
     *
     * @return null if there are none.
     */
    TaggedMessages tagged();

    /**
     * The device completed something.
     *
     * @param what       {@link io.rdma4j.fabric.completion.WorkId#SEND} or
     *                   {@link io.rdma4j.fabric.completion.WorkId#RECEIVE}.
     * @param slot       of the message's own.
     * @param completion valid during this call only.
     */
    void completed(int what, int slot, Completion completion);

    /**
     * Goes on with what is to be done.
     *
     * @param read which of the endpoint's queues is read.
     * @return whether there will be more.
     */
    boolean progress(FabricCompletionQueue read);

    /**
     * A thread is about to sleep at one of the endpoint's queues: asks for events of what else it needs.
     *
     * @return 0; -FI_EAGAIN if there is something to do now.
     */
    int arm();

    /**
     * Whether the next read is to go on, without an event.
     *
     * @return true if so.
     */
    boolean isPending();

    /**
     * Where operations wait that begin when a counter has counted so far.
     *
     * @param work the endpoint's.
     */
    void triggers(TriggeredWork work);

    /**
     * Whether no message is under way to the peer.
     *
     * @return true if all that were started are over.
     */
    boolean isStill();

    /**
     * How long {@link #progress} may be left uncalled.
     *
     * @return nanoseconds.
     */
    long idleNanos();

    /**
     * How often they were mended.
     *
     * @return for tests and failure reports.
     */
    long mended();

    /** The queue pair is closed: all that is under way is canceled, and memory is given back. */
    void release();
}
