/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.QpAddress;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The exchange of ibv_rc_pingpong and ibv_ud_pingpong (rdma-core, libibverbs/examples). Each side tells where its QP
 * is, in 52 bytes: LID, QP number and first PSN as 4, 6 and 6 hexadecimal digits with a colon after each, the GID as 32
 * of them, NUL. The client tells first; the server is ready for messages before it answers; the client has the last
 * word.
 *
 * <p>Sizes, counts, MTU and queue key are not told: both were started with the same.
 */
public final class PingpongHandshake {
    /** Queue key of datagrams: there is no other. */
    public static final int QKEY = 0x11111111;
    static final byte[] DONE = Words.terminated("done");
    private static final int LENGTH = 52;
    private static final int HEXADECIMAL = 16;
    private static final Pattern FORM =
        Pattern.compile("[0-9a-f]{4}:([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})\0", Pattern.CASE_INSENSITIVE);
    private static final String ADDRESS = "its address";

    private PingpongHandshake() {
    }

    /**
     * The part of the side that connected, and will send the first message.
     *
     * @param peer    the other side.
     * @param own     where the own QP is.
     * @param connect connects the own QP with the other one; after that messages may be sent.
     * @return where the other QP is.
     * @throws RdmaException if the other side says something else, nothing, or ends.
     */
    public static QpAddress asClient(
        final ForeignSocket peer, final QpAddress own, final Consumer<QpAddress> connect) {
        peer.write(bytes(own), ADDRESS);
        final QpAddress theirs = read(peer);
        connect.accept(theirs);
        peer.write(DONE, "the last word");
        return theirs;
    }

    /**
     * The part of the side that listened, and will answer messages.
     *
     * @param peer    the other side.
     * @param own     where the own QP is.
     * @param connect connects the own QP with the other one, and has it take messages.
     * @return where the other QP is.
     * @throws RdmaException if the other side says something else, nothing, or ends.
     */
    public static QpAddress asServer(
        final ForeignSocket peer, final QpAddress own, final Consumer<QpAddress> connect) {
        final QpAddress theirs = read(peer);
        connect.accept(theirs);
        peer.write(bytes(own), ADDRESS);
        final byte[] last = peer.read(DONE.length, "its last word");
        if (!Arrays.equals(last, DONE)) {
            throw peer.refused("it said " + Words.shown(last) + " where 'done' belongs", "it is no such program");
        }
        return theirs;
    }

    /** The LID is 0: it does not matter where there are GIDs. */
    static byte[] bytes(final QpAddress own) {
        return Words.terminated(String.format("%04x:%06x:%06x:%s", 0, own.qpn(), own.psn(),
            HexFormat.of().formatHex(own.gid().bytes())));
    }

    private static QpAddress read(final ForeignSocket peer) {
        final byte[] bytes = peer.read(LENGTH, ADDRESS);
        final Matcher fields = FORM.matcher(Words.text(bytes));
        if (!fields.matches()) {
            throw peer.refused("it said " + Words.shown(bytes) + " where LID, QP, PSN and GID belong",
                "it is neither ibv_rc_pingpong nor ibv_ud_pingpong");
        }
        final QpAddress theirs = new QpAddress(Words.gid(fields.group(3)), number(fields.group(1)),
            number(fields.group(2)), QKEY);
        Words.requireReachable(peer, theirs.gid(), theirs.qpn(), "-g");
        return theirs;
    }

    private static int number(final String digits) {
        return Integer.parseInt(digits, HEXADECIMAL);
    }
}
