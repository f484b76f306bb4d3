/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

/** The numbers of the layer below in the words of this one, and what is told about a failure. */
public final class Failures {
    /** Details at which texts of this layer begin; below are those of completions. */
    private static final int OWN = 1 << 30;
    /** The peer has no such key. */
    public static final int NO_KEY = OWN;
    /** The peer's region is disabled. */
    public static final int DISABLED = OWN + 1;
    /** The peer's region lacks the right. */
    public static final int NO_RIGHT = OWN + 2;
    /** Not inside of the peer's region. */
    public static final int OUT_OF_BOUNDS = OWN + 3;
    /** The key is not mapped. */
    public static final int NOT_MAPPED = OWN + 4;
    /** The key is wider than the device's keys. */
    public static final int WIDE_KEY = OWN + 5;
    /** The endpoint was closed. */
    public static final int CLOSED = OWN + 6;
    /** The lane broke, and cannot be mended. */
    public static final int LANE_LOST = OWN + 7;
    /** The directory could not be read. */
    public static final int NO_DIRECTORY = OWN + 8;
    /** The key changed each time it was looked up. */
    public static final int UNSTEADY_KEY = OWN + 9;
    /** An operation before it failed on this side. */
    public static final int FATE_UNKNOWN = OWN + 10;
    /** A message was longer than its receive. */
    public static final int CUT = OWN + 11;
    /** Connecting took too long. */
    public static final int UNREACHABLE = OWN + 12;
    /** Connecting was refused. */
    public static final int REFUSED = OWN + 13;
    /** The connection to a peer broke. */
    public static final int RESET = OWN + 14;
    /** The application took it back. */
    public static final int TAKEN_BACK = OWN + 15;
    /** No connection could be made. */
    public static final int NO_ROOM = OWN + 16;
    /** The peer has no such receive context. */
    public static final int NO_CONTEXT = OWN + 17;

    /** An atomic across two buffers. */
    public static final int ACROSS_PIECES = OWN + 18;
    /** No message waits that a search fits. */
    public static final int NO_MESSAGE = OWN + 19;
    /** The peer takes no tagged messages. */
    public static final int NO_TAGS = OWN + 20;
    /** The peer's receive had no memory any more. */
    public static final int NOT_STORED = OWN + 21;
    /** A triggered operation could not be started. */
    public static final int NOT_TRIGGERED = OWN + 22;
    /** An atomic lost against others again and again. */
    public static final int CONTENDED = OWN + 23;
    /** The shared receive context was closed. */
    public static final int CONTEXT_CLOSED = OWN + 24;
    /** RMA could not be started when the connection that it waited for was there. */
    public static final int NOT_STARTED = OWN + 25;

    private static final String[] OWN_TEXTS = {
        "the peer has no region with this key",
        "the peer's region is disabled",
        "the peer's region does not allow this operation",
        "the range is not inside of the peer's region",
        "the key is not mapped: it is no result of Domain.mapRaw, or was unmapped",
        "the key has more than 32 bits, keys of the device have 32",
        "the endpoint was closed",
        "an operation before this one failed, and the lane cannot be mended",
        "the peer's key directory could not be read",
        "the peer's region was replaced again and again while it was accessed",
        "an operation before this one failed at its local memory: the peer may have carried out this one, or not",
        "the message was longer than its receive: what did not fit is lost",
        "the peer did not answer in time",
        "the peer refused the connection: it has another authorization key, or is no such endpoint",
        "the connection to the peer broke: it may have got this, or not",
        "the receive was taken back",
        "the device has no room for one more connection",
        "the peer does not have what the operation names",
        "the 8 bytes of an atomic are in two buffers of the peer's region that lie apart",
        "no message waits that this fits, or was claimed with this context",
        "the peer's endpoint has no tagged messages: FI_TAGGED was not negotiated there",
        "the memory of the peer's receive was gone",
        "it could not be started when its counter had counted so far, or its counter was closed",
        "the number was changed by others between each look and its replacement",
        "the shared receive context was closed",
        "it could not be started when the connection was there: the peer has no RMA or atomics, or a region of this "
            + "side is not what it was",
    };
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final int STATUS_MASK = 0xff;
    private static final int VENDOR_SHIFT = 8;
    private static final int VENDOR_MASK = 0x3fffff;

