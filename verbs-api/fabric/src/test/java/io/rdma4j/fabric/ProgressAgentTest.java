/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.testing.Patience;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Progress by an agent. */
@Timeout(60)
class ProgressAgentTest {
    private final ProgressAgent agent = new ProgressAgent("progress");
    private final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    private final AgentRunner runner =
        new AgentRunner(new SleepingMillisIdleStrategy(1), errors::add, null, agent);
    private final FabricEventQueue events =
        FabricEventQueue.open(null, new EqAttributes().writable(true), any -> { });

    /** What a completion queue answers, and whether it is closed. */
    private static final class Answers {
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile int answer;

        CompletionQueue queue() {
            return (CompletionQueue) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {CompletionQueue.class}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "read" -> read((CompletionReader) arguments[0], (int) arguments[1]);
                    case "isClosed" -> closed.get();
                    case "toString" -> "stand-in";
                    default -> throw new AssertionError(method);
                });
        }

        private int read(final CompletionReader reader, final int limit) {
            reads.incrementAndGet();
            final int taken = Math.min(answer, limit);
            for (int i = 0; i < taken; i++) {
                reader.onCompletion(null);
            }
            return taken;
        }
    }

    @AfterEach
    void close() {
        runner.close();
    }

    private void start() {
        AgentRunner.startOnThread(runner);
    }

    @Test
    void aRunnerReadsEventsAndCompletions() {
        final AtomicInteger told = new AtomicInteger();
        final AtomicInteger completed = new AtomicInteger();
        final Answers answers = new Answers();
        answers.answer = 1;
        agent.add(events, entry -> told.addAndGet((int) entry.data()))
            .add(answers.queue(), entry -> completed.incrementAndGet());
        start();
        events.write(FabricEvent.NOTIFY, null, null, 3);
        events.write(FabricEvent.NOTIFY, null, null, 4);
        until("all was told, " + errors, () -> told.get() == 7 && completed.get() > 10);
        assertThat(errors).isEmpty();
        assertThat(runner.agent().roleName()).isEqualTo("progress");
        assertThat(agent.toString()).contains("progress", "2 queues");
    }

    @Test
    void aTurnTellsHowMuchThereWas() {
        final Answers answers = new Answers();
        answers.answer = 100;
        agent.add(answers.queue(), entry -> { }).add(events, entry -> { });
        events.write(FabricEvent.NOTIFY, null, null, 0);
        assertThat(agent.doWork()).as("at most 64 of each").isEqualTo(65);
        answers.answer = 0;
        assertThat(agent.doWork()).isZero();
        assertThat(new ProgressAgent("few", 2).add(events, entry -> { }).doWork()).isZero();
    }

    /** By the reader of another one, in the middle of a turn: whoever asked may have given it to another thread. */
    @Test
    void whatAReaderRemovedIsNotReadInTheSameTurn() {
        final Answers first = new Answers();
        final Answers second = new Answers();
        final CompletionQueue removed = second.queue();
        first.answer = 1;
        second.answer = 1;
        agent.add(first.queue(), entry -> agent.remove(removed)).add(removed, entry -> { });
        assertThat(agent.doWork()).isEqualTo(1);
        assertThat(second.reads).hasValue(0);
    }

    @Test
    void whatWasRemovedIsNotReadAnyMore() throws Exception {
        final Answers answers = new Answers();
        final CompletionQueue queue = answers.queue();
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        agent.add(queue, entry -> { }).add(events, entry -> {
            inside.countDown();
            await(go);
        });
        start();
        events.write(FabricEvent.NOTIFY, null, null, 0);
        await(inside);
        final FutureTask<Boolean> removes = new FutureTask<>(() -> agent.remove(queue));
        new Thread(removes, "removes").start();
        until("it was taken out", () -> agent.size() == 1);
        Thread.sleep(20);
        assertThat(removes.isDone()).as("the agent may be reading it still").isFalse();
        go.countDown();
        assertThat(Patience.get(removes)).isTrue();
        final int reads = answers.reads.get();
        events.write(FabricEvent.NOTIFY, null, null, 0);
        until("another turn was made", () -> events.size() == 0);
        assertThat(answers.reads).hasValue(reads);
        assertThat(agent.remove(queue)).isFalse();
        assertThat(errors).isEmpty();
    }

    private static void await(final CountDownLatch latch) {
        try {
            Patience.await(latch, "the other thread");
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aReaderMayRemoveItsQueue() {
        agent.add(events, entry -> {
            assertThat(agent.remove(events)).isTrue();
            events.close();
        });
        events.write(FabricEvent.NOTIFY, null, null, 0);
        start();
        until("it was closed", events::isClosed);
        assertThat(agent.size()).isZero();
        assertThat(errors).isEmpty();
    }

    @Test
    void closedQueuesAreForgotten() {
        final Answers closed = new Answers();
        final Answers late = new Answers();
        closed.closed.set(true);
        late.answer = -FiErrno.FI_EBADFD;
        agent.add(closed.queue(), entry -> { }).add(late.queue(), entry -> { }).add(events, entry -> { });
        events.close();
        assertThat(agent.doWork()).isZero();
        assertThat(agent.size()).isZero();
        assertThat(closed.reads).hasValue(0);
    }

    @Test
    void aQueueThatFailedIsGivenUpAndToldOnce() {
        final Answers failed = new Answers();
        failed.answer = -FiErrno.FI_EIO;
        agent.add(failed.queue(), entry -> { }).add(events, entry -> { });
        start();
        events.write(FabricEvent.NOTIFY, null, null, 0);
        until("others are read", () -> events.size() == 0);
        until("it was told", () -> !errors.isEmpty());
        assertThat(errors).hasSize(1);
        assertThat(errors.get(0)).isInstanceOf(FabricException.class).hasMessageContaining("stand-in");
        assertThat(((FabricException) errors.get(0)).errno()).isEqualTo(FiErrno.FI_EIO);
        assertThat(failed.reads).hasValue(1);
    }

    @Test
    void whatAReaderThrowsIsToldAndItsQueueIsReadOn() {
        final AtomicInteger told = new AtomicInteger();
        agent.add(events, entry -> {
            if (told.incrementAndGet() == 1) {
                throw new IllegalStateException("reader");
            }
        });
        start();
        events.write(FabricEvent.NOTIFY, null, null, 0);
        events.write(FabricEvent.NOTIFY, null, null, 0);
        until("both were told", () -> told.get() == 2);
        assertThat(errors).hasSize(1);
        assertThat(errors.get(0)).hasMessage("reader");
    }

    @Test
    void argumentsAreChecked() {
        final Answers answers = new Answers();
        final CompletionQueue queue = answers.queue();
        assertRefused(FiErrno.FI_EINVAL, () -> new ProgressAgent(null));
        assertRefused(FiErrno.FI_EINVAL, () -> new ProgressAgent("none", 0));
        assertRefused(FiErrno.FI_EINVAL, () -> agent.add((CompletionQueue) null, entry -> { }));
        assertRefused(FiErrno.FI_EINVAL, () -> agent.add(queue, null));
        assertRefused(FiErrno.FI_EINVAL, () -> agent.add((EventQueue) null, entry -> { }));
        assertRefused(FiErrno.FI_EINVAL, () -> agent.add(events, null));
        agent.add(queue, entry -> { });
        assertRefused(FiErrno.FI_EALREADY, () -> agent.add(queue, entry -> { }));
        assertThat(agent.remove(null)).isFalse();
        assertThatThrownBy(() -> agent.add(queue, entry -> { })).hasMessageContaining("stand-in");
    }
}
