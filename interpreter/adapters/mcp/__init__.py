"""`mcp`: tools of a server of the Model Context Protocol; only those whose description a person has pinned."""
