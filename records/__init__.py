"""The frozen records that cross folders, and the one reader of answers. Imports nothing else of this project."""
