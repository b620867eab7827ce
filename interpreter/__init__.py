"""Run workflows that people write as YAML, none of whose steps anybody can skip."""

__version__ = "0.2.0"
