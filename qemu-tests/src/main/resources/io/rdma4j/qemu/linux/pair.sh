# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# pair.sh SECONDS LISTENS SERVER CLIENT: runs two commands that talk to each other. LISTENS tells whether the server can
# be spoken to. What they said is left in server.log and client.log. Ends with 0 if both did.
seconds=$1 listens=$2 server=$3 client=$4
here=$RDMA4J_FOLDER

timeout -k 5 "$seconds" sh -c "$server" >$here/server.log 2>&1 </dev/null &
pid=$!
tries=0
until sh -c "$listens" >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null || [ $tries -gt 200 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
timeout -k 5 "$seconds" sh -c "$client" >$here/client.log 2>&1 </dev/null
client_code=$?
wait $pid
server_code=$?
[ $client_code = 0 ] && [ $server_code = 0 ] && exit 0
echo "server ended with $server_code:"
tail -n 15 $here/server.log
echo "client ended with $client_code:"
tail -n 15 $here/client.log
exit 1
