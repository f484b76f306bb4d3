/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.rdma4j.RdmaException;
import io.rdma4j.conformance.ConformanceResult.Outcome;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

class ConformanceRunnerTest {
    private ConformanceEnv env;
    private ConformanceRunner runner;

    @BeforeEach
    void opens() {
        env = new ConformanceEnv("emulated:runner?quirks=qemu-7.2", null, Effort.QUICK, 1);
        runner = new ConformanceRunner(env);
    }

    @AfterEach
    void closes() {
        env.close();
    }

    private ConformanceResult run(final ConformanceCase.Body body) {
        return runner.run(ConformanceCase.of("some.case", body));
    }

    @Test
    void passesACaseThatReturns() {
        final ConformanceResult result = run(e -> { });
        assertThat(result.outcome()).isEqualTo(Outcome.PASS);
        assertThat(result.line()).isEqualTo("RESULT some.case PASS");
    }

    @Test
    void failsACaseThatThrowsWithTheStateOfTheDevice() {
        final ConformanceResult result = run(e -> {
            throw new AssertionError("first\nsecond");
        });
        assertThat(result.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(result.line()).isEqualTo("RESULT some.case FAIL first | second");
        assertThat(result.detail()).contains("ConformanceRunnerTest").contains(env.device().dump().lines().findFirst()
            .orElseThrow());
    }

    @Test
    void skipsWithTheDevicesReason() {
        final ConformanceResult result =
            runner.run(ConformanceCase.of("some.case", e -> { }).needs(Feature.SEND_WITH_IMM));
        assertThat(result.outcome()).isEqualTo(Outcome.SKIP);
        assertThat(result.message()).contains(env.device().whyNot(Feature.SEND_WITH_IMM));
        assertThat(run(e -> {
            throw e.skip("no %s here", "thing");
        }).line()).isEqualTo("RESULT some.case SKIP no thing here");
    }

    @Test
    void failsACaseThatDoesNotEndAndRunsNoneAfterIt() {
        final CountDownLatch never = new CountDownLatch(1);
        final Duration[] within = new Duration[1];
        // Its thread may have had no processor until the time was over.
        final ConformanceResult result = Patience.cutOff(time -> {
            within[0] = time;
            runner = new ConformanceRunner(env);
            return runner.run(ConformanceCase.of("some.case", e -> never.await()).within(time));
        }, seen -> seen.detail().contains("CountDownLatch.await"));
        assertThat(result.message()).contains(env.patience(within[0]).toMillis() + " ms");
        assertThat(result.detail()).contains("CountDownLatch.await");
        final ConformanceResult next = run(e -> { });
        assertThat(next.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(next.message()).contains("not run").contains("some.case");
    }

    /** Neither the dump nor the end of the device can be had while somebody has the queue. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCaseThatHoldsWhatTheDumpNeedsEndsTheRun(final boolean hangs) throws InterruptedException {
        final ConformanceEnv held = new ConformanceEnv("emulated:held", null, Effort.QUICK, 1);
        final CompletionQueue cq = held.device().createCq(4);
        final CountDownLatch has = new CountDownLatch(1);
        final CountDownLatch enough = new CountDownLatch(1);
        final Thread holder = new Thread(() -> {
            synchronized (cq) {
                has.countDown();
                Patience.awaitUninterruptibly(enough, "the end of the test");
            }
        });
        holder.setDaemon(true);
        holder.start();
        try {
            Patience.await(has, "has the queue");
            final ConformanceRunner hanging = new ConformanceRunner(held, Duration.ofMillis(20));
            final ConformanceCase test = hangs
                ? ConformanceCase.of("some.case", e -> enough.await()).within(Duration.ofMillis(1))
                : ConformanceCase.of("some.case", e -> {
                    throw new AssertionError("failed");
                });
            final ConformanceResult result =
                assertTimeoutPreemptively(Patience.duration(), () -> hanging.run(test));
            assertThat(result.line()).isEqualTo("RESULT some.case FAIL " + (hangs
                ? "did not end within " + held.patience(Duration.ofMillis(1)).toMillis() + " ms" : "failed"));
            assertThat(result.detail()).contains(hangs ? "awaitUninterruptibly" : "AssertionError")
                .endsWith("(the dump does not end)");
            assertThat(hanging.run(ConformanceCase.of("other.case", e -> { })).message())
                .isEqualTo("not run: " + (hangs ? "'some.case'" : "the dump") + " did not end");
            assertTimeoutPreemptively(Patience.duration(), hanging::close);
        } finally {
            enough.countDown();
            Patience.join(holder);
            held.close();
        }
    }

    @Test
    void closesWhatTheCaseOwnedTheLastFirst() {
        final List<String> closed = new ArrayList<>();
        run(e -> {
            e.own(() -> closed.add("first"));
            e.own(() -> closed.add("second"));
        });
        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void failsACaseWhoseObjectsCannotBeClosed() {
        final ConformanceResult result = run(e -> e.own(() -> {
            throw new IllegalStateException("stuck");
        }));
        assertThat(result.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(result.message()).contains("closing").contains("stuck");
    }

    @Test
    void failsACaseThatLeaksMemory() {
        final List<AutoCloseable> leaked = new ArrayList<>();
        final ConformanceResult result = run(e -> leaked.add(e.device().allocate(8192)));
        assertThat(result.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(result.message()).contains("grows each time");
        assertThat(leaked).hasSize(12);
    }

    @Test
    void givesEachCaseTheSameRandomNumbersEveryTime() {
        final List<Integer> numbers = new ArrayList<>();
        run(e -> numbers.add(e.random().nextInt()));
        run(e -> numbers.add(e.random().nextInt()));
        assertThat(numbers.get(0)).isEqualTo(numbers.get(1));
    }

    @Test
    void aLimitIsReachedOnlyByThatManyObjects() {
        final ConformanceCase limit = ConformanceSuite.matching("limit.srq").get(0);
        try (ConformanceEnv few = new ConformanceEnv("emulated:few?max_srq=4", null, Effort.QUICK, 1)) {
            final ConformanceRunner limits = new ConformanceRunner(few);
            assertThat(limits.run(limit).line()).isEqualTo("RESULT limit.srq PASS");
            final ProtectionDomain pd = few.device().allocatePd();
            final List<SharedReceiveQueue> others = new ArrayList<>();
            assertThatThrownBy(() -> {
                for (;;) {
                    others.add(pd.createSrq(1, 1));
                }
            }).isInstanceOf(RdmaException.class);
            assertThat(limits.run(limit).line())
                .startsWith("RESULT limit.srq FAIL only 0 of max_srq 4 could be created: ");
        }
    }

    @Test
    void aRefusalMustHaveTheRightErrnoAndWords() {
        final ProtectionDomain pd = env.device().allocatePd();
        pd.close();
        assertThat(run(e -> Check.refused(22, () -> pd.createSrq(1, 1), "closed PD")).message())
            .contains("EINVAL").contains("EBADFD");
        assertThat(run(e -> Check.refused(77, () -> pd.createSrq(1, 1), "closed PD", "banana")).message())
            .contains("does not mention 'banana'");
        assertThat(run(e -> Check.refused(77, () -> { }, "nothing")).message()).contains("was not refused");
    }
}
