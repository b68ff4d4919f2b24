"""Writes one JPEG thirty times a second, as a camera does whose work costs the box nothing.

    steady_camera.py FRAME [CGROUP.PROCS...]
"""
import os
import pathlib
import sys
import time

# Out of the agent's control group: a webcam compresses by itself.
for processes in sys.argv[2:]:
    pathlib.Path(processes).write_text(str(os.getpid()))
frame = pathlib.Path(sys.argv[1]).read_bytes()
due = time.monotonic()
while True:
    sys.stdout.buffer.write(frame)
    sys.stdout.buffer.flush()
    due = max(due + 1 / 30, time.monotonic() - 1)
    time.sleep(max(0, due - time.monotonic()))
