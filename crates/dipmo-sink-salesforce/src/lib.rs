//! Salesforce out: the publisher for `HTTP:SFDC[@org]:<api>:<object>`.
