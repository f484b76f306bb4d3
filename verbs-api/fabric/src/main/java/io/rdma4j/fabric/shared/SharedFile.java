/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.base.Undo;
import io.rdma4j.driver.state.MemoryFile;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The file of a shared vector, once in a process for all who have it open there: closing any channel of a file ends all
 * locks that the process has on it.
 *
 * <p>A vector lives as long as a process has it open. Who closes it last removes the file. If all of them were killed
 * the file stays: who opens it next and may make it begins anew, who only reads is told that there is none.
 *
 * <p>A new one is written under another name and then linked, so that nobody sees it half-made.
 *
 * <p>The file itself is never mapped: it holds the locks, and tells who has the {@link MemoryFile} open that the
 * addresses are in. That is sealed, as a named file is not: whoever cuts the file off takes it from those who come
 * later, and nothing from those who have it open. All bytes that are used are written before, so that a lack of memory
 * shows there and not under the mapping.
 */
final class SharedFile {
    private static final FileAttribute<?> MINE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final int ATTEMPTS = 20;
    private static final int PIECE = 1 << 20;
    private static final long WAIT_SECONDS = 5;
    private static final String LEFT_OVER = ".tmp";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Map<Path, SharedFile> OPEN = new HashMap<>();
    private static final ReentrantLock OPENING = new ReentrantLock();

    private final Path path;
    private final SharedName name;
    private final FileChannel channel;
    private final SharedLayout layout;
    private final MemoryFile memory;
    private final SharedHolders holders;
    private final Object key;
    private final ReentrantLock changing = new ReentrantLock();
    private final FileLock presence;
    private FileLock writer;
    private FileLock ownership;
    /** This process, as it is named in entries; 0 as long as it has put none into the file. */
    private int owner;
    /** Among the holders; -1 as long as there is no room for this process. */
    private int holder;
    private SharedMemory writable;
    private SharedMemory readable;
    private int users = 1;

    private SharedFile(
        final Path path, final SharedName name, final FileChannel channel, final SharedLayout layout,
        final MemoryFile memory, final Object key, final FileLock presence) throws IOException {
        this.path = path;
        this.name = name;
        this.channel = channel;
        this.layout = layout;
        this.memory = memory;
        this.presence = presence;
        this.key = key;
        holders = new SharedHolders(channel, path);
        holder = holders.add(memory.descriptor());
    }

    /**
     * Opens or makes it.
     *
     * @param wanted what to make if there is none; null to open only.
     * @param places how many to make it with, a multiple of 64.
     */
    static SharedFile open(final SharedName name, final SharedLayout wanted, final int places) throws IOException {
        final Path path = place(SharedFolder.fileName(name.name(), name.domain()), wanted != null);
        return quietly(() -> {
            final SharedFile here = OPEN.get(path);
            if (here != null) {
                here.users++;
                return here;
            }
            final SharedFile file = attempt(path, name, wanted, places);
            OPEN.put(path, file);
            return file;
        });
    }

    /** By its real path: whatever leads there, the file is open once in this process. */
    private static Path place(final String file, final boolean mayMake) throws IOException {
        final Path found = SharedFolder.find(file).resolve(file);
        return mayMake || Files.exists(found, LinkOption.NOFOLLOW_LINKS)
            ? SharedFolder.FOLDER.prepareFor(file).resolve(file) : found;
    }

    /** What is done with files: one thread after the other, and no interrupt closes a channel. */
    private static <T> T quietly(final Undisturbed.Work<T> work) throws IOException {
        return Undisturbed.carryOut(() -> {
            OPENING.lock();
            try {
                return work.carryOut();
            } finally {
                OPENING.unlock();
            }
        });
    }