    private Failures() {
    }

    /**
     * An exception to be finished.
     *
     * @param operation what was tried.
     * @param errno     positive.
     * @param detail    format of what went wrong.
     * @param args      for the format.
     * @return a builder.
     */
    public static FabricException.Builder of(
        final String operation, final int errno, final String detail, final Object... args) {
        return FabricException.of(operation).detail(detail, args).errno(errno);
    }

    /**
     * FI_EINVAL.
     *
     * @param operation what was tried.
     * @param detail    format of what makes no sense.
     * @param args      for the format.
     * @return to be thrown.
     */
    public static FabricException invalid(final String operation, final String detail, final Object... args) {
        return of(operation, FiErrno.FI_EINVAL, detail, args).build();
    }

    /**
     * What is known of a completion that failed.
     *
     * @param status      of the completion.
     * @param vendorError of the completion.
     * @return for {@link #text}; not 0.
     */
    public static int detail(final WcStatus status, final int vendorError) {
        return status.ordinal() | (vendorError & VENDOR_MASK) << VENDOR_SHIFT;
    }

    /**
     * What is told of a failure.
     *
     * @param errno  0 for none.
     * @param detail a constant from here, or of {@link #detail}.
     * @return one sentence; empty without a failure.
     */
    public static String text(final int errno, final int detail) {
        if (errno == 0) {
            return "";
        }
        if (detail >= OWN) {
            return OWN_TEXTS[detail - OWN];
        }
        return "the device says " + STATUSES[status(detail) % STATUSES.length] + ", vendor error 0x"
            + Integer.toHexString(vendorError(detail));
    }

    /** The number of the completion's status; 0 if it was no completion that failed. */
    static int status(final int detail) {
        return detail >= OWN ? 0 : detail & STATUS_MASK;
    }

    /** What the completion had as vendor error; 0 if it was no completion that failed. */
    static int vendorError(final int detail) {
        return detail >= OWN ? 0 : detail >>> VENDOR_SHIFT;
    }

    /**
     * The errno of a completion.
     *
     * @param status  of the completion.
     * @param receive whether it is a receive's.
     * @return positive; 0 for a success.
     */
    public static int errno(final WcStatus status, final boolean receive) {
        return switch (status) {
            case SUCCESS -> FiErrno.FI_SUCCESS;
            case LOC_LEN_ERR -> receive ? FiErrno.FI_ETRUNC : FiErrno.FI_EMSGSIZE;
            case WR_FLUSH_ERR -> FiErrno.FI_ECANCELED;
            case LOC_PROT_ERR, LOC_ACCESS_ERR -> FiErrno.FI_EFAULT;
            case REM_ACCESS_ERR -> FiErrno.FI_EACCES;
            case REM_INV_REQ_ERR -> FiErrno.FI_EINVAL;
            case RETRY_EXC_ERR, RESP_TIMEOUT_ERR -> FiErrno.FI_ETIMEDOUT;
            case RNR_RETRY_EXC_ERR -> FiErrno.FI_ENORX;
            default -> FiErrno.FI_EIO;
        };
    }

    /**
     * What posting answers.
     *
     * @param returnCode of the queue pair, see {@link ReturnCode}.
     * @return 0 or a negated errno.
     */
    public static int negated(final int returnCode) {
        return switch (returnCode) {
            case ReturnCode.OK -> 0;
            case ReturnCode.QUEUE_FULL -> -FiErrno.FI_EAGAIN;
            case ReturnCode.WRONG_STATE -> -FiErrno.FI_ENOTCONN;
            case ReturnCode.CLOSED -> -FiErrno.FI_EBADFD;
            case ReturnCode.DEVICE_FAILED -> -FiErrno.FI_EIO;
            case ReturnCode.UNSUPPORTED -> -FiErrno.FI_EOPNOTSUPP;
            default -> -FiErrno.FI_EINVAL;
        };
    }
}
