/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import static io.rdma4j.qemu.edu.Claims.require;
import static io.rdma4j.qemu.edu.Claims.requireRefusal;
import static io.rdma4j.qemu.edu.EduClaims.SINGLE;
import static io.rdma4j.qemu.edu.EduClaims.open;
import static io.rdma4j.qemu.edu.Machine.SHARED_FIRST;
import static io.rdma4j.qemu.edu.Machine.SHARED_SECOND;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.sysfs.PciFunction;

import org.agrona.BufferUtil;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** What holds when others want the device as well: its group, other processes, other users, the system. */
final class GroupClaims {
    private static final int PAGE = 4096;
    private static final int PATIENCE_SECONDS = 20;
    private static final int MAPPINGS = 4;
    private static final Path DMA_ENTRY_LIMIT = Path.of("/sys/module/vfio_iommu_type1/parameters/dma_entry_limit");
    private static final Path VFIO_UNBIND = Path.of("/sys/bus/pci/drivers/vfio-pci/unbind");
    /** A driver that may start DMA, and takes any function. */
    private static final String OTHER_DRIVER = "uio_pci_generic";

    private final Claims claims;
    private final Machine machine;

    GroupClaims(final Claims claims, final Machine machine) {
        this.claims = claims;
        this.machine = machine;
    }

    void runAll() {
        claims.run("refusesASecondOpen", this::secondOpen);
        claims.run("sharesAGroupInOneProcess", this::sharedGroup);
        claims.run("refusesAGroupInUse", this::otherProcess);
        claims.run("refusesAUserWithoutRights", () -> asNobody(() -> requireRefusal(() -> open(SINGLE),
            RdmaException.EACCES, "/dev/vfio/", "chown")));
        claims.run("aUserNeedsOnlyTheGroupFile", this::nobodyWithRights);
        claims.run("refusesAGroupThatIsNotViable", this::notViable);
        claims.run("saysThatMappingsAreUsedUp", this::mappingLimit);
        claims.run("saysThatTheKernelHasNoMoreMappings", this::mappingLimitOfTheGroup);
        claims.run("saysThatTheLimitOfLockedMemoryIsReached", this::memlockLimit);
        claims.run("tellsOfTheLossAndLetsGo", this::unbindWhileOpen);
    }

    private String secondOpen() {
        try (PciDevice first = open(SINGLE)) {
            return require(first.bar(0).isMapped(), requireRefusal(() -> open(SINGLE), RdmaException.EBUSY,
                "open already in this process"));
        }
    }

    private String sharedGroup() {
        require(machine.function(SHARED_FIRST).iommuGroup() == machine.function(SHARED_SECOND).iommuGroup(),
            "the two functions are in groups of their own");
        final PciDevice first = open(SHARED_FIRST);
        try (PciDevice second = open(SHARED_SECOND)) {
            try (DmaMemory one = first.dma().allocate(PAGE); DmaMemory other = second.dma().allocate(PAGE)) {
                require(one.iova() != other.iova(), "one bus address was given out twice");
                one.buffer().setMemory(0, PAGE, (byte) 11);
                new EduDevice(first).fromMemory(one.iova(), EduDevice.MAX_DMA);
            }
            first.close();
            // The group stays open for the second one.
            return roundTrip(second);
        } finally {
            first.close();
        }
    }

    private static String roundTrip(final PciDevice pci) {
        final EduDevice edu = new EduDevice(pci);
        try (DmaMemory memory = pci.dma().allocate(PAGE)) {
            memory.buffer().setMemory(0, PAGE, (byte) 42);
            edu.fromMemory(memory.iova(), EduDevice.MAX_DMA);
            memory.buffer().setMemory(0, PAGE, (byte) 0);
            edu.toMemory(memory.iova(), EduDevice.MAX_DMA);
            return require(memory.buffer().getByte(EduDevice.MAX_DMA - 1) == 42, "a page there and back");
        }
    }

