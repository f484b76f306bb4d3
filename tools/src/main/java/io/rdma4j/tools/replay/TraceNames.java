/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.cmd.Command;

import org.agrona.DirectBuffer;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Names for what a traced process made, found by the numbers that its device gave. */
final class TraceNames {
    private record Numbered(Command maker, String which, long value) {
    }

    private final Map<Numbered, Made> made = new HashMap<>();
    private final Map<Command, Integer> counts = new HashMap<>();
    private final Symbols symbols = new Symbols(Map.of());
    private final Answers answers;

    TraceNames(final int version) {
        answers = new Answers(symbols, version);
    }

    /** What the device answered, by these names. */
    Answers answers() {
        return answers;
    }

    /** Something was made. */
    Made add(final Command maker, final DirectBuffer response) {
        final int count = counts.merge(maker, 1, Integer::sum) - 1;
        final Made created = new Made(
            maker.name().substring("CREATE_".length()).toLowerCase(Locale.ROOT) + count, maker, null);
        answers.learn(created, response);
        created.numbers().forEach((which, value) -> made.put(new Numbered(maker, which, value), created));
        symbols.add(created);
        return created;
    }

    /** It was destroyed. What names it later names it in vain, and is to do so on other devices too. */
    void remove(final Made destroyed) {
        symbols.remove(destroyed);
    }

    boolean isLive(final Made which) {
        return symbols.isLive(which);
    }

    /** What has, or had last, a number; null if nothing did. */
    Made find(final Command maker, final String which, final long value) {
        return made.get(new Numbered(maker, which, value));
    }

    /** The name of a handle. */
    String handle(final Command maker, final long value) throws NotSymbolicException {
        final Made found = find(maker, "handle", value);
        if (found == null) {
            throw new NotSymbolicException("names something that was not made in the trace");
        }
        return found.name();
    }

    /** The name of a key for remote access. */
    String rkey(final long value) throws NotSymbolicException {
        final Made region = find(Command.CREATE_MR, "rkey", value);
        final Made found = region == null ? find(Command.CREATE_MW, "rkey", value) : region;
        if (found == null) {
            throw new NotSymbolicException("names memory of another device, or by a key that a request made");
        }
        return found.name() + ".rkey";
    }

    /** The name of the region of a key for local access. */
    String region(final long value) throws NotSymbolicException {
        final Made found = find(Command.CREATE_MR, "lkey", value);
        if (found == null) {
            throw new NotSymbolicException("names memory by a key that a request made");
        }
        return found.name();
    }
}
