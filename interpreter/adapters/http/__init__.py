"""`http`: a JSON API behind the contracts of tools; where it is stands in the profile, data only in what is asked."""
