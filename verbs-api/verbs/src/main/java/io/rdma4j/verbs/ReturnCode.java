/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Codes that the data path returns instead of throwing. All failures are negative. */
public final class ReturnCode {
    /** Done. */
    public static final int OK = 0;
    /** The queue holds as many work requests as it was made for: poll completions, then try again. */
    public static final int QUEUE_FULL = -1;
    /** The QP is not in a state that allows this: sends need RTS (or SQD, SQE, ERR), receives anything but RESET. */
    public static final int WRONG_STATE = -2;
    /** More scatter/gather elements than the queue was made for, or than the device takes in an RDMA READ. */
    public static final int TOO_MANY_SGES = -3;
    /** The object is closed. */
    public static final int CLOSED = -4;
    /** The device failed; {@link RdmaContext#failure()} says why. Only closing is possible. */
    public static final int DEVICE_FAILED = -5;
    /** The device, or this type of QP, does not have this operation; {@link RdmaContext#whyNot} says why. */
    public static final int UNSUPPORTED = -6;
    /**
     * The request contradicts itself: an object is missing, closed or not of the kind that is needed, a length is
     * negative or the sum too large, a payload is longer than {@link QueuePair#maxInline()}, which is 0 unless it was
     * asked for, or the operation takes other elements, or none. Or its payload is to be copied from a mapped file that
     * was cut off, or from an address where nothing is. {@link QueuePair#prepare} of the same request says more.
     */
    public static final int INVALID_REQUEST = -7;
    /** The request names an object of another device or protection domain. */
    public static final int FOREIGN_OBJECT = -8;
    /** Receives of this QP come from its shared receive queue: post there. */
    public static final int HAS_SRQ = -9;
    /** A {@link SharedSendQueue} is full: its owner has to drain it, then try again. */
    public static final int BACK_PRESSURED = -10;

    private static final String[] NAMES = {
        "OK", "QUEUE_FULL", "WRONG_STATE", "TOO_MANY_SGES", "CLOSED", "DEVICE_FAILED", "UNSUPPORTED",
        "INVALID_REQUEST", "FOREIGN_OBJECT", "HAS_SRQ", "BACK_PRESSURED"
    };

    private ReturnCode() {
    }

    /**
     * The name of a code, for messages.
     *
     * @param code what a data-path call returned.
     * @return its name; {@code "OK"} for every value that is not negative.
     */
    public static String nameOf(final int code) {
        if (code >= 0) {
            return NAMES[0];
        }
        return code > -NAMES.length ? NAMES[-code] : "code " + code;
    }
}
