"""Answers of any adapter, written to a file once and given again from it."""
