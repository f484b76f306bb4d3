/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Several commands of rdma4j in one JVM, for another user: in an emulated machine a JVM takes 25 s to its first line.
 * Needs no other class of its module, as that user may not read its folder.
 */
public final class CommandsMain {
    private CommandsMain() {
    }

    /**
     * Entry point. Prints a JSON array with {@code exitCode}, {@code out} and {@code err} of each command.
     *
     * @param args a command line each, as behind {@code ./rdma4j}.
     */
    public static void main(final String[] args) {
        final JsonArray outcomes = new JsonArray();
        for (final String line : args) {
            final StringWriter out = new StringWriter();
            final StringWriter err = new StringWriter();
            final JsonObject outcome = new JsonObject();
            outcome.addProperty("exitCode", Main.run(
                new Terminal(new PrintWriter(out), new PrintWriter(err), false, false), line.split(" ")));
            outcome.addProperty("out", out.toString());
            outcome.addProperty("err", err.toString());
            outcomes.add(outcome);
        }
        System.out.println(outcomes);
    }
}
