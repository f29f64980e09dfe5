//! From the bytes of a record to a message of the inbox.
