/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.cmd.Command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Something that a script made: its name, the device's numbers for it, and its memory. */
final class Made {
    private final String name;
    private final Command command;
    private final Deque<byte[]> early = new ArrayDeque<>();
    private RawPages pages;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<Integer, byte[]> postedSges = new HashMap<>();
    private RawDirectory directory;
    private RawRing send;
    private RawRing receive;

    /**
     * Something new.
     *
     * @param name    the script's name.
     * @param command what made it; null for plain memory.
     * @param pages   its memory; null if it has none.
     */
    Made(final String name, final Command command, final RawPages pages) {
        this.name = name;
        this.command = command;
        this.pages = pages;
    }

    Made rings(final RawRing newSend, final RawRing newReceive) {
        send = newSend;
        receive = newReceive;
        return this;
    }

    /** Gives it a page directory of its own, to be closed with it. */
    long directory(final RawDirectory own) {
        directory = own;
        return own.dma();
    }

    /** Gives a completion queue other memory; the old one is given back. */
    void move(final RawPages newPages, final RawRing newReceive) {
        pages.close();
        pages = newPages;
        receive = newReceive;
    }

    /** Empties the rings. */
    void reset() {
        if (send != null) {
            send.reset();
        }
        if (receive != null) {
            receive.reset();
        }
    }

    /** Of a completion queue: what was taken from it while something else was looked for. */
    Deque<byte[]> early() {
        return early;
    }

    String name() {
        return name;
    }

    Command command() {
        return command;
    }

    RawPages pages() {
        return pages;
    }

    /** The ring of sends. */
    RawRing send() {
        return require(send, "sends");
    }

    /** The ring of receives, or the only ring. */
    RawRing receive() {
        return require(receive, "receives");
    }

    private RawRing require(final RawRing ring, final String what) {
        if (ring == null) {
            throw new IllegalArgumentException(name + " has no ring for " + what);
        }
        return ring;
    }

    /** The device's numbers: {@code handle}, {@code qpn}, {@code lkey}, {@code rkey}. */
    Map<String, Long> numbers() {
        return numbers;
    }

    int handle() {
        return numbers.getOrDefault("handle", 0L).intValue();
    }

    /** The SGEs of posted work requests as they were written, by slot of the send ring. */
    Map<Integer, byte[]> postedSges() {
        return postedSges;
    }

    /** Frees its memory; the device must have given it up. */
    void free() {
        if (pages != null) {
            pages.close();
        }
        if (directory != null) {
            directory.close();
        }
    }
}
