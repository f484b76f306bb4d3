/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * The files through which sysfs takes orders, and those that it reads and writes under the lock of the device: an order
 * that waits for a process to close the device holds that lock, so that each access has to have its limit. A test puts
 * a kernel of its own here.
 */
public interface DeviceAttributes {
    /**
     * The files of this machine's kernel.
     *
     * @return accesses, each in a process of its own.
     */
    static DeviceAttributes ofFiles() {
        return new ChildProcessAttributes();
    }

    /**
     * Whether this user may write to a file.
     *
     * @param file the file.
     * @return true if so.
     */
    boolean mayWrite(Path file);

    /**
     * Writes to a file that is there.
     *
     * @param file  the file.
     * @param text  what to write.
     * @param limit how long to wait for the kernel to return.
     * @throws IOException          if the kernel refuses it; the message is strerror's text.
     * @throws TimeoutException     if it has not returned; it may still do what it was told.
     * @throws InterruptedException if the waiting thread is interrupted; the same holds.
     */
    void write(Path file, String text, Duration limit) throws IOException, TimeoutException, InterruptedException;

    /**
     * Reads a file.
     *
     * @param file  the file.
     * @param limit how long to wait for the kernel to return.
     * @return its text.
     * @throws IOException          if it cannot be read.
     * @throws TimeoutException     if the kernel has not returned.
     * @throws InterruptedException if the waiting thread is interrupted.
     */
    String read(Path file, Duration limit) throws IOException, TimeoutException, InterruptedException;
}
