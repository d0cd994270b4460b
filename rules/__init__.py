"""The built-in rules, one file each. `feedlint.registry` finds them by their file names."""
