/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.OpenFileLock;
import io.rdma4j.driver.state.HeldFile;
import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where processes of one user find each other, a folder of the user's own ({@link StateFolder}):
 *
 * <ul>
 * <li>{@code gid-GID} tells who has a GID. Its owner holds the {@linkplain OpenFileLock lock} of it, which the kernel
 * gives back when the owner ends, however it does; so the lock says whether the owner lives, and numbers of processes
 * that are given anew do not matter. It is never written to after it has its name. Whoever meets one without an owner
 * removes it, with the lock of that very file, so that nobody removes the next one by mistake.
 * <li>{@code ring-DEST-SOURCE-NONCE-FD} offers a ring to the owner of a GID, who removes it when the ring is mapped. It
 * is empty: all that there is to say is its name, and who wrote it is behind the GID.
 * <li>{@code new-RANDOM} becomes the first of these.
 * </ul>
 *
 * <p>Files are read, not mapped; so nobody is harmed by what becomes of them. What is no plain file of this user is
 * refused. Immutable.
 */
final class ShmFolder {
    /** Names another folder. */
    static final String PROPERTY = "rdma4j.shm.dir";
    private static final StateFolder PLACE = new StateFolder("rdma4j-shm", PROPERTY, true, Path.of("/dev/shm"));
    private static final FileAttribute<?> OWN =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final Pattern RING =
        Pattern.compile("ring-([0-9a-f]{32})-([0-9a-f]{32})-([0-9a-f]{16})-(\\d{1,9})");
    private static final String GID = "gid-";
    private static final String DRAFT = "new-";
    private static final int ATTEMPTS = 100;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final long MAGIC = 0x52444d41_344a4731L;
    private static final int LIFE_OFFSET = 8;
    private static final int NONCE_OFFSET = 16;
    private static final int HIGH_OFFSET = 24;
    private static final int LOW_OFFSET = 32;
    private static final int PID_OFFSET = 40;
    private static final int DESCRIPTOR_OFFSET = 44;
    private static final int LENGTH = 48;

    private final Path path;

    ShmFolder(final Path path) {
        this.path = path;
    }

    /** The usual one. */
    static ShmFolder prepare() {
        try {
            return new ShmFolder(PLACE.prepare());
        } catch (final IOException e) {
            throw RdmaException.of("open shared-memory carrier").detail("%s", e.getMessage())
                .errno(RdmaException.EACCES).hint("set -D%s to a folder that this user alone can write to", PROPERTY)
                .cause(e).build();
        }
    }

    /** Of this user, under any name. */
    static ShmFolder prepare(final Path folder) throws IOException {
        return new ShmFolder(StateFolder.prepare(folder));
    }

    /**
     * Who has a GID.
     *
     * @param gid        which
     * @param life       of this ownership, which no other one has
     * @param pid        the owner's process
     * @param descriptor of the owner's inbox there
     * @param nonce      in that inbox
     */
    record Owner(Gid gid, long life, int pid, int descriptor, long nonce) {
    }

    /** A file of an owner that is open here, and its lock. */
    record Opened(Owner owner, Fd file, OpenFileLock lock) implements AutoCloseable {
        @Override
        public void close() {
            file.close();
        }
    }

    /** A ring that somebody offers. */
    record Offer(Path file, Gid dest, Gid source, long nonce, int descriptor) {
        static Offer of(final Path file) {
            final Matcher name = RING.matcher(file.getFileName().toString());
            return name.matches() ? new Offer(file, parse(name.group(1)), parse(name.group(2)),
                Long.parseUnsignedLong(name.group(3), 16), Integer.parseInt(name.group(4))) : null;
        }
    }

    static long random() {
        return RANDOM.nextLong();
    }

    private static String digits(final Gid gid) {
        return String.format("%016x%016x", gid.high(), gid.low());
    }

