/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.tools.dump.DumpSource.Wish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The sections about the device as a whole, on states that a test wrote down; see {@link Golden}. */
class DeviceSectionsTest {
    static Stream<String> sections() {
        return Stream.of("config", "regs", "dsr", "caps", "gid", "cmd", "counters", "errors");
    }

    private static DumpSource elsewhere(final ScriptedView view) {
        return new DumpSource(view, Optional.empty(), Set.of());
    }

    private static DumpSource own(final ScriptedView view, final ScriptedPci pci, final Wish... wishes) {
        return new DumpSource(view, Optional.of(pci), Set.of(wishes));
    }

    @ParameterizedTest
    @MethodSource("sections")
    void ofAWorkingDeviceOfOnesOwn(final String name) {
        final JsonObject document = Golden.document(
            own(ScriptedDevice.working(), ScriptedPci.working()), Sections.of(name));
        Golden.check(name, document);
        if (!name.equals("dsr")) {
            assertThat(Golden.text(document).lines()).noneMatch(line -> line.startsWith("!"));
        }
    }

    @ParameterizedTest
    @MethodSource("sections")
    void ofGarbage(final String name) {
        final ScriptedPci pci = new ScriptedPci();
        for (int i = 0; i < 256; i += 4) {
            pci.config.putInt(i, i % 8 == 0 ? 0x1234_5678 + i * 0x0101 : -1 - i);
            pci.bars[1].putInt(i, 0xdead_0000 + i);
        }
        final JsonObject document = Golden.document(
            own(ScriptedDevice.garbage(), pci), Sections.of(name));
        Golden.check(name + "-garbage", document);
        assertThat(Golden.text(document)).as("marked").containsPattern("(?m)^! ").doesNotContain("\u001b", "\u0007");
    }

    @Test
    void registersOfAnotherProcessAreWhatItWroteAndRead() {
        Golden.check("regs-elsewhere",
            Golden.document(elsewhere(ScriptedDevice.working()), new RegsSection()));
    }

    @Test
    void icrIsReadOnlyWhenAskedFor() {
        final ScriptedPci pci = ScriptedPci.working();
        Golden.document(own(ScriptedDevice.working(), pci), new RegsSection());
        assertThat(pci.accesses).contains("BAR1+0x14").doesNotContain("BAR1+0x18");
        final String text = Golden.text(
            Golden.document(own(ScriptedDevice.working(), pci, Wish.ICR), new RegsSection()));
        assertThat(pci.accesses).contains("BAR1+0x18");
        assertThat(text).containsPattern("ICR +rc +0x2 +ASYNC");
    }

    @Test
    void aFunctionThatDecodesNoMemoryIsNotRead() {
        final ScriptedPci pci = ScriptedPci.working();
        pci.config16(4, 0);
        final String regs = Golden.text(Golden.document(own(ScriptedDevice.working(), pci), new RegsSection()));
        final String config = Golden.text(Golden.document(own(ScriptedDevice.working(), pci), new ConfigSection()));
        assertThat(pci.accesses).isEmpty();
        assertThat(regs).contains("! regs").contains("memory decoding is off");
        assertThat(config).contains("MSI-X table not read: memory decoding is off");
    }

    @Test
    void aFunctionThatIsGoneIsMarked() {
        final ScriptedPci pci = new ScriptedPci();
        pci.config.setMemory(0, pci.config.capacity(), (byte) -1);
        pci.bars[1].setMemory(0, pci.bars[1].capacity(), (byte) -1);
        final DumpSource source = own(new ScriptedView(), pci);
        assertThat(Golden.text(Golden.document(source, new ConfigSection()))).contains("! config").contains("all ones");
        assertThat(Golden.text(Golden.document(source, new RegsSection()))).contains("! regs").contains("all ones");
    }

    @Test
    void capabilitiesThatRunInACircleEnd() {
        final ScriptedPci pci = ScriptedPci.working();
        pci.config.putByte(0x51, (byte) ScriptedPci.MSIX_AT);
        final String text = Golden.text(Golden.document(own(ScriptedDevice.working(), pci), new ConfigSection()));
        assertThat(text).contains("the list runs in a circle");
    }

    @Test
    void anMsixTableOutsideOfItsBarIsMarked() {
        final ScriptedPci pci = ScriptedPci.working();
        pci.config.putInt(ScriptedPci.MSIX_AT + 4, 0x7fff_fff8 + 1);
        final String text = Golden.text(Golden.document(own(ScriptedDevice.working(), pci), new ConfigSection()));
        assertThat(text).containsAnyOf("the BAR ends before it", "MSI-X table not read");
    }

    @Test
    void rawAddsTheBytes() {
        final DumpSource source = own(ScriptedDevice.working(), ScriptedPci.working(), Wish.RAW);
        Golden.check("config-raw", Golden.document(source, new ConfigSection()));
        for (final Section section : List.of(new RegsSection(), new DsrSection(), new CapsSection(),
            new CmdSection())) {
            final JsonObject document = Golden.document(source, section);
            assertThat(Nodes.objects(Nodes.object(Nodes.object(document, "sections"), section.name()), "raw"))
                .as(section.name()).isNotEmpty();
            assertThat(Golden.text(document)).as(section.name()).containsPattern("00000000 [0-9a-f]{2} [0-9a-f]{2} ");
        }
    }

    @Test
    void onlyTheLastCommands() {
        final String text = Golden.text(Golden.document(elsewhere(ScriptedDevice.working()), new CmdSection(2)));
        assertThat(text).contains("#2 ", "#3 ").doesNotContain("#1 ");
    }

    @Test
    void memoryThatIsNotSharedIsSaid() {
        final ScriptedView view = new ScriptedView();
        view.objects.addAll(ScriptedDevice.working().objects);
        final String text = Golden.text(Golden.document(elsewhere(view), new DsrSection()));
        assertThat(text).contains("the shared region at 0x100002000 could not be read", "not read",
            "no segment holds 0x100002000");
    }

    @Test
    void configurationSpaceOfAnotherProcessIsWhatTheKernelShows(@TempDir final Path folder) throws IOException {
        final DumpSource source = elsewhere(ScriptedDevice.working());
        final String gone = Golden.text(
            Golden.document(source, new ConfigSection(Path.of("src/test/resources/no-such-root"))));
        assertThat(gone).contains("this machine has no PCI function 0000:0b:00.1");
        final Path config = folder.resolve("sys/bus/pci/devices/0000:0b:00.1/config");
        Files.createDirectories(config.getParent());
        final byte[] bytes = new byte[PciConfig.EXTENDED_SPACE_LENGTH];
        ScriptedPci.working().config.getBytes(0, bytes, 0, PciConfig.SPACE_LENGTH);
        Files.write(config, bytes);
        assertThat(Golden.text(Golden.document(source, new ConfigSection(folder)))).contains("0x40  MSI-X", "15ad:0820")
            .doesNotContain("MSI-X table\n");
        Files.write(config, Arrays.copyOf(bytes, PciConfig.LENGTH));
        assertThat(Golden.text(Golden.document(source, new ConfigSection(folder))))
            .contains("the kernel shows 64 bytes of it; root sees the capabilities too", "15ad:0820");
        Files.write(config, new byte[7]);
        assertThat(Golden.text(Golden.document(source, new ConfigSection(folder))))
            .contains("the kernel shows 7 bytes");
        final ScriptedView emulated = ScriptedDevice.working();
        emulated.address = "emulated:x";
        assertThat(Golden.text(Golden.document(elsewhere(emulated), new ConfigSection())))
            .contains("'emulated:x' is only in the process that has it open");
    }
}
