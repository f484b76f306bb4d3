/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import io.rdma4j.testing.Campaign;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each system call fails once, at each place in each scenario, in each way in which it can: the scenario goes well all
 * the same, or ends with an exception that says why; nothing is left, and the next try goes well.
 */
@Timeout(180)
@Tag("slow")
class FaultsTest {
    static final List<String> FOLDERS =
        List.of("rdma4j.state.dir", "rdma4j.av.dir", "rdma4j.name.dir", "rdma4j.shm.dir");
    private static final Map<String, String> BEFORE = new LinkedHashMap<>();
    /** No scenario has a number of cases that this divides. */
    private static final long STEP = 7919;

    @TempDir
    static Path folders;

    @BeforeAll
    static void ownFolders() {
        use(folders);
    }

    /** Has this process leave its files there, until {@link #asBefore}. */
    static void use(final Path own) {
        FOLDERS.forEach(each -> {
            BEFORE.put(each, System.getProperty(each));
            System.setProperty(each, own.resolve(each).toString());
        });
    }

    @AfterAll
    static void asBefore() {
        BEFORE.forEach((name, value) -> {
            if (value == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        });
    }

    /** The scenarios in turn; of each one the cases in an order that is scattered, none twice before all were run. */
    @Campaign(value = "faults", usual = 63)
    void anErrorIsSaidAndNothingIsLeft(final long seed) {
        final List<Case> cases = Case.of(Scenario.of(seed));
        Run.of(cases.get((int) Long.remainderUnsigned(Scenario.earlier(seed) * STEP, cases.size())), folders);
    }
}
