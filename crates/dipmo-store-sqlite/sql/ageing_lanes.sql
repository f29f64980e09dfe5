-- Every lane of a destination that ever had a unit.
SELECT destination, lane FROM outbox_lane
