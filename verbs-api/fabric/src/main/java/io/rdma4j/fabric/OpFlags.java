/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Flags of single operations, for the msg forms of {@link Endpoint}; bits of rdma/fabric.h. */
public final class OpFlags {
    /** Of a receive: its one buffer takes message after message (FI_MULTI_RECV), see {@link Capability#MULTI_RECV}. */
    public static final long MULTI_RECV = 1L << 16;
    /** The message carries {@link Message#data} (FI_REMOTE_CQ_DATA). */
    public static final long REMOTE_CQ_DATA = 1L << 17;
    /** More follow soon: the doorbell may wait (FI_MORE). May be ignored. */
    public static final long MORE = 1L << 18;
    /** Looks whether a tagged message waits, and receives nothing (FI_PEEK). */
    public static final long PEEK = 1L << 19;
    /**
     * Begins when a counter has counted so far (FI_TRIGGER), with {@link Capability#TRIGGER}: see {@link
     * Message#trigger}. Whoever reads the endpoint's queue for transmits starts it; what is wrong with it then is told
     * by its completion.
     */
    public static final long TRIGGER = 1L << 20;
    /**
     * Begins when all operations to the same peer before it are over (FI_FENCE), with {@link Capability#FENCE}: it is
     * -FI_EAGAIN until then.
     */
    public static final long FENCE = 1L << 21;
    /** Reports success even where completions are selective (FI_COMPLETION). */
    public static final long COMPLETION = 1L << 24;
    /** The buffer can be used again when the call returns (FI_INJECT). */
    public static final long INJECT = 1L << 25;
    /** Complete when the buffer can be used again (FI_INJECT_COMPLETE). */
    public static final long INJECT_COMPLETE = 1L << 26;
    /** Complete when the message is at the peer's device (FI_TRANSMIT_COMPLETE): what is done anyway. */
    public static final long TRANSMIT_COMPLETE = 1L << 27;
    /**
     * Complete when the peer's application has it (FI_DELIVERY_COMPLETE): a message when it is in the buffer of a
     * receive, and with FI_ETRUNC if that was too short. For messages that go in pieces: those of reliable datagrams,
     * and of connected endpoints with {@link Capability#TAGGED} or {@link Capability#MULTI_RECV}; others are
     * -FI_EOPNOTSUPP. A few of them at a time are under way to one peer, the next one is -FI_EAGAIN. A write when the
     * peer's memory has it: its last byte is read behind it, so it needs that right, too. Reads and atomics have it
     * anyway.
     */
    public static final long DELIVERY_COMPLETE = 1L << 28;
    /** Of tagged messages: complete when a receive takes it (FI_MATCH_COMPLETE); is {@link #DELIVERY_COMPLETE}. */
    public static final long MATCH_COMPLETE = 1L << 31;

    /** With {@link #PEEK} or {@link #CLAIM}: drops the message (FI_DISCARD). */
    public static final long DISCARD = 1L << 58;
    /** With {@link #PEEK}: keeps the message for the receive that has this flag alone (FI_CLAIM). */
    public static final long CLAIM = 1L << 59;

    private OpFlags() {
    }
}
