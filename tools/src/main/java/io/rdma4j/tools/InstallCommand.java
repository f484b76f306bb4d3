/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import io.rdma4j.tools.text.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code rdma4j install}: puts launcher, jar, manual pages and completion where a system looks for them. */
@Command(
    name = "install",
    description = "Puts rdma4j below a folder: bin/rdma4j, lib/rdma4j, its manual pages (share/man) and its completion "
        + "(share/bash-completion). It no longer needs the source tree, only a Java. Installing again replaces what is "
        + "there.",
    footer = {
        "  rdma4j install                             below /usr/local; as root",
        "  rdma4j install --prefix ~/.local           for yourself",
        "  rdma4j install --prefix ~/.local --remove  takes it back"
    })
final class InstallCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Option(names = "--prefix", paramLabel = "DIR", defaultValue = "/usr/local",
        description = "The folder. Default: ${DEFAULT-VALUE}")
    private Path prefix;

    @Option(names = "--remove", description = "Remove what was installed there. Folders stay, but lib/rdma4j: an "
        + "empty one may be another's.")
    private boolean remove;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        final Installation installation = new Installation(prefix);
        if (remove) {
            installation.remove();
        } else {
            installation.write(jar());
        }
        final PrintWriter out = main.terminal().out();
        if (json) {
            Json.print(out, toJson(installation));
        } else {
            print(installation, out);
        }
    }

    /** The one that this class is from. */
    private static Path jar() {
        try {
            final Path source = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isRegularFile(source)) {
                return source;
            }
        } catch (final URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        throw RdmaException.of("install")
            .detail("this rdma4j does not run from a jar, so that there is none to install")
            .errno(RdmaException.EOPNOTSUPP)
            .hint("run ./rdma4j install, which builds the jar first")
            .build();
    }

    private void print(final Installation installation, final PrintWriter out) {
        final List<Path> files = installation.files();
        out.printf("%s: %d files %s%n", installation.prefix(), files.size(), remove ? "removed" : "installed");
        files.stream().filter(file -> !file.toString().startsWith("share/man")).forEach(file ->
            out.println("    " + file));
        final long pages = files.stream().filter(file -> file.toString().startsWith("share/man")).count();
        if (pages > 0) {
            out.printf("    share/man/man1/rdma4j*.1 (%d)%n", pages);
        }
        if (!remove) {
            out.printf("Try:%n    %1$s/bin/rdma4j --help%n    man -M %1$s/share/man rdma4j%n"
                + "With %1$s/bin on the PATH both are found by their names.%n", installation.prefix());
        }
    }

    private JsonObject toJson(final Installation installation) {
        final JsonArray files = new JsonArray();
        installation.files().forEach(file -> files.add(file.toString()));
        final JsonObject object = new JsonObject();
        object.addProperty("prefix", installation.prefix().toString());
        object.addProperty("removed", remove);
        object.add("files", files);
        return object;
    }
}
