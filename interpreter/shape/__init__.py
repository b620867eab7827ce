"""The shape of a document: what its schema wants, told in words for people."""
