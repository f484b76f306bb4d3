/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads text of which nobody knows how long it is: a pipe or a device does not say it, and a file may grow meanwhile.
 */
public final class LimitedFile {
    private LimitedFile() {
    }

    /**
     * Reads all of a file.
     *
     * @param file which; of any kind.
     * @param most bytes of it.
     * @return its text.
     * @throws IOException              if it cannot be read.
     * @throws IllegalArgumentException if it is longer, or no text in UTF-8, saying so.
     */
    public static String read(final Path file, final long most) throws IOException {
        try (BufferedReader reader = open(file, most)) {
            final StringWriter text = new StringWriter();
            reader.transferTo(text);
            return text.toString();
        } catch (final CharacterCodingException e) {
            throw new IllegalArgumentException("it is no text in UTF-8", e);
        }
    }

    /**
     * Opens a file.
     *
     * @param file which; of any kind.
     * @param most bytes of it.
     * @return its text; reading throws an {@link IllegalArgumentException} where there is more, and a
     *         {@link CharacterCodingException} where it is no text in UTF-8.
     * @throws IOException              if it cannot be opened.
     * @throws IllegalArgumentException if it is longer, as far as that can be seen.
     */
    public static BufferedReader open(final Path file, final long most) throws IOException {
        if (Files.size(file) > most) {
            throw longer(most);
        }
        return new BufferedReader(new InputStreamReader(
            new Limited(Files.newInputStream(file), most), StandardCharsets.UTF_8.newDecoder()));
    }

    private static IllegalArgumentException longer(final long most) {
        return new IllegalArgumentException("it is longer than " + most + " bytes");
    }

    /** Asks for one byte more than there may be, at most. */
    private static final class Limited extends FilterInputStream {
        private final long most;
        private long count;

        Limited(final InputStream in, final long most) {
            super(in);
            this.most = most;
        }

        @Override
        public int read() throws IOException {
            final byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            final int read = super.read(bytes, offset, (int) Math.min(length, most + 1 - count));
            count += Math.max(0, read);
            if (count > most) {
                throw longer(most);
            }
            return read;
        }
    }
}
