"""Draw the pictures of the pages again: `make figures`."""

import from_examples
import headline
import packages

headline.draw()
packages.main()
from_examples.draw()
