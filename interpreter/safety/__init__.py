"""What may be started, sent and shown: lists and masks that checks and adapters have in common."""
