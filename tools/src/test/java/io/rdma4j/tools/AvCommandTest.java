/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.Gid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AvCommandTest {
    private static final String DEVICE = "emulated:av-test";
    private static final String DIRECTORY = "rdma4j.av.dir";

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void ownFolder() {
        folder = temporary.resolve("av");
        System.setProperty(DIRECTORY, folder.toString());
    }

    @AfterEach
    void asBefore() {
        System.clearProperty(DIRECTORY);
    }

    private static void withVector(final AvType type, final Runnable work) {
        final FabricInfo info = Fabrics.getInfo(new Hints().address(DEVICE).endpointType(EndpointType.RDM)).get(0);
        try (Fabric fabric = Fabrics.open(info); Domain domain = fabric.openDomain(info);
            AddressVector vector = domain.openAddressVector(
                new AvAttributes().name("peers").type(type).count(100).mapAddress(0x5000_0000L))) {
            vector.insert(address(17));
            vector.insert(address(18));
            vector.remove(new long[] {vector.insert(address(19))}, 1, 0);
            work.run();
        }
    }

    private static FabricAddress address(final int qpn) {
        return FabricAddress.device(Gid.parse("fe80::1"), qpn, 0x1ee7, EndpointType.RDM);
    }

    @Test
    void nothingIsThere() {
        assertThat(Cli.run("av")).isEqualTo(
            new Cli.Outcome(0, "there are no shared address vectors of this user" + System.lineSeparator(), ""));
        final Cli.Outcome one = Cli.run("av", "peers");
        assertThat(one.exitCode()).isEqualTo(1);
        assertThat(one.err()).contains("there is none named 'peers'", "FI_ENOENT");
        assertThat(Cli.run("av", "--json").json().getAsJsonArray("address_vectors")).isEmpty();
        assertThat(folder).doesNotExist();
    }

    @Test
    void listsWhatThereIs() {
        withVector(AvType.TABLE, () -> {
            final Cli.Outcome all = Cli.run("av");
            assertThat(all.exitCode()).as(all.err()).isZero();
            assertThat(all.outLines()).containsExactly(
                "name   domain            type         format            addresses  places  state",
                "peers  emulated:av-test  FI_AV_TABLE  FI_FORMAT_UNSPEC  2          128     open");
        });
    }

    @Test
    void printsATable() {
        withVector(AvType.TABLE, () -> {
            final Cli.Outcome one = Cli.run("av", "peers");
            assertThat(one.exitCode()).as(one.err()).isZero();
            assertThat(one.out()).contains("av:\tpeers", "FI_AV_TABLE", "2", "128, more",
                "emulated:av-test");
            final List<String> lines = one.outLines();
            assertThat(lines.subList(lines.size() - 3, lines.size())).containsExactly(
                "place  fi_addr  address                                        endpoint",
                "0      0x0      fi_rdma4j://[fe80::1]:17?qkey=0x1ee7&kind=rdm"
                    + "  fi_rdma4j://[fe80::1]:17?qkey=0x1ee7&kind=rdm",
                "1      0x1      fi_rdma4j://[fe80::1]:18?qkey=0x1ee7&kind=rdm"
                    + "  fi_rdma4j://[fe80::1]:18?qkey=0x1ee7&kind=rdm");
        });
    }

    @Test
    void printsJsonWithTheNamesThatTheApplicationSees() {
        withVector(AvType.MAP, () -> {
            final Cli.Outcome one = Cli.run("av", "peers", "--json", "-d", DEVICE);
            assertThat(one.exitCode()).as(one.err()).isZero();
            final JsonObject vector = one.json().getAsJsonArray("address_vectors").get(0).getAsJsonObject();
            assertThat(vector.get("type").getAsString()).isEqualTo("FI_AV_MAP");
            assertThat(vector.get("map_addr").getAsLong()).isEqualTo(0x5000_0000L);
            assertThat(vector.get("entries").getAsJsonArray()).hasSize(2);
            assertThat(vector.get("entries").getAsJsonArray().get(1).getAsJsonObject().get("fi_addr").getAsLong())
                .isEqualTo(0x5000_0000L + (1L << 31) + 1);
        });
    }

    @Test
    void vectorsOfOtherDomainsAreNotMeant() {
        withVector(AvType.TABLE, () -> {
            assertThat(Cli.run("av", "peers", "-d", "emulated:other").exitCode()).isEqualTo(1);
            assertThat(Cli.run("av", "peer").exitCode()).isEqualTo(1);
        });
    }

    @Test
    void damagedFilesAreToldOf() throws IOException {
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rwx------")));
        final Path file = folder.resolve("bad@domain.av");
        Files.write(file, new byte[5000]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        final Cli.Outcome all = Cli.run("av");
        assertThat(all.exitCode()).isZero();
        assertThat(all.out()).contains("is damaged");
        final Cli.Outcome one = Cli.run("av", "bad");
        assertThat(one.exitCode()).isEqualTo(1);
        assertThat(one.err()).contains("is damaged");
    }

    @Test
    void wrongUsage() {
        assertThat(Cli.run("av", "a/b").exitCode()).isEqualTo(2);
        assertThat(Cli.run("av", "a", "b").exitCode()).isEqualTo(2);
        assertThat(Cli.run("av", "--what").exitCode()).isEqualTo(2);
        assertThat(Cli.run("av", "a", "--domain", "emulated:a", "-d", "emulated:b").exitCode()).isEqualTo(2);
        assertThat(Cli.run("av", "--help").exitCode()).isZero();
    }
}
