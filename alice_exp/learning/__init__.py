"""From knowing to doing: decide, outcome, impact, assess, distill."""
