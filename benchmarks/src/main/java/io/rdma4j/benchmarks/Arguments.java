/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The command line that both programs of this package share. */
record Arguments(boolean quick, Path document, String operand) {
    static Arguments parse(final String[] args, final String usage) {
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

    String operandOr(final String other) {
        return operand == null ? other : operand;
    }

    void writeDocument(final String section, final List<String> lines) throws IOException {
        if (document != null) {
            Machine.writeSection(document, section, lines);
        }
    }
}
