/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

/**
 * Tells Java Flight Recorder. Where no recording runs each call costs some nanoseconds, and nothing where the runtime
 * has no flight recorder. Thread-safe; throws nothing.
 */
public final class Flight {
    private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    private static final CommandSpan NO_COMMAND = (device, command, request, err, responseErr) -> { };
    private static final DeviceSpan NO_DEVICE = (device, profile, version, done) -> { };
    private static final MemorySpan NO_MEMORY = (device, address, bytes, pages, handle) -> { };

    private Flight() {
    }

    private static boolean isOn() {
        return PRESENT && Recorder.isOn();
    }

    /**
     * A command begins.
     *
     * @return to be told when it is over.
     */
    public static CommandSpan command() {
        return isOn() ? Events.command() : NO_COMMAND;
    }

    /**
     * A device is being opened.
     *
     * @return to be told when that is over.
     */
    public static DeviceSpan openDevice() {
        return isOn() ? Events.openDevice() : NO_DEVICE;
    }

    /**
     * A device is being closed.
     *
     * @return to be told when that is over.
     */
    public static DeviceSpan closeDevice() {
        return isOn() ? Events.closeDevice() : NO_DEVICE;
    }

    /**
     * Memory is being registered.
     *
     * @return to be told when that is over.
     */
    public static MemorySpan registerMemory() {
        return isOn() ? Events.registerMemory() : NO_MEMORY;
    }

    /**
     * Memory is being deregistered.
     *
     * @return to be told when that is over.
     */
    public static MemorySpan deregisterMemory() {
        return isOn() ? Events.deregisterMemory() : NO_MEMORY;
    }

    /**
     * The device told of something by itself.
     *
     * @param device which device; its {@code toString()} is used.
     * @param type   the name of the event.
     * @param number the number of the event.
     * @param info   what it is about: a handle or a port.
     */
    public static void asyncEvent(final Object device, final String type, final int number, final int info) {
        if (isOn()) {
            Events.asyncEvent(device, type, number, info);
        }
    }

    /**
     * The device was given up.
     *
     * @param device which device; its {@code toString()} is used.
     * @param reason why.
     * @param hint   what to do.
     */
    public static void deviceFailed(final Object device, final String reason, final String hint) {
        if (isOn()) {
            Events.deviceFailed(device, reason, hint);
        }
    }

    /**
     * Something went wrong.
     *
     * @param device which device; its {@code toString()} is used.
     * @param error  what.
     */
    public static void error(final Object device, final Throwable error) {
        if (isOn()) {
            Events.error(device, error);
        }
    }

    /**
     * A completion made no sense and was dropped.
     *
     * @param device which device; its {@code toString()} is used.
     * @param cq     handle of the completion queue.
     * @param total  how many it dropped so far.
     */
    public static void droppedCompletion(final Object device, final int cq, final long total) {
        if (isOn()) {
            Events.droppedCompletion(device, cq, total);
        }
    }
}
