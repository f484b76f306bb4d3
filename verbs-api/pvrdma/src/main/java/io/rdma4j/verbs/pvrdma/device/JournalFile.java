/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The bytes of a journal of live objects: in memory, and in a file, to which each change is written at once, so that it
 * survives the process whatever ends it. Not through a mapping, which is a fault of this process if somebody cuts the
 * file off or the disk is full, and not through a {@link FileChannel}, which an interrupted thread closes. What cannot
 * be written is missing there; nothing is thrown. All numbers are little endian.
 *
 * <pre>
 *    0  u64  magic                      24  u32  handle of the last QP made, plus 1; 0: none
 *    8  u32  version                    28  u32  process that writes
 *   12  u32  bytes of a slot            32  40   boot id of the machine
 *   16  u32  slots                      72  u32  bytes of the device's name
 *   20  u32  command under way, plus 1  76  180  name of the device
 *  256  slots: u32 kind (0: free), u32 handle, u32 check, u32 0, u8[16] gid
 * </pre>
 *
 * <p>A slot is written as a whole; one that was not, its check tells. The file is locked as long as this is open. Not
 * thread-safe.
 */
final class JournalFile {
    static final int VERSION = 1;
    static final int SLOTS = 8192;
    static final int VERSION_OFFSET = 8;
    static final int SLOTS_OFFSET = 256;
    static final int SLOT_LENGTH = 32;
    static final int LENGTH = SLOTS_OFFSET + SLOTS * SLOT_LENGTH;

    /** "rdma4jlo" */
    private static final long MAGIC = 0x6f6c_6a34_616d_6472L;
    private static final int SLOT_LENGTH_OFFSET = 12;
    private static final int SLOT_COUNT_OFFSET = 16;
    private static final int UNDER_WAY_OFFSET = 20;
    private static final int LAST_QP_OFFSET = 24;
    private static final int PROCESS_OFFSET = 28;
    private static final int BOOT_ID_OFFSET = 32;
    private static final int BOOT_ID_LENGTH = 40;
    private static final int NAME_LENGTH_OFFSET = 72;
    private static final int NAME_OFFSET = 76;
    private static final int NAME_MAX = SLOTS_OFFSET - NAME_OFFSET;
    private static final int HANDLE_OFFSET = 4;
    private static final int CHECK_OFFSET = 8;
    private static final int GID_OFFSET = 16;
    private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int ATTEMPTS = 20;

    /**
     * Those of this process. Closing any channel of a file ends all locks that the process has on it, so a second one
     * must not even be opened.
     */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path path;
    /** Has the lock. */
    private final FileChannel channel;
    /** The same file; closing it would give the lock back as well. */
    private final Fd file;
    private final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
    private final UnsafeBuffer written = new UnsafeBuffer(0, 0);
    private final Consumer<String> trouble;
    private final String objection;
    private final int formerProcess;
    private final boolean otherBoot;
    private boolean closed;

    private JournalFile(final Path path, final FileChannel channel, final Fd file, final String device,
        final Consumer<String> trouble) throws IOException {
        this.path = path;
        this.channel = channel;
        this.file = file;
        this.trouble = trouble;
        final byte[] name = Arrays.copyOf(device.getBytes(StandardCharsets.UTF_8), NAME_MAX);
        final byte[] boot = bootId();
        final boolean made = channel.size() == 0;
        final String found = made ? "" : objection(channel, name);
        if (found != null) {
            fillWithZeros(channel);
        }
        Libc.pread(file.fd(), bytes, LENGTH, 0);
        objection = found == null || found.isEmpty() ? null : found;
        formerProcess = bytes.getInt(PROCESS_OFFSET, LE);
        otherBoot = formerProcess != 0 && !Arrays.equals(boot, part(BOOT_ID_OFFSET, BOOT_ID_LENGTH));
        bytes.putInt(VERSION_OFFSET, VERSION, LE);
        bytes.putInt(SLOT_LENGTH_OFFSET, SLOT_LENGTH, LE);
        bytes.putInt(SLOT_COUNT_OFFSET, SLOTS, LE);
        bytes.putInt(PROCESS_OFFSET, (int) ProcessHandle.current().pid(), LE);
        bytes.putBytes(BOOT_ID_OFFSET, boot);
        bytes.putInt(NAME_LENGTH_OFFSET, NAME_MAX, LE);
        bytes.putBytes(NAME_OFFSET, name);
        bytes.putLong(0, MAGIC, LE);
        store(0, SLOTS_OFFSET);
    }

