/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The folder for what processes of one user leave each other: the one that the system property or the environment
 * variable names, else a usual one: {@code $XDG_RUNTIME_DIR/NAME}, {@code /dev/shm/NAME-UID}, for root
 * {@code /run/NAME}. All of these are empty again after a reboot. Where somebody else has taken the usual ones
 * it is {@code /dev/shm/NAME-UID-RANDOM}, which nobody can guess and take as well; a folder of that name counts if it
 * belongs to the user.
 *
 * <p>A folder is used only if nobody else can write to it, or put another one into its place: it is no symbolic link,
 * belongs to the user or to root, and so does each folder above, and where others may write above there is a sticky
 * bit. So what was found stays true until it is used. Immutable.
 */
public final class StateFolder {
    /** The system property that names the folder of journals and of what is published of devices. */
    public static final String PROPERTY = "rdma4j.state.dir";
    /** The environment variable that names it where the property does not. */
    public static final String VARIABLE = "RDMA4J_STATE_DIR";
    /** The folder of journals and of what is published of devices. */
    public static final StateFolder STATE = new StateFolder("rdma4j", PROPERTY, false, Path.of("/dev/shm"));

    private static final Warnings WARNINGS = new Warnings(StateFolder.class);
    private static final Path PROC = Path.of("/proc");
    private static final long ROOT = 0;
    private static final int STICKY = 01000;
    private static final int MODE = 07777;
    private static final String LOOK = "unix:uid,gid,mode,permissions,isDirectory,isSymbolicLink";
    private static final int RANDOM_BITS = 64;
    private static final Set<PosixFilePermission> OTHERS_WRITE =
        Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final FileAttribute<?> OWN =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final String name;
    private final String property;
    private final boolean inMemoryFirst;
    private final Path memory;

    /**
     * A folder of another name.
     *
     * @param name          the last part of its path, or what that begins with.
     * @param property      the system property that names another one; the environment variable is the same in upper
     *                      case, with {@code _} for {@code .}
     * @param inMemoryFirst whether it is in the memory's folder if it can be, for root as well.
     * @param memory        the folder of the memory's file system, in which every user can make one.
     */
    public StateFolder(final String name, final String property, final boolean inMemoryFirst, final Path memory) {
        this.name = name;
        this.property = property;
        this.inMemoryFirst = inMemoryFirst;
        this.memory = memory;
    }

