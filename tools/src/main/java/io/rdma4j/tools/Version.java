/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import picocli.CommandLine.IVersionProvider;

import java.util.Objects;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {
    /** The version in the jar's manifest. */
    static String current() {
        return Objects.requireNonNullElse(Main.class.getPackage().getImplementationVersion(), "(not from a jar)");
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "rdma4j " + current(),
            String.format("Java %s (%s), %s %s %s", property("java.version"), property("java.vendor"),
                property("os.name"), property("os.version"), property("os.arch"))
        };
    }

    private static String property(final String name) {
        return System.getProperty(name);
    }
}
