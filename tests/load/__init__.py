"""The server under steady mixed traffic: `make load`."""
