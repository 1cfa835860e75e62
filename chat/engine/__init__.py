"""The engine: `machine` decides (pure), `driver` does, `runner` claims the runs of this process."""
