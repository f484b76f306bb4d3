/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_ERR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_IMR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_REQUEST;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_VERSION;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.jfr.CommandSpan;
import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CommandRequest;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.trace.DeviceTrace;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Exchanges commands with the device, one at a time: request into the command slot, REQUEST written, ERR read, and
 * where the command has a response, the response slot polled until it carries this command's key and acknowledge code.
 * The interrupt of vector 0 only shortens the wait: a late one of an earlier command proves nothing.
 *
 * <p>A response that does not come until the deadline makes the device failed, since nobody can tell whether the
 * command was executed. Thread-safe; a caller waits for the one before it, never longer than that one's deadline.
 */
public final class CommandChannel {
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int SPINS = 200;
    private static final int SETTLE_READS = 50;

    /**
     * How a command goes over the wire.
     *
     * @param id     number in the request.
     * @param ack    acknowledge code of its response.
     * @param awaits whether a response is awaited.
     */
    record Wire(int id, int ack, boolean awaits) {
        static Wire of(final Command command) {
            return new Wire(command.id(), command.ack(), command.awaitsResponse());
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Bar registers;
    private final UnsafeBuffer commandSlot;
    private final UnsafeBuffer responseSlot;
    private final long timeoutNanos;
    private final FailureLatch latch;
    private final DriverCounters counters;
    private final Object deviceName;
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
    private final UnsafeBuffer response = new UnsafeBuffer(new byte[Command.RESPONSE_MAX]);
    private final CommandHistory history;
    private ResponseInterrupts interrupts;
    private Journal journal = Journal.none("none was set");
    private DeviceTrace trace = DeviceTrace.NONE;
    private volatile CommandObserver observer = (sent, err, received) -> { };
    private long lastKey;
    private volatile boolean closing;
    private volatile boolean closed;

    CommandChannel(
        final Bar registers, final UnsafeBuffer commandSlot, final UnsafeBuffer responseSlot, final long timeoutNanos,
        final FailureLatch latch, final DriverCounters counters, final CommandHistory history,
        final Object deviceName) {
        this.registers = registers;
        this.commandSlot = commandSlot;
        this.responseSlot = responseSlot;
        this.timeoutNanos = timeoutNanos;
        this.latch = latch;
        this.counters = counters;
        this.history = history;
        this.deviceName = deviceName;
        responseVector(null);
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** To be called before the first command; null if there is none. */
    void responseVector(final InterruptVector vector) {
        interrupts = new ResponseInterrupts(vector, counters.silentVector);
    }

    /** What is told of each command; to be called before the first one. */
    void journal(final Journal newJournal) {
        journal = newJournal;
    }

    /** Where commands are traced to; to be called before the first one. */
    void trace(final DeviceTrace newTrace) {
        trace = newTrace;
    }

    /**
     * Sets who sees each command.
     *
     * @param newObserver null for nobody.
     */
    public void observer(final CommandObserver newObserver) {
        observer = newObserver == null ? (sent, err, received) -> { } : newObserver;
    }

    /**
     * Executes a command as it stands, also one that makes no sense: for recorded scripts and tests. Objects made this
     * way are not counted, and destroyed at close only where there is a journal; only the key of the request is
     * replaced.
     *
     * @param script      holds the request, {@link Command#REQUEST_MAX} bytes from offset 0, with the number in its
     *                    header.
     * @param destination gets the {@link Command#RESPONSE_MAX} bytes of the response slot.
     * @return the ERR register; 0 is success.
     * @throws RdmaException EBADFD if the device is closed or failed, ETIMEDOUT if the response is lost, EIO if another
     *                       response came.
     */
    public int replay(final DirectBuffer script, final MutableDirectBuffer destination) {
        lock.lock();
        try {
            latch.check("replay command");
            checkOpen("replay command", closing);
            request.putBytes(0, script, 0, Command.REQUEST_MAX);
            final int id = new CommandHeader().wrap(request, 0).get(CommandHeader.CMD);
            final Command command = Command.of(id);
            final int err = exchange(command == null
                ? new Wire(id, Command.ACK_FLAG | id, false) : Wire.of(command));
            destination.putBytes(0, response, 0, Command.RESPONSE_MAX);
            return err;
        } finally {
            lock.unlock();
        }
    }

    /** Executes a command that has no result, or whose result nobody wants. */
    <R extends CommandRequest<R>> void execute(final Command command, final R body, final Consumer<R> fill) {
        execute(command, Wire.of(command), body, fill, answer -> null);
    }

    <R extends CommandRequest<R>, T> T execute(
        final Command command, final R body, final Consumer<R> fill, final Function<UnsafeBuffer, T> read) {
        return execute(command, Wire.of(command), body, fill, read);
    }

    /** The reader gets a private copy of the response, valid during the call. */
    <R extends CommandRequest<R>, T> T execute(
        final Command command, final Wire wire, final R body, final Consumer<R> fill,
        final Function<UnsafeBuffer, T> read) {
        return execute(command, wire, body, fill, read, false);
    }

    /**
     * Executes a command that takes something from the device: also from one that was given up, as long as it listens,
     * since some keep what they have over the reset that follows.
     */
    <R extends CommandRequest<R>> void takeBack(final Command command, final R body, final Consumer<R> fill) {
        execute(command, Wire.of(command), body, fill, answer -> null, true);
    }

    private <R extends CommandRequest<R>, T> T execute(
        final Command command, final Wire wire, final R body, final Consumer<R> fill,
        final Function<UnsafeBuffer, T> read, final boolean takesBack) {
        lock.lock();
        try {
            if (!takesBack || latch.isDeaf()) {
                latch.check(command.name());
            }
            checkOpen(command.name(), closed || closing && !takesBack);
            request.setMemory(0, Command.REQUEST_MAX, (byte) 0);
            new CommandHeader().wrap(request, 0).set(CommandHeader.CMD, wire.id);
            fill.accept(body.wrap(request, 0));
            final int err = exchange(wire);
            final int headerErr = err == 0 && wire.awaits
                ? new ResponseHeader().wrap(response, 0).get(ResponseHeader.ERR) : 0;
            if (err != 0 || headerErr != 0) {
                throw refused(command, err, headerErr);
            }
            return read.apply(response);
        } finally {
            lock.unlock();
        }
    }

    /** Does what belongs together with commands in it: no other thread's command comes in between. */
    void alone(final Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen(final String operation, final boolean refuses) {
        if (refuses) {
            throw RdmaException.of(operation)
                .device(deviceName)
                .detail("the device is closed")
                .errno(RdmaException.EBADFD)
                .build();
        }
    }

    private int exchange(final Wire wire) {
        final CommandSpan span = Flight.command();
        final long began = LiveDevice.epochNanos();
        final long start = System.nanoTime();
        final long key = ++lastKey;
        int err = 0;
        boolean told = false;
        new CommandHeader().wrap(request, 0).set(CommandHeader.RESPONSE, key);
        response.setMemory(0, Command.RESPONSE_MAX, (byte) 0);
        commandSlot.putBytes(0, request, 0, Command.REQUEST_MAX);
        responseSlot.setMemory(0, Command.RESPONSE_MAX, (byte) 0);
        interrupts.begin(wire.awaits);
        counters.commands.increment();
        journal.before(request);
        try {
            registers.writeInt(PVRDMA_REG_REQUEST, 0);
            err = registers.readInt(PVRDMA_REG_ERR);
            if (err != 0) {
                counters.commandsRefused.increment();
                checkPresent(err);
            } else if (wire.awaits) {
                awaitResponse(wire, key);
            }
            told = true;
        } catch (final RdmaException e) {
            // The bus failed: nobody knows what the device did. Without effect if it was given up already.
            latch.failDeaf("its registers cannot be reached: " + e.getMessage());
            throw e;
        } finally {
            response.putBytes(0, responseSlot, 0, Command.RESPONSE_MAX);
            if (told) {
                journal.after(request, err, response);
            }
            history.record(began, start, request, err, response);
            trace.command(request, err, response);
            observer.onCommand(request, err, response);
            span.end(deviceName, CommandText.name(wire.id), () -> CommandText.request(request, 0), err,
                err == 0 && wire.awaits ? new ResponseHeader().wrap(response, 0).get(ResponseHeader.ERR) : 0);
        }
        return err;
    }

    /** A device that was unplugged reads all ones everywhere, which as ERR alone would be -EPERM. */
    private void checkPresent(final int err) {
        if (err == -1 && registers.readInt(PVRDMA_REG_VERSION) == -1) {
            latch.failDeaf("the device is gone: its registers read all ones");
            throw gone();
        }
    }

    private RdmaException gone() {
        return RdmaException.of(CommandText.name(new CommandHeader().wrap(request, 0).get(CommandHeader.CMD)))
            .device(deviceName)
            .detail("%s", latch.reason())
            .errno(RdmaException.ENODEV)
            .hint("%s", latch.hint())
            .build();
    }

    private void awaitResponse(final Wire wire, final long key) {
        final long deadline = System.nanoTime() + timeoutNanos;
        // Always read before the look: a thread may sleep past the deadline in between, while the device answers.
        long left = timeoutNanos;
        int spins = 0;
        while (!isAnswered(wire, key)) {
            if (latch.isDeaf()) {
                throw gone();
            }
            if (left <= 0) {
                throw lost(wire, key);
            }
            if (spins < SPINS) {
                spins++;
                Thread.onSpinWait();
            } else if (interrupts.areExpected()) {
                interrupts.await(left);
            } else {
                Pause.nanos(Math.min(left, POLL_NANOS));
            }
            left = deadline - System.nanoTime();
        }
        if (!interrupts.tellComplete()) {
            settle();
        }
    }

    private boolean isAnswered(final Wire wire, final long key) {
        return responseSlot.getLongVolatile(ResponseHeader.RESPONSE.offset()) == key
            && responseSlot.getIntVolatile(ResponseHeader.ACK.offset()) == wire.ack;
    }

    /**
     * The header comes first in memory, so a device that works beside us may still write the body. Its interrupt comes
     * after all of it; without one, the body is at rest when it reads the same twice with a pause between. That is no
     * proof, but a device that pauses longer in the middle of some hundred bytes is not known, and none is waited for
     * for ever.
     */
    private void settle() {
        int reads = 0;
        do {
            response.putBytes(0, responseSlot, 0, Command.RESPONSE_MAX);
            Pause.nanos(POLL_NANOS);
            reads++;
        } while (reads < SETTLE_READS && !isAtRest());
    }

    private boolean isAtRest() {
        boolean same = true;
        for (int offset = 0; offset < Command.RESPONSE_MAX && same; offset += Integer.BYTES) {
            same = responseSlot.getIntVolatile(offset) == response.getInt(offset);
        }
        return same;
    }

    private RdmaException lost(final Wire wire, final long key) {
        final ResponseHeader seen = new ResponseHeader().wrap(responseSlot, 0);
        final long seenKey = seen.get(ResponseHeader.RESPONSE);
        final int seenAck = seen.get(ResponseHeader.ACK);
        final boolean nothing = seenKey == 0 && seenAck == 0;
        final String what;
        if (nothing) {
            counters.responsesLost.increment();
            what = "no response";
        } else if (seenKey != key) {
            counters.wrongKeys.increment();
            what = "response with the wrong key";
        } else {
            counters.wrongAcks.increment();
            what = "response with the wrong ack";
        }
        final String why = String.format("%s to %s within %d ms: expected key 0x%x ack 0x%x, seen key 0x%x ack 0x%x; "
            + "%s, %s, vector 0 fired %d times", what, CommandText.request(request, 0),
            TimeUnit.NANOSECONDS.toMillis(timeoutNanos), key, wire.ack, seenKey, seenAck, readable(PVRDMA_REG_ERR),
            readable(PVRDMA_REG_IMR), interrupts.fired());
        latch.failDeaf(why);
        return RdmaException.of(CommandText.name(wire.id))
            .device(deviceName)
            .detail("%s", why)
            .errno(nothing ? RdmaException.ETIMEDOUT : RdmaException.EIO)
            .hint("the device is given up: close it and open it again")
            .build();
    }

    /** What a register says, for people; also of a device that cannot be read any more. */
    private String readable(final int register) {
        try {
            return String.format("%s 0x%x", Bar1.name(register), registers.readInt(register));
        } catch (final RdmaException e) {
            return Bar1.name(register) + " not readable";
        }
    }

    private RdmaException refused(final Command command, final int err, final int headerErr) {
        final int code = err != 0 ? err : headerErr;
        final RdmaException refusal = RdmaException.of(command.name())
            .device(deviceName)
            .object(CommandText.request(request, 0))
            .detail("the device answered ERR 0x%x, response err %d", err, headerErr)
            .errno(CommandText.errno(code))
            .hint("%s", CommandText.hint(code))
            .build();
        counters.error(new CommandRefused(command.name(), err, headerErr, refusal));
        return refusal;
    }

    /**
     * The last commands with what the device answered.
     *
     * @param last how many, at most 256 are kept.
     * @return a line for each, the oldest first.
     */
    public String history(final int last) {
        return history.format(last);
    }

    /** Whether a command can still be expected to do something. */
    boolean reachesDevice() {
        return !latch.failed() && !closed;
    }

    /**
     * Lets nothing new be made; what was made so far can still be taken back. On return nobody is about to make
     * something.
     */
    void refuseNew() {
        lock.lock();
        try {
            closing = true;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        closed = true;
    }
}
