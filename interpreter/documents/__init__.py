"""Documents from where they stand to records: found, read, checked in shape, parsed."""
