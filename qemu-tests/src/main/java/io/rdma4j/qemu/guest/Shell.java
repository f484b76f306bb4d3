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
final class Shell {
    private Shell() {
    }

    static String quote(final String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    static String join(final List<String> words) {
        return words.stream().map(Shell::quote).collect(Collectors.joining(" "));
    }
}
