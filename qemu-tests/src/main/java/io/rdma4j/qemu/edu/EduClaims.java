/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import static io.rdma4j.qemu.edu.Claims.require;
import static io.rdma4j.qemu.edu.Claims.requireRefusal;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDeviceProvider;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.qemu.guest.ResultWriter;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What holds for one device that VFIO gives out: registers, DMA, interrupts, and what is left after closing. */
final class EduClaims {
    static final String SINGLE = "0000:00:" + EduMain.SINGLE_SLOT + ".0";

    /** Found once: a thread without rights cannot look into the class path. */
    private static final PciDeviceProvider VFIO = PciDevices.providers().stream()
        .filter(provider -> provider.scheme().equals("vfio")).findFirst().orElseThrow();

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int RAISED = 5;
    private static final int PAGE = 4096;

    private final Claims claims;
    private final Machine machine = new Machine();
    private final Leaks leaks;

    EduClaims(final ResultWriter results) {
        claims = new Claims(results);
        leaks = new Leaks();
    }

    /** Before anything is bound. */
    void prepare() {
        claims.run("refusesADeviceThatIsNotThere", () -> requireRefusal(() -> open("0000:00:1e.7"),
            RdmaException.ENODEV, "no PCI function", "./rdma4j status"));
        claims.run("refusesADeviceThatIsNotBound", () -> requireRefusal(() -> open(SINGLE),
            RdmaException.ENODEV, "no driver", "./rdma4j bind " + SINGLE));
        claims.run("refusesAnUnknownOption", () -> requireRefusal(() -> open(SINGLE + "?page=2M"),
            RdmaException.EINVAL, "page", "pages"));
        claims.run("binds", () -> machine.bindAll());
        claims.run("opensAndCloses", () -> on(pci -> pci.toString()));
        leaks.begin();
    }

    void runAll() {
        claims.run("configurationSpace", () -> on(this::configuration));
        claims.run("window", () -> on(this::window));
        claims.run("registers", () -> on(this::registers));
        claims.run("absentWindow", () -> on(pci -> requireRefusal(() -> pci.bar(1),
            RdmaException.ENODEV, "no such BAR", "BAR0 of 1048576 bytes")));
        claims.run("dmaBothWays", () -> on(this::dma));
        claims.run("dmaOfForeignMemory", () -> on(this::foreignMemory));
        claims.run("refusesMemoryThatIsNotThere", () -> on(pci -> requireRefusal(
            () -> pci.dma().map(0x10000, PAGE, null), RdmaException.EFAULT, "0x10000")));
        claims.run("refusesMemoryThatIsReadOnly", () -> on(this::readOnly));
        claims.run("dmaOnAHugePage", new HugePageClaim()::check);
        claims.run("iommuStopsUnmappedDma", () -> on(this::unmappedDma));
        claims.run("countsInterrupts", () -> on(this::interrupts));
        claims.run("waitsForAnInterrupt", () -> on(this::dmaInterrupt));
        claims.run("disablingWakesTheWaiter", () -> on(this::disabling));
        claims.run("resetsOnlyWhereItIsOffered", () -> on(this::reset));
        claims.run("useAfterCloseIsRefused", this::useAfterClose);
        new RefreshClaims(claims).runAll();
        new OtherDeviceClaims(claims).runAll();
        new GroupClaims(claims, machine).runAll();
        claims.run("leavesNothingBehind", leaks::check);
    }

    /** Opens a function and makes it bus master, which VFIO leaves to who drives it. */
    static PciDevice open(final String function) {
        final PciDevice pci = VFIO.open(DeviceAddress.parse(VFIO.scheme() + ':' + function));
        final int command = pci.config().read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        pci.config().write(PciConfig.COMMAND_OFFSET, Short.BYTES, command | PciConfig.BUS_MASTER);
        return pci;
    }

    static String on(final Function<PciDevice, String> claim) {
        try (PciDevice pci = open(SINGLE)) {
            return claim.apply(pci);
        }
    }

