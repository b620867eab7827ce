"""Lower a checked workflow to a program in which no name is left to look up.

`values` makes what is written into functions of names, `shapes` what is declared into checks, `steps` one step object
for each verb, `messages` what people read, `contracts` tools, `program` the whole.
"""

from interpreter.plan.program import plan_workflow

__all__ = ["plan_workflow"]
