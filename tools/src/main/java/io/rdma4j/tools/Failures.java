/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.tools.pingpong.DiagnosedException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;

/** Tells of failures on standard error: in one line what and why, and the stack trace only to those who ask for it. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final String MISSING_FLAG = "this JVM keeps its package jdk.internal.misc shut; start with ./rdma4j "
        + "or java -jar rdma4j.jar, or give java the option --add-opens java.base/jdk.internal.misc=ALL-UNNAMED";

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
     * Tells what the JVM was started without. The jar's manifest asks for it; a class path cannot.
     *
     * @param error what came of it.
     * @return the exit code.
     */
    int handleLinkageError(final LinkageError error) {
        final PrintWriter err = main.terminal().err();
        final boolean isShut = error instanceof IllegalAccessError && error.getMessage().contains("jdk.internal.misc");
        err.println("rdma4j: " + oneLine(isShut ? MISSING_FLAG : summary(error)));
        if (main.debug()) {
            trace(error, err);
        }
        return ExitCode.SOFTWARE;
    }

    private static String summary(final Throwable thrown) {
        if (thrown instanceof RdmaException || thrown instanceof FabricException
            || thrown instanceof DiagnosedException) {
            return thrown.getMessage();
        }
        return "internal error: " + thrown + "; --debug prints the stack trace";
    }

    private static String oneLine(final String text) {
        return String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", " ");
    }

    @SuppressWarnings("checkstyle:regexpsinglelinejava") // Asked for with --debug, and to the command's own writer.
    private static void trace(final Throwable thrown, final PrintWriter err) {
        thrown.printStackTrace(err);
    }
}
