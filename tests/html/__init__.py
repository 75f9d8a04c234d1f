"""The Nu HTML checker over every page in every state, in every language: `make html`."""
