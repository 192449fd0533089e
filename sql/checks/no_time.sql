-- history: no times, so late events are not checked
-- truth or history has no usable column of times.
-- Place: 470; Severity: info; Needs: history
-- Write: name the column of times with {time_col}; write {time_col=} if there are none
SELECT count(*) AS total FROM columns
