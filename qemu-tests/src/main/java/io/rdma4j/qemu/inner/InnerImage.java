/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestKernel;
import io.rdma4j.qemu.guest.HostTools;
import io.rdma4j.qemu.guest.JavaCommand;
import io.rdma4j.qemu.guest.KernelKind;
import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.process.Folders;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Prepares an inner guest on this host, one layer of emulation down instead of two: boots it, lets its JVMs start and
 * warm up, and saves its state, from which {@link InnerGuest} goes on inside the fabric guest.
 */
public final class InnerImage implements AutoCloseable {
    /** Name of the saved state in the folder. */
    static final String STATE = "state";

    private static final Duration BOOT = Station.READY.multipliedBy(2);
    private static final Duration SAVE = Duration.ofMinutes(2);
    private static final int TAIL = 40;

    private final Path folder;
    private final PrintStream progress;
    private final AtomicReference<String> outcome = new AtomicReference<>();
    private final long start = System.nanoTime();

    private InnerImage(final Path folder, final PrintStream progress) {
        this.folder = folder;
        this.progress = progress;
    }

    /**
     * Prepares a guest with this JVM's JDK and class path.
     *
     * @param folder   made anew: gets console.log and the state.
     * @param progress gets a line for each stage.
     * @return the prepared guest; closing it deletes its state.
     * @throws GuestException if a tool or the kernel cannot be had (names the command that fixes it), or the guest does
     *                        not get ready in time (shows its console).
     */
    public static InnerImage prepare(final Path folder, final PrintStream progress) {
        final String binary = GuestContext.defaultBinary();
        HostTools.require(binary);
        final GuestKernel kernel = GuestKernel.prepare(GuestContext.defaultCache(), KernelKind.SMALL);
        try {
            Folders.delete(folder);
            Files.createDirectories(folder);
            final InnerImage image = new InnerImage(folder.toAbsolutePath(), progress);
            image.make(binary, kernel);
            return image;
        } catch (final IOException e) {
            throw new GuestException("cannot prepare the inner guest in " + folder + ": " + e, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted while preparing the inner guest in " + folder, e);
        }
    }

    private void make(final String binary, final GuestKernel kernel) throws IOException, InterruptedException {
        final Optional<byte[]> unpacked = KernelImage.unpack(Files.readAllBytes(kernel.image()));
        final Path image = unpacked.isPresent()
            ? Files.write(folder.resolve("vmlinux"), unpacked.get()) : kernel.image();
        final Path runtime = folder.resolve("jre");
        JavaRuntime.link(Path.of(System.getProperty("java.home")), runtime);
        final Path initramfs = folder.resolve("initramfs.cpio");
        InnerRoot.write(initramfs, HostTools.find("busybox"), kernel, runtime, JavaCommand.classPathEntries(),
            JavaCommand.inheritedOptions());
        stage("made: Linux " + kernel.version() + (unpacked.isPresent() ? ", unpacked" : ", packed")
            + ", root file system of " + Files.size(initramfs) / (1 << 20) + " MiB");
        final Path sockets = Files.createTempDirectory("rdma4j-inner");
        try (ChildProcess qemu = ChildProcess.start("inner-preparing",
            new InnerMachine(binary, sockets).preparing(image, initramfs), folder.resolve("console.log"),
            this::onLine, List.of(sockets))) {
            if (!qemu.await(() -> outcome.get() != null, BOOT) || !outcome.get().startsWith("PREPARED")) {
                throw new GuestException(String.format(
                    "the inner guest did not get ready (%s, %s); its console, %s:%n%s",
                    outcome.get(), qemu, folder.resolve("console.log"), qemu.tail(TAIL)));
            }
            try (Monitor monitor = Monitor.connect(sockets.resolve(InnerMachine.MONITOR_SOCKET))) {
                monitor.save(folder.resolve(STATE), SAVE);
            }
        }
        stage("saved: " + Files.size(folder.resolve(STATE)) / (1 << 20) + " MiB");
        // Large, and of no use any more.
        Folders.delete(runtime);
        Files.delete(initramfs);
        Files.deleteIfExists(folder.resolve("vmlinux"));
    }

    /**
     * Where the state is.
     *
     * @return an absolute path.
     */
    public Path folder() {
        return folder;
    }

    /** Deletes the state, some hundred MiB, and leaves the console. Harmless when called again. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.resolve(STATE));
        } catch (final IOException e) {
            throw new GuestException("cannot delete " + folder.resolve(STATE), e);
        }
    }

    private void onLine(final String line) {
        if (line.startsWith(InnerGuest.MARK)) {
            final String said = line.substring(InnerGuest.MARK.length());
            if (said.startsWith("PREPARED") || said.startsWith("FAILED") || said.startsWith("EXIT")) {
                outcome.compareAndSet(null, said);
            }
            stage(said);
        } else if (line.contains("|warm-up: ")) {
            stage(line);
        }
    }

    private void stage(final String what) {
        progress.printf("[inner] %5.1f s %s%n", (System.nanoTime() - start) / 1e9, what);
    }
}
