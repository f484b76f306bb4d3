/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.LimitedFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Figures that were taken again and again: a file of columns with a tab between them. Lines that begin with {@code #}
 * are remarks. The first other line has the names of the columns: the first is what all are drawn over, such as
 * {@code seconds}; the others are {@code chart/line}, or {@code chart} if it has one line alone. All lines behind it
 * are numbers, as many.
 *
 * @param name    what it is called: the file's name without its end.
 * @param remarks in their order, without the {@code #}.
 * @param columns names.
 * @param rows    a number for each column, finite.
 */
record Samples(String name, List<String> remarks, List<String> columns, List<double[]> rows) {
    /** What such files end with. */
    static final String SUFFIX = ".tsv";

    private static final long LONGEST = 64L << 20;
    /** For each chart all columns are looked through. */
    private static final int MOST_COLUMNS = 500;

    /**
     * Reads a file.
     *
     * @param file which.
     * @return what is in it.
     * @throws RdmaException ENOENT, EACCES or EIO if it cannot be read, EINVAL if it is no such file.
     */
    static Samples read(final Path file) {
        final List<String> lines;
        try {
            lines = LimitedFile.read(file, LONGEST).lines().toList();
        } catch (final IllegalArgumentException e) {
            throw malformed(file, e.getMessage());
        } catch (final IOException e) {
            throw FileFailure.of("plot", file, e).hint("give a file of columns, with a tab between them").build();
        }
        return parse(file, lines);
    }

    private static Samples parse(final Path file, final List<String> lines) {
        final List<String> remarks = new ArrayList<>();
        final List<double[]> rows = new ArrayList<>();
        List<String> columns = List.of();
        for (final String line : lines) {
            if (line.startsWith("#")) {
                remarks.add(line.substring(1).trim());
            } else if (columns.isEmpty()) {
                columns = List.of(line.split("\t", MOST_COLUMNS + 1));
                if (columns.size() > MOST_COLUMNS) {
                    throw malformed(file, "it has more than " + MOST_COLUMNS + " columns");
                }
            } else if (!line.isEmpty()) {
                rows.add(numbers(file, columns.size(), line));
            }
        }
        if (columns.size() < 2 || rows.isEmpty()) {
            throw malformed(file, "there are " + columns.size() + " columns and " + rows.size() + " rows");
        }
        final String name = file.getFileName().toString();
        return new Samples(name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name,
            List.copyOf(remarks), columns, rows);
    }

    private static double[] numbers(final Path file, final int count, final String line) {
        final String[] words = line.split("\t", -1);
        final double[] numbers = new double[words.length];
        try {
            for (int i = 0; i < words.length; i++) {
                numbers[i] = Double.parseDouble(words[i]);
                if (!Double.isFinite(numbers[i])) {
                    throw new NumberFormatException(words[i]);
                }
            }
        } catch (final NumberFormatException e) {
            throw malformed(file, "'" + line + "' is not all numbers");
        }
        if (words.length != count) {
            throw malformed(file, "'" + line + "' has " + words.length + " columns, not " + count);
        }
        return numbers;
    }

    private static RdmaException malformed(final Path file, final String why) {
        return RdmaException.of("plot").object(file).detail("%s", why).errno(RdmaException.EINVAL)
            .hint("give a line of names and lines of numbers, with a tab between them").build();
    }

    /** What a column is drawn in: what stands before the slash. */
    String chart(final int column) {
        final int slash = columns.get(column).indexOf('/');
        return slash < 0 ? columns.get(column) : columns.get(column).substring(0, slash);
    }

    /** What its line is called. */
    String line(final int column) {
        final int slash = columns.get(column).indexOf('/');
        return slash < 0 ? columns.get(column) : columns.get(column).substring(slash + 1);
    }
}
