/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Runs a fabric guest by hand; see docs/qemu.md. Exit code: that of the command; 1 if the guest failed, 2 for a wrong
 * command line.
 */
public final class GuestMain {
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final String USAGE = String.join(System.lineSeparator(),
        "usage: run-guest.sh [--keep] [--name NAME] [--memory MIB] [--timeout SECONDS] [--java] [-- COMMAND...]",
        "       run-guest.sh --attach FOLDER",
        "  boots the fabric guest and runs COMMAND in it (default: ibv_devinfo -v)",
        "  --keep      leave the guest running until it is ended by hand",
        "  --name      its folder below target/qemu (default: by-hand)",
        "  --memory    its memory (default: 2048)",
        "  --timeout   for the command (default: 1140)",
        "  --java      COMMAND is a main class on the built class path and its arguments",
        "  --attach    a shell in a running guest; FOLDER is its folder below target/qemu");

    private final GuestContext context = new GuestContext().name("by-hand");
    private List<String> command = List.of("ibv_devinfo", "-v");
    private boolean java;
    private Path attach;

    private GuestMain() {
    }

    /**
     * Entry point.
     *
     * @param args see the usage text.
     * @throws IOException if the connection to a guest's shell breaks.
     */
    public static void main(final String[] args) throws IOException {
        final int status = run(args, System.out, System.err);
        if (status != 0) {
            Runtime.getRuntime().exit(status);
        }
    }

    static int run(final String[] args, final PrintStream out, final PrintStream err) throws IOException {
        final GuestMain main = new GuestMain();
        try {
            main.parse(Arrays.asList(args).iterator());
        } catch (final IllegalArgumentException e) {
            err.println(e.getMessage() + System.lineSeparator() + USAGE);
            return MISUSED;
        }
        if (main.attach != null) {
            GuestShell.attach(main.attach, System.in, out);
            return 0;
        }
        main.context.progress(out);
        try (FabricGuest guest = FabricGuest.boot(main.context)) {
            final GuestResult result = main.java ? guest.run(main.command) : guest.runCommand(main.command);
            out.println(result.summary());
            return result.exitCode();
        } catch (final GuestException e) {
            err.println(e.getMessage());
            return FAILED;
        }
    }

    private void parse(final Iterator<String> words) {
        while (words.hasNext()) {
            final String word = words.next();
            switch (word) {
                case "--keep" -> context.keep(true);
                case "--java" -> java = true;
                case "--name" -> context.name(value(word, words));
                case "--memory" -> context.memoryMib(number(word, words));
                case "--timeout" -> context.commandTimeout(Duration.ofSeconds(number(word, words)));
                case "--attach" -> attach = Path.of(value(word, words));
                case "--" -> command = rest(words);
                default -> throw new IllegalArgumentException("unknown option " + word);
            }
        }
    }

    private static List<String> rest(final Iterator<String> words) {
        final List<String> rest = new ArrayList<>();
        words.forEachRemaining(rest::add);
        if (rest.isEmpty()) {
            throw new IllegalArgumentException("no command after --");
        }
        return rest;
    }

    private static String value(final String option, final Iterator<String> words) {
        if (!words.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return words.next();
    }

    private static int number(final String option, final Iterator<String> words) {
        final String text = value(option, words);
        try {
            return Integer.parseInt(text);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(option + " needs a number, not '" + text + "'", e);
        }
    }
}
