#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fabric guest's kernel, User Mode Linux, from the distribution's source package; in a folder that holds the
# unpacked package (usr/src/linux-source-*.tar.*), uml.config, uml-registers.c, uml-faults.c and
# uml-clock.c. Leaves the program as ./linux, and a library for programs in the guest as ./clock.so.
set -e
gcc -O2 -Wall -shared -fPIC -o clock.so uml-clock.c
mkdir source
# Some thousand files of other machines are not needed; what the configuration reads of them is.
tar -xf usr/src/linux-source-*.tar.* -C source --strip-components=1 \
    --exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' --exclude='*/drivers/net/wireless/*.[ch]' \
    --exclude='*/drivers/net/ethernet/*.[ch]' --exclude='*/drivers/scsi/*.[ch]' --exclude='*/sound/*.[ch]' \
    --exclude='*/Documentation/*.rst' --exclude='*/Documentation/*.yaml' --exclude='*.dts' --exclude='*.dtsi' \
    --exclude='*/tools/testing/*'
cd source
# Room for the registers of processors with AMX, which kernels before 6.13 do not expect: no program would start.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' arch/x86/um/user-offsets.c
# Programs that spin for each other share one processor: ten milliseconds a turn are too long.
sed -i '/^config HZ$/,/default/s/default 100$/default 1000/' arch/um/Kconfig
# Registers are not written where that is not needed: see there. Later kernels than 6.1 may look otherwise.
tracer=arch/um/os-Linux/skas/process.c
if grep -q 'put_fp_registers(pid, regs->fp)' $tracer && grep -q 'put_fp_registers(pid, aux_fp_regs)' $tracer; then
    cat ../uml-registers.c >> arch/x86/um/os-Linux/registers.c
    sed -i 's/get_fp_registers(pid, regs->fp)/read_fp_registers(pid, regs->fp)/
        s/put_fp_registers(pid, regs->fp)/write_fp_registers(pid, regs->fp)/
        s/= get_fp_registers(pid, aux_fp_regs)/= 0/
        s/= put_fp_registers(pid, aux_fp_regs)/= forget_fp_registers(pid)/
        /^int copy_context_skas0/,/^}/s/wait_stub_done(pid);/&\n\tlose_fp_registers();/
        1a int read_fp_registers(int pid, unsigned long *fp_regs);\
int write_fp_registers(int pid, unsigned long *fp_regs);\
int forget_fp_registers(int pid);\
void lose_fp_registers(void);' $tracer
fi
# Page faults map what is around, too: see there.
faults=arch/um/kernel/trap.c
if grep -q 'flush_tlb_page(vma, address);' $faults && grep -q 'handle_mm_fault(vma, address, flags, NULL)' $faults; then
    cat ../uml-faults.c >> $faults
    sed -i 's/flush_tlb_page(vma, address);/map_around(vma, address, flags);/
        /#include <skas.h>/a static void map_around(struct vm_area_struct *vma, unsigned long address, unsigned int flags);' $faults
fi
make -s ARCH=um KCONFIG_ALLCONFIG=../uml.config allnoconfig
grep -q '^CONFIG_RDMA_RXE=y' .config || { echo "this source has no SoftRoCE for User Mode Linux"; exit 1; }
make -s ARCH=um -j"$(nproc)" linux
mv linux ..
