"""A run from outside: what it is made of, how it goes on, and what changed since it began."""
