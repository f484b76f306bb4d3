/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        assertThat(steps.undo()).isNull();
        assertThat(steps.undo()).isNull();

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

        final RuntimeException first = steps.undo();

        assertThat(first).hasMessage("-c");
        assertThat(first.getSuppressed()).singleElement().satisfies(e -> assertThat(e).hasMessage("-a"));
        assertThat(log).endsWith("-c", "-b", "-a");
    }

    @Test
    void aFailingUndoIsAddedToWhatFailedFirst() {
        final Steps steps = new Steps().add("a", does("a"), fails("-a")).add("b", fails("b"));

        assertThatThrownBy(steps::run).hasMessage("b")
            .satisfies(e -> assertThat(e.getSuppressed()).singleElement()
                .satisfies(second -> assertThat(second).hasMessage("-a")));
    }
}
