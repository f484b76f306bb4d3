/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Gcc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The layouts of {@link Abi}, each size and offset, beside two sources: what a C program says that is compiled here
 * with rdma-core's header, if this machine has gcc and libibverbs-dev; and what such a program said on x86-64 with the
 * header of rdma-core 44, in abi-x86_64.txt.
 */
class AbiTest {
    private static final String HEADER = "infiniband/verbs.h";
    /** Members of structures in structures, the longest first. */
    private static final List<String> NESTED = List.of("bind_mw.bind_info", "bind_mw", "bind_info", "wr.rdma",
        "wr.atomic", "wr.ud", "grh", "cap", "attr", "element", "ops", "odp_caps.per_transport_caps", "odp_caps",
        "tso_caps", "rss_caps", "packet_pacing_caps", "tm_caps", "cq_mod_caps");

    static boolean hasGcc() {
        return Gcc.isThere();
    }

    @Test
    void isAsTheHeaderOfRdmaCore44Says() throws IOException, ReflectiveOperationException {
        final Map<String, Integer> told = new TreeMap<>();
        try (InputStream in = AbiTest.class.getResourceAsStream("abi-x86_64.txt")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
                .forEach(line -> told.put(line.split(" ")[0], Integer.valueOf(line.split(" ")[1])));
        }
        assertThat(ours()).isEqualTo(told);
    }

    @Test
    @EnabledIf("hasGcc")
    void isAsTheHeaderOfThisMachineSays(@TempDir final Path folder) throws Exception {
        final boolean header = Gcc.hasHeader(folder, HEADER);
        System.out.println("libibverbs' header: " + (header ? "compared with the one of this machine"
            : "none on this machine (libibverbs-dev), compared with what rdma-core 44's says only"));
        if (!header) {
            return;
        }
        final Map<String, Integer> told = new TreeMap<>();
        for (final String line : Gcc.print(folder, program())) {
            told.put(line.split(" ")[0], Integer.valueOf(line.split(" ")[1]));
        }
        assertThat(ours()).isEqualTo(told);
    }

    private static String program() throws ReflectiveOperationException {
        final StringBuilder source = new StringBuilder("#include <stddef.h>\n#include <stdio.h>\n#include <")
            .append(HEADER).append(">\nint main(void) {\n");
        for (final String name : ours().keySet()) {
            source.append("    printf(\"").append(name).append(" %zu\\n\", ").append(expression(name)).append(");\n");
        }
        return source.append("    return 0;\n}\n").toString();
    }

    /** Of {@code ibv_wc.wr_id}, {@code ibv_wc:size} or {@code ibv_device.name:size}. */
    private static String expression(final String name) {
        final String path = name.replace(":size", "");
        final String struct = "struct " + path.split("\\.", 2)[0];
        final String member = path.contains(".") ? path.split("\\.", 2)[1] : null;
        if (name.endsWith(":size")) {
            return member == null ? "sizeof(" + struct + ")" : "sizeof(((" + struct + " *) 0)->" + member + ")";
        }
        return path.startsWith("verbs_context.")
            ? "offsetof(struct verbs_context, context) - offsetof(struct verbs_context, " + member + ")"
            : "offsetof(" + struct + ", " + member + ")";
    }

    private static Map<String, Integer> ours() throws ReflectiveOperationException {
        final Map<String, Integer> all = new TreeMap<>();
        for (final Class<?> struct : Abi.class.getDeclaredClasses()) {
            final String name = struct == Abi.VerbsContext.class ? "verbs_context"
                : "ibv_" + struct.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
            for (final Field field : struct.getDeclaredFields()) {
                if (field.getType() == int.class) {
                    all.put(name + member(struct, field.getName()), (Integer) field.get(null));
                }
            }
        }
        return all;
    }

    private static String member(final Class<?> struct, final String constant) {
        final String name = constant.toLowerCase(Locale.ROOT);
        if (struct == Abi.Sge.class && name.equals("size")) {
            return ".length";
        }
        if (struct == Abi.SrqInitAttr.class && name.equals("attr")) {
            return ".attr";
        }
        if (name.equals("length")) {
            return ":size";
        }
        if (name.equals("name_length") || name.equals("fw_ver_length")) {
            return "." + name.replace("_length", ":size");
        }
        for (final String path : NESTED) {
            final String prefix = path.replace('.', '_') + '_';
            if (name.startsWith(prefix) && struct != Abi.QpAttr.class) {
                return '.' + path + '.' + name.substring(prefix.length());
            }
        }
        return "." + name;
    }
}
