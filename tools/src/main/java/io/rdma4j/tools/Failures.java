/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.base.JvmFlags;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.tools.traffic.DiagnosedException;
import java.io.PrintWriter;
import org.agrona.UnsafeApi;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
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
        err.println("rdma4j: " + oneLine(exception.getMessage()).replaceFirst("^Error: ", ""));
        UnmatchedArgumentException.printSuggestions(exception, err);
        err.printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return ExitCode.USAGE;
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
            return String.format(NO_MEMORY, Runtime.getRuntime().maxMemory() >> 20, message);
        }
        // What HotSpot makes of SIGBUS in memory that is mapped.
        return error instanceof InternalError && message.contains("memory access") ? String.format(GONE, message)
            : summary(error);
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
        return String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", " ")
            .replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
    }

    @SuppressWarnings("checkstyle:regexpsinglelinejava") // Asked for with --debug, and to the command's own writer.
    private static void trace(final Throwable thrown, final PrintWriter err) {
        thrown.printStackTrace(err);
    }
}
