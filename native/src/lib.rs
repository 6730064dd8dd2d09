//! Hosts for the Model Context Protocol.
