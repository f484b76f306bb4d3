/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.verbs.pvrdma.trace.TraceFormat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the file of a trace; believes nothing in it. */
final class TraceReader {
    /** More are not kept in memory. */
    static final int MAX_RECORDS = 1_000_000;

    private static final String OPERATION = "read trace";
    private static final List<String> KINDS = List.of(TraceFormat.OPEN, TraceFormat.COMMAND, TraceFormat.SEND,
        TraceFormat.RECEIVE, TraceFormat.SHARED, TraceFormat.ARM, TraceFormat.COMPLETION, TraceFormat.CLOSE);

    private final InputStream in;
    private final int most;
    private final byte[] line = new byte[TraceFormat.MAX_LINE];
    private int number;

    /** A trace may have more than is read here. */
    private static final class LongTraceException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        LongTraceException(final String message) {
            super(message);
        }
    }

    private TraceReader(final InputStream in, final int most) {
        this.in = in;
        this.most = most;
    }

    /**
     * Reads a file.
     *
     * @param file where it is.
     * @return its records.
     * @throws RdmaException ENOENT, EACCES or EIO if it cannot be read; EINVAL if it is no trace, of another version,
     *                       cut off, or broken: names the line.
     */
    static TraceRecords read(final Path file) {
        return read(file, MAX_RECORDS);
    }

    static TraceRecords read(final Path file, final int most) {
        try {
            if (Files.isDirectory(file)) {
                throw new IllegalArgumentException("it is a folder");
            }
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                return new TraceReader(in, most).read();
            }
        } catch (final IllegalArgumentException e) {
            throw RdmaException.of(OPERATION).object(file).detail("%s", e.getMessage()).errno(RdmaException.EINVAL)
                .hint(e instanceof LongTraceException
                    ? "play its first lines: head -n " + most + " " + file.getFileName() + " >FILE"
                    : "give a file that --trace wrote").build();
        } catch (final IOException e) {
            throw FileFailure.of(OPERATION, file, e).build();
        }
    }

    static TraceRecords read(final InputStream in) throws IOException {
        return new TraceReader(in, MAX_RECORDS).read();
    }

    private TraceRecords read() throws IOException {
        requireFirst(next());
        final List<TraceRecord> records = new ArrayList<>();
        String end = null;
        for (String text = next(); text != null; text = next()) {
            if (end != null) {
                throw broken("something follows the end of the trace");
            }
            if (text.startsWith(TraceFormat.END + " ")) {
                end = text.substring(TraceFormat.END.length() + 1);
            } else if (records.size() == most) {
                throw new LongTraceException("line " + number + ": there are more than " + most + " records");
            } else {
                records.add(record(text));
            }
        }
        return new TraceRecords(records, end);
    }

    private void requireFirst(final String first) {
        if (first == null) {
            throw new IllegalArgumentException("line 1: the file is empty");
        }
        if (!first.startsWith(TraceFormat.MAGIC)) {
            throw broken("it is no trace, which begins with '" + TraceFormat.FIRST_LINE + "'");
        }
        if (!first.equals(TraceFormat.FIRST_LINE)) {
            throw broken("it is of version '" + first.substring(TraceFormat.MAGIC.length())
                + "', this program reads '" + TraceFormat.FIRST_LINE + "'");
        }
    }

    /** The next line; null at the end. */
    private String next() throws IOException {
        int length = 0;
        int octet = in.read();
        if (octet < 0) {
            return null;
        }
        number++;
        while (octet >= 0 && octet != '\n') {
            if (octet < ' ' || octet > '~') {
                throw broken(String.format("byte 0x%02x is no text", octet));
            }
            if (length == line.length) {
                throw broken("it is longer than " + line.length + " characters");
            }
            line[length++] = (byte) octet;
            octet = in.read();
        }
        if (octet < 0) {
            throw broken("the file is cut off in this line; without the line the rest can be replayed");
        }
        return new String(line, 0, length, StandardCharsets.US_ASCII);
    }

    private TraceRecord record(final String text) {
        final String[] words = text.split(" ", 4);
        if (words.length < 3 || !words[0].matches("[1-9]\\d{0,5}") || !words[1].matches("\\d{1,19}")
            || !KINDS.contains(words[2])) {
            throw broken("it is no record, which is DEVICE NANOS KIND NAME=VALUE ...");
        }
        return new TraceRecord(number, Integer.parseInt(words[0]), words[2],
            fields(words[2], words.length < 4 ? "" : words[3]));
    }

    private Map<String, String> fields(final String kind, final String text) {
        final Map<String, String> fields = new LinkedHashMap<>();
        String rest = text;
        while (!rest.isEmpty()) {
            final int equals = rest.indexOf('=');
            final int space = rest.indexOf(' ');
            if (equals < 1 || space >= 0 && space < equals) {
                throw broken("'" + shortened(rest) + "' is not name=value");
            }
            // An address is the last, and may have anything in it.
            final boolean last = space < 0 || kind.equals(TraceFormat.OPEN) && rest.startsWith("address=");
            final String value = last ? rest.substring(equals + 1) : rest.substring(equals + 1, space);
            if (fields.put(rest.substring(0, equals), value) != null) {
                throw broken("'" + rest.substring(0, equals) + "' stands twice");
            }
            rest = last ? "" : rest.substring(space + 1);
        }
        return fields;
    }

    private static String shortened(final String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }

    private IllegalArgumentException broken(final String why) {
        return new IllegalArgumentException("line " + number + ": " + why);
    }
}
