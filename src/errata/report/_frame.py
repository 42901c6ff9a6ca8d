"""A whole report inside a notebook: a frame that holds the page, sealed off from the notebook."""

from html import escape

from .._validation import check_count

# The page stays in the notebook's file; above so many characters that is slow to save and open.
MOST_TEXT = 10_000_000

# Its script may run and save the list of examples, but reach neither the notebook nor its kernel.
ALLOWED = "allow-scripts allow-downloads"

# Links to sections would otherwise be read as links to the notebook around the frame. It comes
# before the page's own policy, which forbids such changes.
OWN_LINKS = '<base href="about:srcdoc">'


class ReportFrame:
    """A report as the output of a notebook's cell.

    Made by ``show`` of an audit. The page is part of the notebook, works offline, and lives in a
    sandboxed frame: what it holds can neither read nor change the notebook.

    Parameters
    ----------
    page : str
        The report, an HTML page; of ten million characters at most.
    height : int, default=700
        How high the frame is, in pixels; it is as wide as the cell.

    Examples
    --------
    >>> from errata.report import ReportFrame
    >>> frame = ReportFrame("<title>pets</title>", height=300)
    >>> frame
    <ReportFrame of 300 pixels: the last expression of a notebook's cell shows it. Elsewhere write
    the page with audit.report("report.html").>
    >>> frame._repr_html_()[:72]
    '<iframe srcdoc="&lt;title&gt;pets&lt;/title&gt;" title="Report of errata'
    """

    def __init__(self, page: str, height: int = 700) -> None:
        if len(page) > MOST_TEXT:
            raise ValueError(
                f"the report has {len(page) / 1e6:.0f} million characters, which would make the "
                "notebook slow to save and to open; write it to a file with "
                'audit.report("report.html") and open that.'
            )
        self.page = page
        self.height = check_count("height", height)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self.height} pixels: the last expression of a notebook's "
            'cell shows it. Elsewhere write the page with audit.report("report.html").>'
        )

    def _repr_html_(self) -> str:
        """The frame; all that could end the attribute that the page stands in is escaped."""
        page = escape(self.page.replace("<head>", f"<head>\n{OWN_LINKS}", 1))
        return (
            f'<iframe srcdoc="{page}" title="Report of errata" sandbox="{ALLOWED}" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #ccc"></iframe>'
        )
