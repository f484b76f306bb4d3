/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Undo;
import io.rdma4j.base.Uninterrupted;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Waits for the system to take the device away, on a thread of its own: the request interrupt says that somebody
 * unbinds or unplugs it and waits, the error interrupt that the bus has an error which cannot be mended. Thread-safe.
 */
final class LossWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LossWatch.class.getName());
    /** The thread looks around that often although nothing came. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final VfioDevice device;
    private final Undo undo = new Undo();
    private final PollSet pollSet = new PollSet(3);
    private final String[] reasons = new String[3];
    private final CountDownLatch done = new CountDownLatch(1);
    private EventFd stop;
    private boolean stopped;
    private String reason;
    private Consumer<String> listener;

    private LossWatch(final VfioDevice device) {
        this.device = device;
    }

    /**
     * Begins to wait.
     *
     * @param device the device.
     * @return what waits; to be closed before the device.
     * @throws RdmaException if the kernel refuses; then nothing is left behind.
     */
    static LossWatch start(final VfioDevice device) {
        final LossWatch watch = new LossWatch(device);
        try (Undo failed = new Undo()) {
            failed.add(watch.undo::close);
            watch.stop = watch.eventFd(null);
            watch.join(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX,
                "the system asks for the device back: somebody unbinds or unplugs it, and waits until it is closed");
            watch.join(IrqInfo.VFIO_PCI_ERR_IRQ_INDEX, "the bus reports an error of the device that cannot be mended");
            DaemonThreads.start("rdma4j-vfio-" + device.address(), watch::run);
            failed.forget();
        }
        return watch;
    }

    private EventFd eventFd(final String why) {
        final EventFd fd = device.eventFd();
        undo.add(fd::close);
        reasons[pollSet.add(fd.fd(), LibcConstants.POLLIN)] = why;
        return fd;
    }

    private void join(final int index, final String why) {
        if (device.irq(index).usable() > 0) {
            device.trigger(index, eventFd(why));
            undo.add(() -> device.disable(index));
        }
    }

    private void run() {
        final String why;
        try {
            why = await();
        } finally {
            // No eventfd is touched from here on: close() need not wait for the listener.
            done.countDown();
        }
        if (why != null) {
            tell(why);
        }
    }

    /** The reason, or null when this was closed. */
    private String await() {
        while (true) {
            Libc.poll(pollSet, LOOK_NANOS);
            if (isStopped()) {
                return null;
            }
            for (int i = 0; i < pollSet.size(); i++) {
                if (reasons[i] != null && pollSet.revents(i) != 0) {
                    return reasons[i];
                }
            }
        }
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private void tell(final String why) {
        final Consumer<String> told;
        synchronized (this) {
            reason = why;
            told = listener;
        }
        if (told == null) {
            LOG.log(System.Logger.Level.WARNING, "{0}: {1}", device.address(), why);
        } else {
            told.accept(why);
        }
    }

    /** Sets who is told, once; of a loss that came before at once. */
    void listener(final Consumer<String> who) {
        final String why;
        synchronized (this) {
            if (listener != null) {
                throw new IllegalStateException(device.address() + " has a listener already: " + listener);
            }
            listener = who;
            why = reason;
        }
        if (why != null) {
            who.accept(why);
        }
    }

    /** Ends waiting; who is being told is not waited for. Harmless when called again. */
    @Override
    public void close() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        stop.signal();
        Uninterrupted.await(STOP_NANOS, left -> done.await(left, TimeUnit.NANOSECONDS));
        undo.close();
    }

    @Override
    public synchronized String toString() {
        return "LossWatch[" + (reason == null ? stopped ? "closed" : "watching" : reason) + ']';
    }
}
