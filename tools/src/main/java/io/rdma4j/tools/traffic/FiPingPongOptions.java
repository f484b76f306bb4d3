/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.fabric.EndpointType;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What is played.
 *
 * @param type       kind of endpoints.
 * @param sizes      of messages, one after the other; those that do not fit are left out if there are several.
 * @param iterations round trips with each.
 * @param warmup     round trips before those, which are not measured.
 * @param checks     whether each byte is written anew and looked at.
 * @param timeout    longest wait for a message, and for the other process.
 */
public record FiPingPongOptions(EndpointType type, List<Integer> sizes, int iterations, int warmup,
    boolean checks, Duration timeout) {
    /** The same with those sizes only that a device can send. */
    FiPingPongOptions upTo(final long most) {
        return new FiPingPongOptions(type, sizes.stream().filter(size -> size <= most).toList(), iterations, warmup,
            checks, timeout);
    }

    int largest() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** What both sides have to agree on, as they would write it. */
    String game() {
        return "-e " + type.name().toLowerCase(Locale.ROOT) + " -I " + iterations + " -w " + warmup + " with "
            + sizes.size() + " sizes up to " + largest() + " bytes" + (checks ? " -c" : "");
    }
}
