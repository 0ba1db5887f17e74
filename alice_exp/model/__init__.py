"""What is kept: values, file formats, rules of one block. Pure: no I/O, no clock.

``docs/sources.md`` says which call plays the part of which class of the source documents.
"""
