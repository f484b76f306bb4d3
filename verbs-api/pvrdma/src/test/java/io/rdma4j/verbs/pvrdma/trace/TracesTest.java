/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class TracesTest {
    private static final UnsafeBuffer CAPS = new UnsafeBuffer(new byte[] {0, 1, 0, 0});
    private static final UnsafeBuffer REQUEST = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
    private static final UnsafeBuffer RESPONSE = new UnsafeBuffer(new byte[Command.RESPONSE_MAX]);

    @TempDir
    private Path folder;

    @AfterEach
    void end() {
        Traces.end();
        System.clearProperty(Traces.LIMIT_PROPERTY);
        System.clearProperty(Traces.PROPERTY);
    }

    private static DeviceTrace open() {
        return Traces.open("emulated:x", 20, CAPS, 0, CAPS.capacity());
    }

    @Test
    void nothingIsTracedUnlessSomebodyAsks() {
        assertThat(open()).isSameAs(DeviceTrace.NONE);
        DeviceTrace.NONE.command(REQUEST, 0, RESPONSE);
        DeviceTrace.NONE.close();
    }

    @Test
    void aCommandIsInTheFileWhenTheCallReturnsDataWhenTheDeviceIsClosed() throws IOException {
        final Path file = folder.resolve("t");
        Traces.begin(file, true);
        final DeviceTrace trace = open();
        trace.command(REQUEST, -22, RESPONSE);
        trace.armed(Uar.cqArm(7));
        final List<String> before = Files.readAllLines(file);
        assertThat(before).hasSize(3).first().isEqualTo(TraceFormat.FIRST_LINE);
        assertThat(before.get(1)).startsWith("1 ").endsWith(" open version=20 caps=0001 address=emulated:x");
        assertThat(before.get(2)).endsWith(" command name=QUERY_PORT err=0xffffffea request=- response=-");
        trace.close();
        assertThat(Files.readAllLines(file)).hasSize(5).last().asString().endsWith(" close");
        assertThat(Files.readAllLines(file).get(3)).endsWith(" arm queue=7 bits=0x40000000");
    }

    /** What is already there may be the only recording of something. */
    @Test
    void whatTheFileHeldIsKeptUntilADeviceIsTraced() throws IOException {
        final Path file = Files.writeString(folder.resolve("t"), "of yesterday");
        Traces.begin(file, false);
        assertThat(file).hasContent("of yesterday");
        Traces.end();
        assertThat(file).hasContent("of yesterday");
        Traces.begin(file, false);
        open().close();
        assertThat(Files.readAllLines(file)).hasSize(3).first().isEqualTo(TraceFormat.FIRST_LINE);
    }

    /** A device is not opened untraced where a trace was asked for. */
    @Test
    void aFileThatCannotBeMadeAnyMoreFailsTheDevice() throws IOException {
        final Path inside = Files.createDirectory(folder.resolve("inside"));
        Traces.begin(inside.resolve("t"), false);
        Files.delete(inside);
        assertThatThrownBy(TracesTest::open).isInstanceOf(RdmaException.class)
            .hasMessageContaining("there is no folder '" + inside + "' [ENOENT]");
    }

    /** A poster may ring a doorbell while its device is closed. */
    @Test
    void whoComesAfterTheLastDeviceDoesNoHarm() throws IOException {
        final Path file = folder.resolve("t");
        Traces.begin(file, true);
        final DeviceTrace late = open();
        late.close();
        late.command(REQUEST, 0, RESPONSE);
        for (int i = 0; i < TraceFile.BUFFER / 16; i++) {
            late.armed(Uar.cqArm(7));
        }
        final DeviceTrace next = open();
        next.close();
        assertThat(Files.readAllLines(file)).last().asString().startsWith("2 ").endsWith(" close");
    }

    @Test
    void theLimitEndsTheTraceAndNothingElse() throws IOException {
        System.setProperty(Traces.LIMIT_PROPERTY, "4096");
        final Path file = folder.resolve("t");
        Traces.begin(file, false);
        final DeviceTrace trace = open();
        for (int i = 0; i < 1000; i++) {
            trace.command(REQUEST, i, RESPONSE);
        }
        trace.close();
        assertThat(Files.size(file)).isLessThanOrEqualTo(4096);
        assertThat(Files.readAllLines(file)).last().asString().startsWith("end it has the 4096 bytes");
        assertThat(trace.toString()).contains("(ended)");
    }

    @Test
    void devicesOfOneProcessShareAFileAlsoOneAfterTheOther() throws IOException {
        final Path file = folder.resolve("t");
        System.setProperty(Traces.PROPERTY, file.toString());
        final DeviceTrace first = open();
        final DeviceTrace second = open();
        first.close();
        second.close();
        open().close();
        assertThat(Files.readAllLines(file)).hasSize(7).element(5).asString().startsWith("3 ");
    }

    /** By then it may be another process' trace, or a link to what nobody wants to lose. */
    @ParameterizedTest
    @ValueSource(strings = {"another", "a link", "gone"})
    void aFileThatIsNotTheTracesAnyMoreStaysAsItIs(final String what) throws IOException {
        final Path file = folder.resolve("t");
        final Path other = Files.writeString(folder.resolve("other"), "x".repeat(100_000));
        Traces.begin(file, false);
        open().close();
        Files.delete(file);
        if (what.equals("another")) {
            Files.copy(other, file);
        } else if (what.equals("a link")) {
            Files.createSymbolicLink(file, other);
        }
        final DeviceTrace later = open();
        later.command(REQUEST, 0, RESPONSE);
        later.close();
        assertThat(later.toString()).contains("(ended)");
        assertThat(Files.size(other)).isEqualTo(100_000);
        if (what.equals("gone")) {
            assertThat(file).doesNotExist();
        } else {
            assertThat(Files.size(file)).isEqualTo(100_000);
        }
    }

    /** Somebody else may own the folder of root's trace. */
    @Test
    void aLinkThatHasTheNameForAMomentIsNotFollowed() throws Exception {
        final Path file = folder.resolve("t");
        final Path precious = Files.writeString(folder.resolve("precious"), "x".repeat(100_000));
        final AtomicBoolean end = new AtomicBoolean();
        final FutureTask<Void> other = new FutureTask<>(() -> {
            for (int i = 0; !end.get(); i++) {
                hide(file, precious, i % 2 == 0);
            }
            return null;
        });
        new Thread(other, "other").start();
        try {
            for (int i = 0; i < 2000; i++) {
                traceAgainAndAgain(file);
            }
        } finally {
            end.set(true);
        }
        Patience.get(other);
        assertThat(precious).hasContent("x".repeat(100_000));
    }

    private void hide(final Path file, final Path precious, final boolean leavesAGap) throws IOException {
        final Path same = folder.resolve("same");
        final Path link = folder.resolve("link");
        Files.deleteIfExists(same);
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, precious);
        try {
            if (leavesAGap) {
                Files.move(file, same, StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.createLink(same, file);
            }
            Files.move(link, file, StandardCopyOption.ATOMIC_MOVE);
            Files.move(same, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (final NoSuchFileException e) {
            // It is not there yet.
            return;
        }
    }

    private static void traceAgainAndAgain(final Path file) {
        final TraceFile trace;
        try {
            trace = TraceFile.create(file, 1 << 20);
        } catch (final IOException e) {
            // The link was there in time.
            return;
        }
        for (int i = 0; i < 5; i++) {
            trace.record(trace.enter(), "x", true, line -> { });
            trace.leave();
        }
        trace.end();
    }

    @Test
    void whatCannotBeAFileIsRefusedOrLoggedOnce() throws IOException {
        assertThatThrownBy(() -> Traces.begin(folder, false)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("no ordinary file");
        assertThatThrownBy(() -> Traces.begin(folder.resolve("a/b"), false)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("there is no folder '" + folder.resolve("a") + "' [ENOENT]; make it");
        final Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> Traces.begin(file.resolve("b"), false)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EIO");
        System.setProperty(Traces.PROPERTY, folder.resolve("a/b").toString());
        assertThat(open()).isSameAs(DeviceTrace.NONE);
        assertThat(open()).isSameAs(DeviceTrace.NONE);
    }
}
