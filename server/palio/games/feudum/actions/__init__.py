"""The ten actions (section 7 of the rules): for each whether it is legal now, how it starts, its questions."""
