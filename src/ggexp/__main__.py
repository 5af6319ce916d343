"""``python -m ggexp`` is the command ``ggexp``."""

from ggexp.command.main import main

if __name__ == "__main__":
    main()
