"""Run workflows that people write as YAML and that nobody can cut short."""

__version__ = "0.1.0"
