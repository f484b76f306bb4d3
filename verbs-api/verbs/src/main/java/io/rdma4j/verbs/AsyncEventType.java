/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Kinds of asynchronous events, in the order of {@code enum ibv_event_type}, and two of the driver's own. */
public enum AsyncEventType {
    /** A CQ overflowed; it is unusable. */
    CQ_ERR,
    /** A QP failed. */
    QP_FATAL,
    /** A request to a QP was invalid. */
    QP_REQ_ERR,
    /** A request to a QP had no right. */
    QP_ACCESS_ERR,
    /** First message on a connection that is not ready to send yet. */
    COMM_EST,
    /** A send queue was drained. */
    SQ_DRAINED,
    /** The path migrated. */
    PATH_MIG,
    /** The path could not migrate. */
    PATH_MIG_ERR,
    /** The device failed. */
    DEVICE_FATAL,
    /** A port came up. */
    PORT_ACTIVE,
    /** A port went down. */
    PORT_ERR,
    /** The port's identifier changed. */
    LID_CHANGE,
    /** The partition keys changed. */
    PKEY_CHANGE,
    /** The subnet manager changed. */
    SM_CHANGE,
    /** A SRQ failed. */
    SRQ_ERR,
    /** A SRQ has fewer receives left than its limit. */
    SRQ_LIMIT_REACHED,
    /** The last receive of a QP in error was taken. */
    QP_LAST_WQE_REACHED,
    /** Registrations with the subnet manager must be made again. */
    CLIENT_REREGISTER,
    /** The GID table changed. */
    GID_CHANGE,
    /** Not known. */
    UNKNOWN,
    /**
     * More events came than were taken, and some were lost; {@link AsyncEvent#number()} says how many, or 0 if only the
     * device knows. Look at the state of all objects.
     */
    EVENTS_LOST;

    private static final AsyncEventType[] TYPES = values();

    /**
     * From the number on the wire.
     *
     * @param code any number.
     * @return the type; {@link #UNKNOWN} for a number that is not one.
     */
    public static AsyncEventType of(final int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? TYPES[code] : UNKNOWN;
    }
}
