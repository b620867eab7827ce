"""A folder of this machine as the adapters see it: no link is followed, and the system's errors have words."""
