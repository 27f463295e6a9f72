"""`python -m namespaces.publish LOCATOR KEY HEX...`: puts payloads on a key, in order, and leaves."""

import json
import sys
import time

import zenoh

locator, key, *payloads = sys.argv[1:]
config = zenoh.Config()
config.insert_json5("mode", '"client"')
config.insert_json5("scouting/multicast/enabled", "false")
config.insert_json5("connect/endpoints", json.dumps([locator]))
with zenoh.open(config) as session:
    publisher = session.declare_publisher(key, congestion_control=zenoh.CongestionControl.BLOCK)
    # Interest travels after the declaration; what is put before it arrived would be dropped here.
    while not publisher.matching_status.matching:
        time.sleep(0.01)
    for payload in payloads:
        publisher.put(bytes.fromhex(payload))
