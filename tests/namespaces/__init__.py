"""Real processes on a network of our own making, with faults. README.md says how to run and read one scenario."""
