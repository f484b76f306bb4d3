/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;

/** Tests of what commands printed on a device. */
public final class ToolChecks {
    private static final Path DOCUMENT = Path.of("../docs/tools.md");

    private ToolChecks() {
    }

    /** One test for each command of {@link ToolRun}. */
    public static Stream<DynamicTest> of(final Transcript transcript) {
        final List<ToolCommand> commands = new ArrayList<>(ToolCommand.alone("DEVICE"));
        commands.addAll(ToolCommand.onDevice("DEVICE", "FILE"));
        commands.addAll(ToolCommand.traced("DEVICE", "FILE"));
        commands.addAll(ToolCommand.onProcess());
        return of(transcript, commands);
    }

    /** One test for each command of the inner guest, where one user has no rights. */
    public static Stream<DynamicTest> ofInnerGuest(final Transcript transcript) {
        final List<ToolCommand> commands = new ArrayList<>(ToolCommand.onDevice("DEVICE", "FILE"));
        commands.addAll(ToolCommand.onProcessInOne());
        commands.add(ToolCommand.WITHOUT_RIGHTS);
        return of(transcript, commands);
    }

    private static Stream<DynamicTest> of(final Transcript transcript, final List<ToolCommand> commands) {
        final List<Transcript.Entry> entries = transcript.entries();
        assertThat(entries).extracting(Transcript.Entry::name).as("all commands, in their order")
            .containsExactlyElementsOf(commands.stream().map(ToolCommand::name).toList());
        return IntStream.range(0, commands.size()).mapToObj(i -> DynamicTest.dynamicTest(
            "./rdma4j " + commands.get(i).line(), () -> assertThat(commands.get(i).fault(entries.get(i))).isEmpty()));
    }

    /** Fails unless docs/tools.md has all of these commands. */
    public static void requireSaid(final String title, final Transcript transcript) throws IOException {
        assertThat(ToolsDocument.missing(Files.readString(DOCUMENT), new ToolsDocument.Run(title, transcript)))
            .as("write docs/tools.md again: docs/conformance.md, \"What the commands print\", says how").isEmpty();
    }
}
