"""`model`: a language model behind an OpenAI-compatible chat endpoint; one attempt a call, nothing guessed."""
