"""Draw the pictures of the pages again: `make figures`."""

import badges
import from_examples
import headline
import packages
import screens

headline.draw()
packages.main()
badges.main()
from_examples.draw()
screens.draw()
