/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the control path sees. Thread-safe. */
final class DriverCounters {
    final AtomicLong commands = new AtomicLong();
    final AtomicLong commandsRefused = new AtomicLong();
    final AtomicLong responsesLost = new AtomicLong();
    final AtomicLong wrongKeys = new AtomicLong();
    final AtomicLong wrongAcks = new AtomicLong();
    final AtomicLong asyncEvents = new AtomicLong();
    final AtomicLong completionNotices = new AtomicLong();
    final AtomicLong corruptRings = new AtomicLong();
    final AtomicLong overrunRings = new AtomicLong();
    final AtomicLong overrunEvents = new AtomicLong();
    final AtomicLong listenerFailures = new AtomicLong();
    final AtomicLong silentVector = new AtomicLong();
    final AtomicLong leftoversFound = new AtomicLong();
    final AtomicLong leftoversDestroyed = new AtomicLong();
    final AtomicLong leftoversRefused = new AtomicLong();
    final AtomicLong leftoversGuessed = new AtomicLong();
    final AtomicLong functionResets = new AtomicLong();
    final AtomicLong functionResetsRefused = new AtomicLong();
    final AtomicLong journalTroubles = new AtomicLong();

    Map<String, Long> snapshot() {
        final Map<String, Long> values = new LinkedHashMap<>();
        values.put("commands", commands.get());
        values.put("commands refused", commandsRefused.get());
        values.put("responses lost", responsesLost.get());
        values.put("responses with a wrong key", wrongKeys.get());
        values.put("responses with a wrong ack", wrongAcks.get());
        values.put("asynchronous events", asyncEvents.get());
        values.put("completion notices", completionNotices.get());
        values.put("corrupt event rings", corruptRings.get());
        values.put("overruns of the notification ring", overrunRings.get());
        values.put("overruns of the asynchronous event ring", overrunEvents.get());
        values.put("listener failures", listenerFailures.get());
        values.put("responses without an interrupt", silentVector.get());
        values.put("leftovers found", leftoversFound.get());
        values.put("leftovers destroyed", leftoversDestroyed.get());
        values.put("leftovers refused", leftoversRefused.get());
        values.put("leftovers of unknown handle", leftoversGuessed.get());
        values.put("function resets", functionResets.get());
        values.put("function resets refused", functionResetsRefused.get());
        values.put("journal troubles", journalTroubles.get());
        return values;
    }
}
