/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** What our lines in the guest's kernel must not change for its programs. */
@QemuTest
@Tag("one-jdk")
class UmlProgramsQemuTest {
    private static final String SECONDS = "10";
    private static FabricGuest guest;

    @BeforeAll
    static void boots() {
        guest = FabricGuest.boot(new GuestContext().name("programs"));
    }

    @AfterAll
    static void ends() {
        if (guest != null) {
            guest.close();
        }
    }

    private static List<String> outputOf(final String name, final String... arguments)
        throws IOException, InterruptedException {
        final String program = GuestPrograms.compiled(guest, UmlProgramsQemuTest.class, name, "-pthread");
        return guest.runCommand(Stream.concat(Stream.of(program), Stream.of(arguments)).toList()).output();
    }

    @Test
    void registersAreAsTheyWere() throws Exception {
        assertThat(outputOf("registers", SECONDS)).last().isEqualTo("ok");
    }

    @Test
    void memoryAroundAFaultIsAsItWas() throws Exception {
        assertThat(outputOf("faults")).containsExactly("ok new memory", "ok private file", "ok shared file",
            "ok a file that ends", "ok rights", "ok memory that goes", "ok a fork", "ok threads", "ok a watched page");
    }
}
