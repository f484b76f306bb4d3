/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.base;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All steps are run, whatever some of them do. */
class UndoTest {
    private final List<String> done = new ArrayList<>();
    private final Undo undo = new Undo();

    private void failing(final RuntimeException e) {
        undo.add(() -> {
            throw e;
        });
    }

    @Test
    void runsAllAndThrowsTheFirstWithTheOthers() {
        final RuntimeException first = new IllegalStateException("first");
        final RuntimeException second = new IllegalStateException("second");
        undo.add(() -> done.add("last"));
        failing(second);
        failing(first);
        assertThatThrownBy(undo::close).isSameAs(first).hasSuppressedException(second);
        assertThat(done).containsExactly("last");
    }

    @Test
    void anErrorSkipsNothing() {
        final InternalError error = new InternalError("a bus error");
        undo.add(() -> done.add("last"));
        failing(new IllegalStateException("in between"));
        undo.add(() -> done.add("third"));
        undo.add(() -> {
            throw error;
        });
        undo.add(() -> done.add("first"));
        assertThatThrownBy(undo::close).isSameAs(error);
        assertThat(error.getSuppressed()).hasSize(1);
        assertThat(done).containsExactly("first", "third", "last");
    }
}
