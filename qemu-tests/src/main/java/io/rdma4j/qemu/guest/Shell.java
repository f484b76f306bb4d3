/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Words for a POSIX shell.
 */
public final class Shell {
    private Shell() {
    }

    /**
     * A word that a shell takes as it is.
     *
     * @param word any text.
     * @return the same, in quotes if it needs them.
     */
    public static String quote(final String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /**
     * A command line.
     *
     * @param words each is one for the shell, too.
     * @return them, quoted where that is needed, with spaces between.
     */
    public static String join(final List<String> words) {
        return words.stream().map(Shell::quote).collect(Collectors.joining(" "));
    }
}
