"""Compiled rules: the rows of a table, or the factors, levels and vetoes of a scorecard, as one Python function.

A function is built as a syntax tree, never as text, and sees no builtins; limits that are no plain literal stand in
variables of an enclosing function. Column i is `k{i}`, outside slot i is `o{i}`. There are three ways in:

    enter(facts, outside)       tests the kinds of plain facts inline and goes on with the rows at once; whatever is
                                odd (a fact is missing, null, a date, of another kind) goes the careful way round
    whole(keys, outside)        for keys that are all there: compares bare
    guarded(keys, outside)      for keys among which null or absent may be: `g{i}` tells whether one has a value

    def table(c0, c1, …):
        def enter(facts, outside):
            try:
                if len(facts) == 2 and type(k0 := facts['score']) is int and type(k1 := facts['level']) is str:
                    if k0 >= 80 and k1 == 'High':
                        return a1                       # under `first`; elsewhere: found.append(1)
                    return nothing
            except KeyError: pass
            return careful(facts, outside)
        return enter

Kinds were tested at the border, so typed columns compare bare. What an untyped column asks beyond being equal to a
number, text or boolean is rare and goes through the plain evaluator.
"""
