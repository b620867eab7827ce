"""What is known of names and values before anything runs."""
