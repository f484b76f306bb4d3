/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.Locale;

/** What {@link ConformanceMain} was asked to do. */
record Arguments(
    String device, String peer, String only, String results, Effort effort, int patience, boolean list) {
    static Arguments parse(final String[] args) {
        String device = null;
        String peer = null;
        String only = "*";
        String results = null;
        Effort effort = Effort.FULL;
        int patience = 1;
        boolean list = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--peer" -> peer = value(args, ++i);
                case "--only" -> only = value(args, ++i);
                case "--results" -> results = value(args, ++i);
                case "--effort" -> effort = effort(value(args, ++i));
                case "--patience" -> patience = patience(value(args, ++i));
                case "--list" -> list = true;
                default -> {
                    if (args[i].startsWith("-") || device != null) {
                        throw new IllegalArgumentException("unexpected argument '" + args[i] + "'");
                    }
                    device = args[i];
                }
            }
        }
        if (device == null && !list) {
            throw new IllegalArgumentException("a device address is needed");
        }
        return new Arguments(device, peer, only, results, effort, patience, list);
    }

    private static String value(final String[] args, final int index) {
        if (index >= args.length) {
            throw new IllegalArgumentException(args[index - 1] + " needs a value");
        }
        return args[index];
    }

    private static Effort effort(final String text) {
        try {
            return Effort.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("--effort is quick, full or long, not '" + text + "'", e);
        }
    }

    private static int patience(final String text) {
        if (text.matches("[1-9]\\d{0,2}")) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--patience is a number from 1 to 999, not '" + text + "'");
    }
}
