"""What finds each group of operators: functions from ``OpTimes`` to facts."""
