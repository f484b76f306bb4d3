/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Kinds of asynchronous events, {@code enum pvrdma_eqe_type}; the numbers are those of {@code ib_event_type}.
 */
public final class EventType {
    /** A CQ overran or broke; info is its handle. */
    public static final int PVRDMA_EVENT_CQ_ERR = 0;
    /** A QP broke; info is its handle. */
    public static final int PVRDMA_EVENT_QP_FATAL = 1;
    /** A peer sent an invalid request; info is the QP handle. */
    public static final int PVRDMA_EVENT_QP_REQ_ERR = 2;
    /** A peer violated access rights; info is the QP handle. */
    public static final int PVRDMA_EVENT_QP_ACCESS_ERR = 3;
    /** Data arrived before RTS; info is the QP handle. */
    public static final int PVRDMA_EVENT_COMM_EST = 4;
    /** A send queue drained; info is the QP handle. */
    public static final int PVRDMA_EVENT_SQ_DRAINED = 5;
    /** The path migrated; info is the QP handle. */
    public static final int PVRDMA_EVENT_PATH_MIG = 6;
    /** The path did not migrate; info is the QP handle. */
    public static final int PVRDMA_EVENT_PATH_MIG_ERR = 7;
    /** The device failed. */
    public static final int PVRDMA_EVENT_DEVICE_FATAL = 8;
    /** A port came up; info is its number. */
    public static final int PVRDMA_EVENT_PORT_ACTIVE = 9;
    /** A port went down; info is its number. */
    public static final int PVRDMA_EVENT_PORT_ERR = 10;
    /** The LID changed; info is the port. */
    public static final int PVRDMA_EVENT_LID_CHANGE = 11;
    /** The partition table changed; info is the port. */
    public static final int PVRDMA_EVENT_PKEY_CHANGE = 12;
    /** Another subnet manager; info is the port. */
    public static final int PVRDMA_EVENT_SM_CHANGE = 13;
    /** An SRQ broke; info is its number. */
    public static final int PVRDMA_EVENT_SRQ_ERR = 14;
    /** An SRQ has fewer receives than its limit; info is its number. */
    public static final int PVRDMA_EVENT_SRQ_LIMIT_REACHED = 15;
    /** A QP took its last receive from an SRQ; info is the QP handle. */
    public static final int PVRDMA_EVENT_QP_LAST_WQE_REACHED = 16;
    /** Subscriptions are to be renewed; info is the port. */
    public static final int PVRDMA_EVENT_CLIENT_REREGISTER = 17;
    /** The GID table changed; info is the port. */
    public static final int PVRDMA_EVENT_GID_CHANGE = 18;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_EVENT_CQ_ERR -> "CQ_ERR";
        case PVRDMA_EVENT_QP_FATAL -> "QP_FATAL";
        case PVRDMA_EVENT_QP_REQ_ERR -> "QP_REQ_ERR";
        case PVRDMA_EVENT_QP_ACCESS_ERR -> "QP_ACCESS_ERR";
        case PVRDMA_EVENT_COMM_EST -> "COMM_EST";
        case PVRDMA_EVENT_SQ_DRAINED -> "SQ_DRAINED";
        case PVRDMA_EVENT_PATH_MIG -> "PATH_MIG";
        case PVRDMA_EVENT_PATH_MIG_ERR -> "PATH_MIG_ERR";
        case PVRDMA_EVENT_DEVICE_FATAL -> "DEVICE_FATAL";
        case PVRDMA_EVENT_PORT_ACTIVE -> "PORT_ACTIVE";
        case PVRDMA_EVENT_PORT_ERR -> "PORT_ERR";
        case PVRDMA_EVENT_LID_CHANGE -> "LID_CHANGE";
        case PVRDMA_EVENT_PKEY_CHANGE -> "PKEY_CHANGE";
        case PVRDMA_EVENT_SM_CHANGE -> "SM_CHANGE";
        case PVRDMA_EVENT_SRQ_ERR -> "SRQ_ERR";
        case PVRDMA_EVENT_SRQ_LIMIT_REACHED -> "SRQ_LIMIT_REACHED";
        case PVRDMA_EVENT_QP_LAST_WQE_REACHED -> "QP_LAST_WQE_REACHED";
        case PVRDMA_EVENT_CLIENT_REREGISTER -> "CLIENT_REREGISTER";
        case PVRDMA_EVENT_GID_CHANGE -> "GID_CHANGE";
        default -> null;
    };

    private EventType() {
    }
}
