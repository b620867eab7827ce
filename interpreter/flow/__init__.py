"""The ways that a run can take, and what comes along with it on them."""
