"""The command: read arguments, wire adapters, print, set the exit status; nothing else prints."""
