-- Leases all lanes of a job.
UPDATE outbox_lane SET owner = ?3, epoch = epoch + 1, lease_until = ?4
 WHERE destination = ?1 AND job_id = ?2
RETURNING lane, epoch