    private static Gid parse(final String digits) {
        return new Gid(Long.parseUnsignedLong(digits.substring(0, 16), 16),
            Long.parseUnsignedLong(digits.substring(16), 16));
    }

    private Path fileOf(final Gid gid) {
        return path.resolve(GID + digits(gid));
    }

    /** Changes when files come or go; only to be compared. */
    long changed() {
        try {
            return Files.getLastModifiedTime(path).toMillis();
        } catch (final IOException e) {
            return 0;
        }
    }

    /**
     * Takes a GID.
     *
     * @return what holds it until it is given to {@link #release}
     * @throws RdmaException EADDRINUSE if somebody has it, EACCES if something else is there than a file of this user
     */
    Opened claim(final Owner owner) {
        final Path file = fileOf(owner.gid);
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                final Opened made = publish(owner, file);
                if (made != null) {
                    return made;
                }
                if (isTaken(owner.gid)) {
                    throw RdmaException.of("bind").object(owner.gid).detail("another device has this GID, see %s", file)
                        .errno(RdmaException.EADDRINUSE).hint("give one of the two another gid or guid").build();
                }
            }
        } catch (final AccessDeniedException e) {
            throw failure(owner.gid, e, RdmaException.EACCES);
        } catch (final IOException e) {
            throw failure(owner.gid, e, RdmaException.EIO);
        }
        throw failure(owner.gid, new IOException(file + " comes and goes"), RdmaException.EBUSY);
    }

    private static RdmaException failure(final Gid gid, final IOException e, final int errno) {
        return RdmaException.of("bind").object(gid).detail("%s", e.getMessage()).errno(errno)
            .hint("remove the file, or set -D%s to another folder", PROPERTY).cause(e).build();
    }

    /** It gets its name when it is complete and locked; null if something else has the name, or the draft is gone. */
    private Opened publish(final Owner owner, final Path file) throws IOException {
        final Path draft = path.resolve(String.format("%s%016x", DRAFT, random()));
        Files.createFile(draft, OWN);
        try (Undo undo = new Undo()) {
            final Fd open = Fd.open(draft.toString(), LibcConstants.O_RDWR | LibcConstants.O_NOFOLLOW);
            undo.add(open::close);
            final OpenFileLock lock = new OpenFileLock(open.fd());
            if (!lock.tryTake()) {
                return null;
            }
            Libc.pwrite(open.fd(), bytes(owner), LENGTH, 0);
            Files.createLink(file, draft);
            undo.forget();
            return new Opened(owner, open, lock);
        } catch (final FileAlreadyExistsException | NoSuchFileException e) {
            return null;
        } catch (final RdmaException e) {
            if (e.errno() == RdmaException.ENOENT) {
                // It was not locked yet, and somebody who cleans up took it for what a dead process has left.
                return null;
            }
            throw e;
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static UnsafeBuffer bytes(final Owner owner) {
        final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
        bytes.putLong(0, MAGIC);
        bytes.putLong(LIFE_OFFSET, owner.life);
        bytes.putLong(NONCE_OFFSET, owner.nonce);
        bytes.putLong(HIGH_OFFSET, owner.gid.high());
        bytes.putLong(LOW_OFFSET, owner.gid.low());
        bytes.putInt(PID_OFFSET, owner.pid);
        bytes.putInt(DESCRIPTOR_OFFSET, owner.descriptor);
        return bytes;
    }

    private static Owner owner(final Gid gid, final Fd file) throws IOException {
        final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
        if (Libc.pread(file.fd(), bytes, LENGTH, 0) != LENGTH || bytes.getLong(0) != MAGIC
            || !gid.equals(new Gid(bytes.getLong(HIGH_OFFSET), bytes.getLong(LOW_OFFSET)))) {
            throw new IOException(file + " does not tell of an owner of " + gid);
        }
        return new Owner(gid, bytes.getLong(LIFE_OFFSET), bytes.getInt(PID_OFFSET), bytes.getInt(DESCRIPTOR_OFFSET),
            bytes.getLong(NONCE_OFFSET));
    }

    /** Gives a GID back. The name goes first: whoever takes it next has a file of its own. */
    void release(final Opened owned) {
        try {
            Files.deleteIfExists(fileOf(owned.owner.gid));
        } catch (final IOException e) {
            // Without its lock it counts for nothing, and is removed by who meets it.
            return;
        } finally {
            owned.close();
        }
    }

    /**
     * Whether somebody has a GID; what a dead owner left is removed.
     *
     * @throws IOException AccessDeniedException if something else is there than a file of this user
     */
    boolean isTaken(final Gid gid) throws IOException {
        try (Opened found = open(fileOf(gid), null)) {
            return found != null;
        } catch (final NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Finds who has a GID.
     *
     * @return null if nobody has it
     * @throws IOException if what is there makes no sense, or is somebody else's
     */
    Opened find(final Gid gid) throws IOException {
        try {
            return open(fileOf(gid), gid);
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    /** Null if its owner is dead. With a GID it is read as well. */
    private static Opened open(final Path file, final Gid gid) throws IOException {
        try (HeldFile held = HeldFile.of(file); Undo undo = new Undo()) {
            if (!held.isRegular() || held.owner() != Integer.toUnsignedLong(Libc.geteuid())) {
                throw new AccessDeniedException(file.toString(), null, held.isLink() ? "it is a symbolic link"
                    : "it is no plain file of this user");
            }
            final Fd open = Fd.open(held.path().toString(), LibcConstants.O_RDWR);
            undo.add(open::close);
            final OpenFileLock lock = new OpenFileLock(open.fd());
            if (!lock.isHeldElsewhere()) {
                removeIfStill(file, open, lock);
                return null;
            }
            final Opened found = new Opened(gid == null ? null : owner(gid, open), open, lock);
            undo.forget();
            return found;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Only who has the lock of the file to which the name leads takes the name away. */
    private static void removeIfStill(final Path file, final Fd open, final OpenFileLock lock) throws IOException {
        if (lock.tryTake() && identity(file).equals(identity(Path.of("/proc/self/fd/" + open.fd())))) {
            Files.deleteIfExists(file);
        }
    }

    private static Map<String, Object> identity(final Path file) throws IOException {
        return file.startsWith("/proc") ? Files.readAttributes(file, "unix:dev,ino")
            : Files.readAttributes(file, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    }

    /** Offers a ring. */
    Path offer(final ShmRing.Title title, final int descriptor) throws IOException {
        return Files.createFile(path.resolve(String.format(Locale.ROOT, "ring-%s-%s-%016x-%d", digits(title.dest()),
            digits(title.source()), title.nonce(), descriptor)), OWN);
    }

    static void remove(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // Whoever binds a GID next tries again.
            return;
        }
    }

    /**
     * What there is now, by name.
     *
     * @throws IOException if it cannot be read, as where the process has too many files open
     */
    Set<Path> files() throws IOException {
        final Set<Path> found = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path)) {
            all.forEach(found::add);
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    /** Removes what dead processes left. */
    void sweep() {
        try {
            for (final Path file : files()) {
                final String name = file.getFileName().toString();
                if (name.startsWith(GID) || name.startsWith(DRAFT)) {
                    removeDead(file);
                }
            }
            for (final Path file : files()) {
                final Offer offer = Offer.of(file);
                if (offer != null && !(Files.exists(fileOf(offer.source)) && Files.exists(fileOf(offer.dest)))) {
                    remove(file);
                }
            }
        } catch (final IOException e) {
            // Whoever binds a GID next tries again.
            return;
        }
    }

    private static void removeDead(final Path file) {
        try (Opened found = open(file, null)) {
            assert found == null || found.file().isOpen();
        } catch (final IOException e) {
            // Gone already, or nothing of ours.
            return;
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
