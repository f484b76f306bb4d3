
/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * Becomes the end of arch/x86/um/os-Linux/registers.c where uml-build.sh builds User Mode Linux, on the machine that runs it.
 *
 * The registers of a program's process are written only if they differ from what it has. Writing all of them is what the
 * host maps memory of its kernel for, each time; where a hypervisor has to see that, it takes as long as all the rest of
 * a system call, and three times that while another processor is at work.
 */
#include <string.h>

/* Behind the old registers (512 bytes) and the header (64): those that only the long form has. */
#define LATER (576 / sizeof(unsigned long))

/* Of whom they were seen; negative if a signal has set them to what they are at first; 0: of nobody. */
static int seen_pid;
static unsigned long seen[FP_SIZE];
static unsigned long initial[FP_SIZE];
static size_t length;

static int long_form(int request, int pid, unsigned long *fp_regs, size_t *bytes)
{
	struct iovec iov = { .iov_base = fp_regs, .iov_len = *bytes };

	if (ptrace(request, pid, NT_X86_XSTATE, &iov) < 0)
		return -errno;
	*bytes = iov.iov_len;
	return 0;
}

/* As get_fp_registers; a stub that has run is always asked. */
int read_fp_registers(int pid, unsigned long *fp_regs)
{
	int err;

	if (!have_xstate_support)
		return get_fp_registers(pid, fp_regs);
	length = sizeof(seen);
	err = long_form(PTRACE_GETREGSET, pid, fp_regs, &length);
	seen_pid = err ? 0 : pid;
	memcpy(seen, fp_regs, length);
	return err;
}

/* It has run something else than its program. */
void lose_fp_registers(void)
{
	seen_pid = 0;
}

/* A handler of a signal was entered, and will never be left: the host has set all to what it is at first. */
int forget_fp_registers(int pid)
{
	size_t bytes = sizeof(initial);
	static int known;

	seen_pid = 0;
	if (!have_xstate_support)
		return 0;
	if (!known)
		known = !long_form(PTRACE_GETREGSET, pid, initial, &bytes);
	seen_pid = known ? -pid : 0;
	return 0;
}

/* As put_fp_registers. */
int write_fp_registers(int pid, unsigned long *fp_regs)
{
	int err;

	if (!have_xstate_support)
		return put_fp_registers(pid, fp_regs);
	if (seen_pid == pid && !memcmp(seen, fp_regs, length))
		return 0;
	if (seen_pid == -pid && !memcmp(initial + LATER, fp_regs + LATER, length - LATER * sizeof(unsigned long)))
		err = restore_i387_registers(pid, fp_regs);
	else
		err = put_fp_registers(pid, fp_regs);
	seen_pid = 0;
	return err;
}
