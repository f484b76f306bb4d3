/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is run on real devices works on the emulated device, and is kept as it was. */
@Timeout(120)
@Tag("slow")
class ToolRunTest {
    private static final String ADDRESS = "emulated:tool-run?quirks=qemu-7.2";

    @TempDir
    private Path folder;

    private Transcript some() {
        final Transcript transcript = new Transcript();
        transcript.add(new Transcript.Entry("gid --pid 7", 0, "  index\n\n$ ./rdma4j no\n= 1\n| bar\n"));
        transcript.add(new Transcript.Entry("qp -d qtest:/tmp/a.sock?ram=/tmp/b", 1, "qtest:/tmp/a.sock?ram=x no\n"));
        transcript.add(new Transcript.Entry("dump", 0, ""));
        return transcript;
    }

    @TestFactory
    Stream<DynamicTest> allCommandsWorkOnTheSoftwareDevice() throws IOException {
        return ToolChecks.of(ToolRun.on(ADDRESS));
    }

    @Test
    void aTranscriptIsReadAsItWasWritten() throws IOException {
        some().write(folder);
        assertThat(Transcript.read(folder.resolve(Transcript.FILE_NAME)).entries()).isEqualTo(some().entries());
    }

    @Test
    void aTextIsPackedAndUnpacked() {
        final String text = "index  gid \u2192 \n".repeat(1000);
        assertThat(Transcript.pack(text)).hasSizeLessThan(400).matches("[A-Za-z0-9+/=]+");
        assertThat(Transcript.unpack(Transcript.pack(text))).isEqualTo(text);
        assertThat(Transcript.unpack(Transcript.pack(""))).isEmpty();
        assertThatThrownBy(() -> Transcript.unpack("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Transcript.unpack("no")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsNoTranscriptOrCutOffIsRefused() throws IOException {
        some().write(folder);
        final List<String> lines = Files.readAllLines(folder.resolve(Transcript.FILE_NAME));
        final Path cut = Files.write(folder.resolve("cut"), lines.subList(0, lines.size() - 1));
        assertThatThrownBy(() -> Transcript.read(cut)).hasMessageContaining("cut off in: dump");
        final Path other = Files.writeString(folder.resolve("other"), "RESULT a PASS\n");
        assertThatThrownBy(() -> Transcript.read(other)).hasMessageContaining("no transcript");
    }

    @Test
    void aCommandThatFailsOrSaysSomethingElseIsAtFault() {
        final ToolCommand command = new ToolCommand("regs", 0, List.of("VERSION"));
        assertThat(command.fault(new Transcript.Entry("regs", 0, "VERSION 17\n"))).isEmpty();
        assertThat(command.fault(new Transcript.Entry("regs", 1, "VERSION 17\n"))).contains("exit code 1, expected 0");
        assertThat(command.fault(new Transcript.Entry("regs", 0, "DSRLOW\n"))).contains("no 'VERSION'");
        assertThat(command.fault(new Transcript.Entry("regs", 0, "VERSION\n\tat io.x\n"))).contains("stack trace");
        assertThat(new ToolCommand("gid", 0, List.of()).fault(new Transcript.Entry("gid", 0, "\n")))
            .isEqualTo("it printed nothing");
        assertThat(ToolCommand.onProcess("qp --pid PID", "77")).isEqualTo("qp --pid 77");
    }

    @Test
    void aTranscriptIsNoLongerThanAScreenAndTheNextOneOfThatCommandShorter() {
        final Transcript transcript = new Transcript();
        transcript.add(new Transcript.Entry("caps -d a", 0, "line\n".repeat(100)));
        transcript.add(new Transcript.Entry("caps -d b", 0, "line\n".repeat(100)));
        assertThat(ToolsDocument.markdown(List.of(new ToolsDocument.Run("one", transcript)))
            .lines().filter(line -> line.matches("line|\\.\\.\\. and .*")))
            .hasSize(30 + 1 + 12 + 1)
            .contains("... and 70 lines more", "... and 88 lines more");
    }

    @Test
    void theDocumentShowsEveryCommandAndNoPathsOfARun() throws IOException {
        some().write(folder);
        final String file = folder.resolve(Transcript.FILE_NAME).toString();
        final Path document = folder.resolve("tools.md");
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(ToolsMain.run(new String[] {document.toString(), "--vfio", file, "--qtest", file},
            new PrintStream(said, true, StandardCharsets.UTF_8))).isZero();
        final String text = Files.readString(document);
        assertThat(text).contains("| [`gid`](#gid) | Prints the GID table as the driver bound it |",
            "## `gid`\n\n### QEMU 7.2, VFIO\n\n```\n$ ./rdma4j gid --pid 7\n  index\n",
            "### QEMU 7.2, qtest, refused", "$ ./rdma4j qp -d qtest:SOCKET?ram=FILE\nqtest:SOCKET?ram=FILE no")
            .doesNotContain("/tmp/a.sock");
        assertThat(ToolsDocument.missing(text, new ToolsDocument.Run(ToolsMain.QTEST, some()))).isEmpty();
        final Transcript more = some();
        more.add(new Transcript.Entry("mr --pid 8", 0, "none\n"));
        assertThat(ToolsDocument.missing(text, new ToolsDocument.Run(ToolsMain.QTEST, more)))
            .containsExactly("$ ./rdma4j mr --pid ");
        assertThat(ToolsDocument.missing(text, new ToolsDocument.Run("other", more))).hasSize(1);
        assertThat(ToolsMain.run(new String[] {"x"}, new PrintStream(said, true, StandardCharsets.UTF_8))).isEqualTo(2);
    }
}
