/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * An Aeron media driver and a client of it in this process, with a folder of their own. Their threads sleep between
 * rounds, a millisecond each: messages between processes of one machine pass them by, and the processors are for the
 * two threads that are measured.
 */
public final class AeronNode implements AutoCloseable {
    /** Where Aeron itself puts its files on Linux: in memory. */
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 1L << 30;
    private static final String CHANNEL = "aeron:ipc?term-length=16m";
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Null if the driver is another process'. */
    private final Path folder;
    /** The folder takes many megabytes of memory: it goes as well when this program is ended. */
    private final Thread end = new Thread(this::forceDelete, "end of Aeron");
    private MediaDriver driver;
    private Aeron aeron;

    /** Starts both. */
    public AeronNode() {
        try {
            folder = Files.createTempDirectory(parent(), "rdma4j-aeron-");
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot make a folder for Aeron", e);
        }
        Runtime.getRuntime().addShutdownHook(end);
        try {
            open();
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Path parent() throws IOException {
        final boolean roomy = Files.isWritable(SHARED_MEMORY)
            && Files.getFileStore(SHARED_MEMORY).getUsableSpace() >= ROOM;
        return roomy ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * A client in this process of another process' driver. It deletes nothing.
     *
     * @param directory that driver's
     */
    public AeronNode(final String directory) {
        folder = null;
        connect(directory);
    }

    /**
     * Where clients in other processes find the driver.
     *
     * @return its folder
     */
    public String directory() {
        return folder.resolve("driver").toString();
    }

    private void connect(final String directory) {
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory)
            .idleStrategy(new SleepingMillisIdleStrategy(1)));
    }

    private void open() {
        final String name = directory();
        driver = MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(name)
            .threadingMode(ThreadingMode.SHARED).sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
            .dirDeleteOnStart(true).dirDeleteOnShutdown(true).termBufferSparseFile(false));
        connect(name);
    }

    /**
     * One way to send.
     *
     * @param stream its number
     * @return a new publication
     */
    public ExclusivePublication publication(final int stream) {
        return aeron.addExclusivePublication(CHANNEL, stream);
    }

    /**
     * The one image of a publication that has been added.
     *
     * @param stream its number
     * @return where its messages come from
     */
    public Image image(final int stream) {
        final Subscription subscription = aeron.addSubscription(CHANNEL, stream);
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (subscription.imageCount() == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Aeron has made no image of stream " + stream + " in " + folder);
            }
            Thread.onSpinWait();
        }
        return subscription.imageAtIndex(0);
    }

    /** What cannot be deleted now, as it is still written, has lost its name at least. */
    private void forceDelete() {
        try {
            Folders.delete(folder);
        } catch (final IOException | UncheckedIOException e) {
            System.err.println("left behind in " + folder + ": " + e);
        }
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(aeron, driver);
        if (folder == null) {
            return;
        }
        try {
            Folders.delete(folder);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
        ChildProcess.forget(end);
    }
}
