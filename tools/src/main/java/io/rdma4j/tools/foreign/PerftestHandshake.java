/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Mtu;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * The exchange of perftest over TCP, for one QP. At each step the client writes and the server answers:
 *
 * <ol>
 *   <li>the version, 16 bytes of text; page size and cache line, 4 bytes each, big endian; the path MTU, a digit and
 *       NUL, of which the smaller one holds;
 *   <li>{@link PerftestKeys} twice, the same; both connect their QPs and post receives; the keys again, so that each
 *       knows the other to be ready, and, but for bandwidth tests of one-sided operations, once more. Then data moves,
 *       and nothing is said;
 *   <li>after a bandwidth test of one-sided operations the keys and a {@link PerftestReport};
 *   <li>the keys and {@code done}, but not after write_lat.
 * </ol>
 *
 * <p>Sizes and counts are not told before: both were started with the same.
 */
public final class PerftestHandshake {
    /** Whose exchange it is. */
    static final String VERSION = "6.06";
    /** Both sides of the tools that were looked at know each other from this one on. */
    private static final double OLDEST = 5.70;
    private static final int VERSION_LENGTH = 16;
    private static final Pattern VERSION_FORM = Pattern.compile("(\\d{1,4}\\.\\d{1,4})[ -~]*\0+");
    private static final int PAGE = 4096;
    private static final int CACHE_LINE = 64;
    private static final int LARGEST_PAGE = 1 << 30;
    private static final int MTU_LENGTH = 2;

    private final ForeignSocket peer;
    private final boolean server;
    private PerftestKeys theirs;

    /**
     * Takes a part.
     *
     * @param peer   the other side.
     * @param server whether this is the side that listened.
     */
    public PerftestHandshake(final ForeignSocket peer, final boolean server) {
        this.peer = peer;
        this.server = server;
    }

    /**
     * Finds that both understand each other.
     *
     * @param own path MTU that this side can.
     * @return the one for both.
     * @throws RdmaException if the other side says something else, nothing, or ends.
     */
    public Mtu agree(final Mtu own) {
        agreeOnVersion();
        exchangeSize(PAGE, "its page size");
        exchangeSize(CACHE_LINE, "its size of a cache line");
        final String what = "its path MTU";
        final byte[] digit = Words.terminated(Integer.toString(own.code()));
        tellFirst(digit, what);
        final byte[] came = peer.read(MTU_LENGTH, what);
        final int code = came[0] - '0';
        if (came[1] != 0 || code < Mtu.MTU_256.code() || code > Mtu.MTU_4096.code()) {
            throw strange(came, what);
        }
        answer(digit, what);
        final Mtu other = Mtu.of(code);
        return other.compareTo(own) < 0 ? other : own;
    }

    /** A server says what the client said: of what changed after 5.70 nothing is used here. */
    private void agreeOnVersion() {
        final String what = "its version";
        tellFirst(Arrays.copyOf(Words.terminated(VERSION), VERSION_LENGTH), what);
        final byte[] came = peer.read(VERSION_LENGTH, what);
        final var form = VERSION_FORM.matcher(Words.text(came));
        if (!form.matches()) {
            throw strange(came, what);
        }
        if (Double.parseDouble(form.group(1)) < OLDEST) {
            throw peer.refused("it is perftest " + form.group(1) + ", which says other things than later ones",
                "take a version from " + OLDEST + " on");
        }
        answer(came, what);
    }

    private void exchangeSize(final int own, final String what) {
        tellFirst(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), what);
        final byte[] came = peer.read(Integer.BYTES, what);
        final int size = ByteBuffer.wrap(came).getInt();
        if (size < 1 || size > LARGEST_PAGE || Integer.bitCount(size) != 1) {
            throw peer.refused(what + " is " + size + ", which is no power of two up to 2^30", "it is no perftest");
        }
        answer(came, what);
    }

    /**
     * Tells the keys, and hears the other side's.
     *
     * @param own what this side lends.
     * @return the other side's; all alike from one time to the next.
     * @throws RdmaException if the other side says something else, nothing, or ends.
     */
    public PerftestKeys exchange(final PerftestKeys own) {
        final String what = "its keys";
        tellFirst(own.toBytes(), what);
        final PerftestKeys came = PerftestKeys.read(peer);
        if (theirs != null && !theirs.equals(came)) {
            throw peer.refused("it told " + came + " after " + theirs, "start it with one QP");
        }
        theirs = came;
        answer(own.toBytes(), what);
        return came;
    }

    /**
     * Tells what came of a bandwidth test, and hears what the other side has to say of it.
     *
     * @param own what this side knows.
     * @return what the other side says; the client's is the one that was measured.
     * @throws RdmaException if the other side says nothing, or ends.
     */
    public PerftestReport report(final PerftestReport own) {
        final long[] words = own.words();
        final long[] came = new long[PerftestReport.FIELDS];
        for (int i = 0; i < came.length; i++) {
            tellFirst(PerftestReport.toBytes(words[i]), "its report");
            came[i] = ByteBuffer.wrap(peer.read(Long.BYTES, "its report")).getLong();
            answer(PerftestReport.toBytes(words[i]), "its report");
        }
        return PerftestReport.of(came);
    }

    /**
     * Tells that this is all, and hears the same: after that the other side's QP may be gone.
     *
     * @param own what this side lends.
     * @throws RdmaException if the other side says something else, nothing, or ends before it was done.
     */
    public void finish(final PerftestKeys own) {
        exchange(own);
        try {
            peer.write(PingpongHandshake.DONE, "the last word");
            // It fails if it cannot say so, too, because this side has closed.
            peer.read(PingpongHandshake.DONE.length, "its last word");
        } catch (final RdmaException ignored) {
            // It has said all that matters with its keys, and is gone.
        }
    }

    private void tellFirst(final byte[] message, final String what) {
        if (!server) {
            peer.write(message, what);
        }
    }

    private void answer(final byte[] message, final String what) {
        if (server) {
            peer.write(message, what);
        }
    }

    private RdmaException strange(final byte[] came, final String what) {
        return peer.refused("it said " + Words.shown(came) + " where " + what + " belongs", "it is no perftest");
    }
}
