-- How many timers are set, and the moment of which the backlog is.
select count(*), now() from process_timer
