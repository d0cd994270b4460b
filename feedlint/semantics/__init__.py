"""What a program means, across the files of a project: values with their origins, callers, loops, devices."""
