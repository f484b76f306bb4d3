/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The command line that all sections share.
 *
 * @param quick    whether less is to be measured, in less time
 * @param document where the tables belong, null if nowhere
 * @param operand  what else was said, null if nothing
 */
public record Arguments(boolean quick, Path document, String operand) {
    /**
     * Reads a command line.
     *
     * @param args  of a program
     * @param usage what to say if they are not understood
     * @return what they say
     */
    public static Arguments parse(final String[] args, final String usage) {
        boolean quick = false;
        Path document = null;
        String operand = null;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--quick")) {
                quick = true;
            } else if (args[i].equals("--doc") && i + 1 < args.length) {
                document = Path.of(args[++i]);
            } else if (operand == null && !args[i].startsWith("-")) {
                operand = args[i];
            } else {
                throw new IllegalArgumentException(args[i] + ": " + usage);
            }
        }
        return new Arguments(quick, document, operand);
    }

    /**
     * What else was said.
     *
     * @param other what holds if nothing was
     * @return one of both
     */
    public String operandOr(final String other) {
        return operand == null ? other : operand;
    }

    /**
     * Writes tables where they belong, if a document was named.
     *
     * @param section its name there
     * @param lines   the new ones
     * @throws IOException if the document lacks that section, or cannot be read or written
     */
    public void writeDocument(final String section, final List<String> lines) throws IOException {
        if (document != null) {
            Machine.writeSection(document, section, lines);
        }
    }
}
