"""Model steps that are not judges, as request builders and reply readers; they ask nothing themselves."""
