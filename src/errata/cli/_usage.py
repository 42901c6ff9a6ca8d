"""Errors of usage in one sentence, where click would print three lines."""

import click


class UserError(click.ClickException):
    """Whatever the user can mend: one sentence and exit code 2."""

    exit_code = 2  # as for click's own errors of usage; 1 is what --fail-above ends with


def one_sentence(error: click.UsageError) -> click.ClickException:
    """What was wrong with the command, and where its help is; the help itself where it is asked."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError) or error.ctx is None:
        return error
    said = " ".join(error.format_message().split())
    stop = "" if said.endswith((".", "?", "?)")) else "."
    return UserError(f"{said}{stop} See {error.ctx.command_path} --help.")
