"""Pure rules of the review: the content of the report, and the language of replies."""
