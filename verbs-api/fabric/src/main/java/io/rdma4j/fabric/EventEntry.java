/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** An event (fi_eq_entry, fi_eq_err_entry). Immutable. */
public interface EventEntry {
    /**
     * What happened.
     *
     * @return the kind.
     */
    FabricEvent event();

    /**
     * The region that an event is about.
     *
     * @return the object that {@link Domain#register(MrAttributes)} returned or will return; null for other events.
     */
    MemoryRegion region();

    /**
     * What the event is about.
     *
     * @return a {@link MemoryRegion}, {@link AddressVector}, {@link MsgEndpoint} or {@link PassiveEndpoint}, or what
     *         {@link EventQueue#write} was given; may be null.
     */
    Object fid();

    /**
     * A number that comes with the event: for {@link FabricEvent#AV_COMPLETE} how many addresses were inserted, for its
     * errors the index of the one that was not.
     *
     * @return 0 if there is none.
     */
    long data();

    /**
     * The request, for {@link FabricEvent#CONNREQ}.
     *
     * @return null for other events.
     */
    ConnectionRequest request();

    /**
     * What the other side told, for {@link FabricEvent#CONNREQ} and {@link FabricEvent#CONNECTED}, refusals too.
     *
     * @return a copy; empty for nothing.
     */
    byte[] privateData();

    /**
     * The context that was given with the operation.
     *
     * @return may be null.
     */
    Object context();

    /**
     * Whether the operation failed.
     *
     * @return true if so.
     */
    boolean isError();

    /**
     * How it failed.
     *
     * @return a number of {@link FiErrno}, positive; 0 if it did not.
     */
    int errno();

    /**
     * What went wrong.
     *
     * @return one sentence; empty without a failure.
     */
    String providerError();
}
