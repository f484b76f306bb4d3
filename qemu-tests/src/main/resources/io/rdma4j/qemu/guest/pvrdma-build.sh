#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Builds Linux' driver for the paravirtual RDMA device, which Debian's kernels come without, out of tree; in a folder
# that holds the unpacked packages of the kernel's headers and source. Takes the kernel's version, and leaves the module
# in ./done, with the version of its source.
set -e
headers=$PWD/usr/src/linux-headers-$1
# The only place where they say where they would be installed.
sed -i "s:/usr/src/:$PWD/usr/src/:" "$headers/Makefile"
mkdir module done
tar -xf usr/src/linux-source-*.tar.* -C module --strip-components=5 --wildcards '*/drivers/infiniband/hw/vmw_pvrdma/*'
make -s -C "$headers" M="$PWD/module" CONFIG_INFINIBAND_VMWARE_PVRDMA=m modules
strip -g module/vmw_pvrdma.ko -o done/vmw_pvrdma.ko
ls linux-source-*.deb | sed 's/^[^_]*_\([^_]*\)_.*/\1/' >done/version
