"""What is known of libraries, as data: loader-like APIs, tensor functions, hooks, random calls, handles. No logic."""