    private String otherProcess() throws IOException, InterruptedException {
        final Path group = machine.groupFile(SINGLE);
        final Process holder = new ProcessBuilder("busybox", "sh", "-c",
            "exec 3<>" + group + " && echo held && exec busybox sleep 60").start();
        try {
            final int first = holder.getInputStream().read();
            require(first == 'h', "the other process did not open " + group);
            return requireRefusal(() -> open(SINGLE), RdmaException.EBUSY,
                "in use by ", "(process " + holder.pid() + ')');
        } finally {
            holder.destroyForcibly().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static String asNobody(final Claims.Claim claim) throws InterruptedException {
        final CompletableFuture<String> seen = new CompletableFuture<>();
        final Thread thread = new Thread(() -> ThreadUser.run(ThreadUser.NOBODY, () -> complete(seen, claim)));
        thread.setUncaughtExceptionHandler((failed, e) -> seen.completeExceptionally(e));
        thread.start();
        try {
            return seen.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (final ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e.toString(), e);
        } finally {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }
    }

    private static void complete(final CompletableFuture<String> seen, final Claims.Claim claim) {
        try {
            seen.complete(claim.check());
        } catch (final IOException | InterruptedException e) {
            seen.completeExceptionally(e);
        }
    }

    /** Rights on the group's file alone; the memory that is pinned is limited. */
    private String nobodyWithRights() throws IOException, InterruptedException {
        final Path group = machine.groupFile(SINGLE);
        Files.setAttribute(group, "unix:uid", ThreadUser.NOBODY);
        try {
            return asNobody(() -> {
                try (PciDevice pci = open(SINGLE)) {
                    return roundTrip(pci) + " with rights on " + group;
                }
            });
        } finally {
            Files.setAttribute(group, "unix:uid", 0);
        }
    }

    private String notViable() {
        final PciFunction second = machine.function(SHARED_SECOND);
        machine.pci().bind(second, OTHER_DRIVER);
        try {
            return requireRefusal(() -> open(SHARED_FIRST), RdmaException.EBUSY, "not viable", SHARED_FIRST,
                SHARED_SECOND, "driver " + OTHER_DRIVER, "./rdma4j bind " + SHARED_SECOND);
        } finally {
            machine.pci().bind(machine.function(SHARED_SECOND), PciFunction.VFIO_PCI);
        }
    }

    /** Runs something while the kernel allows only a few mappings in an address space. */
    private static String withFewMappings(final Claims.Claim claim) throws IOException, InterruptedException {
        final String usual = Files.readString(DMA_ENTRY_LIMIT).strip();
        Machine.write(DMA_ENTRY_LIMIT, Integer.toString(MAPPINGS));
        try {
            return claim.check();
        } finally {
            Machine.write(DMA_ENTRY_LIMIT, usual);
        }
    }

    /** Every other page, and of nobody: these are not joined to one mapping. */
    private static DmaMapping map(final PciDevice pci, final ByteBuffer memory, final int number) {
        return pci.dma().map(BufferUtil.address(memory) + (2L * number + 1) * PAGE, 1, null);
    }

    private String mappingLimit() throws IOException, InterruptedException {
        final ByteBuffer memory = ByteBuffer.allocateDirect((2 * MAPPINGS + 4) * PAGE);
        return withFewMappings(() -> {
            try (PciDevice pci = open(SINGLE)) {
                final DmaMapping first = map(pci, memory, 0);
                for (int i = 1; i < MAPPINGS; i++) {
                    map(pci, memory, i);
                }
                final String seen = requireRefusal(() -> map(pci, memory, MAPPINGS), RdmaException.ENOMEM,
                    Integer.toString(MAPPINGS));
                first.close();
                map(pci, memory, MAPPINGS);
                return seen;
            }
        });
    }

    /** The limit is that of the address space, which the functions of a group share. */
    private String mappingLimitOfTheGroup() throws IOException, InterruptedException {
        final ByteBuffer memory = ByteBuffer.allocateDirect((2 * MAPPINGS + 4) * PAGE);
        return withFewMappings(() -> {
            try (PciDevice first = open(SHARED_FIRST); PciDevice second = open(SHARED_SECOND)) {
                for (int i = 0; i < MAPPINGS - 1; i++) {
                    map(first, memory, i);
                }
                map(second, memory, MAPPINGS - 1);
                return requireRefusal(() -> map(second, memory, MAPPINGS), RdmaException.ENOMEM,
                    "has " + MAPPINGS + " mappings, the kernel allows 0 more", "dma_entry_limit");
            }
        });
    }

    /** Somebody without the privilege to lock memory pins more than the limit. */
    private String memlockLimit() throws IOException, InterruptedException {
        final long length = 2 * Libc.getrlimit(LibcConstants.RLIMIT_MEMLOCK).soft();
        final Path group = machine.groupFile(SINGLE);
        Files.setAttribute(group, "unix:uid", ThreadUser.NOBODY);
        try {
            return asNobody(() -> {
                try (PciDevice pci = open(SINGLE + "?pages=4K")) {
                    return requireRefusal(() -> pci.dma().allocate(length), RdmaException.ENOMEM, "RLIMIT_MEMLOCK",
                        "ulimit -l");
                }
            });
        } finally {
            Files.setAttribute(group, "unix:uid", 0);
        }
    }

    private String unbindWhileOpen() throws InterruptedException {
        final PciDevice pci = open(SINGLE);
        final AtomicInteger told = new AtomicInteger();
        final CompletableFuture<String> loss = new CompletableFuture<>();
        pci.onLoss(reason -> {
            told.incrementAndGet();
            loss.complete(reason);
        });
        // The kernel lets this write return only when the device is closed.
        final Thread unbind = new Thread(() -> Machine.write(VFIO_UNBIND, SINGLE));
        unbind.start();
        String reason = null;
        try {
            reason = loss.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            require(unbind.isAlive() && new EduDevice(pci).id() == EduDevice.ID, "the device went away while open");
        } catch (final ExecutionException | TimeoutException e) {
            throw new IllegalStateException("nobody told of the loss: " + pci, e);
        } finally {
            pci.close();
            unbind.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }
        require(!unbind.isAlive() && machine.function(SINGLE).driver() == null && told.get() == 1,
            "after closing the unbinding has not ended: " + machine.function(SINGLE));
        requireRefusal(() -> open(SINGLE), RdmaException.ENODEV, "no driver");
        machine.pci().bind(machine.function(SINGLE), PciFunction.VFIO_PCI);
        return reason + "; again: " + EduClaims.on(GroupClaims::roundTrip);
    }
}