    private String configuration(final PciDevice pci) {
        final int ids = pci.config().read(PciConfig.VENDOR_ID_OFFSET, Integer.BYTES);
        final int command = pci.config().read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        final int wanted = PciConfig.MEMORY | PciConfig.BUS_MASTER;
        pci.config().write(PciConfig.CACHE_LINE_SIZE_OFFSET, Byte.BYTES, 0x10);
        return require(ids == EduDevice.IDS && (command & wanted) == wanted
                && pci.config().read(PciConfig.CACHE_LINE_SIZE_OFFSET, Byte.BYTES) == 0x10
                && pci.config().read(PciConfig.VENDOR_ID_OFFSET, Byte.BYTES) == (EduDevice.IDS & 0xff),
            String.format("ids 0x%08x command 0x%x", ids, command));
    }

    private String window(final PciDevice pci) {
        final Bar bar = pci.bar(0);
        return require(bar.isMapped() && bar.size() == EduDevice.BAR_SIZE && bar == pci.bar(0)
            && bar.busAddress() == machine.barAddress(SINGLE), bar.toString());
    }

    private String registers(final PciDevice pci) {
        final EduDevice edu = new EduDevice(pci);
        final int alive = edu.liveness(0x1234_5678);
        final int factorial = edu.factorial(10);
        return require(edu.id() == EduDevice.ID && alive == ~0x1234_5678 && factorial == 3_628_800
                && edu.bar().buffer().getInt(0) == EduDevice.ID,
            String.format("id 0x%x alive 0x%x 10! = %d", edu.id(), alive, factorial));
    }

