"""Words of texts and how they are found again: what every index of an adapter shares."""
