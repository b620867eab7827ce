"""What a rule document forgets or contradicts, found before it decides anything.

Every cell splits its column into finitely many classes (`classes`); what one class answers, every value in it answers,
so a product of classes (`grid`) is the whole table. `subjects` says what is decided where; one module asks one
question of that: `gaps`, `overlaps`, `dead_rows`, `factors`, `changes`, `differences`, `boundaries`, `mutants`,
`properties`. `wording` says classes in the words of cells, in both languages.

Nothing here is needed to decide; whoever decides does not import it.
"""
