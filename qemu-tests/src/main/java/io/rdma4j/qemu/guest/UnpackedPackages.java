/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.Folders;
import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Packages of the archive that are downloaded and unpacked into a folder of the cache, once, and never installed.
 *
 * @param root     where their files are, as below /.
 * @param versions of all packages, a line each: name and version.
 */
public record UnpackedPackages(Path root, List<String> versions) {
    /** Begins the name of a folder in which something is made. */
    private static final String WORK = "unpacking";
    private static final Duration QUERY = Duration.ofMinutes(5);
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);
    private static final String VERSIONS = "versions.txt";
    private static final String KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
    /** Where the machine's own packages are from, of an archive that has all releases. */
    private static final Pattern ARCHIVE = Pattern.compile("Debian\\|main\\|(\\S+)");
    private static final Pattern PACKAGE_FILE = Pattern.compile("([^_]+)_([^_]+)_[^_]+\\.deb");

    /** Downloads to a folder; false if the archive cannot be reached, or has no such package. */
    private interface Download {
        boolean to(Path folder) throws IOException;
    }

    /**
     * Packages of the machine's own release, without what they depend on.
     *
     * @param cache  the cache folder.
     * @param folder its folder below that.
     * @param names  of the packages.
     * @return empty if the archive cannot be reached, or does not have them.
     * @throws GuestException if they cannot be unpacked.
     */
    public static Optional<UnpackedPackages> ofThisRelease(
        final Path cache, final String folder, final String... names) {
        final List<String> command = new ArrayList<>(List.of("apt-get", "download"));
        command.addAll(Arrays.asList(names));
        return prepare(cache, folder, work -> HostCommand.run(work, DOWNLOAD, command).succeeded());
    }

    /**
     * A package of another release of Debian, with all that it depends on, the C library included.
     *
     * @param cache   the cache folder.
     * @param folder  its folder below that.
     * @param release such as {@code forky}.
     * @param name    of the package.
     * @return empty if the archive cannot be reached, or does not have it.
     * @throws GuestException if it cannot be unpacked.
     */
    public static Optional<UnpackedPackages> ofRelease(
        final Path cache, final String folder, final String release, final String name) {
        return prepare(cache, folder, work -> downloadAll(work, release, name));
    }

    private static synchronized Optional<UnpackedPackages> prepare(
        final Path cache, final String folder, final Download download) {
        final Path all = cache.resolve(folder);
        try {
            Files.createDirectories(all);
            try (FileChannel channel = FileChannel.open(
                all.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                // Against another test run that does the same; closing the channel gives it back.
                channel.lock();
                Folders.deleteLeftovers(all, WORK);
                final Path root = all.resolve("root");
                return Files.exists(root) || unpack(all, root, download)
                    ? Optional.of(new UnpackedPackages(root, Files.readAllLines(root.resolve(VERSIONS))))
                    : Optional.empty();
            }
        } catch (final IOException e) {
            throw new GuestException("cannot unpack packages in " + all, e);
        }
    }

    private static boolean unpack(final Path all, final Path root, final Download download) throws IOException {
        final Path work = Files.createTempDirectory(all, WORK);
        try {
            if (!download.to(work)) {
                return false;
            }
            final Path unpacked = Files.createDirectory(work.resolve("root"));
            final List<String> versions = new ArrayList<>();
            try (var debs = Files.newDirectoryStream(work, "*.deb")) {
                for (final Path deb : debs) {
                    unpack(deb, unpacked);
                    versions.add(versionOf(deb));
                }
            }
            Files.write(unpacked.resolve(VERSIONS), versions);
            Files.move(unpacked, root, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } finally {
            Folders.delete(work);
        }
    }

    private static void unpack(final Path deb, final Path target) {
        final HostCommand.Outcome outcome = HostCommand.run(null, DOWNLOAD, List.of("dpkg-deb", "-x", deb.toString(),
            target.toString()));
        if (!outcome.succeeded()) {
            throw new GuestException(String.format("cannot unpack %s (exit code %d): %s; run: df -h %s", deb,
                outcome.exitCode(), outcome.text(), target));
        }
    }

    private static String versionOf(final Path deb) {
        final Matcher file = PACKAGE_FILE.matcher(deb.getFileName().toString());
        return file.matches() ? file.group(1) + ' ' + file.group(2).replace("%3a", ":") : deb.getFileName().toString();
    }

    /** By a state of apt's own in which nothing is installed, so that nothing is left out. */
    private static boolean downloadAll(final Path work, final String release, final String name) throws IOException {
        final Optional<String> archive = archive();
        if (archive.isEmpty() || !Files.exists(Path.of(KEYS))) {
            return false;
        }
        Files.writeString(work.resolve("sources.list"),
            "deb [signed-by=" + KEYS + "] " + archive.get() + ' ' + release + " main\n");
        Files.writeString(work.resolve("status"), "");
        for (final String each : List.of("state", "lists/partial", "archives/partial")) {
            Files.createDirectories(work.resolve(each));
        }
        if (!apt(work, "update") || !apt(work, "-y", "--download-only", "install", name)) {
            return false;
        }
        try (var debs = Files.newDirectoryStream(work.resolve("archives"), "*.deb")) {
            for (final Path deb : debs) {
                Files.move(deb, work.resolve(deb.getFileName()));
            }
        }
        return true;
    }

    private static boolean apt(final Path work, final String... words) {
        final List<String> command = new ArrayList<>(List.of("apt-get", "-o", "APT::Install-Recommends=0",
            "-o", "APT::Sandbox::User=", "-o", "APT::Update::Error-Mode=any", "-o", "Debug::NoLocking=1",
            "-o", "Dir::Etc::SourceParts=/dev/null", "-o", "Dir::Etc::SourceList=" + work.resolve("sources.list"),
            "-o", "Dir::State=" + work.resolve("state"), "-o", "Dir::State::lists=" + work.resolve("lists"),
            "-o", "Dir::State::status=" + work.resolve("status"), "-o", "Dir::Cache=" + work,
            "-o", "Dir::Cache::archives=" + work.resolve("archives")));
        command.addAll(Arrays.asList(words));
        return HostCommand.run(null, DOWNLOAD, command).succeeded();
    }

    private static Optional<String> archive() {
        return HostCommand.run(null, QUERY, List.of("apt-get", "indextargets", "--format",
            "$(LABEL)|$(COMPONENT)|$(REPO_URI)", "Created-By: Packages")).text().lines()
            .map(ARCHIVE::matcher).filter(Matcher::matches).map(found -> found.group(1)).findFirst();
    }

    /**
     * The version of one of the packages.
     *
     * @param name of the package.
     * @return its version, "?" if it is none of them.
     */
    public String version(final String name) {
        return versions.stream().filter(line -> line.startsWith(name + ' ')).findFirst()
            .map(line -> line.substring(name.length() + 1)).orElse("?");
    }
}
