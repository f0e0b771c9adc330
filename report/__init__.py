"""Pages and tables about a run, for people: funnel, one question's life, the report page. Makes no model call."""