    private static void fill(final UnsafeBuffer buffer, final int seed) {
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.putByte(i, (byte) (seed + i * 31));
        }
    }

    private String dma(final PciDevice pci) {
        try (DmaMemory memory = pci.dma().allocate(2L * PAGE)) {
            return there(pci, memory.buffer(0, EduDevice.MAX_DMA), memory.iova(),
                memory.buffer(PAGE, EduDevice.MAX_DMA), memory.iova() + PAGE) + ' ' + memory;
        }
    }

    private String foreignMemory(final PciDevice pci) {
        final int length = 1000;
        final int skip = 77;
        final ByteBuffer owner = ByteBuffer.allocateDirect(3 * PAGE);
        final UnsafeBuffer source = new UnsafeBuffer(owner, skip, length);
        final UnsafeBuffer target = new UnsafeBuffer(owner, 2 * PAGE, length);
        final long address = BufferUtil.address(owner);
        try (DmaMapping first = pci.dma().map(address + skip, length, owner);
            DmaMapping second = pci.dma().map(address + 2 * PAGE, length, owner)) {
            return there(pci, source, first.iova() + address + skip - first.pageAddress(),
                target, second.iova() + address + 2 * PAGE - second.pageAddress()) + ' ' + first + ' ' + second;
        }
    }

    static String there(
        final PciDevice pci, final UnsafeBuffer source, final long sourceIova, final UnsafeBuffer target,
        final long targetIova) {
        final EduDevice edu = new EduDevice(pci);
        fill(source, 3);
        target.setMemory(0, target.capacity(), (byte) 0);
        edu.fromMemory(sourceIova, source.capacity());
        edu.toMemory(targetIova, target.capacity());
        return require(source.equals(target), source.capacity() + " bytes there and back");
    }

    private String readOnly(final PciDevice pci) {
        try {
            final Path file = Files.createTempFile("rdma4j", ".bytes");
            Files.write(file, new byte[PAGE]);
            try (FileChannel channel = FileChannel.open(file)) {
                final MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, PAGE);
                return requireRefusal(() -> pci.dma().map(BufferUtil.address(memory), PAGE, memory),
                    RdmaException.EFAULT, "writ");
            } finally {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String unmappedDma(final PciDevice pci) {
        final EduDevice edu = new EduDevice(pci);
        final ByteBuffer owner = ByteBuffer.allocateDirect(2 * PAGE);
        final UnsafeBuffer memory = new UnsafeBuffer(owner);
        final DmaMapping mapping = pci.dma().map(BufferUtil.address(owner), owner.capacity(), owner);
        final long iova = mapping.iova();
        fill(memory, 7);
        edu.fromMemory(iova, EduDevice.MAX_DMA);
        mapping.close();
        memory.setMemory(0, memory.capacity(), (byte) 0x55);
        edu.toMemory(iova, EduDevice.MAX_DMA);
        for (int i = 0; i < memory.capacity(); i++) {
            require(memory.getByte(i) == 0x55, "byte " + i + " was written after the mapping was closed");
        }
        return require(edu.id() == EduDevice.ID, "nothing arrived at " + Long.toHexString(iova));
    }

    private String interrupts(final PciDevice pci) {
        final EduDevice edu = new EduDevice(pci);
        final int granted = pci.interrupts().enable(3);
        require(granted == 1 && pci.interrupts().available() == 1, granted + " of " + pci.interrupts().available());
        final InterruptVector vector = pci.interrupts().vector(0);
        long counted = vector.poll();
        for (int i = 0; i < RAISED; i++) {
            edu.raise(1 << i);
            counted += vector.await(PATIENCE_NANOS);
            require(edu.acknowledge() == 1 << i, "another cause than " + (1 << i));
        }
        // Looked at but not taken: they add up. The processor merges those that come before it took the first.
        for (int i = 1; i <= 2; i++) {
            edu.raise(i);
            awaitFired(vector, RAISED + i);
            edu.acknowledge();
        }
        final long rest = vector.poll();
        return require(counted == RAISED && vector.fired() == RAISED + 2 && rest == 2 && vector.poll() == 0
            && vector.await(1_000_000) == 0, counted + " + " + rest + ", " + vector);
    }

    private static void awaitFired(final InterruptVector vector, final long count) {
        final long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (vector.fired() < count && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    private String dmaInterrupt(final PciDevice pci) {
        final EduDevice edu = new EduDevice(pci);
        pci.interrupts().enable(1);
        final InterruptVector vector = pci.interrupts().vector(0);
        try (DmaMemory memory = pci.dma().allocate(PAGE)) {
            final UnsafeBuffer moved = memory.buffer(0, EduDevice.MAX_DMA);
            fill(moved, 9);
            edu.fromMemory(memory.iova(), moved.capacity());
            moved.setMemory(0, moved.capacity(), (byte) 0);
            edu.startToMemory(memory.iova(), moved.capacity());
            final long start = System.nanoTime();
            final long count = vector.await(PATIENCE_NANOS);
            final UnsafeBuffer expected = new UnsafeBuffer(new byte[EduDevice.MAX_DMA]);
            fill(expected, 9);
            return require(count == 1 && moved.equals(expected)
                && edu.acknowledge() == EduDevice.DMA_INTERRUPT, count + " interrupt after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms, the data is there");
        }
    }

    private String disabling(final PciDevice pci) {
        pci.interrupts().enable(1);
        final InterruptVector vector = pci.interrupts().vector(0);
        final long[] result = {-1, 0};
        final Thread waiter = new Thread(() -> {
            final long start = System.nanoTime();
            result[0] = vector.await(PATIENCE_NANOS);
            result[1] = System.nanoTime() - start;
        });
        waiter.start();
        try {
            Thread.sleep(50);
            pci.interrupts().disable();
            waiter.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return require(!waiter.isAlive() && result[0] == 0 && result[1] < PATIENCE_NANOS,
            "woken with " + result[0] + " after " + TimeUnit.NANOSECONDS.toMillis(result[1]) + " ms");
    }

    private String reset(final PciDevice pci) {
        final boolean done = pci.reset();
        return require(new EduDevice(pci).id() == EduDevice.ID, done ? "it was reset" : "no reset is offered");
    }

    private String useAfterClose() throws IOException {
        final PciDevice pci = open(SINGLE);
        final Bar bar = pci.bar(0);
        final UnsafeBuffer late = bar.buffer();
        pci.close();
        pci.close();
        late.putInt(4, 1);
        requireRefusal(() -> bar.readInt(0), RdmaException.EBADFD, "closed");
        requireRefusal(() -> pci.bar(0), RdmaException.EBADFD, "closed");
        requireRefusal(() -> pci.dma().allocate(PAGE), RdmaException.EBADFD, "closed");
        requireRefusal(() -> pci.config().read(0, 2), RdmaException.EBADFD, "closed");
        return require(late.getInt(4) == 1 && late.getInt(0) == 0 && machine.isIdle(SINGLE),
            "the window is ordinary memory, the device is free");
    }
}
