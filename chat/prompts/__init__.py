"""What the model reads: system prompt, history, the question's context, results of tools, summaries."""
