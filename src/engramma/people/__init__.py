"""People: claims about people and things, said in talk, and what they add up to."""