    /**
     * The environment variable that names it.
     *
     * @return its name.
     */
    public String variable() {
        return property.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /**
     * Whether the property or the variable of this process names a folder.
     *
     * @return false where it is a usual one.
     */
    public boolean isNamed() {
        return named(System::getProperty, System::getenv) != null;
    }

    /**
     * Where the folder of this process is, unless somebody else has taken that.
     *
     * @return a path; it need not exist.
     * @throws IOException                        if it cannot be told who the user is.
     * @throws java.nio.file.InvalidPathException if what names it is no path.
     */
    public Path find() throws IOException {
        final Path chosen = chosen(System::getProperty, System::getenv);
        return chosen != null ? chosen : usual(System::getenv, userId()).get(0);
    }

    /**
     * Makes the folder of this process, readable for this user alone, or checks the one that is there.
     *
     * @return its path.
     * @throws IOException                        if there is none that can be used; the message says which and why.
     * @throws java.nio.file.InvalidPathException if what names it is no path.
     */
    public Path prepare() throws IOException {
        return prepare(System::getProperty, System::getenv);
    }

    Path prepare(final UnaryOperator<String> properties, final UnaryOperator<String> environment) throws IOException {
        final Path chosen = chosen(properties, environment);
        if (chosen != null) {
            return prepare(chosen);
        }
        final long user = userId();
        IOException refusal = null;
        for (final Path usual : usual(environment, user)) {
            try {
                requireFolder(usual.getParent());
                final Path prepared = prepare(usual);
                if (refusal != null) {
                    tellOnce(refusal.getMessage() + "; " + prepared + " is used");
                }
                return prepared;
            } catch (final IOException e) {
                refusal = e;
            }
        }
        if (!Files.isDirectory(memory) || user == ROOT && !inMemoryFirst) {
            throw refusal;
        }
        final Path spare = spare(user);
        tellOnce(refusal.getMessage() + "; " + spare + " is used");
        return spare;
    }

    /** What the system should have is not made in its place. */
    private static void requireFolder(final Path above) throws IOException {
        if (!Files.isDirectory(above)) {
            throw new NoSuchFileException(above.toString(), null, "there is no such folder");
        }
    }

    private static void tellOnce(final String text) {
        WARNINGS.tell(text);
    }

    /**
     * Where files of a process may be.
     *
     * @param properties  its system properties; null for those that are not set.
     * @param environment its environment; null for variables that are not set.
     * @param user        its effective user.
     * @return folders that are there and belong to that user or to root, the most likely first.
     * @throws java.nio.file.InvalidPathException if what names one is no path.
     */
    public List<Path> existing(
        final UnaryOperator<String> properties, final UnaryOperator<String> environment, final long user) {
        final Path chosen = chosen(properties, environment);
        final List<Path> all = new ArrayList<>(chosen == null ? usual(environment, user) : List.of(chosen));
        if (chosen == null) {
            all.addAll(spares(user));
        }
        all.removeIf(folder -> !isOf(folder, user));
        return all;
    }

    /**
     * Where files of processes like this one may be.
     *
     * @return as {@link #existing(UnaryOperator, UnaryOperator, long)}.
     * @throws IOException                        if it cannot be told who the user is.
     * @throws java.nio.file.InvalidPathException if what names one is no path.
     */
    public List<Path> existing() throws IOException {
        return existing(System::getProperty, System::getenv, userId());
    }

    /**
     * Where a file of processes like this one is, or else would be.
     *
     * @param file its name in the folder.
     * @return the folder, as {@link #existing()} has it if the file is there, else as {@link #find()} says.
     * @throws IOException                        if it cannot be told who the user is.
     * @throws java.nio.file.InvalidPathException if what names the folder is no path.
     */
    public Path folderOf(final String file) throws IOException {
        for (final Path folder : existing()) {
            if (Files.exists(folder.resolve(file), LinkOption.NOFOLLOW_LINKS)) {
                return folder;
            }
        }
        return find();
    }

    /**
     * Checks the folder in which a file is, or makes one for it.
     *
     * @param file its name in the folder.
     * @return the folder's path.
     * @throws IOException                        as {@link #prepare()}.
     * @throws java.nio.file.InvalidPathException if what names the folder is no path.
     */
    public Path prepareFor(final String file) throws IOException {
        final Path folder = folderOf(file);
        return Files.exists(folder.resolve(file), LinkOption.NOFOLLOW_LINKS) ? prepare(folder) : prepare();
    }

    private Path chosen(final UnaryOperator<String> properties, final UnaryOperator<String> environment) {
        final String named = named(properties, environment);
        return named == null ? null : Path.of(named);
    }

    private String named(final UnaryOperator<String> properties, final UnaryOperator<String> environment) {
        for (final String chosen : new String[] {properties.apply(property), environment.apply(variable())}) {
            if (chosen != null && !chosen.isBlank()) {
                return chosen;
            }
        }
        return null;
    }

    List<Path> usual(final UnaryOperator<String> environment, final long user) {
        if (user == ROOT && !inMemoryFirst) {
            return List.of(Path.of("/run", name));
        }
        final List<Path> all = new ArrayList<>();
        final String runtime = environment.apply("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isBlank()) {
            all.add(Path.of(runtime, name));
        }
        all.add(inMemoryFirst ? 0 : all.size(), memory.resolve(name + '-' + user));
        if (user == ROOT && !Files.isDirectory(memory)) {
            all.add(Path.of("/run", name));
        }
        return all;
    }

    /** Two that are made at the same moment may both stay: readers look into all, and the next process takes one. */
    private Path spare(final long user) throws IOException {
        final Path made = Files.createDirectory(memory.resolve(String.format(Locale.ROOT, "%s-%d-%016x", name, user,
            new BigInteger(RANDOM_BITS, new SecureRandom()))), OWN);
        for (final Path spare : spares(user)) {
            if (!spare.equals(made) && isOf(spare, user)) {
                Files.delete(made);
                return prepare(spare);
            }
        }
        return prepare(made);
    }

    private List<Path> spares(final long user) {
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(memory, name + '-' + user + "-*")) {
            all.forEach(found::add);
        } catch (final IOException | DirectoryIteratorException e) {
            // No such folder: nobody has one in it.
            return found;
        }
        found.sort(null);
        return found;
    }

    private static boolean isOf(final Path folder, final long user) {
        try {
            final Map<String, Object> found = Files.readAttributes(folder, LOOK, LinkOption.NOFOLLOW_LINKS);
            return Boolean.TRUE.equals(found.get("isDirectory")) && (owner(found) == user || owner(found) == ROOT);
        } catch (final IOException e) {
            return false;
        }
    }

    private static long owner(final Map<String, Object> found) {
        return Integer.toUnsignedLong(((Number) found.get("uid")).intValue());
    }

    /**
     * The user of this process: the effective one, by which the kernel judges access to files.
     *
     * @return its number.
     * @throws IOException if it cannot be told.
     */
    public static long userId() throws IOException {
        return userId("self");
    }

    /**
     * The effective user of a process.
     *
     * @param pid which.
     * @return its number.
     * @throws IOException if there is no such process.
     */
    public static long userId(final long pid) throws IOException {
        return userId(Long.toString(pid));
    }