    /** Brings what was changed into the file. */
    private void store(final int offset, final int length) {
        written.wrap(bytes, offset, length);
        try {
            final int count = Libc.pwrite(file.fd(), written, length, offset);
            if (count < length) {
                trouble.accept("only " + count + " of " + length + " bytes could be written");
            }
        } catch (final RdmaException e) {
            trouble.accept(e.getMessage());
        }
    }

    /**
     * Opens the journal of a device and locks it. One that cannot be trusted is begun anew, see {@link #objection()}.
     *
     * @param trouble is told what cannot be written later.
     * @throws IOException   if there can be no journal.
     * @throws RdmaException EBUSY if this or another process has it open.
     */
    static JournalFile open(final Path path, final String device, final Consumer<String> trouble) throws IOException {
        if (!OPEN.add(path)) {
            throw busy(path, device, (int) ProcessHandle.current().pid());
        }
        // With the flag up, each use of a channel would close it.
        final boolean interrupted = Thread.interrupted();
        try (Undo undo = new Undo()) {
            undo.add(() -> OPEN.remove(path));
            final JournalFile file = lock(path, device, trouble);
            undo.forget();
            return file;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whoever closes a journal removes it, so the file that was locked may not be the one of that name any more. */
    private static JournalFile lock(final Path path, final String device, final Consumer<String> trouble)
        throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final Object wanted = make(path);
            FileChannel channel = null;
            boolean good = false;
            try {
                channel = FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS));
                requireLock(path, device, channel);
                if (wanted != null && wanted.equals(key(path))) {
                    final JournalFile file = open(path, channel, device, trouble);
                    good = true;
                    return file;
                }
            } catch (final NoSuchFileException e) {
                // Removed since it was made: once more.
                Thread.onSpinWait();
            } finally {
                if (!good && channel != null) {
                    channel.close();
                }
            }
        }
        throw new IOException(path + " was replaced " + ATTEMPTS + " times while it was being opened");
    }

    private static JournalFile open(final Path path, final FileChannel channel, final String device,
        final Consumer<String> trouble) throws IOException {
        try (Undo undo = new Undo()) {
            final Fd file = Fd.open(path.toString(), LibcConstants.O_RDWR | LibcConstants.O_NOFOLLOW);
            undo.add(file::close);
            final JournalFile opened = new JournalFile(path, channel, file, device, trouble);
            undo.forget();
            return opened;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Object make(final Path path) throws IOException {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (final FileAlreadyExistsException e) {
            // The one of an earlier process, or of one that runs: the lock will tell.
            return key(path);
        }
        return key(path);
    }

    /** What tells files of one name apart; null if there is none. */
    private static Object key(final Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    private static void requireLock(final Path path, final String device, final FileChannel channel)
        throws IOException {
        try {
            final FileLock lock = channel.tryLock();
            if (lock == null) {
                throw busy(path, device, header(channel).getInt(PROCESS_OFFSET, LE));
            }
        } catch (final OverlappingFileLockException e) {
            throw busy(path, device, (int) ProcessHandle.current().pid());
        }
    }

    private static RdmaException busy(final Path path, final String device, final int process) {
        return RdmaException.of("open device")
            .device(device)
            .detail("process %d has it open: it has locked the journal %s", process, path)
            .errno(RdmaException.EBUSY)
            .hint("close it there first; one process at a time can use a device")
            .build();
    }

    private static UnsafeBuffer header(final FileChannel channel) throws IOException {
        final ByteBuffer start = ByteBuffer.allocate(SLOTS_OFFSET);
        int read = 0;
        while (read >= 0 && start.hasRemaining()) {
            read = channel.read(start, start.position());
        }
        return new UnsafeBuffer(start.array());
    }

    /** Why a file is not taken for this device's journal; empty if that is no wonder, null if it is one. */
    private static String objection(final FileChannel channel, final byte[] name) throws IOException {
        final UnsafeBuffer header = header(channel);
        final byte[] found = new byte[NAME_MAX];
        header.getBytes(NAME_OFFSET, found);
        final long magic = header.getLong(0, LE);
        if (magic == 0 && header.getInt(PROCESS_OFFSET, LE) == 0) {
            // Whoever began it was stopped before there was anything to write down.
            return "";
        }
        if (magic != MAGIC) {
            return String.format("it begins with 0x%016x, not as a journal does", magic);
        }
        if (header.getInt(VERSION_OFFSET, LE) != VERSION) {
            return "it is of version " + header.getInt(VERSION_OFFSET, LE) + ", this is version " + VERSION;
        }
        if (header.getInt(SLOT_LENGTH_OFFSET, LE) != SLOT_LENGTH || header.getInt(SLOT_COUNT_OFFSET, LE) != SLOTS
            || channel.size() != LENGTH) {
            return String.format("it has %d bytes and %d slots of %d, not %d and %d of %d", channel.size(),
                header.getInt(SLOT_COUNT_OFFSET, LE), header.getInt(SLOT_LENGTH_OFFSET, LE), LENGTH, SLOTS,
                SLOT_LENGTH);
        }
        return Arrays.equals(found, name) ? null
            : "it is of the device " + new String(found, StandardCharsets.UTF_8).trim();
    }

    /** Writes all of it, so that a full file system shows here. */
    private static void fillWithZeros(final FileChannel channel) throws IOException {
        final ByteBuffer zeros = ByteBuffer.allocate(LENGTH);
        while (zeros.hasRemaining()) {
            channel.write(zeros, zeros.position());
        }
        channel.truncate(LENGTH);
    }

    private static byte[] bootId() throws IOException {
        return Arrays.copyOf(Files.readString(BOOT_ID).trim().getBytes(StandardCharsets.US_ASCII), BOOT_ID_LENGTH);
    }

    private byte[] part(final int offset, final int length) {
        final byte[] part = new byte[length];
        bytes.getBytes(offset, part);
        return part;
    }

    Path path() {
        return path;
    }

    /** Why what was in the file was thrown away; null if it was not. */
    String objection() {
        return objection;
    }

    /** Who wrote the journal that was found; 0 if there was none. */
    int formerProcess() {
        return formerProcess;
    }

    /** Whether the machine was started again since the journal that was found was written. */
    boolean isOfOtherBoot() {
        return otherBoot;
    }

    /** What a slot says; null if it is free or makes no sense. */
    Journal.Entry entry(final int slot) {
        final int at = at(slot);
        final ObjectKind kind = ObjectKind.of(bytes.getInt(at, LE));
        final int handle = bytes.getInt(at + HANDLE_OFFSET, LE);
        return kind != null && bytes.getInt(at + CHECK_OFFSET, LE) == check(kind, handle, at)
            ? new Journal.Entry(kind, handle, part(at + GID_OFFSET, GidTable.GID_LENGTH)) : null;
    }

    boolean isFree(final int slot) {
        return bytes.getInt(at(slot), LE) == 0;
    }

    void put(final int slot, final Journal.Entry entry) {
        final int at = at(slot);
        bytes.putInt(at, entry.kind().code(), LE);
        bytes.putInt(at + HANDLE_OFFSET, entry.handle(), LE);
        bytes.putBytes(at + GID_OFFSET, entry.gid());
        bytes.putInt(at + CHECK_OFFSET, check(entry.kind(), entry.handle(), at), LE);
        store(at, SLOT_LENGTH);
    }

    void free(final int slot) {
        storeInt(at(slot), 0);
    }

    private void storeInt(final int offset, final int value) {
        bytes.putInt(offset, value, LE);
        store(offset, Integer.BYTES);
    }

    private static int at(final int slot) {
        return SLOTS_OFFSET + slot * SLOT_LENGTH;
    }

    private int check(final ObjectKind kind, final int handle, final int at) {
        final long low = bytes.getLong(at + GID_OFFSET, LE);
        final long high = bytes.getLong(at + GID_OFFSET + Long.BYTES, LE);
        return Arrays.hashCode(new long[] {kind.code(), handle, low, high});
    }

    /** The command whose outcome was not written down, plus 1; 0 if there is none. */
    int underWay() {
        return bytes.getInt(UNDER_WAY_OFFSET, LE);
    }

    void underWay(final int command) {
        storeInt(UNDER_WAY_OFFSET, command);
    }

    /** The handle of the last QP that the device made, plus 1; 0 if there was none. */
    int lastQp() {
        return bytes.getInt(LAST_QP_OFFSET, LE);
    }

    void lastQp(final int handle) {
        storeInt(LAST_QP_OFFSET, handle);
    }

    /** Removes the file if it has nothing to say, then lets go of it, as the system does for a killed process. */
    void close(final boolean empty) throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (channel; file) {
            if (empty) {
                Files.deleteIfExists(path);
            }
        } finally {
            OPEN.remove(path);
        }
    }
}
