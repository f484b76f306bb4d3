/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.base.JvmFlags;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.tools.text.Terminal;
import io.rdma4j.tools.traffic.DiagnosedException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.agrona.UnsafeApi;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/** Tells of failures on standard error: in one line what and why, and the stack trace only to those who ask for it. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final String MISSING_FLAG = "this JVM keeps its package jdk.internal.misc shut; start with ./rdma4j "
        + "or java -jar rdma4j.jar, or give java the option --add-opens java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final String NO_MEMORY = "the heap of %d MiB does not hold what was asked for (%s); give more, such "
        + "as RDMA4J_OPTS=-Xmx4g ./rdma4j ...";
    private static final String GONE = "memory that was mapped cannot be accessed any more: the device was taken away, "
        + "or the file behind it was cut off (%s)";

    private final Main main;

    Failures(final Main main) {
        this.main = main;
    }

    @Override
    public int handleParseException(final ParameterException exception, final String[] args) {
        final CommandLine command = exception.getCommandLine();
        final PrintWriter err = command.getErr();
        final boolean isWord = exception instanceof UnmatchedArgumentException
            && !((UnmatchedArgumentException) exception).isUnknownOption();
        if (isWord) {
            tellOfWords((UnmatchedArgumentException) exception, command.getCommandSpec(), err);
        } else {
            err.println("rdma4j: " + oneLine(exception.getMessage()).replaceFirst("^Error: ", ""));
            UnmatchedArgumentException.printSuggestions(exception, err);
        }
        err.printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return ExitCode.USAGE;
    }

    /** Words that no command takes: the name of a command, or an address that stands where -d belongs before it. */
    private static void tellOfWords(
        final UnmatchedArgumentException exception, final CommandSpec command, final PrintWriter err) {
        final List<String> words = exception.getUnmatched();
        final String first = words.get(0);
        if (command.parent() == null) {
            err.println("rdma4j: " + oneLine(noCommand(first)));
            final List<String> close = command.subcommands().keySet().stream()
                .filter(name -> areClose(name, first)).map(name -> command.name() + " " + name).toList();
            if (!close.isEmpty()) {
                err.println("Did you mean: " + String.join(" or ", close) + "?");
            }
            return;
        }
        final String hint = command.findOption("--device") != null && first.matches("[a-z][a-z0-9]*:.*")
            ? "; a device is given with -d ADDRESS" : "";
        err.println("rdma4j: " + oneLine(command.qualifiedName().substring(command.root().name().length() + 1)
            + " takes no '" + String.join("', '", words) + "'" + hint));
    }

    static String noCommand(final String name) {
        return "there is no command '" + name + "'";
    }

    /** Whether one becomes the other by two letters that are put in, left out or replaced. */
    private static boolean areClose(final String a, final String b) {
        int[] row = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            final int[] next = new int[row.length];
            next[0] = i;
            for (int j = 1; j < row.length; j++) {
                final int replaced = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(replaced, Math.min(row[j], next[j - 1]) + 1);
            }
            row = next;
        }
        return row[b.length()] <= Math.min(2, b.length() / 2);
    }

    @Override
    public int handleExecutionException(
        final Exception exception, final CommandLine command, final ParseResult parseResult) {
        final PrintWriter err = command.getErr();
        err.println("rdma4j: " + oneLine(summary(exception)));
        if (exception instanceof DiagnosedException) {
            err.println(((DiagnosedException) exception).diagnosis());
        }
        if (main.debug()) {
            trace(exception, err);
        }
        return ExitCode.SOFTWARE;
    }

    /**
     * Tells what the JVM has not: an option, which the jar's manifest asks for and a class path cannot; memory; a
     * device's registers that were there before.
     *
     * @param error what came of it.
     * @return the exit code.
     */
    int handleError(final Error error) {
        final PrintWriter err = main.terminal().err();
        err.println("rdma4j: " + oneLine(explanation(error)));
        if (main.debug()) {
            trace(error, err);
        }
        return ExitCode.SOFTWARE;
    }

    private static String explanation(final Error error) {
        final String message = String.valueOf(error.getMessage());
        if (error instanceof IllegalAccessError && !JvmFlags.areThere(UnsafeApi.class)) {
            return MISSING_FLAG;
        }
        if (error instanceof OutOfMemoryError) {
            return String.format(Locale.ROOT, NO_MEMORY, Runtime.getRuntime().maxMemory() >> 20, message);
        }
        // What HotSpot makes of SIGBUS in memory that is mapped.
        return error instanceof InternalError && message.contains("memory access")
            ? String.format(Locale.ROOT, GONE, message) : summary(error);
    }

    private static String summary(final Throwable thrown) {
        if (JvmFlags.areMissing(thrown)) {
            return MISSING_FLAG;
        }
        if (thrown instanceof RdmaException || thrown instanceof FabricException
            || thrown instanceof DiagnosedException) {
            return thrown.getMessage();
        }
        return "internal error: " + thrown + "; --debug prints the stack trace";
    }

    /** Names and texts of other processes and hosts may be in it: nothing is left that a terminal would obey. */
    private static String oneLine(final String text) {
        return Terminal.printable(String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", " "));
    }

    @SuppressWarnings("checkstyle:regexpsinglelinejava") // Asked for with --debug, and to the command's own writer.
    private static void trace(final Throwable thrown, final PrintWriter err) {
        thrown.printStackTrace(err);
    }
}
