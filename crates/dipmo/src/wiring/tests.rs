//! Every option of the file reaches the options of its adapter, and what is wrong is said at its place.
