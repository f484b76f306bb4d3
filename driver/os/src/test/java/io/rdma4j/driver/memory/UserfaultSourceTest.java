/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a userfaultfd comes from, and what is said where it does not. */
class UserfaultSourceTest {
    private static final int ENOSYS = 38;

    private final List<String> asked = new ArrayList<>();

    private int call(final int flags, final int... errnos) {
        return ask("call", flags, errnos);
    }

    private int device(final int flags, final int... errnos) {
        return ask("device", flags, errnos);
    }

    /** Answers with one errno after the other, 0 for a file. */
    private int ask(final String who, final int flags, final int... errnos) {
        final boolean userOnly = (flags & LibcConstants.UFFD_USER_MODE_ONLY) != 0;
        final int nth = (int) asked.stream().filter(text -> text.startsWith(who)).count();
        asked.add(who + (userOnly ? " user" : ""));
        assertThat(flags & LibcConstants.O_NONBLOCK).as("poll needs it").isNotZero();
        if (errnos[nth] != 0) {
            throw RdmaException.of(who).errno(errnos[nth]).build();
        }
        return dup();
    }

    private static int dup() {
        return Libc.open("/dev/null", LibcConstants.O_RDWR);
    }

    @Test
    void theCallIsEnough() {
        final UserfaultSource source = new UserfaultSource(flags -> call(flags, 0), flags -> device(flags));
        try (Fd fd = source.open()) {
            assertThat(fd.isOpen()).isTrue();
        }
        assertThat(asked).containsExactly("call user");
    }

    @Test
    void oldKernelsDoNotKnowTheFlag() {
        final UserfaultSource source = new UserfaultSource(flags -> call(flags, RdmaException.EINVAL, 0),
            flags -> device(flags));
        try (Fd fd = source.open()) {
            assertThat(fd.isOpen()).isTrue();
        }
        assertThat(asked).containsExactly("call user", "call");
    }

    @Test
    void theDeviceServesWhereTheCallIsForbidden() {
        final UserfaultSource source = new UserfaultSource(flags -> call(flags, RdmaException.EPERM),
            flags -> device(flags, 0));
        try (Fd fd = source.open()) {
            assertThat(fd.toString()).contains("/dev/userfaultfd");
        }
        assertThat(asked).containsExactly("call user", "device user");
    }

    @Test
    void bothForbiddenSaysWhatToDo() {
        assertThat(refused(RdmaException.EPERM, RdmaException.EACCES)).contains("EPERM", "/dev/userfaultfd EACCES",
            "seccomp", "vm.unprivileged_userfaultfd");
        assertThat(refused(ENOSYS, RdmaException.ENOENT)).contains("ENOSYS", "CONFIG_USERFAULTFD");
        assertThat(refused(24, RdmaException.ENOENT)).contains("EMFILE", "ulimit -n");
    }

    private String refused(final int call, final int device) {
        asked.clear();
        final UserfaultSource source = new UserfaultSource(flags -> call(flags, call), flags -> device(flags, device));
        final RdmaException e = catchThrowableOfType(RdmaException.class, source::open);
        assertThat(e.errno()).isEqualTo(call);
        return e.getMessage();
    }

    /** A file that is no userfaultfd: what the kernel says is what the watch says, and nothing stays open. */
    @Test
    void whatCannotBeEnabledIsClosed() {
        final int before = Fd.openCount();
        final UserfaultSource source = new UserfaultSource(flags -> call(flags, 0), flags -> device(flags));
        final MappingEngines engines = new MappingEngines(() -> UserfaultFd.open(source), System::nanoTime);
        try (MappingWatch watch = MappingWatch.open(engines)) {
            assertThat(watch.available()).isFalse();
            assertThat(watch.whyNot()).contains("UFFDIO_API", "ENOTTY");
        }
        assertThat(Fd.openCount()).isEqualTo(before);
    }
}
