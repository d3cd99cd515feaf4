-- A record UDF: counts the calls for a record, and keeps the last caller.
-- Creates the record if it is not there. Returns the new count.
function visit(rec, by, caller)
  rec['visits'] = (rec['visits'] or 0) + by
  rec['caller'] = caller
  if aerospike:exists(rec) then
    aerospike:update(rec)
  else
    aerospike:create(rec)
  end
  return rec['visits']
end
