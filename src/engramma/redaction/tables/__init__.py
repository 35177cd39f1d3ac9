"""The rules as data, by what issues the secret."""
