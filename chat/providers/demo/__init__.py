"""The provider that needs no key: no language model but rules, which really call the tools they are offered."""
