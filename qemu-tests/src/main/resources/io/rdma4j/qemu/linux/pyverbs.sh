# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# pyverbs.sh ROOT: runs the tests of pyverbs that lie in an unpacked package, on vmw_pvrdma0. What unittest says goes to
# standard error; what tests print by themselves would come in between.
root=$1
tests=/run/pyverbs/tests
mkdir /run/pyverbs
cp -r "$root/usr/share/doc/rdma-core/tests" $tests
busybox gunzip $tests/*.gz
# Those that are for devices of others only.
rm $tests/test_mlx5* $tests/test_efa* $tests/test_cuda*
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/usr/lib/python3/dist-packages"

# The tests of rdma_cm look for the network card in the device's own function; this device has it in function 0 of its
# slot. So a folder of the card's name is laid over the device's, for these processes only.
mkdir -p /run/pyverbs/upper/net/eth0 /run/pyverbs/work
device=$(readlink -f /sys/class/infiniband/vmw_pvrdma0/device)
# The path has a colon, which would mean something else to overlay.
cd "$device" || exit 1
exec unshare -m sh -c "mount -t overlay -o lowerdir=.,upperdir=/run/pyverbs/upper,workdir=/run/pyverbs/work overlay . &&
    cd $tests && exec python3 run_tests.py --dev vmw_pvrdma0 --port 1 --gid 1 -v 2>&1 >/dev/null"
