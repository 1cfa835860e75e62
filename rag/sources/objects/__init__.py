"""How objects of any kind are found and told, unless their kind has a source of its own."""
