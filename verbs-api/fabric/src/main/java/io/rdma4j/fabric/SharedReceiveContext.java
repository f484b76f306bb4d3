/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Receives that several endpoints share (fi_srx_context). Endpoints are opened with it, see {@link
 * EndpointOptions#sharedReceiveContext}. A receive that is posted here is for the first message that fits, whichever
 * endpoint it comes to; so a few receives serve many peers. It completes in that endpoint's receive queue, with {@link
 * CompletionEntry#endpoint()}, and counts there. What is posted is matched as by one endpoint: in order, by tag and
 * source. Messages that no receive fits wait in the window of their sender ({@link EndpointOptions#window}).
 *
 * <p>Receives that no endpoint has got complete in {@link #completionQueue()}, without an endpoint: those that are
 * taken back, that look for a message and find none, and that are still posted when the context is closed.
 *
 * <p>One thread at a time uses the context, its endpoints and all of their queues (FI_THREAD_COMPLETION, with the
 * context in place of a queue). A read of one queue, or a receive that is posted, may put completions into the queues
 * of other endpoints: a thread that waits asks all of them ({@link CompletionQueue#tryWait}) before it sleeps. Messages
 * of an endpoint come while its own queues are read.
 *
 * <p>The receives are the data path: they return 0 or a negated errno, as those of endpoints; -FI_EAGAIN while as many
 * as {@link SharedReceiveOptions#size} are under way. Descriptors are regions of the domain's authorization key.
 */
public interface SharedReceiveContext extends ReceiveContext, AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * Takes a receive back that no message has come for (fi_cancel): it completes with FI_ECANCELED.
     *
     * @param context of the receive; of several with the same one the oldest, tagged ones last.
     * @return 0; -FI_ENOENT if there is none (any more); -FI_EBADFD if closed.
     */
    int cancel(long context);

    /**
     * Changes an option (fi_setopt), for what is posted from now on. For the thread that uses the context.
     *
     * @param option {@link EndpointOption#MIN_MULTI_RECV}.
     * @param value  as the option says.
     * @throws FabricException FI_ENOPROTOOPT for all others; FI_EINVAL for null and for a value out of range;
     *                         FI_EBADFD.
     */
    void setopt(EndpointOption option, long value);

    /**
     * Tells an option (fi_getopt).
     *
     * @param option {@link EndpointOption#MIN_MULTI_RECV}.
     * @return its value.
     * @throws FabricException FI_ENOPROTOOPT for all others, FI_EINVAL for null, FI_EBADFD.
     */
    long getopt(EndpointOption option);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it: receives that are posted complete with FI_ECANCELED. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while endpoints are open that were opened with it.
     */
    @Override
    void close();
}
