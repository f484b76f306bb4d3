/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.TestExecutionListener;

class TestWorkerTest {
    private static final String SAMPLE = SampleTest.class.getName();

    @TempDir
    private Path folder;
    private List<TestExecutionListener> guards = List.of();
    private Path results;
    private Path claims;

    @BeforeEach
    void makesFolders() throws IOException {
        results = folder.resolve("results.tsv");
        claims = Files.createDirectory(folder.resolve("claims"));
    }

    private List<String> run(final String tags, final String... wanted) throws IOException, URISyntaxException {
        return run(1, tags, wanted);
    }

    private List<String> run(final int rounds, final String tags, final String... wanted)
        throws IOException, URISyntaxException {
        final List<String> arguments = new ArrayList<>(List.of(
            Path.of(SampleTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString(),
            results.toString(), claims.toString(), tags));
        arguments.addAll(List.of(wanted));
        TestWorker.work(rounds, guards, arguments.toArray(new String[0]));
        // Without figures of times.
        return Files.readAllLines(results).stream().map(line -> line.split("\t", -1))
            .filter(field -> !field[0].equals("ROUND"))
            .map(field -> String.join("|", field[0], field[1], field[2], field[3],
                field[0].equals("TIME") ? field[5].replaceFirst("^\\d+$", "PROCESSORS") : field[5])).toList();
    }

    @Test
    void writesALineForEachOutcome() throws IOException, URISyntaxException {
        assertThat(run("sample")).contains(
            "PASS|" + SAMPLE + "|passes|passes()|",
            "FAIL|" + SAMPLE + "|fails|fails()|one two",
            "SKIP|" + SAMPLE + "|isSkipped|isSkipped()|not today",
            "PASS|" + SAMPLE + "|cases|area.case|",
            "FAIL|" + SAMPLE + "|-|Broken|no device",
            "TIME|" + SAMPLE + "|-|SampleTest|PROCESSORS");
        assertThat(results).content().contains("|passesToo".replace('|', '\t')).doesNotContain("isNeverRun");
    }

    @Test
    void keepsBothEndsOfALongMessage() throws IOException, URISyntaxException {
        assertThat(run("sample", "SampleTest#failsAtLength")).filteredOn(line -> line.startsWith("FAIL"))
            .singleElement().asString().contains("|begun x").endsWith("x aborted").hasSizeLessThan(1_000);
    }

    @Test
    void aClassBelongsToTheFirstWorker() throws IOException, URISyntaxException {
        Files.createFile(claims.resolve(SAMPLE));
        assertThat(run("sample")).isEmpty();
    }

    @Test
    void eachRoundHasClaimsOfItsOwn() throws IOException, URISyntaxException {
        Files.createFile(claims.resolve(SAMPLE + "@2"));
        assertThat(run(3, "sample")).filteredOn(line -> line.endsWith("|passes|passes()|")).hasSize(2);
        assertThat(results).content().containsPattern("(?s)ROUND\t1\t\\d+\n.*ROUND\t2\t\\d+\n.*ROUND\t3\t\\d+\n");
    }

    /** Where tests have no timeouts of their own. */
    @Test
    void aTestThatDoesNotEndIsFound() throws IOException, URISyntaxException {
        final BlockingQueue<String> found = new ArrayBlockingQueue<>(1);
        // A first run loads classes, which takes its time on a busy machine.
        run("sample", "SampleTest#passes");
        try (HangGuard guard = new HangGuard(TimeUnit.SECONDS.toNanos(1), said -> {
            found.add(said);
            SampleTest.ends.countDown();
        })) {
            SampleTest.ends = new CountDownLatch(1);
            guards = List.of(guard);
            run("sample", "SampleTest#waits");
        }
        assertThat(found).singleElement().asString().contains("SampleTest", "waits", " has not ended for ",
            "SampleTest.waits(SampleTest.java");
    }

    @Test
    void runsOnlyWhatIsWanted() throws IOException, URISyntaxException {
        assertThat(run("", "SampleTest#passes")).filteredOn(line -> !line.startsWith("TIME"))
            .containsExactly("PASS|" + SAMPLE + "|passes|passes()|");
        assertThat(run("", "NoSuchTest")).hasSize(2);
    }

    @Test
    void leavesOutTags() throws IOException, URISyntaxException {
        // The others of this module are other tests' subject, and this one would run itself.
        for (final Class<?> other : List.of(TestWorkerTest.class, CampaignTest.class, StepsTest.class,
            HangGuardTest.class, EndedTest.class)) {
            Files.createFile(claims.resolve(other.getName()));
        }
        assertThat(run("!sample")).isEmpty();
    }
}
