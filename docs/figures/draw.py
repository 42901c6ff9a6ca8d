"""Draw the pictures of the pages again: `make figures`."""

import from_examples
import headline

headline.draw()
from_examples.draw()
