/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

/**
 * A trace is text, a record on each line, in the order in which things happened:
 *
 * <pre>
 *   rdma4j-trace 1
 *   DEVICE NANOS open version=20 caps=HEX address=emulated:
 *   DEVICE NANOS command name=CREATE_PD err=0x0 request=HEX response=HEX
 *   DEVICE NANOS send queue=5 wqe=HEX
 *   DEVICE NANOS receive queue=5 wqe=HEX
 *   DEVICE NANOS shared queue=2 wqe=HEX
 *   DEVICE NANOS arm queue=3 bits=0x40000000
 *   DEVICE NANOS completion queue=3 cqe=HEX
 *   DEVICE NANOS close
 *   end why the trace ends before the process
 * </pre>
 *
 * <p>DEVICE counts the devices of the process from 1, NANOS the time since the trace began. HEX are the bytes of the
 * struct without the zeros at its end, or {@code -} for nothing but zeros. A device without {@code close} was open when
 * the process ended.
 *
 * <p>A work request stands before the doorbell that shows it, a completion where the driver looked at it first: what
 * caused something always stands above it.
 */
public final class TraceFormat {
    /** Names format and version. */
    public static final String FIRST_LINE = "rdma4j-trace 1";
    /** What the first line of every version begins with. */
    public static final String MAGIC = "rdma4j-trace ";
    /** More characters than any record has. */
    public static final int MAX_LINE = 32 << 10;
    /** A device was brought up as far as its capabilities. */
    public static final String OPEN = "open";
    /** An exchange over the command channel. */
    public static final String COMMAND = "command";
    /** A request in a send queue. */
    public static final String SEND = "send";
    /** A request in the receive queue of a queue pair. */
    public static final String RECEIVE = "receive";
    /** A request in a shared receive queue. */
    public static final String SHARED = "shared";
    /** A completion queue was armed. */
    public static final String ARM = "arm";
    /** An entry of a completion queue. */
    public static final String COMPLETION = "completion";
    /** The device was closed. */
    public static final String CLOSE = "close";
    /** The trace was ended before the process. */
    public static final String END = "end";
    /** For bytes that are all zero. */
    public static final String NO_BYTES = "-";

    private TraceFormat() {
    }
}
