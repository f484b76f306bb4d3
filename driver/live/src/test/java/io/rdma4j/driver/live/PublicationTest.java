/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

@Timeout(60)
class PublicationTest {
    private final List<String> calls = new ArrayList<>();
    private final LiveEntry entry = new LiveEntry() {
        @Override
        public LiveEntry set(final int place, final long value) {
            return this;
        }

        @Override
        public void publish() {
            calls.add("publish");
        }

        @Override
        public UnsafeBuffer counters() {
            throw new UnsupportedOperationException("counters of " + this);
        }

        @Override
        public void close() {
            calls.add("close");
        }

        @Override
        public String toString() {
            return "the entry of a test";
        }
    };
    private Runnable writing = () -> { };
    private final Publication publication = new Publication(entry, each -> writing.run());

    @Test
    void aChangeWhileOneIsWrittenIsWrittenBehindIt() {
        writing = () -> {
            writing = () -> { };
            publication.changed();
            calls.add("changed");
        };
        publication.changed();
        assertThat(calls).containsExactly("changed", "publish", "publish");
    }

    @Test
    void anEndWhileAChangeIsWrittenIsTheLast() {
        writing = publication::end;
        publication.changed();
        publication.changed();
        assertThat(calls).startsWith("publish", "close").doesNotContainSequence("close", "publish");
    }

    /** Posters and pollers call this. */
    @Test
    void aFailureIsNotThrownAndTheNextChangeIsWritten() {
        for (final Throwable failure : List.of(new IllegalStateException("a test"), new OutOfMemoryError("a test"))) {
            writing = () -> raise(failure);
            publication.changed();
            publication.changed();
            assertThat(calls).isEmpty();
        }
        writing = () -> { };
        publication.changed();
        assertThat(calls).containsExactly("publish");
        publication.end();
        assertThat(calls).containsExactly("publish", "close");
    }

    @Test
    void afterAFailureTheEndIsWrittenToo() {
        writing = () -> raise(new IllegalStateException("a test"));
        publication.changed();
        publication.end();
        assertThat(calls).containsExactly("close");
    }

    private static void raise(final Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }
}
