/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import io.rdma4j.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a JVM has to be started with. Agrona uses a package that the JDK keeps to itself; where it may not, the first
 * buffer ends in an error of a class initializer, which does not say what to do. Stateless.
 */
public final class JvmFlags {
    private static final String PACKAGE = "jdk.internal.misc";
    /** From here on the JDK wants native access, and memory access of old libraries, to be asked for. */
    private static final int ASKS_FOR_ACCESS = 24;

    /** The cause of what {@link #require} throws, by which it is known. */
    private static final class Missing extends IllegalCallerException {
        private static final long serialVersionUID = 1;

        Missing(final String module) {
            super("java.base does not open " + PACKAGE + " to " + module);
        }
    }

    private JvmFlags() {
    }

    /**
     * Refuses to go on in a JVM without the flags.
     *
     * @param operation that needs them, for the message.
     * @param agrona    a class of Agrona, which need not be initialized.
     * @throws RdmaException EPERM if a flag is missing without which nothing works; the message has all that this JDK
     *                       wants, ready to paste.
     */
    public static void require(final String operation, final Class<?> agrona) {
        if (!areThere(agrona)) {
            final Module library = agrona.getModule();
            final String module = library.isNamed() ? library.getName() : "ALL-UNNAMED";
            throw RdmaException.of(operation).errno(RdmaException.EPERM)
                .detail("this JVM (Java %s) was started without the flags that rdma4j needs",
                    Runtime.version().feature())
                .hint(advice(flags(module, Runtime.version().feature())))
                .cause(new Missing(module))
                .build();
        }
    }

    /**
     * Whether this JVM has the flags without which nothing works.
     *
     * @param agrona a class of Agrona, which need not be initialized.
     * @return false if {@link #require} would refuse.
     */
    public static boolean areThere(final Class<?> agrona) {
        return Object.class.getModule().isOpen(PACKAGE, agrona.getModule());
    }

    /**
     * Whether a failure comes of missing flags.
     *
     * @param failure any.
     * @return true if {@link #require} threw it, or a cause of it.
     */
    public static boolean areMissing(final Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof Missing)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    static List<String> flags(final String module, final int feature) {
        final List<String> flags = new ArrayList<>(List.of("--add-opens=java.base/" + PACKAGE + "=" + module));
        if (feature >= ASKS_FOR_ACCESS) {
            flags.add("--enable-native-access=" + ("ALL-UNNAMED".equals(module) ? module : "com.sun.jna"));
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return flags;
    }

    static String advice(final List<String> flags) {
        final String line = String.join(" ", flags);
        final String quoted = flags.stream().map(flag -> '"' + flag + '"').collect(Collectors.joining(", "));
        final boolean asks = flags.size() > 1;
        return String.join(System.lineSeparator(), "add them:",
            "  command line  java " + line + " ...",
            "  Surefire      <argLine>" + line + "</argLine>",
            "  Gradle        jvmArgs(" + quoted + ")",
            "  manifest      Add-Opens: java.base/" + PACKAGE
                + (asks ? System.lineSeparator() + "                Enable-Native-Access: ALL-UNNAMED" : ""));
    }
}
