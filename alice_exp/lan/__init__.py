"""The local network: who this Alice is, whom it trusts, who is near, and the wire between two of them (DESIGN 6).

The only floor that imports zeroconf, cryptography, spake2 and ssl; asyncio lives here alone.
"""
