/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

import org.agrona.concurrent.status.AtomicCounter;

/** What {@link LiveProcessesTest} runs; prints what happens. */
public final class LiveChild {
    private LiveChild() {
    }

    /**
     * Entry point.
     *
     * @param args what to do, and with what.
     * @throws IOException if the input cannot be read.
     */
    public static void main(final String[] args) throws IOException {
        if ("publish".equals(args[0])) {
            publish(args[1]);
        } else if ("bait".equals(args[0])) {
            bait(args[1]);
        } else {
            LiveViews.list().forEach(listed -> System.out.println("listed " + listed.status() + ' ' + listed.detail()));
            attempt("open", () -> LiveViews.open(Path.of(args[2])));
            attempt("ofPid", () -> LiveViews.ofPid(Long.parseLong(args[1]), null));
        }
    }

    private static void publish(final String address) throws IOException {
        try (LiveDevice device = LiveDevice.open(address)) {
            LiveFixture.Sample.fill(device);
            final AtomicCounter loops = device.counter("loops");
            System.out.println("open");
            final Thread counting = new Thread(() -> {
                while (true) {
                    loops.increment();
                }
            });
            counting.setDaemon(true);
            counting.start();
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Has others read a file that this process may not read: it holds no more than a place in the file system. */
    private static void bait(final String file) throws IOException {
        try (LiveDevice device = LiveDevice.open("fake:bait"); Fd held = Fd.open(file, LibcConstants.O_PATH)) {
            device.segment(new LiveSegment(0x1000, 0, 0x1000, held.fd(), 0));
            System.out.println("open");
            System.in.read();
        }
    }

    private static void attempt(final String label, final Supplier<LiveView> call) {
        try (LiveView view = call.get()) {
            System.out.println(label + " ok " + view);
        } catch (final RdmaException e) {
            System.out.println(label + ' ' + e.errno() + ' ' + e.getMessage());
        }
    }
}
