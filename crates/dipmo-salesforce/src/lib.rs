//! A Salesforce client whose errors say what to do next. It knows nothing of dipmo.
