/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.testing.LineProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** An {@link Echo}, wherever it runs. */
interface Partner extends AutoCloseable {
    /** Says a line, and waits for the answer; what was refused is a failure. */
    default String ask(final String line) {
        final String answer = say(line);
        if (answer.startsWith("refused")) {
            throw new AssertionError(line + ": " + answer);
        }
        return answer;
    }

    String say(String line);

    /** Ends it without a word to anybody. */
    void kill();

    @Override
    void close();

    /** In this process: what is killed is its device. */
    static Partner here(final String device) {
        final Echo echo = new Echo(device);
        return new Partner() {
            @Override
            public String say(final String line) {
                return echo.ask(line);
            }

            @Override
            public void kill() {
                echo.die();
            }

            @Override
            public void close() {
                echo.close();
            }
        };
    }

    /** In another one, which gets SIGKILL. */
    static Partner elsewhere(final String device) {
        return new Other(device);
    }

    /** The process. */
    final class Other implements Partner {
        private final Lines lines;

        private Other(final String device) {
            try {
                lines = new Lines(device);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static final class Lines extends LineProcess {
            private Lines(final String device) throws IOException {
                super(Echo.class, List.of("-Xmx128m"), device);
            }
        }

        @Override
        public String say(final String line) {
            try {
                return lines.ask(line);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void kill() {
            try {
                lines.kill();
                lines.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            try {
                lines.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
