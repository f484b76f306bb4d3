/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What hangs and is no test. A test that does is in {@link TestWorkerTest}. */
class HangGuardTest {
    private static volatile CountDownLatch ends = new CountDownLatch(0);

    private static void hang() throws InterruptedException {
        ends.await(Patience.nanos(), TimeUnit.NANOSECONDS);
    }

    static class HangsBeforeItsTests {
        @BeforeAll
        static void waits() throws InterruptedException {
            hang();
        }

        @Test
        void passes() {
            // Nothing is wrong.
        }
    }

    static class HangsAfterItsTests {
        @Test
        void passes() {
            // Nothing is wrong.
        }

        @AfterAll
        static void waits() throws InterruptedException {
            hang();
        }
    }

    static class HangsWhileItMakesTests {
        @TestFactory
        List<DynamicTest> waits() throws InterruptedException {
            hang();
            return List.of(DynamicTest.dynamicTest("passes", () -> { }));
        }
    }

    private static void run(final Class<?> type, final TestExecutionListener... guards) {
        LauncherFactory.create().execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(type)).build(), guards);
    }

    private static void requireFound(final Class<?> type) {
        final BlockingQueue<String> found = new LinkedBlockingQueue<>();
        // A first run loads classes, which takes its time on a busy machine.
        ends = new CountDownLatch(0);
        run(type);
        ends = new CountDownLatch(1);
        try (HangGuard guard = new HangGuard(TimeUnit.SECONDS.toNanos(1), said -> {
            found.add(said);
            ends.countDown();
        })) {
            run(type, guard);
        }
        assertThat(found).singleElement().asString().contains(type.getSimpleName() + ".waits(HangGuardTest.java");
    }

    @Test
    void findsWhatHangsBeforeTheFirstTest() {
        requireFound(HangsBeforeItsTests.class);
    }

    @Test
    void findsWhatHangsAfterTheLastTest() {
        requireFound(HangsAfterItsTests.class);
    }

    @Test
    void findsWhatHangsWhileTestsAreMade() {
        requireFound(HangsWhileItMakesTests.class);
    }
}
