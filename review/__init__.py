"""The web app in which people review questions, and the same work as a spreadsheet. `python -m review --run RUN`."""
