"""Programs that answer tools: started without a shell, with nothing of the environment that is not named."""
