/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

class DevicesCommandTest {
    @Test
    void listsEveryDeviceUnderItsHeader() {
        final Cli.Outcome outcome = Cli.run("devices");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        final List<String> lines = outcome.outLines();
        final int column = lines.get(0).indexOf("DESCRIPTION");
        assertThat(lines.get(0)).startsWith("ADDRESS  ");
        assertThat(lines.subList(1, lines.size())).hasSameSizeAs(RdmaDevices.list())
            .anyMatch(line -> line.startsWith("emulated:"))
            .anyMatch(line -> line.startsWith("fake:") && line.indexOf("a device for tests") == column);
    }

    @Test
    void printsJson() {
        final Cli.Outcome outcome = Cli.run("devices", "--json");
        assertThat(outcome.exitCode()).isZero();
        final List<JsonObject> devices = StreamSupport
            .stream(outcome.json().getAsJsonArray("devices").spliterator(), false)
            .map(element -> element.getAsJsonObject()).toList();
        assertThat(devices).hasSameSizeAs(RdmaDevices.list()).anySatisfy(device -> {
            assertThat(device.get("address").getAsString()).isEqualTo("fake:");
            assertThat(device.get("description").getAsString()).isEqualTo("a device for tests");
        });
    }

    @Test
    void devinfoListsThemAsIbvDevinfo() {
        final Cli.Outcome outcome = Cli.run("devinfo", "-l");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        final List<String> lines = outcome.outLines();
        assertThat(lines.get(0)).isEqualTo(RdmaDevices.list().size() + " HCAs found:");
        assertThat(lines.subList(1, lines.size())).hasSameSizeAs(RdmaDevices.list())
            .contains("\temulated:", "\tfake:");
        assertThat(Cli.run("devinfo", "-l", "--json").out()).isEqualTo(Cli.run("devices", "--json").out());
    }
}
