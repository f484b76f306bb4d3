/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.verbs.Completion;

/**
 * An endpoint as a completion queue sees it. All is called by the thread that reads the queue, within its calls; so
 * none of it may call the queue's reading methods.
 */
public interface CompletionPort {
    /**
     * The device completed a work request that carried this port's number, see {@link WorkId}.
     *
     * @param what       a number of the port's own, 0 to 255.
     * @param slot       of the port's own.
     * @param completion valid during this call only.
     */
    void completed(int what, int slot, Completion completion);

    /**
     * Goes on with what is to be done besides: called by each read after {@link FabricCompletionQueue#wants}, until it
     * returns false.
     *
     * @param queue that is read.
     * @return whether it is to be called at the next read, too.
     */
    boolean progress(FabricCompletionQueue queue);

    /**
     * A thread is about to sleep until something happens: asks the port's own verbs queues for events, if it has any,
     * see {@link FabricCompletionQueue#watch}.
     *
     * @return 0; -FI_EAGAIN if it has something to do now.
     */
    int arm();

    /**
     * How long {@link #progress} may be left uncalled.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} for ever.
     */
    long idleNanos();

    /**
     * Whose port it is.
     *
     * @return for messages.
     */
    Endpoint endpoint();
}
