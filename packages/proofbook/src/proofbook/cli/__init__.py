"""The command `proofbook`."""
