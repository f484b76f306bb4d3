/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Protocol.*;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.LocalSockets;
import io.rdma4j.driver.libc.PassedFiles;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.testing.Patience;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.agrona.concurrent.UnsafeBuffer;

/** A client, message by message. */
final class Client implements AutoCloseable {
    final Fd socket;
    private final UnsafeBuffer sent = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * MAX_MESSAGE));
    private final UnsafeBuffer answer = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX_MESSAGE));
    private final PassedFiles files = new PassedFiles();
    private int id = 77;

    /** Header included. */
    record Reply(int errno, byte[] message) {
        UnsafeBuffer buffer() {
            return new UnsafeBuffer(message);
        }

        int get(int offset) {
            return buffer().getInt(offset, LITTLE_ENDIAN);
        }

        long getLong(int offset) {
            return buffer().getLong(offset, LITTLE_ENDIAN);
        }
    }

    Client(Path path) {
        socket = LocalSockets.connect(path.toString());
    }

    /** Connected, with the version agreed on. */
    static Client ready(Path path) {
        final Client client = new Client(path);
        client.version(0, 1);
        return client;
    }

    Reply version(int major, int minor) {
        final byte[] json = "{\"capabilities\":{\"max_msg_fds\":16,\"write_multiple\":true}}\0"
            .getBytes(StandardCharsets.US_ASCII);
        final ByteBuffer payload = payload(4 + json.length);
        payload.putShort((short) major).putShort((short) minor).put(json);
        return request(VERSION, payload);
    }

    static ByteBuffer payload(int length) {
        return ByteBuffer.allocate(length).order(LITTLE_ENDIAN);
    }

    Reply map(int fd, long offset, long iova, long size) {
        return mapWith(MAP_READ | MAP_WRITE, offset, iova, size, fd);
    }

    Reply mapWith(int flags, long offset, long iova, long size, int... fds) {
        return request(DMA_MAP, payload(32).putInt(32).putInt(flags).putLong(offset).putLong(iova).putLong(size), fds);
    }

    Reply unmap(int flags, long iova, long size) {
        return request(DMA_UNMAP, payload(24).putInt(24).putInt(flags).putLong(iova).putLong(size));
    }

    Reply setIrqs(int flags, int index, int start, int count, int... fds) {
        return request(SET_IRQS, payload(20).putInt(20).putInt(flags).putInt(index).putInt(start).putInt(count), fds);
    }

    Reply read(int region, long offset, int count) {
        return request(REGION_READ, payload(16).putLong(offset).putInt(region).putInt(count));
    }

    int readInt(int region, int offset) {
        return good(read(region, offset, 4)).get(ACCESS_DATA_OFFSET);
    }

    Reply write(int region, long offset, byte... data) {
        return request(REGION_WRITE, payload(16 + data.length).putLong(offset).putInt(region).putInt(data.length)
            .put(data));
    }

    void writeInt(int region, int offset, int value) {
        good(write(region, offset, payload(4).putInt(value).array()));
    }

    static Reply good(Reply reply) {
        if (reply.errno() != 0) {
            throw new AssertionError("answered with " + RdmaException.errnoName(reply.errno()));
        }
        return reply;
    }

    Reply request(int command, ByteBuffer payload, int... fds) {
        send(HEADER_LENGTH + payload.capacity(), command, 0, payload, fds);
        final Reply reply = receive();
        if (reply == null) {
            throw new AssertionError("the server hung up at command " + command);
        }
        if (reply.buffer().getShort(ID_OFFSET, LITTLE_ENDIAN) != (short) id
            || reply.buffer().getShort(COMMAND_OFFSET, LITTLE_ENDIAN) != (short) command) {
            throw new AssertionError("the answer is not to the request");
        }
        return reply;
    }

    /** Whatever its header says. */
    void send(int size, int command, int flags, ByteBuffer payload, int... fds) {
        final byte[] bytes = payload.array();
        id++;
        sent.putShort(ID_OFFSET, (short) id, LITTLE_ENDIAN);
        sent.putShort(COMMAND_OFFSET, (short) command, LITTLE_ENDIAN);
        sent.putInt(SIZE_OFFSET, size, LITTLE_ENDIAN);
        sent.putInt(FLAGS_OFFSET, flags, LITTLE_ENDIAN);
        sent.putInt(ERRNO_OFFSET, 0, LITTLE_ENDIAN);
        sent.putBytes(HEADER_LENGTH, bytes);
        raw(HEADER_LENGTH + bytes.length, fds);
    }

    void raw(byte[] bytes) {
        sent.putBytes(0, bytes);
        raw(bytes.length);
    }

    private void raw(int length, int... fds) {
        int done = 0;
        int[] left = fds;
        while (done < length) {
            final int went = LocalSockets.send(socket.fd(), sent, done, length - done, left);
            if (went == -RdmaException.EAGAIN) {
                await(LibcConstants.POLLOUT);
            } else if (went < 0) {
                return; // It hung up, as the next answer tells.
            } else {
                done += went;
                left = new int[0];
            }
        }
    }

    private void await(int events) {
        final PollSet set = new PollSet(1);
        set.add(socket.fd(), events);
        if (Libc.poll(set, Patience.nanos()) == 0) {
            throw new AssertionError("nothing came");
        }
    }

    /** Null if the server hung up. */
    Reply receive() {
        if (!receive(0, HEADER_LENGTH)) {
            return null;
        }
        final int size = answer.getInt(SIZE_OFFSET, LITTLE_ENDIAN);
        if (!receive(HEADER_LENGTH, size)) {
            throw new AssertionError("half an answer");
        }
        final byte[] message = new byte[size];
        answer.getBytes(0, message);
        return new Reply(answer.getInt(ERRNO_OFFSET, LITTLE_ENDIAN), message);
    }

    private boolean receive(int from, int to) {
        int at = from;
        while (at < to) {
            final int came = LocalSockets.receive(socket.fd(), answer, at, to - at, files);
            if (came == -RdmaException.EAGAIN) {
                await(LibcConstants.POLLIN);
            } else if (came <= 0) {
                return false;
            } else {
                at += came;
            }
        }
        return true;
    }

    @Override
    public void close() {
        socket.close();
    }
}
