/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

/** Makes events; apart from {@link Flight}, so that a runtime without flight recorder never loads one. */
final class Events {
    private Events() {
    }

    static CommandSpan command() {
        final CommandEvent event = new CommandEvent();
        event.begin();
        return event;
    }

    static DeviceSpan openDevice() {
        final OpenDeviceEvent event = new OpenDeviceEvent();
        event.begin();
        return event;
    }

    static DeviceSpan closeDevice() {
        final CloseDeviceEvent event = new CloseDeviceEvent();
        event.begin();
        return event;
    }

    static MemorySpan registerMemory() {
        final RegisterMemoryEvent event = new RegisterMemoryEvent();
        event.begin();
        return event;
    }

    static MemorySpan deregisterMemory() {
        final DeregisterMemoryEvent event = new DeregisterMemoryEvent();
        event.begin();
        return event;
    }

    static void asyncEvent(final Object device, final String type, final int number, final int info) {
        final AsynchronousEvent event = new AsynchronousEvent();
        if (event.shouldCommit()) {
            event.device = String.valueOf(device);
            event.type = type;
            event.number = number;
            event.info = info;
            event.commit();
        }
    }

    static void deviceFailed(final Object device, final String reason, final String hint) {
        final DeviceFailedEvent event = new DeviceFailedEvent();
        if (event.shouldCommit()) {
            event.device = String.valueOf(device);
            event.reason = reason;
            event.hint = hint;
            event.commit();
        }
    }

    static void error(final Object device, final Throwable error) {
        final ErrorEvent event = new ErrorEvent();
        if (event.shouldCommit()) {
            event.device = String.valueOf(device);
            event.error = error.getClass().getName();
            event.message = error.getMessage();
            event.commit();
        }
    }

    static void droppedCompletion(final Object device, final int cq, final long total) {
        final DroppedCompletionEvent event = new DroppedCompletionEvent();
        if (event.shouldCommit()) {
            event.device = String.valueOf(device);
            event.cq = cq;
            event.total = total;
            event.commit();
        }
    }
}
