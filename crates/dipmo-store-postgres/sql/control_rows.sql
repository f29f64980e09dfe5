-- All controls.
select kind, name, setting, actor, reason, since, value from dipmo_control
order by kind collate "C", name collate "C", setting collate "C"