    private static long userId(final String process) throws IOException {
        final Path status = PROC.resolve(process).resolve("status");
        for (final String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException(status + " has no line Uid:");
    }

    /**
     * Makes a folder, readable for this user alone, or checks the one that is there.
     *
     * @param folder where.
     * @return its real path.
     * @throws IOException if it cannot be made or cannot be trusted; the message says which folder and why.
     */
    public static Path prepare(final Path folder) throws IOException {
        final Path wanted = folder.toAbsolutePath().normalize();
        if (wanted.getParent() == null) {
            throw refused(folder, "is no folder of a user's own");
        }
        try {
            Files.createDirectories(wanted.getParent(), OWN);
        } catch (final FileAlreadyExistsException e) {
            throw refused(folder, "is in " + e.getFile() + ", which is no folder");
        }
        final Path above = wanted.getParent().toRealPath();
        final long user = userId();
        for (int names = 0; names <= above.getNameCount(); names++) {
            requireThatNobodyReplaces(folder,
                names == 0 ? above.getRoot() : above.getRoot().resolve(above.subpath(0, names)), user);
        }
        final Path real = above.resolve(wanted.getFileName());
        try {
            Files.createDirectory(real, OWN);
        } catch (final FileAlreadyExistsException ignored) {
            // Whoever made it, it is looked at like a new one.
        }
        requireOwn(folder, real, user);
        return real;
    }

    /** From the top: each one is looked at when nobody can change any more what leads to it. */
    private static void requireThatNobodyReplaces(final Path folder, final Path above, final long user)
        throws IOException {
        final Map<String, Object> found = Files.readAttributes(above, LOOK, LinkOption.NOFOLLOW_LINKS);
        final Set<?> permissions = (Set<?>) found.get("permissions");
        if (!Boolean.TRUE.equals(found.get("isDirectory"))) {
            throw refused(folder, "was moved meanwhile: " + above + " is no folder");
        }
        if (owner(found) != ROOT && owner(found) != user && !isOutside(owner(found))) {
            throw refused(folder, "is in " + above + " of user " + owner(found) + ", who could replace it");
        }
        final boolean sticky = (((Number) found.get("mode")).intValue() & STICKY) != 0;
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE) && !sticky) {
            throw refused(folder, "is in " + above + ", where anybody could replace it: others may write there, and it"
                + " has no sticky bit");
        }
        // A group with the user's own number is his alone, as many systems make one for each user.
        final long group = ((Number) found.get("gid")).longValue();
        if (permissions.contains(PosixFilePermission.GROUP_WRITE) && !sticky && group != ROOT && group != user) {
            throw refused(folder, "is in " + above + ", where anybody of group " + group + " could replace it: the"
                + " group may write there, and it has no sticky bit");
        }
    }

    /** In a container users of outside have one number for all, and root is one of them. */
    private static boolean isOutside(final long owner) throws IOException {
        return owner == Long.parseLong(Files.readString(PROC.resolve("sys/kernel/overflowuid")).trim())
            && !Files.readString(PROC.resolve("self/uid_map")).trim().matches("0\\s+0\\s+4294967295");
    }

    private static void requireOwn(final Path folder, final Path real, final long user) throws IOException {
        final Map<String, Object> found = Files.readAttributes(real, LOOK, LinkOption.NOFOLLOW_LINKS);
        final Set<?> permissions = (Set<?>) found.get("permissions");
        if (!Boolean.TRUE.equals(found.get("isDirectory"))) {
            throw refused(folder, Boolean.TRUE.equals(found.get("isSymbolicLink")) ? "is a symbolic link, no folder"
                : "is no folder");
        }
        if (owner(found) != ROOT && owner(found) != user || OTHERS_WRITE.stream().anyMatch(permissions::contains)) {
            throw refused(folder, String.format("belongs to user %d and has mode %04o: others may write there",
                owner(found), ((Number) found.get("mode")).intValue() & MODE));
        }
        if (!Files.isWritable(real)) {
            throw refused(folder, "cannot be written to: no right");
        }
    }

    /**
     * What came of a folder, or of a file in it, for people: the names of Java's exceptions say what the messages of
     * some of them leave out.
     *
     * @param thrown by {@link #prepare()} or what follows.
     * @return which file, and why.
     */
    public static String why(final Exception thrown) {
        if (thrown instanceof FileSystemException failure && failure.getReason() == null) {
            final String why = thrown instanceof NoSuchFileException ? "it is not there"
                : thrown instanceof AccessDeniedException ? "no right" : null;
            return why == null ? thrown.toString() : failure.getFile() + ": " + why;
        }
        return thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    }

    private static IOException refused(final Path folder, final String why) {
        return new AccessDeniedException(folder.toString(), null, "it " + why);
    }
}