    private static SharedFile attempt(
        final Path path, final SharedName name, final SharedLayout wanted, final int places) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            final boolean exists = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
            if (!exists && wanted == null) {
                throw Troubles.of(FiErrno.FI_ENOENT, "a process has to have it open that may make it",
                    "there is no vector '%s' of domain '%s': %s", name.name(), name.domain(), path);
            }
            final SharedFile file =
                exists ? join(path, name, wanted != null) : make(path, name, wanted, places);
            if (file != null) {
                return file;
            }
        }
        throw Troubles.of(FiErrno.FI_EAGAIN, "try again", "%s was replaced %d times meanwhile", path, ATTEMPTS);
    }

    /** Null if it went meanwhile, or was left over and is gone now. */
    private static SharedFile join(final Path path, final SharedName name, final boolean mayMake)
        throws IOException {
        FileChannel channel = null;
        SharedFile file = null;
        try {
            SharedFolder.checkMine(path);
            final Object key = key(path);
            channel = FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS));
            final FileLock lock = FileLocks.writer(channel, path, Troubles.OPEN);
            try {
                if (key != null && key.equals(key(path))) {
                    file = join(path, name, mayMake, channel);
                }
            } finally {
                lock.release();
            }
            return file;
        } catch (final NoSuchFileException e) {
            return null;
        } finally {
            if (file == null && channel != null) {
                channel.close();
            }
        }
    }

    private static SharedFile join(
        final Path path, final SharedName name, final boolean mayMake, final FileChannel channel)
        throws IOException {
        // Whatever is in it: another version may have left it, and nobody would ever mend it.
        if (FileLocks.isAbandoned(channel)) {
            if (mayMake) {
                Files.deleteIfExists(path);
                return null;
            }
            throw Troubles.of(FiErrno.FI_ENOENT, "a process has to have it open that may make it",
                "%s was left by processes that were killed, none has it open", path);
        }
        final UnsafeBuffer header = new UnsafeBuffer(new byte[SharedLayout.HEADER]);
        final SharedLayout layout = SharedLayout.read(header, read(channel, header), path);
        if (!SharedLayout.name(header).equals(name)) {
            throw Troubles.damaged(path, "it is of %s", SharedLayout.name(header));
        }
        if (channel.size() != SharedHolders.LENGTH) {
            throw Troubles.damaged(path, "it has %d bytes, not %d", channel.size(), SharedHolders.LENGTH);
        }
        final MemoryFile memory = new SharedHolders(channel, path).open(header, layout);
        if (memory == null) {
            throw Troubles.of(FiErrno.FI_EIO, "they must be of the same PID namespace, and /proc must show them",
                "none of the processes that have %s open lets this one at its memory (/proc/PID/fd)", path);
        }
        boolean good = false;
        try {
            // The part of its header that changes.
            final UnsafeBuffer now = new UnsafeBuffer(new byte[SharedLayout.HEADER]);
            SharedLayout.read(now, read(memory.channel(), now), path);
            final SharedFile file =
                new SharedFile(path, name, channel, layout, memory, key(path), FileLocks.presence(channel, path));
            good = true;
            return file;
        } finally {
            if (!good) {
                memory.close();
            }
        }
    }


    /** Bytes that were there. */
    static int read(final FileChannel channel, final UnsafeBuffer header) throws IOException {
        final ByteBuffer to = ByteBuffer.wrap(header.byteArray());
        int read = 0;
        while (read >= 0 && to.hasRemaining()) {
            read = channel.read(to, to.position());
        }
        return to.position();
    }

    /** Null if another process was faster. */
    private static SharedFile make(
        final Path path, final SharedName name, final SharedLayout layout, final int places) throws IOException {
        sweep(path.getParent());
        final Path half = path.resolveSibling(halfMade(path.getFileName().toString(), ProcessHandle.current().pid()));
        final FileChannel channel = FileChannel.open(half, Set.of(StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ, StandardOpenOption.WRITE), MINE);
        SharedFile file = null;
        boolean made = false;
        try {
            file = fill(channel, path, layout, name, places, key(half));
            made = isFirst(path, half);
            return made ? file : null;
        } finally {
            Files.deleteIfExists(half);
            if (!made) {
                if (file != null) {
                    file.memory.close();
                }
                channel.close();
            }
        }
    }

    /** What it is called until it is whole. A process of another container may have the number of this one. */
    static String halfMade(final String file, final long process) {
        return file + '.' + Integer.toHexString(RANDOM.nextInt()) + '.' + process + LEFT_OVER;
    }

    /** Not who finds another one there, or whose own was swept away by a process that does not see this one. */
    static boolean isFirst(final Path path, final Path half) throws IOException {
        try {
            Files.createLink(path, half);
            return true;
        } catch (final FileAlreadyExistsException | NoSuchFileException e) {
            return false;
        }
    }

    private static SharedFile fill(
        final FileChannel channel, final Path path, final SharedLayout layout, final SharedName name, final int places,
        final Object key) throws IOException {
        final MemoryFile memory = MemoryFile.create("rdma4j-av", layout.length);
        SharedFile file = null;
        try {
            new SharedHolders(channel, path).make(fill(memory.channel(), layout, name, places));
            file = new SharedFile(path, name, channel, layout, memory, key, FileLocks.presence(channel, path));
            return file;
        } finally {
            if (file == null) {
                memory.close();
            }
        }
    }

    private static byte[] fill(
        final FileChannel channel, final SharedLayout layout, final SharedName name, final int places)
        throws IOException {
        final int level = SharedLayout.level(places);
        zero(channel, SharedLayout.HEADER, places / Byte.SIZE);
        zero(channel, layout.index(level), SharedLayout.indexBytes(level));
        zero(channel, layout.position(0), (long) places * layout.entrySize);
        final byte[] header = new byte[SharedLayout.HEADER];
        layout.write(new UnsafeBuffer(header), name, places, header.length + places / Byte.SIZE
            + SharedLayout.indexBytes(level) + (long) places * layout.entrySize);
        final ByteBuffer from = ByteBuffer.wrap(header);
        while (from.hasRemaining()) {
            channel.write(from, from.position());
        }
        return header;
    }

    private static void zero(final FileChannel channel, final long position, final long length) throws IOException {
        final ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(PIECE, length));
        for (long done = 0; done < length; done += zeros.position()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), length - done));
            channel.write(zeros, position + done);
        }
    }

    /** Removes what makers left that were killed on the way, and nothing else: the folder may be one of the user's. */
    private static void sweep(final Path folder) throws IOException {
        try (var files = Files.newDirectoryStream(folder, "*@*.av.*" + LEFT_OVER)) {
            for (final Path one : files) {
                final String[] parts = one.getFileName().toString().split("\\.");
                final String process = parts[parts.length - 2];
                if (process.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(process)).isEmpty()
                    && Files.isRegularFile(one, LinkOption.NOFOLLOW_LINKS)) {
                    Files.deleteIfExists(one);
                }
            }
        }
    }

    private static Object key(final Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    SharedLayout layout() {
        return layout;
    }

    Path path() {
        return path;
    }

    SharedName name() {
        return name;
    }

    SharedMemory map(final boolean readOnly) throws IOException {
        return quietly(() -> {
            if (readOnly && readable == null) {
                readable = new SharedMemory(memory.channel(), layout, FileChannel.MapMode.READ_ONLY);
            } else if (!readOnly && writable == null) {
                writable = new SharedMemory(memory.channel(), layout, FileChannel.MapMode.READ_WRITE);
            }
            return readOnly ? readable : writable;
        });
    }

    /**
     * Writes zeros where there is a hole; with the lock.
     *
     * @return false if the system has no memory for them: it is asked first, so that nobody else loses any.
     */
    boolean makeRoom(final long position, final long length) {
        try {
            return Undisturbed.carryOut(() -> {
                if (!MemoryFile.isAvailable(length)) {
                    return false;
                }
                zero(memory.channel(), position, length);
                return true;
            });
        } catch (final IOException e) {
            if (Troubles.errno(e) == FiErrno.FI_ENOMEM) {
                return false;
            }
            throw Troubles.of(Troubles.CHANGE, path, e);
        }
    }

    /** Begins changes, in this process and among processes. */
    void lock() {
        try {
            if (!changing.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw Troubles.of(Troubles.CHANGE, FiErrno.FI_EAGAIN, "try again",
                    "another thread is changing %s for %d s", path, WAIT_SECONDS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Troubles.of(Troubles.CHANGE, FiErrno.FI_EINTR, "try again",
                "this thread was interrupted waiting for %s", path);
        }
        try (Undo undo = new Undo()) {
            undo.add(this::unlock);
            writer = FileLocks.writer(channel, path, Troubles.CHANGE);
            if (holder < 0) {
                holder = Undisturbed.carryOut(() -> holders.add(memory.descriptor()));
            }
            undo.forget();
        } catch (final IOException e) {
            throw Troubles.of(Troubles.CHANGE, path, e);
        }
    }

    void unlock() {
        try {
            if (writer != null) {
                writer.release();
                writer = null;
            }
        } catch (final IOException e) {
            throw Troubles.of(Troubles.CHANGE, path, e);
        } finally {
            changing.unlock();
        }
    }

    /**
     * Who this process is in entries, while it has it open; with the lock.
     *
     * @return 0, nobody, if there are too many others already.
     */
    int owner(final SharedOwners owners) {
        try {
            for (int i = 1; i < SharedLayout.OWNERS && owner == 0; i++) {
                ownership = owners.count(i) == 0 ? FileLocks.owner(channel, i) : null;
                owner = ownership == null ? 0 : i;
            }
            return owner;
        } catch (final IOException e) {
            throw Troubles.of(Troubles.CHANGE, path, e);
        }
    }

    /** Whether a process ended without closing the vector; with the lock. */
    boolean isGone(final int other) {
        if (other == owner) {
            return false;
        }
        try {
            final FileLock lock = FileLocks.owner(channel, other);
            if (lock != null) {
                lock.release();
            }
            return lock != null;
        } catch (final IOException e) {
            throw Troubles.of(Troubles.CHANGE, path, e);
        }
    }

    /** Of a user that does not try again. */
    void release() throws IOException {
        release(new AtomicBoolean());
    }

    /**
     * One user less; the last one of the process lets go of the file, the last process removes it. Where it fails, the
     * user may try again; who opens the file meanwhile uses it again.
     *
     * @param released whether this user is not counted any more; set where it is counted, as no thread may be found.
     */
    void release(final AtomicBoolean released) throws IOException {
        quietly(() -> {
            if (released.compareAndSet(false, true)) {
                users--;
            }
            if (users == 0 && OPEN.get(path) == this) {
                leave();
            }
            return null;
        });
    }

    /** Nothing is given up before its addresses are the others': those of a process without its locks go. */
    private void leave() throws IOException {
        final FileLock lock = FileLocks.writer(channel, path, Troubles.CLOSE);
        boolean left = false;
        try {
            if (owner != 0) {
                final SharedEntries entries = new SharedEntries(writable, SharedEntries.ANY_KIND);
                new SharedChanges(writable, entries, new SharedIndex(writable, entries), this::makeRoom).leave(owner);
            }
            left = true;
        } finally {
            if (!left) {
                lock.release();
            }
        }
        OPEN.remove(path);
        // Closing the file ends its locks.
        try (memory; channel) {
            presence.release();
            holders.remove(holder);
            if (FileLocks.isAbandoned(channel) && key != null && key.equals(key(path))) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** Looks at a vector, under the opening lock: at its memory, or at its file if nobody lets this process at that. */
    static <T> T look(final Path path, final Look<T> look) throws IOException {
        return quietly(() -> {
            final SharedFile here = OPEN.get(path);
            if (here != null) {
                return look.at(here.memory.channel(), true);
            }
            try (FileChannel other = FileChannel.open(path, Set.of(StandardOpenOption.READ,
                StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                return look(path, other, look);
            }
        });
    }

    private static <T> T look(final Path path, final FileChannel file, final Look<T> look) throws IOException {
        final boolean isOpen = FileLocks.isOpen(file);
        final UnsafeBuffer header = new UnsafeBuffer(new byte[SharedLayout.HEADER]);
        final SharedLayout layout = SharedLayout.read(header, read(file, header), path);
        try (MemoryFile found = new SharedHolders(file, path).open(header, layout)) {
            return look.at(found == null ? file : found.channel(), isOpen);
        }
    }

    /** Looks at a file. */
    interface Look<T> {
        T at(FileChannel channel, boolean isOpen) throws IOException;
    }
}
