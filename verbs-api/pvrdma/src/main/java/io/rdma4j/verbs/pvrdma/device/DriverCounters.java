/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.live.LivePublisher;

import java.util.LinkedHashMap;
import java.util.Map;

import org.agrona.concurrent.status.AtomicCounter;

/** Counts what the control path sees, where others can see it. Thread-safe. */
final class DriverCounters {
    final AtomicCounter commands;
    final AtomicCounter commandsRefused;
    final AtomicCounter responsesLost;
    final AtomicCounter wrongKeys;
    final AtomicCounter wrongAcks;
    final AtomicCounter asyncEvents;
    final AtomicCounter completionNotices;
    final AtomicCounter corruptRings;
    final AtomicCounter overrunRings;
    final AtomicCounter overrunEvents;
    final AtomicCounter listenerFailures;
    final AtomicCounter silentVector;
    final AtomicCounter leftoversFound;
    final AtomicCounter leftoversDestroyed;
    final AtomicCounter leftoversRefused;
    final AtomicCounter leftoversGuessed;
    final AtomicCounter functionResets;
    final AtomicCounter functionResetsRefused;
    final AtomicCounter journalTroubles;

    private final LivePublisher live;
    private final Map<String, AtomicCounter> all = new LinkedHashMap<>();

    DriverCounters(final LivePublisher live) {
        this.live = live;
        commands = counter(live, "commands");
        commandsRefused = counter(live, "commands refused");
        responsesLost = counter(live, "responses lost");
        wrongKeys = counter(live, "responses with a wrong key");
        wrongAcks = counter(live, "responses with a wrong ack");
        asyncEvents = counter(live, "asynchronous events");
        completionNotices = counter(live, "completion notices");
        corruptRings = counter(live, "corrupt event rings");
        overrunRings = counter(live, "overruns of the notification ring");
        overrunEvents = counter(live, "overruns of the asynchronous event ring");
        listenerFailures = counter(live, "listener failures");
        silentVector = counter(live, "responses without an interrupt");
        leftoversFound = counter(live, "leftovers found");
        leftoversDestroyed = counter(live, "leftovers destroyed");
        leftoversRefused = counter(live, "leftovers refused");
        leftoversGuessed = counter(live, "leftovers of unknown handle");
        functionResets = counter(live, "function resets");
        functionResetsRefused = counter(live, "function resets refused");
        journalTroubles = counter(live, "journal troubles");
    }

    private AtomicCounter counter(final LivePublisher live, final String label) {
        final AtomicCounter counter = live.counter(label);
        all.put(label, counter);
        return counter;
    }

    /** Something that nobody is thrown, or that others should know of too. */
    void error(final Throwable error) {
        live.error(error);
    }

    Map<String, Long> snapshot() {
        final Map<String, Long> values = new LinkedHashMap<>();
        all.forEach((label, counter) -> values.put(label, counter.get()));
        return values;
    }
}
