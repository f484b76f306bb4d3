/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed at one of its system calls, and the next one runs the same scenario with devices, vector and
 * names that are called the same: it goes well, and afterwards nothing of either is in the folders.
 */
@Tag("thorough")
@Timeout(180)
class KillsTest {
    /** Calls that cannot fail, and those that only the first run in a process makes. */
    private static final int MORE = 12;
    /** Drafts that young may be of a living process in another container. */
    private static final Duration OLD = Duration.ofMinutes(2);

    @TempDir
    static Path folders;

    @BeforeAll
    static void ownFolders() {
        FaultsTest.use(folders);
    }

    @AfterAll
    static void asBefore() {
        FaultsTest.asBefore();
    }

    /** The scenarios in turn; calls of the own thread three times of four. */
    @Campaign(value = "faults", usual = 2)
    void theNextProcessCleansUp(final long seed) throws IOException {
        final Scenario scenario = Scenario.of(seed);
        final SplittableRandom random = new SplittableRandom(seed);
        final boolean others = random.nextInt(4) == 0;
        final int number = 1 + random.nextInt(Case.calls(scenario, others) + MORE);
        final String name = "killed" + Long.toUnsignedString(seed);
        final boolean killed = Victim.isKilled(scenario, name, others, number, folders);
        final List<Path> left = files();
        for (final Path file : left) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(OLD)));
        }
        Run.inThreadOfItsOwn(() -> scenario.run(name));
        final List<Path> still = files();
        for (final Path file : still) {
            Files.delete(file); // The next case is another one.
        }
        assertThat(still).as("%s, %s at call %d%s: what it left was %s", scenario,
            killed ? "killed" : "not killed", number, others ? " of other threads" : "", left).isEmpty();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(folders)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}
