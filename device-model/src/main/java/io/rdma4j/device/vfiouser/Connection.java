/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Protocol.*;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LocalSockets;
import io.rdma4j.driver.libc.PassedFiles;
import io.rdma4j.driver.pci.DmaDomain;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * One client, from its first message to its end. A request that cannot be carried out is answered with an errno; what
 * is no message of the protocol ends the connection. For the server's thread alone.
 *
 * <p>The first BAR is called mappable, with a list of parts that is empty. QEMU maps nothing then, and stops to send
 * writes that it does not wait for, of the whole device. It has to: a driver that has written DSRHIGH looks into its
 * memory next, and one that polls by doorbell would fill the socket.
 */
final class Connection implements AutoCloseable {
    private static final int MAX_JSON = 4096;

    /** Sends a reply, and waits where the client does not read. */
    @FunctionalInterface
    interface Sender {
        void send(Fd socket, UnsafeBuffer message, int length) throws ProtocolException;
    }

    private final Fd socket;
    private final ServedFunction device;
    private final Consumer<String> events;
    private final Sender sender;
    private final Regions regions;
    private final GuestMemory memory;
    private final GuestInterrupts interrupts;
    private final PassedFiles files = new PassedFiles();
    private final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX_MESSAGE));
    private int have;
    /** When it connected, or the first byte of the last message came. */
    private long begun = System.nanoTime();
    private boolean agreed;
    private boolean toldOfMemory;
    private boolean toldOfPosting;
    private long requests;
    private long refused;

    Connection(Fd socket, ServedFunction device, Consumer<String> events, Sender sender, Runnable attention) {
        this.socket = socket;
        this.device = device;
        this.events = events;
        this.sender = sender;
        this.regions = new Regions(device);
        this.memory = new GuestMemory(device);
        this.interrupts = new GuestInterrupts(device, attention);
        device.interruptsTo(interrupts);
    }

    /** Ends some time after this was closed. */
    ClientThread thread() {
        return interrupts.thread();
    }

    int fd() {
        return socket.fd();
    }

    /** Since when there is a message of which more is to come, or it has not said anything; 0 if it may be idle. */
    long waitingSince() {
        return have == 0 && agreed ? 0 : begun;
    }

    /**
     * Takes what has come of a message, and does what it asks for if that is all.
     *
     * @return false if the client has hung up.
     */
    boolean receive() throws ProtocolException {
        if (have < HEADER_LENGTH && !receiveUpTo(HEADER_LENGTH)) {
            return false;
        }
        if (have >= HEADER_LENGTH) {
            final int size = size();
            if (have < size && !receiveUpTo(size)) {
                return false;
            }
            if (have == size) {
                have = 0;
                handle(size);
            }
        }
        return true;
    }

    /** Never more than to there: with each message come its own files. */
    private boolean receiveUpTo(int end) throws ProtocolException {
        final int came = LocalSockets.receive(socket.fd(), message, have, end - have, files);
        if (came == -RdmaException.EAGAIN) {
            return true;
        }
        if (came <= 0) {
            if (have > 0) {
                throw new ProtocolException("it ended in the midst of a message");
            }
            return false;
        }
        if (files.isCutOff() || files.count() > MAX_FILES) {
            throw new ProtocolException("it passed more files than the " + MAX_FILES + " that were agreed on");
        }
        if (have == 0) {
            begun = System.nanoTime();
        }
        have += came;
        return true;
    }

    private int size() throws ProtocolException {
        final int size = get(SIZE_OFFSET);
        if (size < HEADER_LENGTH || size > MAX_MESSAGE) {
            throw new ProtocolException("a message of " + Integer.toUnsignedLong(size) + " bytes: allowed are "
                + HEADER_LENGTH + " to " + MAX_MESSAGE);
        }
        if ((get(FLAGS_OFFSET) & TYPE_MASK) != 0) {
            throw new ProtocolException("flags " + Integer.toHexString(get(FLAGS_OFFSET))
                + ": that is no request, and nothing was asked");
        }
        return size;
    }

    private int get(int offset) {
        return message.getInt(offset, LITTLE_ENDIAN);
    }

    private long getLong(int offset) {
        return message.getLong(offset, LITTLE_ENDIAN);
    }

    private void put(int offset, int value) {
        message.putInt(offset, value, LITTLE_ENDIAN);
    }

    private void handle(int size) throws ProtocolException {
        requests++;
        final int command = message.getShort(COMMAND_OFFSET, LITTLE_ENDIAN) & 0xffff;
        final boolean wantsReply = (get(FLAGS_OFFSET) & NO_REPLY) == 0;
        if (agreed == (command == VERSION)) {
            throw new ProtocolException("command " + command + (agreed ? ": the version was agreed on before"
                : " before a version was agreed on"));
        }
        int length = HEADER_LENGTH;
        int errno = 0;
        try {
            length = carryOut(command, size);
        } catch (final RdmaException e) {
            errno = e.errno();
            refused(e.getMessage());
        } catch (final IllegalArgumentException e) {
            errno = RdmaException.EINVAL;
            refused(e.getMessage());
        } catch (final IllegalStateException | InternalError e) {
            errno = RdmaException.EIO;
            refused(e.toString());
        } finally {
            discardFiles();
        }
        if (!interrupts.thread().catchesUp(VfioUserServer.PATIENCE_NANOS)) {
            throw new ProtocolException("files that it passed for nothing take too long to close");
        }
        if (wantsReply) {
            reply(errno == 0 ? length : HEADER_LENGTH, errno);
        } else if (!toldOfPosting) {
            toldOfPosting = true;
            events.accept("the client does not wait for writes: for QEMU, set x-no-posted-writes=on");
        }
        if (!agreed) {
            throw new ProtocolException("no version was agreed on");
        }
    }

    /** Those that nobody took; a close may wait for ever. */
    private void discardFiles() {
        while (files.count() > 0) {
            interrupts.thread().discard(files.takeFirst());
        }
        files.close();
    }

    private void refused(String why) {
        refused++;
        // A guest may ask for the same again and again.
        if (Long.bitCount(refused) == 1) {
            events.accept("refused: " + why + (refused == 1 ? "" : " (" + refused + " refused in all)"));
        }
    }

    private void reply(int length, int errno) throws ProtocolException {
        put(SIZE_OFFSET, length);
        put(FLAGS_OFFSET, errno == 0 ? TYPE_REPLY : TYPE_REPLY | ERROR);
        put(ERRNO_OFFSET, errno);
        sender.send(socket, message, length);
    }

    /** Leaves the answer in the message; returns its length. */
    private int carryOut(int command, int size) {
        require(size, leastOf(command));
        return switch (command) {
            case VERSION -> version(size);
            case DMA_MAP -> map();
            case DMA_UNMAP -> unmap();
            case GET_INFO -> info();
            case GET_REGION_INFO -> regionInfo();
            case GET_IRQ_INFO -> irqInfo();
            case SET_IRQS -> setIrqs(size);
            case REGION_READ -> read();
            case REGION_WRITE -> write(size);
            case RESET -> reset();
            default -> throw RdmaException.of("serve device").detail("command %d is not served", command)
                .errno(RdmaException.EOPNOTSUPP).build();
        };
    }

    /** How long the message of a command is at least. */
    private static int leastOf(int command) {
        return switch (command) {
            case VERSION -> JSON_OFFSET;
            case DMA_MAP -> MAP_LENGTH;
            case DMA_UNMAP -> UNMAP_LENGTH;
            case GET_INFO -> INFO_LENGTH;
            case GET_REGION_INFO -> REGION_LENGTH;
            case GET_IRQ_INFO -> IRQ_LENGTH;
            case SET_IRQS -> SET_DATA_OFFSET;
            case REGION_READ, REGION_WRITE -> ACCESS_DATA_OFFSET;
            default -> HEADER_LENGTH;
        };
    }

    private static void require(int size, int least) {
        if (size < least) {
            throw invalid("the message has %d bytes, and needs %d", size, least);
        }
    }

    private static RdmaException invalid(String why, Object... args) {
        return RdmaException.of("serve device").detail(why, args).errno(RdmaException.EINVAL).build();
    }

    /** The client's own limits are not needed: it gets no files, and no more data than it asks for. */
    private int version(int size) {
        final int major = message.getShort(MAJOR_OFFSET, LITTLE_ENDIAN) & 0xffff;
        final int minor = message.getShort(MINOR_OFFSET, LITTLE_ENDIAN) & 0xffff;
        if (major != MAJOR || size > JSON_OFFSET + MAX_JSON || size > JSON_OFFSET && message.getByte(size - 1) != 0) {
            throw invalid("version %d.%d with %d bytes: served are 0.0 and 0.1, with at most %d that end with a NUL",
                major, minor, size - JSON_OFFSET, MAX_JSON);
        }
        agreed = true;
        message.putShort(MINOR_OFFSET, (short) Math.min(minor, MINOR), LITTLE_ENDIAN);
        final byte[] json = String.format(Locale.ROOT, "{\"capabilities\":{\"max_msg_fds\":%d,\"max_dma_maps\":%d,"
            + "\"max_data_xfer_size\":%d,\"pgsizes\":%d}}\0", MAX_FILES, GuestMemory.MAX_PIECES, MAX_DATA,
            DmaDomain.PAGE_SIZE).getBytes(StandardCharsets.US_ASCII);
        message.putBytes(JSON_OFFSET, json);
        return JSON_OFFSET + json.length;
    }

    private int map() {
        final int flags = get(ARG_FLAGS_OFFSET);
        final long iova = getLong(MAP_IOVA_OFFSET);
        final long length = getLong(MAP_SIZE_OFFSET);
        if ((flags & ~(MAP_READ | MAP_WRITE)) != 0 || flags == 0 || files.count() > 1) {
            throw invalid("a piece of memory with flags 0x%x and %d files", flags, files.count());
        }
        if (flags != (MAP_READ | MAP_WRITE) || files.count() == 0) {
            memory.know(iova, length);
            tellOfMemory(flags, iova, length);
            return HEADER_LENGTH;
        }
        final Fd file = files.takeFirst();
        try (Undo undo = new Undo()) {
            undo.add(() -> interrupts.thread().discard(file));
            memory.map(file, getLong(MAP_FILE_OFFSET), iova, length);
            undo.forget();
        }
        // A memfd, as it was taken: there is nothing to wait for.
        file.close();
        return HEADER_LENGTH;
    }

    private void tellOfMemory(int flags, long iova, long length) {
        if (flags == (MAP_READ | MAP_WRITE) && !toldOfMemory) {
            toldOfMemory = true;
            events.accept(String.format("memory at 0x%x, 0x%x bytes, comes without a file, so the device does not "
                + "reach it; if that is the guest's RAM, give QEMU -object memory-backend-memfd,share=on",
                iova, length));
        }
    }

    private int unmap() {
        final int flags = get(ARG_FLAGS_OFFSET);
        if ((flags & ~UNMAP_ALL) != 0) {
            throw invalid("memory is to be unmapped with flags 0x%x; dirty pages are not told", flags);
        }
        final long unmapped = flags == UNMAP_ALL ? memory.unmapAll()
            : memory.unmap(getLong(UNMAP_IOVA_OFFSET), getLong(UNMAP_SIZE_OFFSET));
        if (flags == UNMAP_ALL) {
            message.putLong(UNMAP_SIZE_OFFSET, unmapped, LITTLE_ENDIAN);
        }
        return UNMAP_LENGTH;
    }

    private int info() {
        put(ARGSZ_OFFSET, INFO_LENGTH - HEADER_LENGTH);
        put(ARG_FLAGS_OFFSET, DEVICE_RESET | DEVICE_PCI);
        put(NUM_REGIONS_OFFSET, NUM_REGIONS);
        put(NUM_IRQS_OFFSET, NUM_IRQS);
        return INFO_LENGTH;
    }

    private int regionInfo() {
        final int index = get(REGION_INDEX_OFFSET);
        if (index < 0 || index >= NUM_REGIONS) {
            throw invalid("region %d of %d", index, NUM_REGIONS);
        }
        final int room = get(ARGSZ_OFFSET);
        final long length = regions.size(index);
        final boolean listsParts = regions.stopsPosting(index);
        final int all = REGION_LENGTH - HEADER_LENGTH + (listsParts ? SPARSE_LENGTH : 0);
        put(ARGSZ_OFFSET, all);
        put(ARG_FLAGS_OFFSET, (length == 0 ? 0 : REGION_FLAG_READ | REGION_FLAG_WRITE)
            | (listsParts ? REGION_FLAG_MMAP | REGION_FLAG_CAPS : 0));
        put(REGION_CAP_OFFSET_OFFSET, listsParts ? REGION_LENGTH - HEADER_LENGTH : 0);
        message.putLong(REGION_SIZE_OFFSET, length, LITTLE_ENDIAN);
        message.putLong(REGION_FILE_OFFSET_OFFSET, 0, LITTLE_ENDIAN);
        if (!listsParts || room < all) {
            return REGION_LENGTH;
        }
        message.setMemory(REGION_LENGTH, SPARSE_LENGTH, (byte) 0);
        put(REGION_LENGTH, 1 << 16 | CAP_SPARSE_MMAP);
        return REGION_LENGTH + SPARSE_LENGTH;
    }

    private int irqInfo() {
        final int index = get(IRQ_INDEX_OFFSET);
        if (index < 0 || index >= NUM_IRQS) {
            throw invalid("interrupt index %d of %d", index, NUM_IRQS);
        }
        put(ARGSZ_OFFSET, IRQ_LENGTH - HEADER_LENGTH);
        put(ARG_FLAGS_OFFSET, interrupts.flags(index));
        put(IRQ_COUNT_OFFSET, interrupts.count(index));
        return IRQ_LENGTH;
    }

    private int setIrqs(int size) {
        final int flags = get(ARG_FLAGS_OFFSET);
        final int count = get(SET_COUNT_OFFSET);
        if ((flags & DATA_BOOL) != 0 && (count < 0 || count > size - SET_DATA_OFFSET)) {
            throw invalid("%d interrupts, and %d bytes for them", count, size - SET_DATA_OFFSET);
        }
        interrupts.set(flags, get(SET_INDEX_OFFSET), get(SET_START_OFFSET), count, message, SET_DATA_OFFSET, files);
        return HEADER_LENGTH;
    }

    private int read() {
        final int count = get(ACCESS_COUNT_OFFSET);
        if (count > MAX_DATA) {
            throw invalid("a read of %d bytes: at most %d were agreed on", count, MAX_DATA);
        }
        regions.read(get(ACCESS_REGION_OFFSET), getLong(ACCESS_OFFSET_OFFSET), count, message, ACCESS_DATA_OFFSET);
        return ACCESS_DATA_OFFSET + count;
    }

    private int write(int size) {
        final int count = get(ACCESS_COUNT_OFFSET);
        if (count != size - ACCESS_DATA_OFFSET) {
            throw invalid("a write of %d bytes, with %d", count, size - ACCESS_DATA_OFFSET);
        }
        regions.write(get(ACCESS_REGION_OFFSET), getLong(ACCESS_OFFSET_OFFSET), count, message, ACCESS_DATA_OFFSET);
        return ACCESS_DATA_OFFSET;
    }

    private int reset() {
        if (!device.reset()) {
            throw RdmaException.of("reset device").detail("this device offers no reset")
                .errno(RdmaException.EOPNOTSUPP).build();
        }
        return HEADER_LENGTH;
    }

    /** The machine is gone: the device is as after power-up, and holds nothing of it. */
    @Override
    public void close() {
        final ClientThread thread = interrupts.thread();
        // With the socket goes what was not received, which may have files with it, too.
        new Cleanup().run(() -> device.interruptsTo(InterruptOutput.NONE)).run(interrupts::reset)
            .run(device::powerUp).run(memory::unmapAll).run(this::discardFiles).run(() -> thread.discard(socket))
            .run(thread::close).throwIfFailed();
    }

    /** What {@link #close} could not do: the device reaches nothing of the machine any more. */
    void forgetMemory() {
        memory.unmapAll();
    }

    @Override
    public String toString() {
        return requests + " requests, " + refused + " refused, " + memory;
    }
}
