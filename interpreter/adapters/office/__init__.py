"""The text of DOCX, XLSX, PPTX and PDF files, read in a child process with limits: a bad file is refused, no more."""
