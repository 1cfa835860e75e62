"""What a model may call: `registry` offers tools and checks calls, the other modules are the tools."""
