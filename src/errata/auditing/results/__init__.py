"""Results of an audit: flags, numbers, summary, storage, cleaning and differences."""
