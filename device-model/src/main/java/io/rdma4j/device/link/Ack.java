/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

/** What the responder says to a message. */
public final class Ack {
    /** Done. */
    public static final int ACK = 0;
    /** No receive is posted; the sender is resumed when one is. */
    public static final int RNR_NAK = 1;
    /** The message is longer than the receive, or misaligned, or not possible on this QP. */
    public static final int NAK_INVALID_REQUEST = 2;
    /** Key, bounds or rights of the remote memory do not fit. */
    public static final int NAK_REMOTE_ACCESS = 3;
    /** The responder failed by its own fault. */
    public static final int NAK_REMOTE_OPERATION = 4;
    /** Nobody answers: no such QP, not ready, connected to somebody else, or out of sequence. */
    public static final int NO_RESPONSE = 5;
    /** The sender's own memory went away while it was reached; nothing was said on the wire. */
    public static final int PAYLOAD_LOST = 6;

    private Ack() {
    }

    /**
     * {@return the name of an answer}
     *
     * @param ack one of the constants
     */
    public static String name(int ack) {
        return switch (ack) {
            case ACK -> "ACK";
            case RNR_NAK -> "RNR_NAK";
            case NAK_INVALID_REQUEST -> "NAK_INVALID_REQUEST";
            case NAK_REMOTE_ACCESS -> "NAK_REMOTE_ACCESS";
            case NAK_REMOTE_OPERATION -> "NAK_REMOTE_OPERATION";
            case NO_RESPONSE -> "NO_RESPONSE";
            case PAYLOAD_LOST -> "PAYLOAD_LOST";
            default -> "ack " + ack;
        };
    }
}
