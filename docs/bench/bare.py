"""The yardstick of a cold start: a typer command that draws one rich table."""

import typer

app = typer.Typer()


@app.command()
def recall(query: str) -> None:
    """Draw a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table()
    table.add_column("query")
    table.add_row(query)
    Console().print(table)


if __name__ == "__main__":
    app()
