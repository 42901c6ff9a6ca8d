"""What an audit results in: flags, numbers, summary, storage, cleaning and differences."""
