/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What closes things: undo, cleanup, children. */
class LifetimeTest {
    private final List<String> log = new ArrayList<>();

    private final class Thing extends PvrdmaObject {
        private final String name;
        private final boolean fails;

        Thing(final String name, final boolean fails) {
            super(null);
            this.name = name;
            this.fails = fails;
        }

        @Override
        void destroy() {
            log.add(name);
            if (fails) {
                throw new IllegalStateException(name);
            }
        }
    }

    @Test
    void undoesInReverseOrder() {
        try (Undo undo = new Undo()) {
            undo.add(() -> log.add("first"));
            undo.add(() -> log.add("second"));
        }
        assertThat(log).containsExactly("second", "first");
    }

    @Test
    void keepsWhatALaterStepCouldNotTakeBack() {
        final Undo undo = new Undo();
        undo.add(() -> log.add("reservation"));
        undo.addIfGood(() -> log.add("memory"));
        undo.add(() -> {
            throw new IllegalStateException("destroy");
        });
        assertThatThrownBy(undo::close).hasMessage("destroy");
        assertThat(log).containsExactly("reservation");
        try (Undo good = new Undo()) {
            good.addIfGood(() -> log.add("memory"));
            good.add(() -> log.add("object"));
        }
        assertThat(log).containsExactly("reservation", "object", "memory");
    }

    @Test
    void undoesNothingAfterSuccess() {
        try (Undo undo = new Undo()) {
            undo.add(() -> log.add("first"));
            undo.forget();
        }
        assertThat(log).isEmpty();
    }

    @Test
    void runsEveryStepAndTellsTheFirstFailure() {
        final Cleanup cleanup = new Cleanup()
            .run(() -> log.add("one"))
            .run(() -> {
                throw new IllegalStateException("two");
            })
            .run(() -> {
                throw new IllegalArgumentException("three");
            })
            .run(() -> log.add("four"));

        assertThatThrownBy(cleanup::throwIfFailed).hasMessage("two")
            .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("three"));
        assertThat(log).containsExactly("one", "four");
    }

    @Test
    void closesChildrenYoungestFirstAlsoIfOneFails() {
        final Children<Thing> children = new Children<>();
        children.add("make", null, new Thing("a", false));
        children.add("make", null, new Thing("b", true));
        children.add("make", null, new Thing("c", false));
        final Cleanup cleanup = new Cleanup();
        children.closeAll(cleanup);

        assertThat(log).containsExactly("c", "b", "a");
        assertThatThrownBy(cleanup::throwIfFailed).hasMessage("b");
    }

    @Test
    void closesOnceAlsoIfThatFailed() {
        final Thing thing = new Thing("a", true);
        assertThatThrownBy(thing::close).hasMessage("a");
        thing.close();
        assertThat(log).containsExactly("a");
        assertThat(thing.isClosed()).isTrue();
    }

    @Test
    void makesTheSecondCloserWaitForTheFirst() throws InterruptedException {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final PvrdmaObject slow = new PvrdmaObject(null) {
            @Override
            void destroy() {
                inside.countDown();
                try {
                    goOn.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                log.add("destroyed");
            }
        };
        final Thread first = new Thread(slow::close);
        final Thread second = new Thread(() -> {
            slow.close();
            log.add("second returned");
        });
        first.start();
        inside.await();
        assertThat(slow.isClosed()).isTrue();
        second.start();
        goOn.countDown();
        Patience.join(first);
        Patience.join(second);

        assertThat(log).containsExactly("destroyed", "second returned");
    }
}
