/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Where a command prints to, and what it may print there.
 *
 * @param out            results.
 * @param err            errors and progress.
 * @param outHasColours  whether colours are welcome on {@code out}.
 * @param errIsTerminal  whether somebody watches {@code err}, so that progress is welcome.
 * @param outFailure     what went wrong first where {@code out} leads to; gives null if nothing did.
 */
public record Terminal(PrintWriter out, PrintWriter err, boolean outHasColours, boolean errIsTerminal,
    Supplier<IOException> outFailure) {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    /**
     * One whose results always arrive.
     *
     * @param out           results.
     * @param err           errors and progress.
     * @param outHasColours whether colours are welcome on {@code out}.
     * @param errIsTerminal whether somebody watches {@code err}.
     */
    public Terminal(final PrintWriter out, final PrintWriter err, final boolean outHasColours,
        final boolean errIsTerminal) {
        this(out, err, outHasColours, errIsTerminal, () -> null);
    }

    /**
     * The terminal, file or pipe that this process was started with.
     *
     * @return standard output and standard error.
     */
    public static Terminal system() {
        final Map<String, String> environment = System.getenv();
        final Destination out = new Destination(FileDescriptor.out);
        return new Terminal(writer(out), writer(new FileOutputStream(FileDescriptor.err)),
            wantsColours(environment) && isTerminal(STDOUT), !isDumb(environment) && isTerminal(STDERR),
            () -> out.failure);
    }

    /**
     * A text of another process or host, without what a terminal would obey.
     *
     * @param text any.
     * @return the same with {@code ?} for each such character.
     */
    public static String printable(final String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
    }

    /**
     * Why results did not arrive. Flush first.
     *
     * @return what the system says; null if they did, or nobody wants to read them any more.
     */
    public String whyLost() {
        final IOException failure = outFailure.get();
        return failure == null || saysThatNobodyReads(failure) ? null : failure.getMessage();
    }

    /** Of an error Java has only the text, in the language of the locale: it is that of a pipe that nobody reads. */
    private static boolean saysThatNobodyReads(final IOException failure) {
        try (Pipe.SinkChannel sink = pipeWithoutReader()) {
            sink.write(ByteBuffer.allocate(1));
            return false;
        } catch (final IOException e) {
            return Objects.equals(failure.getMessage(), e.getMessage());
        }
    }

    private static Pipe.SinkChannel pipeWithoutReader() throws IOException {
        final Pipe pipe = Pipe.open();
        pipe.source().close();
        return pipe.sink();
    }

    /** See no-color.org: any value that is not empty switches colours off. */
    static boolean wantsColours(final Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !isDumb(environment);
    }

    private static boolean isDumb(final Map<String, String> environment) {
        return "dumb".equals(environment.getOrDefault("TERM", "dumb"));
    }

    private static PrintWriter writer(final FileOutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    /** System.console() tells of both streams together, and what it tells has changed with JDK 22; Linux knows each. */
    private static boolean isTerminal(final int descriptor) {
        try {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (final IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Remembers the first failure, which a {@link PrintWriter} keeps for itself. */
    private static final class Destination extends FileOutputStream {
        private volatile IOException failure;

        Destination(final FileDescriptor descriptor) {
            super(descriptor);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException {
            try {
                super.write(bytes, offset, length);
            } catch (final IOException e) {
                failure = failure == null ? e : failure;
                throw e;
            }
        }
    }
}
