"""The command ``ggexp``, also as ``python -m ggexp``."""

from ggexp.run.bytecode import keep_bytecode
from ggexp.run.interrupt import end_at_interrupt


def main() -> None:
    """Run the command. Before its modules are imported, an interrupt must not print a traceback."""
    end_at_interrupt()
    keep_bytecode()
    from ggexp.command.main import main as run

    run()


if __name__ == "__main__":
    main()
