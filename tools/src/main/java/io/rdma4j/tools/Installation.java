/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.text.FileFailure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The files of an installed rdma4j below a folder such as {@code /usr/local}, each where Unix looks for it. */
final class Installation {
    private static final String INSTALL = "install";
    private static final String REMOVE = "remove installation";
    private static final String LIB = "lib/rdma4j";
    private static final String JAR = LIB + "/rdma4j.jar";
    private static final String FUNCTIONS = LIB + "/lib.sh";
    private static final String MAN = "share/man/man1";
    private static final String COMPLETION = "share/bash-completion/completions/rdma4j";
    private static final String LAUNCHER = "bin/rdma4j";
    /** Whoever may look into the folders may use what is there, whatever the umask of the one who installs. */
    private static final String PROGRAM = "rwxr-xr-x";
    private static final String FILE = "rw-r--r--";

    private final Path prefix;
    private final List<Path> files = new ArrayList<>();

    Installation(final Path prefix) {
        this.prefix = prefix.toAbsolutePath().normalize();
    }

    /** What is copied to a file that is not complete yet. */
    @FunctionalInterface
    private interface Content {
        void copyTo(Path unfinished) throws IOException;
    }

    Path prefix() {
        return prefix;
    }

    /** The files that were written, or removed, below the prefix. */
    List<Path> files() {
        return files;
    }

    /**
     * Writes all files. Each takes its name when it is complete, and the launcher is the last: what was installed
     * before works until then, and the new one from then on.
     *
     * @param jar everything in one file.
     * @throws RdmaException EACCES without the right to write there, else what comes of a file.
     */
    void write(final Path jar) {
        final List<Path> folders = Stream.of(LAUNCHER, JAR, MAN + "/page", COMPLETION)
            .map(name -> prefix.resolve(name).getParent()).toList();
        folders.forEach(folder -> requireWritable(nearestThatIsThere(folder)));
        folders.forEach(Installation::makeFolder);
        put(JAR, FILE, unfinished -> Files.copy(jar, unfinished, StandardCopyOption.REPLACE_EXISTING));
        put(FUNCTIONS, FILE, resource("lib.sh"));
        ManPages.pages(Main.commandLine()).forEach((name, page) -> put(MAN + "/" + name, FILE, text(page)));
        put(COMPLETION, FILE, text(CompletionCommand.script(Main.commandLine())));
        put(LAUNCHER, PROGRAM, resource("launcher.sh"));
    }

    private static Content text(final String text) {
        return unfinished -> Files.writeString(unfinished, text, StandardCharsets.UTF_8);
    }

    private static Content resource(final String name) {
        return unfinished -> {
            try (InputStream in = Objects.requireNonNull(Installation.class.getResourceAsStream(name), name)) {
                Files.copy(in, unfinished, StandardCopyOption.REPLACE_EXISTING);
            }
        };
    }

    private static Path nearestThatIsThere(final Path folder) {
        Path there = folder;
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        return there;
    }

    private static void makeFolder(final Path folder) {
        if (Files.exists(folder)) {
            return;
        }
        makeFolder(folder.getParent());
        try {
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(PROGRAM));
        } catch (final IOException e) {
            throw failed(INSTALL, folder, e);
        }
    }

    private void requireWritable(final Path folder) {
        if (!Files.isDirectory(folder)) {
            throw RdmaException.of(INSTALL)
                .detail("%s is not a folder", folder)
                .errno(RdmaException.EINVAL)
                .hint("name another folder: --prefix DIR")
                .build();
        }
        if (!Files.isWritable(folder)) {
            throw RdmaException.of(INSTALL)
                .detail("no right to write in %s", folder)
                .errno(RdmaException.EACCES)
                .hint("run: sudo ./rdma4j install --prefix %s; or take a folder of yours, such as --prefix ~/.local",
                    prefix)
                .build();
        }
    }

    private void put(final String name, final String rights, final Content content) {
        final Path file = prefix.resolve(name);
        try {
            final Path unfinished = Files.createTempFile(file.getParent(), ".rdma4j-", ".tmp");
            try {
                content.copyTo(unfinished);
                Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString(rights));
                Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(unfinished);
            }
        } catch (final IOException e) {
            throw failed(INSTALL, file, e);
        }
        files.add(prefix.relativize(file));
    }

    /**
     * Removes what {@link #write} wrote, and what the launcher made beside the jar; the folder of the jar goes, too,
     * if nothing else is in it.
     *
     * @throws RdmaException EACCES without the right to, else what comes of a file.
     */
    void remove() {
        delete(prefix.resolve(LAUNCHER));
        delete(prefix.resolve(COMPLETION));
        deleteAll(prefix.resolve(MAN), "rdma4j{,-*}.1");
        deleteAll(prefix.resolve(LIB), "{rdma4j.jar,lib.sh,rdma4j-*.jsa}");
        try {
            Files.deleteIfExists(prefix.resolve(LIB));
        } catch (final DirectoryNotEmptyException e) {
            // Something of somebody else's is in it.
        } catch (final IOException e) {
            throw failed(REMOVE, prefix.resolve(LIB), e);
        }
    }

    private void deleteAll(final Path folder, final String pattern) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, pattern)) {
            found.forEach(this::delete);
        } catch (final NoSuchFileException e) {
            // Then nothing is in it.
        } catch (final IOException e) {
            throw failed(REMOVE, folder, e);
        }
    }

    private void delete(final Path file) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.delete(file);
        } catch (final IOException e) {
            throw failed(REMOVE, file, e);
        }
        files.add(prefix.relativize(file));
    }

    private static RdmaException failed(final String operation, final Path file, final IOException cause) {
        return FileFailure.of(operation, file, cause)
            .hint("name another folder: --prefix DIR; or run it with root's rights")
            .build();
    }
}
