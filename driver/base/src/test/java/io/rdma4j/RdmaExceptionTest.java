/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.PersianDigits;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RdmaExceptionTest {
    @Test
    @ExtendWith(PersianDigits.class)
    void saysOperationDeviceObjectDetailErrnoAndHint() {
        final Throwable cause = new IllegalStateException("below");
        final RdmaException e = RdmaException.of("create QP").device("emulated:").object("QP 5")
            .detail("%d of %d", 3, 2).errno(RdmaException.ENOMEM).hint("close one").cause(cause).build();

        assertThat(e).hasMessage("create QP failed on 'emulated:' (QP 5): 3 of 2 [ENOMEM]; close one").hasCause(cause);
        assertThat(e.operation()).isEqualTo("create QP");
        assertThat(e.errno()).isEqualTo(12);
        assertThat(e.hint()).isEqualTo("close one");
    }

    @Test
    void leavesOutWhatIsNotKnown() {
        final RdmaException e = RdmaException.of("open device").detail("100%").build();

        assertThat(e).hasMessage("open device failed: 100%");
        assertThat(e.hint()).isNull();
        assertThat(e.errno()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,EPERM", "2,ENOENT", "5,EIO", "11,EAGAIN", "12,ENOMEM", "13,EACCES", "14,EFAULT", "16,EBUSY",
        "19,ENODEV", "22,EINVAL", "77,EBADFD", "95,EOPNOTSUPP", "110,ETIMEDOUT", "98,EADDRINUSE",
        "4,EINTR", "9,EBADF", "40,ELOOP", "42,ENOMSG", "57,EBADSLT", "59,EBFONT", "61,ENODATA", "133,EHWPOISON",
        "524,ENOTSUPP", "41,errno 41", "58,errno 58", "134,errno 134", "0,errno 0", "-1,errno -1"})
    void namesErrnosAsCDoes(final int errno, final String name) {
        assertThat(RdmaException.errnoName(errno)).isEqualTo(name);
    }

    @Test
    void itsConstantsHaveTheNumbersOfTheirNames() throws IllegalAccessException {
        for (final Field field : RdmaException.class.getFields()) {
            if (field.getType() == int.class) {
                assertThat(RdmaException.errnoName(field.getInt(null))).isEqualTo(field.getName());
            }
        }
    }

    /** The kernel's own headers, where they are installed, are the authority. */
    @ParameterizedTest
    @ValueSource(strings = {"/usr/include/asm-generic/errno-base.h", "/usr/include/asm-generic/errno.h"})
    void namesAreThoseOfTheKernelsHeaders(final Path header) throws IOException {
        assumeTrue(Files.exists(header), header + " is not installed");
        final Pattern define = Pattern.compile("#define\\s+(E\\w+)\\s+(\\d+).*");
        int found = 0;
        for (final String line : Files.readAllLines(header)) {
            final Matcher matcher = define.matcher(line);
            if (matcher.matches()) {
                assertThat(RdmaException.errnoName(Integer.parseInt(matcher.group(2)))).isEqualTo(matcher.group(1));
                found++;
            }
        }
        assertThat(found).isGreaterThan(30);
    }
}
