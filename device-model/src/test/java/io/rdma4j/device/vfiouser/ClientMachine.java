/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Client.good;
import static io.rdma4j.device.vfiouser.Client.payload;
import static io.rdma4j.device.vfiouser.Protocol.*;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.testing.Patience;

import java.nio.file.Path;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/** A machine with a function in it that is served: as QEMU is, with a driver of ours in the place of the guest's. */
final class ClientMachine implements PciDevice, ConfigSpace, DmaDomain, Interrupts {
    static final long RAM = 64 << 20;

    final Client client;
    final Fd file;
    private final MappedMemory ram;
    private final DeviceAddress address = DeviceAddress.parse("emulated:behind-a-socket");
    private EventFd[] vectors = new EventFd[0];
    /** Page 0 is memory, too, but no driver uses it. */
    private long next = PAGE_SIZE;

    ClientMachine(Path path) {
        client = Client.ready(path);
        file = ram("ram", RAM);
        ram = MappedMemory.map(0, RAM, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE, LibcConstants.MAP_SHARED,
            file.fd(), 0);
        good(client.map(file.fd(), 0, 0, RAM));
    }

    /** As QEMU's memory-backend-memfd makes it. */
    static Fd ram(String name, long length) {
        final Fd made = Fd.of(Libc.memfdCreate(name, LibcConstants.MFD_ALLOW_SEALING), name);
        Libc.ftruncate(made.fd(), length);
        FileCalls.addSeals(made.fd(), LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL);
        return made;
    }

    @Override
    public DeviceAddress address() {
        return address;
    }

    @Override
    public ConfigSpace config() {
        return this;
    }

    @Override
    public int read(int offset, int size) {
        final UnsafeBuffer bytes = good(client.read(CONFIG_REGION, offset, size)).buffer();
        int value = 0;
        for (int i = 0; i < size; i++) {
            value |= (bytes.getByte(ACCESS_DATA_OFFSET + i) & 0xff) << 8 * i;
        }
        return value;
    }

    @Override
    public void write(int offset, int size, int value) {
        final byte[] bytes = new byte[size];
        System.arraycopy(payload(4).putInt(value).array(), 0, bytes, 0, size);
        good(client.write(CONFIG_REGION, offset, bytes));
    }

    @Override
    public Bar bar(int index) {
        final long size = good(client.request(GET_REGION_INFO, payload(32).putInt(32).putInt(0).putInt(index)))
            .getLong(REGION_SIZE_OFFSET);
        return new Window(index, size);
    }

    private final class Window implements Bar {
        private final int index;
        private final long size;

        Window(int index, long size) {
            this.index = index;
            this.size = size;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public long busAddress() {
            return read(0x10 + 4 * index, 4) & 0xffff_fff0L;
        }

        @Override
        public boolean isMapped() {
            return false;
        }

        @Override
        public UnsafeBuffer buffer() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int readInt(int offset) {
            return client.readInt(index, offset);
        }

        @Override
        public void writeInt(int offset, int value) {
            client.writeInt(index, offset, value);
        }
    }

    @Override
    public DmaDomain dma() {
        return this;
    }

    @Override
    public DmaMemory allocate(long length) {
        final long iova = next;
        next += length;
        return new DmaMemory(Libc.directBuffer(ram.address() + iova, length), iova, () -> { });
    }

    @Override
    public DmaMapping map(long where, long length, Object owner) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean mapsAnyMemory() {
        return false;
    }

    @Override
    public long reachableBytes() {
        return RAM;
    }

    @Override
    public Interrupts interrupts() {
        return this;
    }

    @Override
    public int available() {
        return good(client.request(GET_IRQ_INFO, payload(16).putInt(16).putInt(0).putInt(MSIX))).get(IRQ_COUNT_OFFSET);
    }

    /** One after the other, as QEMU does it for Linux: each time all go away for a moment. */
    @Override
    public int enable(int count) {
        vectors = new EventFd[count];
        for (int i = 0; i < count; i++) {
            vectors[i] = EventFd.create();
            good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 0, 0));
            final int[] fds = new int[i + 1];
            for (int j = 0; j <= i; j++) {
                fds[j] = vectors[j].fd();
            }
            good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 0, i + 1, fds));
        }
        return count;
    }

    /** Waits for an interrupt, which another thread signals; returns the count. */
    static long await(EventFd event) {
        return await(event, Patience.nanos());
    }

    private static long await(EventFd event, long nanos) {
        final PollSet set = new PollSet(1);
        set.add(event.fd(), LibcConstants.POLLIN);
        Libc.poll(set, nanos);
        return event.read();
    }

    @Override
    public InterruptVector vector(int index) {
        return new InterruptVector() {
            @Override
            public int index() {
                return index;
            }

            @Override
            public long poll() {
                return vectors[index].read();
            }

            @Override
            public long await(long timeoutNanos) {
                return ClientMachine.await(vectors[index], timeoutNanos);
            }

            @Override
            public long fired() {
                throw new UnsupportedOperationException();
            }
        };
    }

    @Override
    public void disable() {
        good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 0, 0));
    }

    @Override
    public boolean reset() {
        good(client.request(RESET, payload(0)));
        return true;
    }

    @Override
    public void onLoss(Consumer<String> listener) {
        // Nobody takes it away.
    }

    @Override
    public void close() {
        client.close();
        file.close();
        for (EventFd each : vectors) {
            each.close();
        }
        ram.close();
    }
}
