"""Links with a known rate and delay, and what the SDK measures of them."""
