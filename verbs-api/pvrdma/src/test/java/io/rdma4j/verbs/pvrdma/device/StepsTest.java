/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Cleanup;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class StepsTest {
    private final List<String> log = new ArrayList<>();

    private Runnable does(final String what) {
        return () -> log.add(what);
    }

    private Runnable fails(final String what) {
        return () -> {
            log.add(what);
            throw new IllegalStateException(what);
        };
    }

    @Test
    void undoesInReverseAndOnce() {
        final Steps steps = new Steps().add("a", does("a"), does("-a")).add("b", does("b")).add("c", does("c"),
            does("-c"));

        steps.run();
        assertThat(steps.undo().hasFailed()).isFalse();
        assertThat(steps.undo().hasFailed()).isFalse();

        assertThat(log).containsExactly("a", "b", "c", "-c", "-a");
        assertThat(steps.names()).containsExactly("a", "b", "c");
    }

    @Test
    void aFailingStepIsNotUndoneItself() {
        final Steps steps = new Steps().add("a", does("a"), does("-a")).add("b", fails("b"), does("-b"))
            .add("c", does("c"), does("-c"));

        assertThatThrownBy(steps::run).hasMessage("b");

        assertThat(log).containsExactly("a", "b", "-a");
    }

    @Test
    void aFailingUndoDoesNotStopTheOthers() {
        final Steps steps = new Steps().add("a", does("a"), fails("-a")).add("b", does("b"), does("-b"))
            .add("c", does("c"), fails("-c"));
        steps.run();

        final Cleanup cleanup = steps.undo();

        assertThatThrownBy(cleanup::throwIfFailed).hasMessage("-c")
            .satisfies(first -> assertThat(first.getSuppressed()).singleElement()
                .satisfies(e -> assertThat(e).hasMessage("-a")));
        assertThat(log).endsWith("-c", "-b", "-a");
    }

    /** Such as for memory that is not there. */
    @Test
    void anErrorIsAFailureToo() {
        final Runnable error = () -> {
            throw new OutOfMemoryError("too much");
        };
        final Steps steps = new Steps().add("a", does("a"), does("-a")).add("b", does("b"), error).add("c", error);

        assertThatThrownBy(steps::run).isInstanceOf(OutOfMemoryError.class)
            .satisfies(e -> assertThat(e.getSuppressed()).singleElement().isInstanceOf(OutOfMemoryError.class));

        assertThat(log).containsExactly("a", "b", "-a");
    }

    @Test
    void aFailingUndoIsAddedToWhatFailedFirst() {
        final Steps steps = new Steps().add("a", does("a"), fails("-a")).add("b", fails("b"));

        assertThatThrownBy(steps::run).hasMessage("b")
            .satisfies(e -> assertThat(e.getSuppressed()).singleElement()
                .satisfies(second -> assertThat(second).hasMessage("-a")));
    }
}
