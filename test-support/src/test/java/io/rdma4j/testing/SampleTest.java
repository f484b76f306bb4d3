/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What {@link TestWorkerTest} lets a worker run: one test of each outcome. */
@Tag("sample")
class SampleTest {
    /** What {@link #waits} waits for. */
    static volatile CountDownLatch ends = new CountDownLatch(0);

    @Test
    void passes() {
        // Nothing is wrong.
    }

    @Test
    void fails() {
        fail("one\n\ttwo");
    }

    @Test
    void failsAtLength() {
        fail("begun " + "x".repeat(5_000) + " aborted");
    }

    @Test
    void waits() throws InterruptedException {
        ends.await();
    }

    @Test
    void isSkipped() {
        abort("not today");
    }

    @TestFactory
    Stream<DynamicTest> cases() {
        return Stream.of(DynamicTest.dynamicTest("area.case", () -> { }));
    }

    /** Belongs to the class around it. */
    @Nested
    @Tag("sample")
    class Inside {
        @Test
        void passesToo() {
            // Nothing is wrong.
        }
    }

    /** Fails as a whole. */
    @Nested
    @Tag("sample")
    class Broken {
        @BeforeAll
        static void breaksEverything() {
            throw new IllegalStateException("no device");
        }

        @Test
        void isNeverRun() {
            // It would pass.
        }
    }
}
